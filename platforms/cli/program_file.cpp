// SPDX-License-Identifier: Apache-2.0
#include "cli/program_file.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// Parts of an ELF file; anything outside the file reads as empty.
class ElfFile {
 public:
  explicit ElfFile(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr) || bytes.substr(0, SELFMAG) != ELFMAG || bytes[EI_CLASS] != ELFCLASS64)
      return;
    header_ = at<Elf64_Ehdr>(0);
    for (unsigned i = 0; i < header_.e_shnum; ++i)
      sections_.push_back(at<Elf64_Shdr>(header_.e_shoff + i * sizeof(Elf64_Shdr)));
    if (header_.e_shstrndx < sections_.size()) names_ = contents(sections_[header_.e_shstrndx]);
  }

  explicit operator bool() const { return header_.e_ident[0] != 0; }
  const Elf64_Ehdr& header() const { return header_; }
  std::vector<Elf64_Phdr> segments() const {
    std::vector<Elf64_Phdr> out;
    for (unsigned i = 0; i < header_.e_phnum; ++i)
      out.push_back(at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr)));
    return out;
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
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool is_source(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".cu" || ending == ".c" || ending == ".cc" || ending == ".cpp" || ending == ".cxx";
}

/// Files that beginners take for programs.
void check_not_source(const fs::path& path) {
  if (is_source(path))
    fail(ExitCode::usage,
         "{0}: is source code, not a program; `heddle cc {0} -o {1}` makes one, for `heddle run ./{1}`", path.string(),
         path.stem().string());
  if (path.extension() == ".ptx")
    fail(ExitCode::usage, "{0}: is PTX, not a program; `heddle run --ptx {0}` runs one of its kernels", path.string());
}

/// A shared library lacks both an interpreter and the mark of a position-independent program.
bool is_library(const ElfFile& elf) {
  if (elf.header().e_type != ET_DYN) return false;
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type == PT_INTERP) return false;
  }
  for (const Elf64_Shdr& section : elf.sections()) {
    if (section.sh_type != SHT_DYNAMIC) continue;
    for (const auto& entry : elf.entries<Elf64_Dyn>(section)) {
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) return false;
    }
  }
  return true;
}

bool loads_libraries(const ElfFile& elf) {
  for (const Elf64_Phdr& segment : elf.segments()) {
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

void check_elf(const std::string& path, const ElfFile& elf) {
  if (elf.header().e_type == ET_REL)
    fail(ExitCode::usage, "{0}: is an object file, not a program; link it: `heddle cc {0} -o {1}`", path,
         fs::path(path).stem().string());
  if (elf.header().e_machine != EM_X86_64) fail(ExitCode::usage, "{}: is a program for another processor", path);
  if (is_library(elf)) fail(ExitCode::usage, "{}: is a shared library, not a program", path);
}

/// A file that is not in ELF format: a script, or no program.
void check_script(const std::string& path, std::string_view bytes) {
  if (bytes.empty()) fail(ExitCode::usage, "{}: is empty, so not a program", path);
  if (bytes.substr(0, SELFMAG) == ELFMAG) return;  // 32 bits: the system decides
  if (!starts_with(bytes, "#!"))
    fail(ExitCode::usage, "{}: is neither a program nor a script, whose first line names an interpreter: #!/bin/sh",
         path);
  std::string_view line = bytes.substr(2, bytes.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string interpreter(line.substr(0, line.find_first_of(" \t\r")));
  if (!interpreter.empty() && access(interpreter.c_str(), X_OK) != 0)
    fail(ExitCode::usage, "{}: its first line names the interpreter {}, which cannot be started: {}", path, interpreter,
         std::strerror(errno));
}

}  // namespace

RuntimeLink runtime_link(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(ExitCode::usage, "{}: is a folder, not a program", path);
  if (fs::exists(status) && !fs::is_regular_file(status))
    fail(ExitCode::usage, "{}: is not a regular file, so not a program", path);
  if (access(path.c_str(), X_OK) != 0) {
    check_not_source(path);
    fail(ExitCode::usage, "{0}: may not be executed; if it is a program or a script: chmod +x {0}", path);
  }
  const std::string bytes = read_file(path);
  const ElfFile elf(bytes);
  if (elf) {
    check_elf(path, elf);
  } else {
    check_script(path, bytes);
  }
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
  if (device_code && !registers_elsewhere) return {RuntimeKind::static_, {}};
  return {elf && !loads_libraries(elf) ? RuntimeKind::none_static : RuntimeKind::none, {}};
}

void no_program(const std::string& command) {
  std::error_code ignored;
  if (command.find('/') != std::string::npos) {
    if (const std::string source = command + ".cu"; fs::exists(source, ignored))
      fail(ExitCode::usage, "{0}: no such program; `heddle cc {1} -o {0}` makes it", command, source);
    fail(ExitCode::usage, "{}: no such program", command);
  }
  if (fs::is_directory(command, ignored)) fail(ExitCode::usage, "{}: is a folder, not a program", command);
  if (!command.empty() && fs::exists(command, ignored)) {
    check_not_source(command);
    fail(ExitCode::usage, "{0}: no such program in PATH; the file in this folder is ./{0}", command);
  }
  fail(ExitCode::usage, "{}: no such program", command);
}

void check_ptx_file(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) fail(ExitCode::usage, "--ptx {}: no such file", path);
  if (fs::is_directory(path, ignored)) fail(ExitCode::usage, "--ptx {}: is a folder, not a PTX file", path);
  if (!fs::is_regular_file(path, ignored)) fail(ExitCode::usage, "--ptx {}: is not a regular file", path);
  if (is_source(path)) fail(ExitCode::usage, "--ptx {0}: is source code; `heddle cc -ptx {0}` makes a PTX file", path);
  if (starts_with(read_file(path), ELFMAG))
    fail(ExitCode::usage, "--ptx {0}: is a program, not a PTX file; run it without --ptx", path);
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
