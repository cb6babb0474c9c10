// SPDX-License-Identifier: Apache-2.0
// Instructions of research machines, for CUDA C++: loads with a row-buffer hint, conditional accumulate, tree traverse.
// Included by heddle.h. For compilers other than `heddle cc`, each expands to equivalent CUDA code. Source:
// docs/sources/large-warps-and-database-search.md, 2.10, 2.11 and 2.14.
#ifndef HEDDLE_INSTRUCTIONS_H
#define HEDDLE_INSTRUCTIONS_H

#define HEDDLE_INSTRUCTION static __inline__ __device__

namespace heddle {
namespace detail {

/// An unsigned word as wide as the data.
template <unsigned bytes>
struct WordOf;
template <>
struct WordOf<1> {
  typedef unsigned short type;  // the narrowest register of inline assembly
};
template <>
struct WordOf<2> {
  typedef unsigned short type;
};
template <>
struct WordOf<4> {
  typedef unsigned int type;
};
template <>
struct WordOf<8> {
  typedef unsigned long long type;
};

template <typename T>
HEDDLE_INSTRUCTION typename WordOf<sizeof(T)>::type word_of(const T& value) {
  typename WordOf<sizeof(T)>::type word = 0;
  memcpy(&word, &value, sizeof(T));
  return word;
}

#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
template <unsigned bytes>
struct RowHintLoad;
#define HEDDLE_ROW_HINT_LOAD(bytes, word, letter, suffix)                                        \
  template <>                                                                                    \
  struct RowHintLoad<bytes> {                                                                    \
    HEDDLE_INSTRUCTION void load(const void* from, void* to) {                                   \
      word value;                                                                                \
      asm volatile("ld.rowhint." suffix " %0, [%1];" : "=" letter(value) : "l"(from) : "memory"); \
      memcpy(to, &value, bytes);                                                                 \
    }                                                                                            \
  };
HEDDLE_ROW_HINT_LOAD(1, unsigned short, "h", "u8")
HEDDLE_ROW_HINT_LOAD(2, unsigned short, "h", "u16")
HEDDLE_ROW_HINT_LOAD(4, unsigned int, "r", "u32")
HEDDLE_ROW_HINT_LOAD(8, unsigned long long, "l", "u64")
#undef HEDDLE_ROW_HINT_LOAD
template <>
struct RowHintLoad<16> {
  HEDDLE_INSTRUCTION void load(const void* from, void* to) {
    unsigned long long value[2];
    asm volatile("ld.rowhint.v2.u64 {%0, %1}, [%2];" : "=l"(value[0]), "=l"(value[1]) : "l"(from) : "memory");
    memcpy(to, value, 16);
  }
};

template <unsigned bytes>
struct Accumulate;
#define HEDDLE_ACCUMULATE_FORM(name, space, bits, letter)                                                              \
  HEDDLE_INSTRUCTION unsigned int name(unsigned long long output, int predicate, Word data) {                          \
    unsigned int total;                                                                                                \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; heddle.cond_acc" space bits " %0, [%1], p, %3; }"              \
                 : "=r"(total)                                                                                         \
                 : "l"(output), "r"(predicate), letter(data)                                                           \
                 : "memory");                                                                                          \
    return total;                                                                                                      \
  }                                                                                                                    \
  HEDDLE_INSTRUCTION unsigned int name##_sync(unsigned int mask, unsigned long long output, int predicate, Word data) { \
    unsigned int total;                                                                                                \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; heddle.cond_acc.sync" space bits " %0, [%1], p, %3, %4; }"     \
                 : "=r"(total)                                                                                         \
                 : "l"(output), "r"(predicate), letter(data), "rn"(mask)                                               \
                 : "memory");                                                                                          \
    return total;                                                                                                      \
  }
#define HEDDLE_ACCUMULATE(bytes, bits, letter)               \
  template <>                                                \
  struct Accumulate<bytes> {                                 \
    typedef typename WordOf<bytes>::type Word;               \
    HEDDLE_ACCUMULATE_FORM(generic, "", bits, letter)        \
    HEDDLE_ACCUMULATE_FORM(shared, ".shared", bits, letter)  \
  };
HEDDLE_ACCUMULATE(1, ".b8", "h")
HEDDLE_ACCUMULATE(2, ".b16", "h")
HEDDLE_ACCUMULATE(4, ".b32", "r")
HEDDLE_ACCUMULATE(8, ".b64", "l")
#undef HEDDLE_ACCUMULATE_FORM
#undef HEDDLE_ACCUMULATE

HEDDLE_INSTRUCTION unsigned long long generic_address(const void* place) {
  return reinterpret_cast<unsigned long long>(place);
}
HEDDLE_INSTRUCTION unsigned long long shared_address(const void* place) {
  return (unsigned long long)(__attribute__((address_space(3))) const char*)place;
}
#endif

/// Helper of HEDDLE_ROW_HINT, placed before a load.
struct RowHint {};

}  // namespace detail
}  // namespace heddle

