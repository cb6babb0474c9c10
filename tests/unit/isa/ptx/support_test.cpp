// SPDX-License-Identifier: Apache-2.0
// Walks the tables from which docs/ptx-support.md is generated: every row of legal combinations is parsed, lowered and
// executed with each of its types and words, and every refusal has the message of the table.
#include "isa/ptx/support.h"

#include <fstream>
#include <set>

#include "../front_end_fixture.h"
#include "../warp_interpreter.h"
#include "isa/ptx/declarations.h"
#include "isa/ptx/defaults.h"
#include "isa/ptx/mnemonics.h"
#include "isa/ptx/modifiers/modifiers.h"
#include "isa/ptx/operand_types.h"

namespace heddle::isa {
namespace {

using Words = std::vector<std::string>;

/// One instruction of a row: its words, types last.
struct Instance {
  const Form* form;
  Words words;
  DataType type = DataType::none, source_type = DataType::none, third_type = DataType::none;
};

bool has(const Instance& i, const std::string& word) {
  return std::find(i.words.begin(), i.words.end(), word) != i.words.end();
}

std::vector<DataType> types_in(std::uint32_t set) {
  std::vector<DataType> out;
  for (unsigned i = 1; i <= static_cast<unsigned>(DataType::s16x2); ++i) {
    if (((set >> i) & 1) != 0) out.push_back(static_cast<DataType>(i));
  }
  if (out.empty()) out.push_back(DataType::none);
  return out;
}

std::vector<std::vector<std::string_view>> groups_of(const Form& form, std::uint64_t features) {
  std::vector<std::vector<std::string_view>> out;
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((features >> bit & 1) == 0) continue;
    auto words = words_of(form.opcode, std::uint64_t{1} << bit, form.modes == 0 ? ~0u : form.modes);
    // ldu and wait_all have separate rows because of a word in their name.
    if ((std::uint64_t{1} << bit) == kUniform && (form.opcode == Opcode::ld || form.opcode == Opcode::async_wait))
      continue;
    if (!words.empty()) out.push_back(std::move(words));
  }
  return out;
}

/// Each word of each group once, with the first word of every other required group.
std::vector<Words> choices_of(const Form& form) {
  const auto required = groups_of(form, form.required);
  Words first;
  for (const auto& group : required) first.emplace_back(group.front());
  std::vector<Words> out{first};
  for (std::size_t g = 0; g < required.size(); ++g) {
    for (std::size_t w = 1; w < required[g].size(); ++w) {
      out.push_back(first);
      out.back()[g] = required[g][w];
    }
  }
  for (const auto& group : groups_of(form, form.optional)) {
    for (const std::string_view word : group) {
      out.push_back(first);
      out.back().emplace_back(word);
    }
  }
  return out;
}

class Spelling {
 public:
  explicit Spelling(const Instance& instance) : i_(instance), form_(*instance.form) {
    std::string name = spelling_of(form_.opcode);
    if (form_.opcode == Opcode::ld && (form_.required & kUniform) != 0) name = "ldu";
    if (form_.opcode == Opcode::async_wait && form_.sources_max == 0) name = "cp.async.wait_all";
    copies_arrive_ = form_.opcode == Opcode::mbarrier &&
                     (form_.modes >> static_cast<unsigned>(MbarrierMode::copies_arrive) & 1) != 0;
    if (copies_arrive_) name = "cp.async.mbarrier.arrive";
    text_ = name;
    for (const std::string& word : i_.words) {
      text_ += "." + word;
    }
    for (const DataType type : {i_.type, i_.source_type, i_.third_type}) {
      if (type != DataType::none) text_ += "." + std::string(name_of(type));
    }
    // Parsed by the parser's own functions to find the operands.
    Mnemonic known;
    // bar.warp, cvt.pack: the second word is read as a modifier of the first.
    const bool own_name = find_mnemonic(name, known);
    const std::size_t dot = own_name ? text_.find('.', name.size()) : text_.find('.');
    if (!own_name) {
      EXPECT_TRUE(find_mnemonic(name.substr(0, name.find('.')), known)) << name;
    }
    op_.opcode = known.opcode;
    if (copies_arrive_) op_.mbarrier_mode = MbarrierMode::copies_arrive;
    std::vector<std::string> words;
    for (std::size_t at = dot; at != std::string::npos;) {
      const std::size_t next = text_.find('.', at + 1);
      words.push_back(text_.substr(at, next == std::string::npos ? next : next - at));
      at = next;
    }
    std::vector<std::string_view> views(words.begin(), words.end());
    std::uint64_t features = known.features;
    EXPECT_EQ(apply_modifiers(views, op_, features), "") << text_;
    EXPECT_EQ(find_form(op_, features) != nullptr, true) << text_;
    complete(op_, features);
    policy_ = (features & kCacheHint) != 0;
  }

