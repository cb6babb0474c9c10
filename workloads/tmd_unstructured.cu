// SPDX-License-Identifier: Apache-2.0
// Hard cases of rounding (the table maker's dilemma) of the exponential function, by loops that are left by jumps: a bound
// on the distances in an interval, found like a greatest common divisor, and a search of the few parts that it leaves
// (unstructured control flow).
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              intervals of 512 arguments
//
// The bound is that of Lefevre ("New results on the distance between a segment and Z^2", ARITH-17, 2005). A thread leaves
// both of its loops for the next interval or part as soon as its bound is known; tmd_structured.cu does so by conditions.
#include "tmd.h"

using workload::Hard;
using workload::Polynomial;

__global__ void search(const Polynomial* polynomials, Hard* found, unsigned intervals) {
  const unsigned interval = blockIdx.x * blockDim.x + threadIdx.x;
  if (interval >= intervals) return;
  Polynomial at = polynomials[interval / workload::kGroup];
  workload::move_on(at, interval % workload::kGroup * workload::kInterval);
  unsigned long long nearest = ~0ull, cases = 0;
  // An interval, then, unless it keeps away, its parts.
  unsigned count = workload::kInterval, part = 0;
  unsigned long long bend = workload::kBend;

bound: {
  // Whether none of left - n * p (mod 1), for n from 0 below `count`, is less than `near`.
  const unsigned long long near = 2 * workload::kNear + bend;
  unsigned long long p = 0ull - at.first, q = at.first, left = at.start + workload::kNear + bend;
  unsigned u = 1, v = 1;
  if (left < near) goto close;
  for (;;) {
    if (left < p) {
      while (q >= p) {
        if (u + v >= count) goto away;
        q -= p;
        u += v;
      }
      if (u + v >= count) goto away;
      p -= q;
      v += u;
    } else {
      left -= p;
      if (left < near) goto close;
      while (p >= q) {
        if (u + v >= count) goto away;
        p -= q;
        v += u;
      }
      if (u + v >= count) goto away;
      q -= p;
      u += v;
    }
  }
}
close:
  if (count == workload::kInterval) {
    count = workload::kPart;
    bend = workload::kPartBend;
    goto bound;
  }
  {
    Polynomial next = at;
    for (unsigned n = 0; n < workload::kPart; ++n, workload::move_on(next, 1)) {
      const unsigned long long distance = next.start < 0ull - next.start ? next.start : 0ull - next.start;
      if (distance >= workload::kNear) continue;
      ++cases;
      if (distance < nearest) nearest = distance;
    }
  }
away:
  if (count == workload::kPart && ++part < workload::kParts) {
    workload::move_on(at, workload::kPart);
    goto bound;
  }
  found[interval] = {nearest, cases};
}

int main(int argc, char** argv) {
  const long intervals = workload::parse_size(argc, argv, {900, 12000, 200000, 1, 1 << 18});
  return workload::search_program("tmd_unstructured", intervals, 128, search);
}