// --- row-buffer hint: another request to the same DRAM row will follow soon ------------------------------------------
/// Loads *from with the hint. T: 1, 2, 4, 8 or 16 bytes, aligned to its size.
template <typename T>
HEDDLE_INSTRUCTION T __ld_row_hint(const T* from) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  static_assert(alignof(T) >= sizeof(T), "a load moves 1, 2, 4, 8 or 16 bytes, aligned to their number");
  T value;
  heddle::detail::RowHintLoad<sizeof(T)>::load(from, &value);
  return value;
#else
  return *from;
#endif
}

namespace heddle {
namespace detail {
// ->* binds tighter than any following operator except postfix and unary ones.
template <typename T>
HEDDLE_INSTRUCTION T operator->*(RowHint, const T& place) {
  return __ld_row_hint(&place);
}
}  // namespace detail
}  // namespace heddle

/// Prefix for an lvalue expression to load: `v = HEDDLE_ROW_HINT tree[i];`
#define HEDDLE_ROW_HINT ::heddle::detail::RowHint{}->*

// --- conditional accumulate ------------------------------------------------------------------------------------------
/// Threads whose predicate holds write their data consecutively to output[0], output[1], ..., in lane order; every
/// thread gets their count. output: the same for all threads, in shared or global memory. T: 1, 2, 4 or 8 bytes.
/// Participants: the threads in `mask`, which wait for each other, or the active ones. The `shared` forms, for an
/// output in shared memory, save the conversion to a generic address.
template <typename T>
HEDDLE_INSTRUCTION unsigned int __cond_acc_sync(unsigned int mask, T* output, int predicate, T data) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  return heddle::detail::Accumulate<sizeof(T)>::generic_sync(mask, heddle::detail::generic_address(output), predicate,
                                                             heddle::detail::word_of(data));
#elif defined(__CUDA_ARCH__)
  const unsigned int bits = __ballot_sync(mask, predicate);
  unsigned int below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  if (predicate) output[__popc(bits & below)] = data;
  return __popc(bits);
#else
  return 0;
#endif
}
template <typename T>
HEDDLE_INSTRUCTION unsigned int __cond_acc_shared_sync(unsigned int mask, T* output, int predicate, T data) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  return heddle::detail::Accumulate<sizeof(T)>::shared_sync(mask, heddle::detail::shared_address(output), predicate,
                                                            heddle::detail::word_of(data));
#else
  return __cond_acc_sync(mask, output, predicate, data);
#endif
}
template <typename T>
HEDDLE_INSTRUCTION unsigned int __cond_acc(T* output, int predicate, T data) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  return heddle::detail::Accumulate<sizeof(T)>::generic(heddle::detail::generic_address(output), predicate,
                                                        heddle::detail::word_of(data));
#elif defined(__CUDA_ARCH__)
  return __cond_acc_sync(__activemask(), output, predicate, data);
#else
  return 0;
#endif
}
template <typename T>
HEDDLE_INSTRUCTION unsigned int __cond_acc_shared(T* output, int predicate, T data) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  return heddle::detail::Accumulate<sizeof(T)>::shared(heddle::detail::shared_address(output), predicate,
                                                       heddle::detail::word_of(data));
#else
  return __cond_acc(output, predicate, data);
#endif
}

// --- tree traverse ---------------------------------------------------------------------------------------------------
/// base + (number of threads whose predicate holds) * node_size: the first word of the child node visited next in P-ary
/// search. node_size: a power of two; otherwise the kernel fails. base may differ between threads.
HEDDLE_INSTRUCTION unsigned int __tree_traverse_sync(unsigned int mask, unsigned int base, int predicate,
                                                     unsigned int node_size) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  unsigned int next;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; heddle.tree_traverse.sync.u32 %0, %1, p, %3, %4; }"
               : "=r"(next)
               : "r"(base), "r"(predicate), "rn"(node_size), "rn"(mask));
  return next;
#elif defined(__CUDA_ARCH__)
  return base + __popc(__ballot_sync(mask, predicate)) * node_size;
#else
  return base;
#endif
}
HEDDLE_INSTRUCTION unsigned int __tree_traverse(unsigned int base, int predicate, unsigned int node_size) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  unsigned int next;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; heddle.tree_traverse.u32 %0, %1, p, %3; }"
               : "=r"(next)
               : "r"(base), "r"(predicate), "rn"(node_size));
  return next;
#elif defined(__CUDA_ARCH__)
  return __tree_traverse_sync(__activemask(), base, predicate, node_size);
#else
  return base;
#endif
}
HEDDLE_INSTRUCTION unsigned long long __tree_traverse_sync(unsigned int mask, unsigned long long base, int predicate,
                                                           unsigned int node_size) {
#if defined(__HEDDLE__) && defined(__CUDA_ARCH__)
  unsigned long long next;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; heddle.tree_traverse.sync.u64 %0, %1, p, %3, %4; }"
               : "=l"(next)
               : "l"(base), "r"(predicate), "rn"(node_size), "rn"(mask));
  return next;
#elif defined(__CUDA_ARCH__)
  return base + static_cast<unsigned long long>(__popc(__ballot_sync(mask, predicate))) * node_size;
#else
  return base;
#endif
}

#undef HEDDLE_INSTRUCTION

#endif
