// SPDX-License-Identifier: Apache-2.0
#include "ptx_runner/kernel_arguments.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/error.h"

namespace heddle::ptx_runner {
namespace {

using isa::DataType;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 34;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

[[noreturn]] void refuse(const isa::Parameter& parameter, const std::string& text, const std::string& why) {
  fail(ExitCode::usage, "argument '{}' for parameter '{}' (.{}, {} bytes): {}", text, parameter.name,
       isa::name_of(parameter.type), parameter.size, why);
}

/// Parses a number of that type; false when it is not a number or does not fit.
bool number(const std::string& text, DataType type, std::uint64_t& bits) {
  if (text.empty()) return false;
  char* end = nullptr;
  errno = 0;
  if (type == DataType::f32 || type == DataType::f64) {
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') return false;
    if (type == DataType::f64) {
      std::memcpy(&bits, &value, sizeof bits);
    } else {
      const auto single = static_cast<float>(value);
      bits = 0;
      std::memcpy(&bits, &single, sizeof single);
    }
    return true;
  }
  const bool negative = text[0] == '-';
  const std::string digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits[0] == '-' || digits[0] == '+' || digits[0] == ' ') return false;
  const bool hexadecimal = digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const std::uint64_t value = std::strtoull(digits.c_str() + (hexadecimal ? 2 : 0), &end, hexadecimal ? 16 : 10);
  if (*end != '\0' || errno == ERANGE) return false;
  const unsigned width = 8 * isa::size_of(type);
  const std::uint64_t most = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  // Accept anything that fits the width as a signed or unsigned number.
  if (negative ? value > most / 2 + 1 : value > most) return false;
  bits = negative ? 0 - value : value;
  return true;
}

/// splitmix64 (G. Steele et al., "Fast Splittable Pseudorandom Number Generators", 2014).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t element_bits(const std::string& kind, DataType type, std::uint64_t index, std::uint64_t value,
                           std::uint64_t& state) {
  if (kind == "zeros") return 0;
  if (kind == "fill") return value;
  const bool random = kind == "random";
  const std::uint64_t drawn = random ? next_random(state) : index;
  if (type == DataType::f32) {
    // Random in [0, 1).
    const float number = random ? static_cast<float>(drawn >> 40) * 0x1p-24f : static_cast<float>(index);
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  if (type == DataType::f64) {
    const double number = random ? static_cast<double>(drawn >> 11) * 0x1p-53 : static_cast<double>(index);
    std::uint64_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
  }
  return drawn;
}

Argument read_file(const isa::Parameter& parameter, const std::string& text, const std::string& path, DataType type) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    refuse(parameter, text,
           fmt::format("'{}' is not a file; use a number, zeros:, iota:, fill:, random:, file: or hex:", path));
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) fail(ExitCode::io, "{}: cannot be read", path);
  Argument out{true, type, std::vector<std::byte>(content.size())};
  if (!content.empty()) std::memcpy(out.bytes.data(), content.data(), content.size());
  return out;
}

Argument read_buffer(const isa::Parameter& parameter, const std::string& text, const std::vector<std::string>& parts) {
  const std::string& kind = parts[0];
  const std::size_t most = kind == "fill" || kind == "random" ? 4 : 3;
  if (parts.size() < 3 || parts.size() > most || (kind == "fill" && parts.size() != 4)) {
    refuse(parameter, text,
           fmt::format("write {}:TYPE:COUNT{}, as in {}:f32:1024{}", kind,
                       kind == "fill"     ? ":VALUE"
                       : kind == "random" ? "[:SEED]"
                                          : "",
                       kind, kind == "fill" ? ":1.5" : ""));
  }
  Argument out{true, element_type(parts[1]), {}};
  std::uint64_t count = 0, value = 0, state = 0;
  const std::uint64_t size = isa::size_of(out.element);
  if (!number(parts[2], DataType::u64, count) || count > kMostBytes / size)
    refuse(parameter, text, fmt::format("'{}' is not a number of elements", parts[2]));
  if (kind == "fill" && !number(parts[3], out.element, value))
    refuse(parameter, text, fmt::format("'{}' is not a number of type {}", parts[3], parts[1]));
  if (kind == "random" && parts.size() == 4 && !number(parts[3], DataType::u64, state))
    refuse(parameter, text, fmt::format("'{}' is not a seed", parts[3]));
  out.bytes.resize(count * size);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = element_bits(kind, out.element, i, value, state);
    std::memcpy(out.bytes.data() + i * size, &bits, size);
  }
  return out;
}

