// SPDX-License-Identifier: Apache-2.0
// Barriers, fences and the votes of a whole block.
#pragma once

#include "macros.h"

// __syncthreads() itself is a builtin of the compiler.
HEDDLE_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
HEDDLE_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
HEDDLE_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
HEDDLE_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
HEDDLE_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
HEDDLE_DEVICE void __barrier_sync_count(unsigned int id, unsigned int threads) { __nvvm_barrier_sync_cnt(id, threads); }

HEDDLE_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
HEDDLE_DEVICE void __threadfence() { __nvvm_membar_gl(); }
HEDDLE_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }
