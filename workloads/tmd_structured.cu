// SPDX-License-Identifier: Apache-2.0
// Hard cases of rounding (the table maker's dilemma) of the exponential function, by nested loops with conditions: a bound
// on the distances in an interval, found like a greatest common divisor, and a search of the few parts that it leaves.
//
//   order dependent:   no
//   digest:            reference
//   blocks:            128
//   shared memory:     0
//   warp instructions: no
//   size:              intervals of 512 arguments
//
// The bound is that of Lefevre ("New results on the distance between a segment and Z^2", ARITH-17, 2005). Loops end by
// their conditions only; tmd_unstructured.cu jumps out of them.
#include "tmd.h"

using workload::Hard;
using workload::Polynomial;

// Whether none of start - n * slope (mod 1), for n from 0 below `count`, is less than `near`. May be false without need.
__device__ bool keeps_away(unsigned long long start, unsigned long long slope, unsigned count, unsigned long long near) {
  unsigned long long p = slope, q = 0ull - slope, left = start;
  unsigned u = 1, v = 1;
  bool away = false, close = left < near;
  while (!away && !close) {
    if (left < p) {
      while (q >= p && u + v < count) {
        q -= p;
        u += v;
      }
      away = u + v >= count;
      p -= q;
      v += u;
    } else {
      left -= p;
      close = left < near;
      while (p >= q && u + v < count) {
        p -= q;
        v += u;
      }
      away = u + v >= count;
      q -= p;
      u += v;
    }
  }
  return !close;
}

__device__ bool may_hold(const Polynomial& at, unsigned count, unsigned long long bend) {
  return !keeps_away(at.start + workload::kNear + bend, 0ull - at.first, count, 2 * workload::kNear + bend);
}

__device__ void search_part(Polynomial at, Hard& hard) {
  for (unsigned n = 0; n < workload::kPart; ++n) {
    const unsigned long long below = 0ull - at.start, distance = at.start < below ? at.start : below;
    if (distance < workload::kNear) {
      ++hard.cases;
      if (distance < hard.nearest) hard.nearest = distance;
    }
    at.start += at.first;
    at.first += at.second;
  }
}

__global__ void search(const Polynomial* polynomials, Hard* found, unsigned intervals) {
  const unsigned interval = blockIdx.x * blockDim.x + threadIdx.x;
  if (interval < intervals) {
    Polynomial at = polynomials[interval / workload::kGroup];
    workload::move_on(at, interval % workload::kGroup * workload::kInterval);
    Hard hard = {~0ull, 0};
    if (may_hold(at, workload::kInterval, workload::kBend)) {
      for (unsigned part = 0; part < workload::kParts; ++part) {
        if (may_hold(at, workload::kPart, workload::kPartBend)) search_part(at, hard);
        workload::move_on(at, workload::kPart);
      }
    }
    found[interval] = hard;
  }
}

int main(int argc, char** argv) {
  const long intervals = workload::parse_size(argc, argv, {900, 12000, 200000, 1, 1 << 18});
  return workload::search_program("tmd_structured", intervals, 128, search);
}