Argument read_bytes(const isa::Parameter& parameter, const std::string& text) {
  const std::string digits = text.substr(4);
  Argument out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    if (error != std::errc() || end != digits.data() + i + 2)
      refuse(parameter, text, "hex: needs pairs of hexadecimal digits");
    out.bytes.push_back(static_cast<std::byte>(value));
  }
  if (digits.size() != 2 * parameter.size)
    refuse(parameter, text, fmt::format("hex: needs {} digits", 2 * parameter.size));
  return out;
}

}  // namespace

DataType element_type(const std::string& name) {
  constexpr DataType kTypes[] = {DataType::b8,  DataType::u8,  DataType::s8,  DataType::b16, DataType::u16,
                                 DataType::s16, DataType::b32, DataType::u32, DataType::s32, DataType::f32,
                                 DataType::b64, DataType::u64, DataType::s64, DataType::f64};
  for (const DataType type : kTypes) {
    if (isa::name_of(type) == name) return type;
  }
  fail(ExitCode::usage, "'{}' is not an element type; use u8, s8, u16, s16, u32, s32, u64, s64, f32 or f64", name);
}

Argument read_argument(const isa::Parameter& parameter, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  const bool takes_pointer = parameter.size == 8 || parameter.size == 4;
  const std::string& kind = parts[0];
  const bool makes_buffer =
      parts.size() > 1 && (kind == "zeros" || kind == "iota" || kind == "fill" || kind == "random");
  const bool names_file = parts.size() > 1 && kind == "file";
  if ((makes_buffer || names_file) && (!takes_pointer || isa::is_float(parameter.type)))
    refuse(parameter, text, "a buffer is passed by address, which does not fit this parameter");
  if (makes_buffer) return read_buffer(parameter, text, parts);
  if (names_file) {
    const bool typed = parts.size() > 2;
    return read_file(parameter, text, text.substr(typed ? 6 + parts[1].size() : 5),
                     typed ? element_type(parts[1]) : DataType::b8);
  }
  if (parts.size() > 1 && kind == "hex") return read_bytes(parameter, text);
  if (parameter.size != isa::size_of(parameter.type))
    refuse(parameter, text, "give an aggregate as bytes, as in hex:00000001");
  std::uint64_t bits = 0;
  if (text != "null" && !number(text, parameter.type, bits)) {
    // Anything that is not a number may be a file name.
    std::error_code error;
    const bool may_be_file = takes_pointer && !isa::is_float(parameter.type);
    if (!may_be_file || !std::filesystem::is_regular_file(text, error)) {
      refuse(
          parameter, text,
          fmt::format(
              "not a number of type {}{}", isa::name_of(parameter.type),
              may_be_file ? ", and there is no such file; buffers are zeros:, iota:, fill:, random: and file:" : ""));
    }
    return read_file(parameter, text, text, DataType::b8);
  }
  Argument out;
  out.bytes.resize(parameter.size);
  std::memcpy(out.bytes.data(), &bits, parameter.size);
  return out;
}

std::string elements_text(const std::vector<std::byte>& bytes, DataType element, std::size_t count) {
  const std::size_t size = isa::size_of(element), all = bytes.size() / size;
  std::string out;
  for (std::size_t i = 0; i < std::min(count, all); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    if (i != 0) out += ' ';
    if (element == DataType::f32) {
      float value;
      std::memcpy(&value, &bits, sizeof value);
      out += fmt::format("{}", value);
    } else if (element == DataType::f64) {
      double value;
      std::memcpy(&value, &bits, sizeof value);
      out += fmt::format("{}", value);
    } else if (isa::is_signed(element)) {
      const unsigned spare = 64 - 8 * static_cast<unsigned>(size);
      out += fmt::format("{}", static_cast<std::int64_t>(bits << spare) >> spare);
    } else {
      out += fmt::format("{}", bits);
    }
  }
  return out;
}

Extents read_extents(const std::string& text, const std::string& what) {
  std::string commas = text;
  for (char& c : commas) c = c == 'x' ? ',' : c;
  const std::vector<std::string> parts = split(commas, ',');
  Extents out;
  unsigned* const extents[] = {&out.x, &out.y, &out.z};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::uint64_t value = 0;
    if (i >= 3 || !number(parts[i], DataType::u32, value) || value == 0)
      fail(ExitCode::usage, "{} {}: expected one to three numbers from 1, as in 64 or 8,8,2", what, text);
    *extents[i] = static_cast<unsigned>(value);
  }
  return out;
}

}  // namespace heddle::ptx_runner
