// SPDX-License-Identifier: Apache-2.0
#include "cli/program_file.h"

#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/file.h"

namespace heddle::cli {
namespace {

/// Parts of an ELF file; anything outside the file reads as empty.
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr) || bytes.substr(0, SELFMAG) != ELFMAG || bytes[EI_CLASS] != ELFCLASS64)
      return;
    const auto header = at<Elf64_Ehdr>(0);
    for (unsigned i = 0; i < header.e_shnum; ++i)
      sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header.e_shstrndx < sections_.size()) names_ = contents(sections_[header.e_shstrndx]);
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }

  std::string_view contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }
  std::string_view strings_of(const Elf64_Shdr& section) const {
    return section.sh_link < sections_.size() ? contents(sections_[section.sh_link]) : std::string_view();
  }
  template <typename Entry>
  std::vector<Entry> entries(const Elf64_Shdr& section) const {
    const std::size_t count = contents(section).size() / sizeof(Entry);
    std::vector<Entry> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(at<Entry>(section.sh_offset + i * sizeof(Entry)));
    return out;
  }
  static std::string_view text(std::string_view table, std::size_t offset) {
    if (offset >= table.size()) return {};
    table.remove_prefix(offset);
    return table.substr(0, table.find('\0'));
  }

 private:
  template <typename T>
  T at(std::size_t offset) const {
    T value{};
    if (offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset)
      std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  std::string_view bytes_, names_;
  std::vector<Elf64_Shdr> sections_;
};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace

RuntimeLink runtime_link(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) fail(ExitCode::usage, "{}: is a folder, not a program", path);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(ExitCode::usage, "{}: is not a regular file, so not a program", path);
  const std::string bytes = read_file(path);
  const ElfFile elf(bytes);
  bool device_code = false, registers_elsewhere = false;
  for (const Elf64_Shdr& section : elf.sections()) {
    if (section.sh_type == SHT_DYNAMIC) {
      const std::string_view names = elf.strings_of(section);
      for (const auto& entry : elf.entries<Elf64_Dyn>(section)) {
        if (entry.d_tag != DT_NEEDED) continue;
        const std::string_view library = ElfFile::text(names, entry.d_un.d_val);
        // If it contains a folder, as `heddle cc` may write it, the linker searches nowhere else.
        if (starts_with(library, "libcudart.so")) return {RuntimeKind::shared, std::string(library)};
      }
    } else if (section.sh_type == SHT_DYNSYM) {
      const std::string_view names = elf.strings_of(section);
      for (const auto& symbol : elf.entries<Elf64_Sym>(section)) {
        const bool undefined = symbol.st_shndx == SHN_UNDEF;
        registers_elsewhere =
            registers_elsewhere || (undefined && ElfFile::text(names, symbol.st_name) == "__cudaRegisterFatBinary");
      }
    }
    // The section in which every CUDA compiler puts the wrappers of device code.
    device_code = device_code || elf.name(section) == ".nvFatBinSegment";
  }
  return {device_code && !registers_elsewhere ? RuntimeKind::static_ : RuntimeKind::none, {}};
}

std::string find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) return access(command.c_str(), F_OK) == 0 ? command : std::string();
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "";
  while (!folders.empty()) {
    const std::size_t end = folders.find(':');
    const std::string_view folder = folders.substr(0, end);
    std::string path = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + command;
    if (access(path.c_str(), X_OK) == 0) return path;
    folders = end == std::string_view::npos ? std::string_view() : folders.substr(end + 1);
  }
  return {};
}

}  // namespace heddle::cli
