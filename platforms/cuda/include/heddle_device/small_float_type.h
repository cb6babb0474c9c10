// SPDX-License-Identifier: Apache-2.0
// A 16-bit floating-point type and its pair: __half, __nv_bfloat16. Included once for each, with the types in
// HEDDLE_SMALL_T, _T2, _RAW, _RAW2 and a HEDDLE_SMALL_NAMESPACE that provides from_float() and to_float() on bits and
// receives bits(), from_bits(), pair_from_bits(), value_of() and rounded().

struct __align__(2) HEDDLE_SMALL_T {
 protected:
  unsigned short __x;

 public:
  HEDDLE_SMALL_T() = default;
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T(const HEDDLE_SMALL_RAW& raw) : __x(raw.x) {}
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T(float f) : __x(HEDDLE_SMALL_NAMESPACE::from_float(f)) {}
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T(double d) : __x(HEDDLE_SMALL_NAMESPACE::from_float(heddle_small::odd(d))) {}
#define HEDDLE_SMALL_TO(type) \
  HEDDLE_SMALL_MEMBER operator type() const { \
    return heddle_small::to_integer<type>(HEDDLE_SMALL_NAMESPACE::to_float(__x), heddle_small::kZero); \
  }
#define HEDDLE_SMALL_INTEGER(type) \
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T(type v) : __x(HEDDLE_SMALL_NAMESPACE::from_float(heddle_small::odd(v))) {} \
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T& operator=(type v) { return *this = HEDDLE_SMALL_T(v); } \
  HEDDLE_SMALL_TO(type)
  HEDDLE_SMALL_INTEGER(short)
  HEDDLE_SMALL_INTEGER(unsigned short)
  HEDDLE_SMALL_INTEGER(int)
  HEDDLE_SMALL_INTEGER(unsigned int)
  HEDDLE_SMALL_INTEGER(long)
  HEDDLE_SMALL_INTEGER(unsigned long)
  HEDDLE_SMALL_INTEGER(long long)
  HEDDLE_SMALL_INTEGER(unsigned long long)
  HEDDLE_SMALL_TO(char)
  HEDDLE_SMALL_TO(signed char)
  HEDDLE_SMALL_TO(unsigned char)
#undef HEDDLE_SMALL_INTEGER
#undef HEDDLE_SMALL_TO
  HEDDLE_SMALL_MEMBER operator float() const { return HEDDLE_SMALL_NAMESPACE::to_float(__x); }
  HEDDLE_SMALL_MEMBER operator bool() const { return (__x & 0x7fffu) != 0; }
  HEDDLE_SMALL_MEMBER operator HEDDLE_SMALL_RAW() const {
    HEDDLE_SMALL_RAW raw;
    raw.x = __x;
    return raw;
  }
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T& operator=(const HEDDLE_SMALL_RAW& raw) {
    __x = raw.x;
    return *this;
  }
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T& operator=(float f) { return *this = HEDDLE_SMALL_T(f); }
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T& operator=(double d) { return *this = HEDDLE_SMALL_T(d); }
};

struct __align__(4) HEDDLE_SMALL_T2 {
  HEDDLE_SMALL_T x, y;
  HEDDLE_SMALL_T2() = default;
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T2(const HEDDLE_SMALL_T& low, const HEDDLE_SMALL_T& high) : x(low), y(high) {}
  HEDDLE_SMALL_MEMBER HEDDLE_SMALL_T2(const HEDDLE_SMALL_RAW2& raw) {
    HEDDLE_SMALL_RAW half;
    half.x = raw.x;
    x = half;
    half.x = raw.y;
    y = half;
  }
  HEDDLE_SMALL_MEMBER operator HEDDLE_SMALL_RAW2() const {
    HEDDLE_SMALL_RAW2 raw;
    raw.x = static_cast<HEDDLE_SMALL_RAW>(x).x;
    raw.y = static_cast<HEDDLE_SMALL_RAW>(y).x;
    return raw;
  }
};

namespace HEDDLE_SMALL_NAMESPACE {
HEDDLE_SMALL unsigned short bits(HEDDLE_SMALL_T h) { return static_cast<HEDDLE_SMALL_RAW>(h).x; }
HEDDLE_SMALL HEDDLE_SMALL_T from_bits(unsigned short x) {
  HEDDLE_SMALL_RAW raw;
  raw.x = x;
  return HEDDLE_SMALL_T(raw);
}
HEDDLE_SMALL unsigned int bits(HEDDLE_SMALL_T2 h) { return static_cast<unsigned int>(bits(h.y)) << 16 | bits(h.x); }
HEDDLE_SMALL HEDDLE_SMALL_T2 pair_from_bits(unsigned int x) {
  return HEDDLE_SMALL_T2(from_bits(static_cast<unsigned short>(x)), from_bits(static_cast<unsigned short>(x >> 16)));
}
HEDDLE_SMALL float value_of(HEDDLE_SMALL_T h) { return to_float(bits(h)); }
HEDDLE_SMALL HEDDLE_SMALL_T rounded(float f) { return HEDDLE_SMALL_T(f); }
}  // namespace HEDDLE_SMALL_NAMESPACE

#undef HEDDLE_SMALL_T
#undef HEDDLE_SMALL_T2
#undef HEDDLE_SMALL_RAW
#undef HEDDLE_SMALL_RAW2
#undef HEDDLE_SMALL_NAMESPACE
