// SPDX-License-Identifier: Apache-2.0
// nqueens with its stacks in shared memory. Ten levels of 16 bytes for each of 96 threads are 15 of an SM's 16 KB, which
// may be why the source's blocks have 96 threads; an SM runs one of them. The kernel's loads and stores of global memory are
// then those of its result. Source: docs/sources/dynamic-warp-resizing.md, 5 (NQU: none of its accesses is ignored).
constexpr int kMostQueens = 10;
#define QUEENS_STACK(type, name) __shared__ type name[kMostQueens][kBlock]
#define QUEENS_LEVEL(name, depth) name[depth][threadIdx.x]
#include "../../workloads/nqueens.cu"
