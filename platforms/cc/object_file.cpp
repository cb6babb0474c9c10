// SPDX-License-Identifier: Apache-2.0
#include "cc/object_file.h"

#include <elf.h>
#include <fmt/core.h>

#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/file.h"

namespace heddle::cc {

namespace {

constexpr std::string_view kWrapperPrefix = "__fatbinwrap__nv_";
constexpr std::string_view kRegistrarPrefix = "__cudaRegisterLinkedBinary__nv_";

// A relocatable ELF file for the host architecture; every offset is checked against its size.
class ElfObject {
 public:
  ElfObject(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {
    const auto header = at<Elf64_Ehdr>(0);
    const auto count = header.e_shnum;
    for (unsigned i = 0; i < count; ++i) sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header.e_shstrndx >= count) damaged();
    names_ = contents(sections_[header.e_shstrndx]);
  }

  static bool accepts(std::string_view bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr) || bytes.substr(0, SELFMAG) != ELFMAG || bytes[EI_CLASS] != ELFCLASS64)
      return false;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes.data(), sizeof header);
    return header.e_type == ET_REL;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }

  /// Index of the section of that name, or zero (which is never a real section).
  unsigned find(std::string_view wanted) const {
    for (unsigned i = 1; i < sections_.size(); ++i) {
      if (name(sections_[i]) == wanted) return i;
    }
    return 0;
  }

  std::string_view contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    if (section.sh_offset > bytes_.size() || section.sh_size > bytes_.size() - section.sh_offset) damaged();
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  template <typename Entry>
  std::vector<Entry> entries(const Elf64_Shdr& section) const {
    std::vector<Entry> out;
    contents(section);
    for (std::size_t i = 0; i + sizeof(Entry) <= section.sh_size; i += sizeof(Entry)) {
      out.push_back(at<Entry>(section.sh_offset + i));
    }
    return out;
  }

  std::string text(std::string_view table, std::size_t offset) const {
    if (offset >= table.size()) damaged();
    table.remove_prefix(offset);
    return std::string(table.substr(0, table.find('\0')));
  }

  const Elf64_Shdr& section(unsigned index) const {
    if (index >= sections_.size()) damaged();
    return sections_[index];
  }

 private:
  template <typename T>
  T at(std::size_t offset) const {
    if (offset > bytes_.size() || sizeof(T) > bytes_.size() - offset) damaged();
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  [[noreturn]] void damaged() const {
    fail(ExitCode::io, "{}: the object file is damaged or truncated; rebuild it", origin_);
  }

  std::string_view bytes_;
  std::string origin_;
  std::vector<Elf64_Shdr> sections_;
  std::string_view names_;
};

// The text of a wrapper, located by the relocation of the pointer at byte 8 of the wrapper.
std::string module_text(const ElfObject& object, const Elf64_Sym& wrapper, const std::vector<Elf64_Sym>& symbols) {
  for (const Elf64_Shdr& section : object.sections()) {
    if (section.sh_type != SHT_RELA || section.sh_info != wrapper.st_shndx) continue;
    for (const auto& relocation : object.entries<Elf64_Rela>(section)) {
      if (relocation.r_offset != wrapper.st_value + 8) continue;
      const std::size_t index = ELF64_R_SYM(relocation.r_info);
      if (index >= symbols.size()) return "";
      const std::string_view texts = object.contents(object.section(symbols[index].st_shndx));
      return object.text(texts, symbols[index].st_value + static_cast<std::size_t>(relocation.r_addend));
    }
  }
  return "";
}

void read_object(std::string_view bytes, const std::string& origin, DeviceObjects& out) {
  if (!ElfObject::accepts(bytes)) return;
  const ElfObject object(bytes, origin);
  for (const Elf64_Shdr& section : object.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::string_view names = object.contents(object.section(section.sh_link));
    const auto symbols = object.entries<Elf64_Sym>(section);
    for (const Elf64_Sym& symbol : symbols) {
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name == 0) continue;
      const std::string name = object.text(names, symbol.st_name);
      if (name.rfind(kRegistrarPrefix, 0) == 0) {
        out.registered.insert(name.substr(name.rfind("__nv_")));
      } else if (name.rfind(kWrapperPrefix, 0) == 0) {
        out.modules.push_back({name.substr(name.rfind("__nv_")), module_text(object, symbol, symbols), origin});
      }
    }
  }
}

// The common archive format: a 60-byte header per member with its size in decimal at byte 48; member "//" contains the
// names longer than 15 characters.
void read_archive(std::string_view bytes, const std::string& path, DeviceObjects& out) {
  constexpr std::size_t kHeader = 60;
  std::string_view long_names;
  for (std::size_t at = 8; at + kHeader <= bytes.size();) {
    const std::string_view header = bytes.substr(at, kHeader);
    const std::string digits(header.substr(48, 10));
    const std::size_t size = std::strtoull(digits.c_str(), nullptr, 10);
    at += kHeader;
    if (size > bytes.size() - at) fail(ExitCode::io, "{}: the archive is truncated; rebuild it", path);
    const std::string_view member = bytes.substr(at, size);
    std::string name(header.substr(0, 16));
    name.erase(name.find_last_not_of(' ') + 1);
    if (name == "//") {
      long_names = member;
    } else if (name.size() > 1 && name[0] == '/' && name[1] != ' ') {
      const std::size_t offset = std::strtoull(name.c_str() + 1, nullptr, 10);
      if (offset < long_names.size()) {
        const std::string_view rest = long_names.substr(offset);
        name = rest.substr(0, rest.find('/'));
      }
    } else if (name.size() > 1 && name.back() == '/') {
      name.pop_back();
    }
    read_object(member, path + "(" + name + ")", out);
    at += size + size % 2;
  }
}

}  // namespace

void read_device_objects(const std::string& path, DeviceObjects& out) {
  const std::string bytes = read_file(path);
  if (bytes.rfind("!<arch>\n", 0) == 0) {
    read_archive(bytes, path, out);
  } else if (bytes.rfind("!<thin>\n", 0) == 0) {
    fail(ExitCode::io, "{}: is a thin archive; device code can only be gathered from regular archives (ar without T)",
         path);
  } else {
    read_object(bytes, path, out);
  }
}

void rename_module(const std::string& path, std::uint64_t id) {
  DeviceObjects objects;
  read_device_objects(path, objects);
  if (objects.modules.size() != 1) return;
  const std::string old_id = objects.modules.front().id;
  // Same length, so that nothing in the file moves.
  const std::size_t digits = old_id.size() - std::string_view("__nv_").size();
  const std::string new_id = "__nv_" + fmt::format("{:016x}", id).substr(0, digits);
  std::string bytes = read_file(path);
  for (std::size_t at = bytes.find(old_id); at != std::string::npos; at = bytes.find(old_id, at + new_id.size())) {
    bytes.replace(at, old_id.size(), new_id);
  }
  write_file(path, bytes);
}

}  // namespace heddle::cc
