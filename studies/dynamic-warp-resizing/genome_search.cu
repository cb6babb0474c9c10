// SPDX-License-Identifier: Apache-2.0
// Matches of short reads of a genome, as workloads/suffix_matching.cu, but as the source's two programs find them: with
// --textures, tree and genome are read through the texture cache, and only the reads and the matches are loads and
// stores that warps could make together. With --positions, a second launch walks over the leaves below each match. No
// loop is unrolled, so that an access has one address in the code.
//
// usage: genome_search --size READS [--genome LETTERS] [--textures no|yes] [--positions no|yes]
// Source: docs/sources/dynamic-warp-resizing.md, 5 (MU with textures; MP with positions in a larger genome).
#include "../../workloads/suffix_reads.h"

constexpr int kBlock = 256;
constexpr int kRead = 12;                    // letters
constexpr int kLeast = 8;                    // of a match that counts
constexpr int kStarts = kRead - kLeast + 1;  // where such a match may begin in a read

using workload::SuffixNode;

template <bool kTextures>
struct Tree {
  const SuffixNode* nodes;
  const unsigned char* genome;
  cudaTextureObject_t node_texels, genome_texels;  // two texels of four words a node

  __device__ int child(int node, int letter) const {
    if (!kTextures) return nodes[node].child[letter];
    const int4 four = tex1Dfetch<int4>(node_texels, 2 * node);
    const int low = letter == 0 ? four.x : four.y, high = letter == 2 ? four.z : four.w;
    return letter < 2 ? low : high;
  }
  struct Rest {
    int first, length, link;
  };
  __device__ Rest rest(int node) const {
    if (!kTextures) return {nodes[node].first, nodes[node].length, nodes[node].link};
    const int4 four = tex1Dfetch<int4>(node_texels, 2 * node + 1);
    return {four.y, four.z, four.w};
  }
  __device__ unsigned char letter(int at) const {
    return kTextures ? tex1Dfetch<unsigned char>(genome_texels, at) : genome[at];
  }
};

// By start and read: letters that match, and the node below which all their places are (0: too few letters).
template <bool kTextures>
__global__ void match(Tree<kTextures> tree, const unsigned char* reads, const int* first_letter, int count,
                      int* lengths, int* below) {
  const int read = blockIdx.x * kBlock + threadIdx.x;
  if (read >= count) return;
  const unsigned char* const letters = reads + first_letter[read];
  int node = 0, depth = 0;  // the letters from `start` that lead to the node
  int known = 0;            // letters from `start` that are known to match
#pragma unroll 1
  for (int start = 0; start < kStarts; ++start) {
    int child = 0, matched = depth;
#pragma unroll 1
    while (start + depth < kRead) {
      child = tree.child(node, letters[start + depth]);
      if (child == 0) break;
      const auto edge = tree.rest(child);
      int i = min(max(known - depth, 0), edge.length);
#pragma unroll 1
      while (i < edge.length && start + depth + i < kRead && tree.letter(edge.first + i) == letters[start + depth + i])
        ++i;
      matched = depth + i;
      if (i < edge.length) break;
      node = child;
      depth += edge.length;
    }
    lengths[start * count + read] = matched;
    below[start * count + read] = matched < kLeast ? 0 : matched == depth ? node : child;
    known = max(matched - 1, 0);
    if (node != 0) {
      node = tree.rest(node).link;
      --depth;
    }
  }
}

// The tree as a walk needs it, one array a member. A leaf has no first child, but a place in the genome.
struct Walk {
  const int *first_child, *sibling, *parent, *place;
};

