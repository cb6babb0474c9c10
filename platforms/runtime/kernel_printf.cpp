// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernel_printf.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "isa/state.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMostArguments = 32;  // CUDA C++ programming guide, "Formatted output"

/// Reads the argument values of a call in order.
class Arguments {
 public:
  Arguments(std::uint64_t address, const DeviceReader& read, unsigned pointer_bytes)
      : address_(address), read_(read), narrow_(pointer_bytes == 4) {}

  /// Pointers and `long` integers are 32 bits wide.
  bool narrow() const { return narrow_; }
  std::uint64_t next_pointer() { return narrow_ ? next<std::uint32_t>() : next<std::uint64_t>(); }

  template <typename T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (count_ < kMostArguments) good_ = read_(address_ + offset_, &value, sizeof value) && good_;
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  std::uint64_t generic(std::uint64_t pointer) const {
    return narrow_ ? isa::widen_generic(static_cast<std::uint32_t>(pointer)) : pointer;
  }
  unsigned count() const { return count_; }
  bool full() const { return count_ >= kMostArguments; }
  bool good() const { return good_; }

 private:
  std::uint64_t address_, offset_ = 0;
  const DeviceReader& read_;
  bool narrow_;
  unsigned count_ = 0;
  bool good_ = true;
};

/// One conversion of a format: "%-*.3lld".
struct Conversion {
  std::string flags;       ///< flags, width and precision, with stars replaced and without '%'
  bool wide = false;       ///< 64-bit integer
  char letter = 0;         ///< 0: the format ends inside the conversion
  std::size_t length = 0;  ///< characters after '%'
};

Conversion parse_conversion(std::string_view text, Arguments& arguments) {
  Conversion conversion;
  std::size_t i = 0;
  const auto star_or_digits = [&] {
    if (i < text.size() && text[i] == '*') {
      conversion.flags += std::to_string(arguments.next<std::int32_t>());
      ++i;
    }
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') conversion.flags += text[i++];
  };
  while (i < text.size() && std::strchr("-+ #0", text[i]) != nullptr) conversion.flags += text[i++];
  star_or_digits();
  if (i < text.size() && text[i] == '.') {
    conversion.flags += text[i++];
    star_or_digits();
  }
  while (i < text.size() && std::strchr("hlLqjzt", text[i]) != nullptr) {
    const bool as_long = text[i] == 'z' || text[i] == 't' || (text[i] == 'l' && text.substr(i, 2) != "ll");
    conversion.wide = conversion.wide || (text[i] != 'h' && !(as_long && arguments.narrow()));
    ++i;
  }
  if (i < text.size()) conversion.letter = text[i++];
  conversion.length = i;
  return conversion;
}

template <typename T>
void append(std::string& output, const std::string& format, T value) {
  const int length = std::snprintf(nullptr, 0, format.c_str(), value);
  if (length < 0) return;
  const std::size_t before = output.size();
  output.resize(before + static_cast<std::size_t>(length) + 1);
  std::snprintf(&output[before], static_cast<std::size_t>(length) + 1, format.c_str(), value);
  output.pop_back();
}

/// Appends one converted value. False for an unknown conversion letter.
bool convert(std::string& output, const Conversion& conversion, Arguments& arguments, const DeviceReader& read) {
  const std::string start = "%" + conversion.flags;
  switch (conversion.letter) {
    case 'd':
    case 'i':
      conversion.wide ? append(output, start + "lld", arguments.next<long long>())
                      : append(output, start + "d", arguments.next<int>());
      return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      conversion.wide ? append(output, start + "ll" + conversion.letter, arguments.next<unsigned long long>())
                      : append(output, start + conversion.letter, arguments.next<unsigned>());
      return true;
    case 'c':
      append(output, start + "c", arguments.next<int>());
      return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      append(output, start + conversion.letter, arguments.next<double>());
      return true;
    case 'p':
      append(output, start + "p", reinterpret_cast<void*>(arguments.next_pointer()));
      return true;
    case 's': {
      std::string text;
      if (!read_device_text(arguments.generic(arguments.next_pointer()), read, text)) text = "(null)";
      append(output, start + "s", text.c_str());
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

bool read_device_text(std::uint64_t address, const DeviceReader& read, std::string& text, std::size_t limit) {
  text.clear();
  while (text.size() < limit) {
    char c;
    if (address == 0 || !read(address + text.size(), &c, 1)) return false;
    if (c == '\0') return true;
    text += c;
  }
  return true;
}

std::string format_kernel_output(const std::string& format, std::uint64_t arguments_address, const DeviceReader& read,
                                 int& result, unsigned pointer_bytes) {
  Arguments arguments(arguments_address, read, pointer_bytes);
  std::string output;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      output += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      output += '%';
      ++i;
      continue;
    }
    const Conversion conversion = parse_conversion(std::string_view(format).substr(i + 1), arguments);
    // Print an invalid conversion verbatim.
    if (arguments.full() || !convert(output, conversion, arguments, read))
      output += format.substr(i, conversion.length + 1);
    i += conversion.length;
  }
  result = arguments.good() ? static_cast<int>(arguments.count()) : -1;
  return output;
}

void PrintfBuffer::add(std::string text) {
  if (text.empty()) return;
  bytes_ += text.size();
  lines_.push_back(std::move(text));
  while (bytes_ > limit_ && lines_.size() > 1) {
    bytes_ -= lines_.front().size();
    lines_.pop_front();
  }
}

void PrintfBuffer::flush(std::FILE* stream) {
  if (lines_.empty()) return;
  for (const std::string& line : lines_) std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
  lines_.clear();
  bytes_ = 0;
}

}  // namespace heddle::runtime
