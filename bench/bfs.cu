// SPDX-License-Identifier: Apache-2.0
// Breadth-first search by levels: 16,384 nodes (or the number given) of 0 to 7 edges, one launch a level, grid 64,
// block 256. Divergence, many launches. Threads that reach one node in the same level store the same value there.
#include "bench.h"

extern "C" __global__ void bfs(const int* rp, const int* ci, int* dist, int level, int* changed, int n) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  if (dist[u] == level) {
    int e = rp[u + 1];
#pragma unroll 1
    for (int j = rp[u]; j < e; j++) {
      int w = ci[j];
      if (dist[w] < 0) {
        dist[w] = level + 1;
        *changed = 1;
      }
    }
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16384;
  unsigned sd = 3;
  std::vector<int> rp(n + 1), ci, dist(n, -1);
  dist[0] = 0;
  rp[0] = 0;
  for (int i = 0; i < n; i++) {
    int k = i == 0 ? 8 : lcg(sd) % 8;
    for (int j = 0; j < k; j++) ci.push_back(lcg(sd) % n);
    rp[i + 1] = ci.size();
  }
  int *drp = upload(rp), *dci = upload(ci), *dd = upload(dist);
  std::vector<int> z(1, 0);
  int* dch = upload(z);
  int level = 0, ch;
  do {
    ch = 0;
    cudaMemcpy(dch, &ch, 4, cudaMemcpyHostToDevice);
    bfs<<<(n + 255) / 256, 256>>>(drp, dci, dd, level, dch, n);
    cudaDeviceSynchronize();
    cudaMemcpy(&ch, dch, 4, cudaMemcpyDeviceToHost);
    level++;
  } while (ch);
  auto o = download(dd, n);
  std::vector<int> ref(n, -1), q;
  ref[0] = 0;
  q.push_back(0);
  for (size_t h = 0; h < q.size(); h++) {
    int u = q[h];
    for (int j = rp[u]; j < rp[u + 1]; j++)
      if (ref[ci[j]] < 0) {
        ref[ci[j]] = ref[u] + 1;
        q.push_back(ci[j]);
      }
  }
  int bad = 0;
  for (int i = 0; i < n; i++) bad += ref[i] != o[i];
  printf("bfs launches %d reached %zu edges %zu\n", level, q.size(), ci.size());
  return report("bfs", bad);
}