  const std::string& words() const { return text_; }

  /// Statements that execute it with `sources` source operands.
  std::string statement(unsigned sources) const {
    std::string before, operands;
    const auto add = [&](const std::string& operand) { operands += (operands.empty() ? " " : ", ") + operand; };
    switch (form_.opcode) {
      case Opcode::bra:
        return text_ + " L;\nL: ";
      case Opcode::brx:
        return "T: .branchtargets L;\n" + text_ + " %r0, T;\nL: ";
      case Opcode::call:
        return text_ + " callee;";
      case Opcode::bar:
        if (form_.destinations_min != 0) add(reg(op_.type, 1));
        add("0");
        if (sources == (form_.destinations_min != 0 ? 3u : 2u)) add("32");
        if (form_.destinations_min != 0) add("%p2");
        return text_ + operands + ";";
      case Opcode::tex:
      case Opcode::tld4: {
        const std::string gradient = ", {" + registers(DataType::f32, 30, dimensions_of(op_.texture.geometry)) + "}";
        return text_ + " {" + registers(op_.type, 1, 4) + "}, " + place(op_.source_type) +
               (op_.texture.lod == TextureLod::level      ? ", %r30"
                : op_.texture.lod == TextureLod::gradient ? gradient + gradient
                                                          : "") +
               ";";
      }
      case Opcode::txq:
      case Opcode::suq:
        return text_ + " %r1, [t]" + (sources > 1 ? ", 1;" : ";");
      case Opcode::suld:
        return text_ + " {" + registers(op_.type, 1, op_.vector_width) + "}, " + place(DataType::s32) + ";";
      case Opcode::sust:
      case Opcode::sured:
        return text_ + " " + place(DataType::s32) + ", {" + registers(op_.type, 1, op_.vector_width) + "};";
      case Opcode::async_copy:
        return text_ + " [sh], [%d0], 16" + (sources > 3 ? ", %r9" : "") + (policy_ ? ", %d9;" : ";");
      case Opcode::applypriority:
      case Opcode::discard:
        return text_ + " [%d0], 128;";
      case Opcode::createpolicy:
        return has(i_, "range.L2::evict_last") ? text_ + " %d1, [%d0], 64, 128;" : text_ + " %d1, 1.0;";
      case Opcode::mbarrier:
        before = "mbarrier.init.shared.b64 [sh], 64;\n";
        break;
      default:
        break;
    }
    for (unsigned d = 0; d < form_.destinations_max; ++d) {
      if (d == 0) add(vector(destination_type(op_, 0), 1, form_.opcode == Opcode::ld || form_.opcode == Opcode::mov));
      if (d == 1) operands += "|%p5";
    }
    unsigned first = 0;
    if (has_address()) {
      add(address());
      first = 1;
    }
    for (unsigned s = first; s < sources; ++s) {
      if (form_.opcode == Opcode::lop3 && s >= 3) {
        add(s == 3 ? "0x96" : "%p2");
      } else if (form_.opcode == Opcode::mbarrier && source_type(op_, s) == DataType::u32) {
        add("1");
      } else if (form_.opcode == Opcode::pmevent || form_.opcode == Opcode::bar_partner) {
        add("3");
      } else {
        add(vector(source_type(op_, s), 10 + 4 * s, form_.opcode == Opcode::st || form_.opcode == Opcode::mov));
      }
    }
    if (policy_) add("%d9");
    return before + text_ + operands + ";";
  }

  /// Whether a warp alone, without a machine around it, can execute it.
  bool executes_alone() const {
    switch (form_.opcode) {
      case Opcode::cond_acc:
      case Opcode::tree_traverse:
      case Opcode::trap:
      case Opcode::tex:
      case Opcode::tld4:
      case Opcode::txq:
      case Opcode::suq:
      case Opcode::suld:
      case Opcode::sust:
      case Opcode::sured:
        return false;
      default:
        return true;
    }
  }

