// SPDX-License-Identifier: Apache-2.0
#include "isa/ptx/mnemonics.h"

#include <string>
#include <unordered_map>

#include "isa/ptx/modifiers/modifiers.h"

namespace heddle::isa {
namespace {

const std::unordered_map<std::string_view, Opcode>& mnemonics() {
  static const std::unordered_map<std::string_view, Opcode> map = [] {
    std::unordered_map<std::string_view, Opcode> m;
#define X(name, spelling, ...) m.emplace(spelling, Opcode::name);
    HEDDLE_OPCODES(X)
#undef X
    m.erase("bar.warp");
    m.erase("cvt.pack");
    m.erase("mbarrier.pending_count");
    m.erase("cp.async.wait");
    m["cp.async.wait_group"] = m["cp.async.wait_all"] = Opcode::async_wait;
    m["cp.async.mbarrier.arrive"] = Opcode::mbarrier;
    m["mov"] = Opcode::mov;    // not the special register
    m["call"] = Opcode::call;  // or the system call of the same spelling
    m["barrier"] = Opcode::bar;
    m["membar"] = Opcode::fence;
    m["ldu"] = Opcode::ld;
    m["prefetchu"] = Opcode::prefetch;
    return m;
  }();
  return map;
}

}  // namespace

bool find_mnemonic(std::string_view word, Mnemonic& out) {
  const auto found = mnemonics().find(word);
  if (found == mnemonics().end()) return false;
  out.opcode = found->second;
  out.features = word == "ldu" ? static_cast<std::uint64_t>(kUniform) : 0;
  if (word == "cp.async.mbarrier.arrive") out.features = kMode;
  // cp.async.wait_all has no operand and wait_group has one, so they are two forms.
  if (word == "cp.async.wait_all") out.features = kUniform;
  return true;
}

bool begins_mnemonic(std::string_view words) {
  // All prefixes of the multi-word names.
  static const std::unordered_map<std::string, bool> beginnings = [] {
    std::unordered_map<std::string, bool> known;
    const auto add = [&](std::string_view name) {
      for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
        known[std::string(name.substr(0, dot))] = known[std::string(name)] = true;
    };
    for (const auto& [name, opcode] : mnemonics()) add(name);
    for (const Refusal& refusal : all_refusals()) add(refusal.name);
    return known;
  }();
  return beginnings.find(std::string(words)) != beginnings.end();
}

}  // namespace heddle::isa
