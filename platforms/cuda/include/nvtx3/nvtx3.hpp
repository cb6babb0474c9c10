// SPDX-License-Identifier: Apache-2.0
// The C++ interface of NVTX: ranges, marks, domains, categories, messages, colors and payloads, accepted and ignored.
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP

#include <cstdint>
#include <string>

#include "../nvToolsExt.h"

namespace nvtx3 {
inline namespace v1 {

struct rgb {
  using component_type = std::uint8_t;
  constexpr rgb(component_type r, component_type g, component_type b) noexcept : red(r), green(g), blue(b) {}
  component_type red, green, blue;
};
struct argb : rgb {
  constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept
      : rgb(r, g, b), alpha(a) {}
  component_type alpha;
};
class color {
 public:
  using value_type = std::uint32_t;
  constexpr explicit color(value_type hex) noexcept : value_(hex) {}
  constexpr color(argb c) noexcept
      : value_(static_cast<value_type>(c.alpha) << 24 | static_cast<value_type>(c.red) << 16 |
               static_cast<value_type>(c.green) << 8 | c.blue) {}
  constexpr color(rgb c) noexcept : color(argb(0xff, c.red, c.green, c.blue)) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr nvtxColorType_t get_type() const noexcept { return NVTX_COLOR_ARGB; }

 private:
  value_type value_;
};

class domain {
 public:
  struct global {};
  domain(const domain&) = delete;
  domain& operator=(const domain&) = delete;
  template <class Domain = global>
  static const domain& get() noexcept {
    static const domain only;
    return only;
  }
  operator nvtxDomainHandle_t() const noexcept { return nullptr; }

 private:
  domain() = default;
};

class category {
 public:
  using id_type = std::uint32_t;
  constexpr explicit category(id_type id) noexcept : id_(id) {}
  constexpr id_type get_id() const noexcept { return id_; }

 private:
  id_type id_;
};
template <class Domain = domain::global>
class named_category_in : public category {
 public:
  named_category_in(id_type id, const char*) noexcept : category(id) {}
  named_category_in(id_type id, const wchar_t*) noexcept : category(id) {}
  template <class C>
  static const named_category_in& get() noexcept {
    static const named_category_in only(C::id, C::name);
    return only;
  }
};
using named_category = named_category_in<>;

template <class Domain = domain::global>
class registered_string_in {
 public:
  explicit registered_string_in(const char*) noexcept {}
  explicit registered_string_in(const wchar_t*) noexcept {}
  explicit registered_string_in(const std::string&) noexcept {}
  explicit registered_string_in(const std::wstring&) noexcept {}
  template <class M>
  static const registered_string_in& get() noexcept {
    static const registered_string_in only(M::message);
    return only;
  }
  nvtxStringHandle_t get_handle() const noexcept { return nullptr; }
};
using registered_string = registered_string_in<>;

class message {
 public:
  constexpr message(const char*) noexcept {}
  constexpr message(const wchar_t*) noexcept {}
  message(const std::string&) noexcept {}
  message(const std::wstring&) noexcept {}
  template <class Domain>
  message(const registered_string_in<Domain>&) noexcept {}
};
class payload {
 public:
  template <class Number>
  constexpr explicit payload(Number) noexcept {}
};

class event_attributes {
 public:
  using value_type = nvtxEventAttributes_t;
  template <class... Parts>
  constexpr explicit event_attributes(const Parts&...) noexcept : value_() {}
  constexpr const value_type* get() const noexcept { return &value_; }

 private:
  value_type value_;
};

// --- ranges: no effect
template <class Domain = domain::global>
class scoped_range_in {
 public:
  template <class... Parts>
  explicit scoped_range_in(const Parts&...) noexcept {}
  ~scoped_range_in() {}  // as an object with an effect, so that a variable of the type is not called unused
  scoped_range_in(const scoped_range_in&) = delete;
  scoped_range_in& operator=(const scoped_range_in&) = delete;
};
using scoped_range = scoped_range_in<>;
template <class Domain = domain::global>
using domain_thread_range = scoped_range_in<Domain>;
using thread_range = scoped_range;

struct range_handle {
  using value_type = nvtxRangeId_t;
  constexpr explicit range_handle(value_type id = 0) noexcept : id_(id) {}
  constexpr value_type get_value() const noexcept { return id_; }

 private:
  value_type id_;
};
template <class Domain = domain::global, class... Parts>
range_handle start_range_in(const Parts&...) noexcept {
  return range_handle();
}
template <class... Parts>
range_handle start_range(const Parts&...) noexcept {
  return range_handle();
}
template <class Domain = domain::global>
void end_range_in(range_handle) noexcept {}
inline void end_range(range_handle) noexcept {}

template <class Domain = domain::global>
class unique_range_in {
 public:
  template <class... Parts>
  explicit unique_range_in(const Parts&...) noexcept {}
  unique_range_in(unique_range_in&&) noexcept {}
  unique_range_in& operator=(unique_range_in&&) noexcept { return *this; }
  ~unique_range_in() {}
};
using unique_range = unique_range_in<>;

template <class Domain = domain::global, class... Parts>
void mark_in(const Parts&...) noexcept {}
template <class... Parts>
void mark(const Parts&...) noexcept {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE_IN(D) ::nvtx3::v1::scoped_range_in<D> const nvtx3_range__(__func__)
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_V1_FUNC_RANGE_IF_IN(D, C) \
  NVTX3_V1_FUNC_RANGE_IN(D);            \
  (void)(C)
#define NVTX3_V1_FUNC_RANGE_IF(C) NVTX3_V1_FUNC_RANGE_IF_IN(::nvtx3::v1::domain::global, C)
#define NVTX3_FUNC_RANGE NVTX3_V1_FUNC_RANGE
#define NVTX3_FUNC_RANGE_IN NVTX3_V1_FUNC_RANGE_IN
#define NVTX3_FUNC_RANGE_IF NVTX3_V1_FUNC_RANGE_IF
#define NVTX3_FUNC_RANGE_IF_IN NVTX3_V1_FUNC_RANGE_IF_IN

#endif
