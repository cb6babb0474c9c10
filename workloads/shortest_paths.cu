// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one node, one thread a node and two launches a round: nodes that came nearer offer paths to their
// neighbours, then take the best offer they got. Few threads of a warp have work, each on edges of its own.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              nodes
//
// Option: --edges N, of a node, on average (12).
// Source: docs/sources/cache-conscious-and-divergence-aware.md, 5 (SSSP).
#include <algorithm>
#include <queue>

#include "common.h"

constexpr int kBlock = 128;
constexpr int kFar = 1 << 30;

struct Edge {
  int node, length;
};

__global__ void offer(const int* first_edge, const Edge* edges, unsigned char* nearer, const int* distances,
                      int* offers, int nodes) {
  const int node = blockIdx.x * kBlock + threadIdx.x;
  if (node >= nodes || !nearer[node]) return;
  nearer[node] = 0;
  const int distance = distances[node], end = first_edge[node + 1];
#pragma unroll 1
  for (int i = first_edge[node]; i < end; ++i) {
    const Edge edge = edges[i];
    atomicMin(&offers[edge.node], distance + edge.length);
  }
}

__global__ void take(unsigned char* nearer, int* distances, const int* offers, int* any, int nodes) {
  const int node = blockIdx.x * kBlock + threadIdx.x;
  if (node >= nodes || offers[node] >= distances[node]) return;
  distances[node] = offers[node];
  nearer[node] = 1;
  *any = 1;
}

struct Graph {
  std::vector<int> first_edge{0};
  std::vector<Edge> edges;
};

// A wide road network: nodes lie along a strip, with edges to nodes near them, and have numbers in no order.
Graph make_graph(int nodes, int mean) {
  workload::Random random(137);
  std::vector<int> number(nodes), place(nodes);
  for (int i = 0; i < nodes; ++i) number[i] = i;
  for (int i = nodes - 1; i > 0; --i) std::swap(number[i], number[random.below(i + 1)]);
  for (int i = 0; i < nodes; ++i) place[number[i]] = i;
  const int reach = std::min(nodes - 1, std::max(4 * mean, nodes / 16));
  Graph graph;
  for (int node = 0; node < nodes; ++node) {
    const int edges = mean / 2 + static_cast<int>(random.below(mean + 1));
    for (int edge = 0; edge < edges; ++edge) {
      const int away = static_cast<int>(random.below(2 * reach + 1)) - reach;
      const int to = std::min(std::max(place[node] + away, 0), nodes - 1);
      graph.edges.push_back({number[to], 1 + std::abs(away) + static_cast<int>(random.below(8))});
    }
    graph.first_edge.push_back(static_cast<int>(graph.edges.size()));
  }
  return graph;
}

std::vector<int> distances_of(const Graph& graph, int start) {
  std::vector<int> distances(graph.first_edge.size() - 1, kFar);
  using Place = std::pair<int, int>;  // distance, node
  std::priority_queue<Place, std::vector<Place>, std::greater<Place>> places;
  distances[start] = 0;
  for (places.push({0, start}); !places.empty();) {
    const auto [distance, node] = places.top();
    places.pop();
    if (distance > distances[node]) continue;
    for (int i = graph.first_edge[node]; i < graph.first_edge[node + 1]; ++i) {
      const int other = graph.edges[i].node, through = distance + graph.edges[i].length;
      if (through >= distances[other]) continue;
      distances[other] = through;
      places.push({through, other});
    }
  }
  return distances;
}

int main(int argc, char** argv) {
  const int mean = static_cast<int>(workload::take_number(argc, argv, "--edges", 12, 2, 256));
  const int nodes = static_cast<int>(workload::parse_size(argc, argv, {400, 8192, 65536, 16, 1 << 20}));
  const Graph graph = make_graph(nodes, mean);
  const int start = 0;
  std::vector<int> distances(nodes, kFar);
  std::vector<unsigned char> first(nodes, 0);
  distances[start] = 0;
  first[start] = 1;
  workload::DeviceArray<int> first_edge(graph.first_edge), device_distances(distances);
  workload::DeviceArray<int> offers(std::vector<int>(nodes, kFar)), any(1);
  workload::DeviceArray<Edge> edges(graph.edges);
  workload::DeviceArray<unsigned char> nearer(first);
  const unsigned blocks = workload::blocks_for(nodes, kBlock);
  do {
    any.upload({0});
    offer<<<blocks, kBlock>>>(first_edge.get(), edges.get(), nearer.get(), device_distances.get(), offers.get(), nodes);
    CHECK_LAUNCH();
    take<<<blocks, kBlock>>>(nearer.get(), device_distances.get(), offers.get(), any.get(), nodes);
    CHECK_LAUNCH();
  } while (any.download()[0] != 0);
  workload::Report report("shortest_paths");
  report.expect_equal("distance", device_distances.download(), distances_of(graph, start));
  return report.finish();
}
