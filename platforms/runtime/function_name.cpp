// SPDX-License-Identifier: Apache-2.0
#include "runtime/function_name.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/names.h"

namespace heddle::runtime {
namespace {

/// A table of entries at `offset`; empty when it is outside the file.
template <typename Entry>
std::vector<Entry> table(const std::string& file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) return {};
  std::vector<Entry> entries(bytes / sizeof(Entry));
  if (!entries.empty()) std::memcpy(entries.data(), file.data() + offset, entries.size() * sizeof(Entry));
  return entries;
}

/// The (mangled) name of the symbol with this value; empty when there is none.
std::string static_symbol(const char* path, std::uint64_t value) {
  std::ifstream in(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto headers = table<Elf64_Ehdr>(file, 0, sizeof(Elf64_Ehdr));
  if (headers.empty() || std::memcmp(headers[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections =
      table<Elf64_Shdr>(file, headers[0].e_shoff, std::uint64_t{headers[0].e_shnum} * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const auto names = table<char>(file, strings.sh_offset, strings.sh_size);
    for (const Elf64_Sym& symbol : table<Elf64_Sym>(file, section.sh_offset, section.sh_size)) {
      const bool ours = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value == value;
      if (ours && symbol.st_name < names.size())
        return {names.data() + symbol.st_name, strnlen(names.data() + symbol.st_name, names.size() - symbol.st_name)};
    }
  }
  return {};
}

}  // namespace

std::string function_name(const void* function) {
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(function, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0)
    return fmt::format("at {:#x}", address);
  std::string name;
  if (info.dli_sname != nullptr && info.dli_saddr == function) name = info.dli_sname;
  // The program itself has an empty name in the link map.
  const bool program = map->l_name == nullptr || *map->l_name == '\0';
  if (name.empty()) name = static_symbol(program ? "/proc/self/exe" : map->l_name, address - map->l_addr);
  if (name.empty()) return fmt::format("at {:#x} of {}", address, info.dli_fname);
  return fmt::format("'{}' of {}", demangled(name), info.dli_fname);
}

}  // namespace heddle::runtime