// By start and read: how many places match, and the first of them.
__global__ void find_places(Walk walk, const int* below, int count, int* places, int* first_place) {
  const int read = blockIdx.x * kBlock + threadIdx.x;
  if (read >= count) return;
#pragma unroll 1
  for (int start = 0; start < kStarts; ++start) {
    const int top = below[start * count + read];
    int found = 0, first = -1;
    if (top != 0) {
      int node = top;
#pragma unroll 1
      do {
#pragma unroll 1
        for (int child = walk.first_child[node]; child != 0; child = walk.first_child[node]) node = child;
        const int place = walk.place[node];
        first = found == 0 ? place : min(first, place);
        ++found;
#pragma unroll 1
        while (node != top && walk.sibling[node] == 0) node = walk.parent[node];
        if (node != top) node = walk.sibling[node];
      } while (node != top);
    }
    places[start * count + read] = found;
    first_place[start * count + read] = first;
  }
}

cudaTextureObject_t texture_of(void* from, std::size_t bytes, cudaChannelFormatDesc texel) {
  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = from;
  resource.res.linear.desc = texel;
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc description;
  std::memset(&description, 0, sizeof(description));
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK_CUDA(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  return texture;
}

int main(int argc, char** argv) {
  const bool with_places = workload::take_choice(argc, argv, "--positions", {"no", "yes"}) == 1;
  const bool with_textures = workload::take_choice(argc, argv, "--textures", {"no", "yes"}) == 1;
  const int letters = static_cast<int>(workload::take_number(argc, argv, "--genome", 1000, 64, 1 << 22));
  const int count = static_cast<int>(workload::parse_size(argc, argv, {300, 8192, 131072, 1, 1 << 22}));
  const workload::Reads made(letters, count, kRead);

  const std::size_t items = static_cast<std::size_t>(count) * kStarts;
  std::vector<int> lengths(items), places(items), first_place(items), first_letter(count);
  const workload::SuffixReference reference(made.genome, kLeast);
  for (int read = 0; read < count; ++read) {
    first_letter[read] = read * kRead;
    for (int start = 0; start < kStarts; ++start) {
      const std::size_t i = static_cast<std::size_t>(start) * count + read;
      reference.find(&made.letters[read * kRead + start], kRead - start, &lengths[i], &places[i], &first_place[i]);
    }
  }

  std::vector<unsigned char> text = made.genome;
  text.push_back(workload::kLetters);
  const workload::SuffixTree tree(text);
  workload::DeviceArray<SuffixNode> nodes(tree.nodes());
  workload::DeviceArray<unsigned char> device_genome(text), device_reads(made.letters);
  workload::DeviceArray<int> device_first_letter(first_letter);
  workload::DeviceArray<int> device_lengths(items), below(items);
  const unsigned blocks = workload::blocks_for(count, kBlock);
  if (with_textures) {
    const cudaTextureObject_t node_texels =
        texture_of(nodes.get(), tree.nodes().size() * sizeof(SuffixNode), cudaCreateChannelDesc<int4>());
    const cudaTextureObject_t genome_texels =
        texture_of(device_genome.get(), text.size(), cudaCreateChannelDesc<unsigned char>());
    match<true><<<blocks, kBlock>>>({nullptr, nullptr, node_texels, genome_texels}, device_reads.get(),
                                    device_first_letter.get(), count, device_lengths.get(), below.get());
  } else {
    match<false><<<blocks, kBlock>>>({nodes.get(), device_genome.get(), 0, 0}, device_reads.get(),
                                     device_first_letter.get(), count, device_lengths.get(), below.get());
  }
  CHECK_LAUNCH();
  workload::Report report("genome_search");
  report.expect_equal("length", device_lengths.download(), lengths);
  if (!with_places) return report.finish();

  const workload::WalkArrays walk(tree.nodes());
  workload::DeviceArray<int> first_child(walk.first_child), sibling(walk.sibling), parent(walk.parent),
      place(walk.place);
  workload::DeviceArray<int> device_places(items), device_first(items);
  find_places<<<blocks, kBlock>>>({first_child.get(), sibling.get(), parent.get(), place.get()}, below.get(), count,
                                  device_places.get(), device_first.get());
  CHECK_LAUNCH();
  report.expect_equal("number of places", device_places.download(), places);
  report.expect_equal("first place", device_first.download(), first_place);
  return report.finish();
}