 private:
  static std::string reg(DataType type, unsigned number) {
    const char* const kinds[] = {"%p", "%h", "%r", "%d"};
    const DataType storage = storage_of(type);
    const unsigned kind = storage == DataType::pred  ? 0
                          : storage == DataType::b16 ? 1
                          : storage == DataType::b32 ? 2
                                                     : 3;
    return kinds[kind] + std::to_string(kind == 0 ? number % 20 : number);
  }
  std::string vector(DataType type, unsigned first, bool may_be_vector) const {
    if (op_.vector_width == 1 || !may_be_vector) return reg(type, first);
    std::string out = "{";
    for (unsigned i = 0; i < op_.vector_width; ++i) out += (i == 0 ? "" : ", ") + reg(type, first + i);
    return out + "}";
  }
  bool has_address() const {
    switch (form_.opcode) {
      case Opcode::ld:
      case Opcode::st:
      case Opcode::atom:
      case Opcode::red:
      case Opcode::prefetch:
      case Opcode::cond_acc:
      case Opcode::mbarrier:
        return true;
      default:
        return false;
    }
  }
  std::string address() const {
    if (form_.opcode == Opcode::mbarrier) return "[sh]";
    switch (op_.space) {
      case Space::shared:
        return "[sh]";
      case Space::local:
        return "[depot]";
      case Space::param:
        return form_.opcode == Opcode::st ? "[passed]" : "[p]";
      default:
        return "[%d0]";
    }
  }
  static std::string registers(DataType type, unsigned first, unsigned count) {
    std::string out;
    for (unsigned i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + reg(type, first + i);
    return out;
  }
  /// Of textures and surfaces.
  std::string place(DataType type) const {
    return std::string("[t, {") + (has_layers(op_.texture.geometry) ? "%r20, " : "") +
           registers(type, 21, dimensions_of(op_.texture.geometry)) + "}]";
  }

  const Instance& i_;
  const Form& form_;
  MicroOp op_;
  std::string text_;
  bool policy_ = false, copies_arrive_ = false;
};

std::string program_of(const std::string& statement) {
  return module_text(
      ".global .texref t;\n.func callee() { ret; }\n"
      ".visible .entry k(.param .align 64 .b8 p[64])\n{\n.reg .pred %p<20>;\n.reg .b16 %h<60>;\n.reg .b32 %r<60>;\n"
      ".reg .b64 %d<60>;\n.shared .align 64 .b8 sh[64];\n.local .align 64 .b8 depot[64];\n.param .align 64 .b8 "
      "passed[64];\n"
      "ld.param.u64 %d0, [p];\nmov.u32 %r0, 0;\n" +
      statement + "\nret;\n}\n");
}

// Combinations that the tables allow but the language's prose excludes.
bool is_legal(const Instance& i) {
  const bool half =
      i.type == DataType::f16 || i.type == DataType::f16x2 || i.type == DataType::bf16 || i.type == DataType::bf16x2;
  const bool directed = has(i, "rz") || has(i, "rm") || has(i, "rp");
  switch (i.form->opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma_:
      return !(half && directed);
    case Opcode::setp:
    case Opcode::set: {
      const DataType type = i.form->opcode == Opcode::setp ? i.type : i.source_type;
      for (const char* word : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}) {
        if (has(i, word) && !is_float(type)) return false;
      }
      for (const char* word : {"lo", "ls", "hi", "hs"}) {
        if (has(i, word) && is_float(type)) return false;
      }
      return true;
    }
    case Opcode::cvt: {
      const bool integral = has(i, "rni") || has(i, "rzi") || has(i, "rmi") || has(i, "rpi");
      const bool to_float = is_float(i.type), from_float = is_float(i.source_type);
      const bool small = i.type == DataType::e4m3x2 || i.type == DataType::e5m2x2 ||
                         i.source_type == DataType::e4m3x2 || i.source_type == DataType::e5m2x2;
      if (small) return !directed;
      if (i.type == DataType::tf32) return !has(i, "rm") && !has(i, "rp");
      if (integral) return from_float && (!to_float || i.type == i.source_type);
      return to_float || (!directed && !has(i, "rn"));
    }
    case Opcode::cvta:
      return i.type == DataType::u64 || !(has(i, "param") || has(i, "param::entry") || has(i, "param::func"));
    case Opcode::ld:
    case Opcode::st: {
      const unsigned width = has(i, "v8") ? 8 : has(i, "v4") ? 4 : has(i, "v2") ? 2 : 1;
      return size_of(i.type) * width <= 32;
    }
    case Opcode::suld:
    case Opcode::sust:
      return size_of(i.type) * (has(i, "v4") ? 4 : has(i, "v2") ? 2 : 1) <= 16;
    default:
      return true;
  }
}

void run(const std::string& statement, bool executes) {
  SCOPED_TRACE(statement);
  alignas(64) static std::byte memory[4096];
  std::shared_ptr<const Kernel> kernel;
  try {
    kernel = lower_text(program_of(statement));
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
    return;
  }
  if (!executes) return;
  WarpInterpreter warp(*kernel, parameters_of({reinterpret_cast<std::uint64_t>(memory), 0, 0, 0, 0, 0, 0, 0}));
  try {
    EXPECT_TRUE(warp.run());
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

TEST(PtxSupport, EveryRowIsParsedLoweredAndExecuted) {
  std::set<Opcode> seen;
  unsigned instances = 0;
  for (const Form& form : all_forms()) {
    seen.insert(form.opcode);
    const auto choices = choices_of(form);
    const auto types = types_in(form.types), source_types = types_in(form.source_types);
    for (const DataType type : types) {
      for (const DataType source_type : source_types) {
        for (std::size_t c = 0; c < choices.size(); ++c) {
          // All words with the first type, all types with the first words.
          if (c != 0 && form.opcode != Opcode::cvta && (type != types.front() || source_type != source_types.front()))
            continue;
          Instance i{&form, choices[c], type, source_type};
          if (is_video(form.opcode) && form.opcode != Opcode::vset && form.opcode != Opcode::vset2 &&
              form.opcode != Opcode::vset4)
            i.third_type = DataType::u32;
          if (form.opcode == Opcode::cvt_pack && size_of(type) == 1) i.third_type = DataType::b32;
          for (const char* word : {"u2", "s2", "u4", "s4"}) {
            if (has(i, word)) i.type = DataType::none;
          }
          if (!is_legal(i)) continue;
          const Spelling spelling(i);
          for (unsigned sources = form.sources_min; sources <= form.sources_max; ++sources) {
            // Scalar video instructions have a third source only with a second operation or a merge.
            if (is_video(form.opcode) && video_elements(form.opcode) == 1 && form.sources_min != sources) continue;
            if (form.opcode == Opcode::createpolicy && sources != form.sources_min) continue;
            run(spelling.statement(sources), spelling.executes_alone());
            ++instances;
          }
        }
      }
    }
  }
  EXPECT_GT(instances, 1500u);
  for (unsigned i = 0; i < static_cast<unsigned>(Opcode::count); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    if (!spelling_of(opcode).empty()) {
      EXPECT_TRUE(seen.contains(opcode)) << spelling_of(opcode) << " has no row";
    }
  }
}

TEST(PtxSupport, EveryRefusalNamesLineInstructionAndWhatToDo) {
  for (const Refusal& refusal : all_refusals()) {
    EXPECT_EQ(body_message(std::string(refusal.name) + ".x.y %r1; ret;"),
              "test.ptx:12:1: instruction '" + std::string(refusal.name) +
                  ".x.y' is not supported: " + std::string(refusal.sentence));
  }
}

TEST(PtxSupport, ThePageIsWhatTheTablesSay) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/docs/ptx-support.md");
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(page, support_page()) << "write it with: heddle reference ptx > docs/ptx-support.md";
}

TEST(PtxSupport, CombinationsWithoutMeaningAreRefusedWhenTheyAreLoaded) {
  for (const char* text : {"setp.num.s32 %p1, %r1, %r2;", "setp.lo.f32 %p1, %f1, %f2;", "add.rz.f16 %h1, %h2, %h3;",
                           "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;", "vadd.u32.u32 %r1, %r2, %r3;",
                           "vshl.u32.u32.s32.clamp %r1, %r2, %r3;", "cvt.pack.sat.u8.s32 %r1, %r2, %r3, %r4;",
                           "fma.rm.relu.bf16 %h1, %h2, %h3, %h4;"}) {
    EXPECT_NE(body_message(std::string(text) + " ret;").find("is not a legal combination of types and modifiers"),
              std::string::npos)
        << text;
  }
  EXPECT_NE(body_message("atom.local.add.u32 %r1, [%d1], 1; ret;").find("does not allow that state space"),
            std::string::npos);
  EXPECT_NE(body_message("ld.shared::cluster.u32 %r1, [%r2]; ret;").find("clusters are not modelled"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::isa
