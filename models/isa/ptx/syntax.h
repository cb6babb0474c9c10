// SPDX-License-Identifier: Apache-2.0
// Syntax tree of PTX text: module scope first, function bodies on request. Names refer to the unit's text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/image.h"
#include "isa/micro_op.h"
#include "isa/ptx/lexer.h"

namespace heddle::isa {

enum class Linkage : std::uint8_t { internal, visible, weak, common, external };

/// A parameter or return value of a function, or a variable declared in a body.
struct LocalVariable {
  std::string_view name;
  Space space = Space::param;
  DataType type = DataType::b8;  ///< of one element
  std::uint64_t size = 0;        ///< bytes, all elements; 0: unsized (.extern .shared)
  std::uint32_t alignment = 1;
  bool formal = false;       ///< declared in the function's header
  bool in_register = false;  ///< a formal declared with .reg
};

struct FunctionSyntax {
  std::string_view name;
  bool is_entry = false, no_return = false;
  Linkage linkage = Linkage::internal;
  std::vector<LocalVariable> returns, parameters;
  std::size_t body_first = 0, body_last = 0;  ///< token indices of the outer braces; equal: no body
  std::uint32_t max_threads[3] = {0, 0, 0}, min_blocks = 0, max_registers = 0;
  bool required_threads = false;
  std::uint32_t line = 1, column = 1;

  bool has_body() const { return body_first != body_last; }
};

struct VariableSyntax {
  Variable variable;
  std::uint64_t element_bytes = 1;            ///< array element size
  std::size_t declared_at = ~std::size_t{0};  ///< token of its name, when declared in a function body
  Linkage linkage = Linkage::internal;
  std::uint32_t line = 1, column = 1;
};

/// One PTX text with its module scope parsed.
struct UnitSyntax {
  std::string name, text;
  std::vector<Token> tokens;
  unsigned version = 0;  ///< PTX ISA version, 10 x major + minor
  unsigned address_bits = 64;
  bool states_address_bits = false;  ///< has an .address_size
  std::vector<FunctionSyntax> functions;
  std::vector<VariableSyntax> variables;  ///< in all spaces
  std::unordered_map<std::string_view, std::uint32_t> function_index, variable_index;
  std::map<std::uint32_t, std::string> files;  ///< .file number to name
  std::map<std::string_view, std::string_view> aliases;
  std::unordered_map<std::size_t, std::uint32_t> body_variables;  ///< by declared_at: index in `variables`
  std::vector<std::string_view>
      mentioned;  ///< names used as move operands; functions among them may be called indirectly
};

/// An operand as written, with names resolved in the body's scopes.
struct OperandSyntax {
  enum class Kind : std::uint8_t {
    sink,      ///< _
    reg,       ///< index: Body::registers
    special,   ///< index: SpecialRegister
    integer,   ///< value
    floating,  ///< value: bits of a double; `single`: written 0f
    variable,  ///< index: Body::variables; value: byte offset added
    symbol,    ///< name: a module-scope name, possibly undefined; value: byte offset added
    vector,    ///< elements first .. first + count - 1 of Body::operands
    address,   ///< base operand is Body::operands[first] when count is 1; value: byte offset added
    texture,   ///< handle is Body::operands[first], coordinates follow; count counts both
  };
  Kind kind = Kind::sink;
  bool negate = false;  ///< !p, or -r (vmad)
  bool paired = false;  ///< follows `|`
  bool single = false;
  bool element = false;       ///< variable, symbol: written name[constant]; in a memory operation, an address
  std::string_view selector;  ///< reg: sub-word selector of a video instruction (".b0")
  std::uint32_t index = 0, first = 0, count = 0;
  std::uint64_t value = 0;
  std::string_view name;
  std::uint32_t line = 0, column = 0;
};

struct CallSyntax {
  std::vector<OperandSyntax> returns, arguments;
  OperandSyntax callee;        ///< symbol, or reg for an indirect call
  std::string_view prototype;  ///< label of .callprototype or .calltargets; empty for a direct call
};

/// A .callprototype: parameter and return sizes, used to match targets.
struct Prototype {
  std::vector<LocalVariable> returns, parameters;
};

/// A place in the source program.
struct SourcePosition {
  std::uint16_t file = 0;  ///< .file number
  std::uint32_t line = 0;  ///< 0: none
};

struct InstructionSyntax {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  MicroOp op;  ///< opcode, types and modifiers; no operands yet
  OperandSyntax guard;
  bool guarded = false;
  std::uint32_t first_operand = 0, operand_count = 0;
  std::uint32_t destinations = 0;  ///< leading operands that are results; a `|` pair counts as one
  std::uint32_t label = kNone;     ///< bra: index into Body::labels
  std::uint32_t targets = kNone;   ///< brx: index into Body::target_lists
  std::uint32_t call = kNone;      ///< index into Body::calls
  std::uint32_t line = 0, column = 0;
  SourcePosition source, inlined;  ///< what is charged; the place in an inlined function
  std::string_view text;
};

/// A function body. Labels, registers and variables of inner scopes are numbered separately.
struct Body {
  struct Register {
    std::string_view name;
    DataType storage;
  };
  static constexpr std::uint32_t kUnbound = ~std::uint32_t{0};
  std::vector<Register> registers;
  std::vector<LocalVariable> variables;         ///< returns, then parameters, then declarations of the body
  std::vector<std::uint32_t> formal_registers;  ///< per return and parameter: index in `registers`, or kUnbound
  std::vector<OperandSyntax> operands;
  std::vector<InstructionSyntax> instructions;
  std::vector<std::uint32_t> labels;                     ///< index of the instruction that follows
  std::vector<std::vector<std::uint32_t>> target_lists;  ///< .branchtargets: labels
  std::vector<CallSyntax> calls;
  std::map<std::string_view, Prototype> prototypes;
  std::map<std::string_view, std::vector<std::string_view>> call_targets;
};

}  // namespace heddle::isa
