#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/modifiers.hpp"
#include "ptx/opcode.hpp"
#include "ptx/special.hpp"
#include "ptx/types.hpp"

/// The checked program, which the parser and the verifier pass to the lowering. All references are indices into
/// vectors of the module or of a function; names are kept only for diagnostics and look-up.
namespace cpu::ptx {

using RegisterId = std::uint32_t;  ///< index into Function::registers
using VariableId = std::uint32_t;  ///< index into Program::variables
using FunctionId = std::uint32_t;  ///< index into Program::functions
inline constexpr std::uint32_t none = ~0u;

enum class OperandKind : std::uint8_t {
    None,
    Register,         ///< index: RegisterId, bits: a Selector; `negated`: !%p of a predicate, -%r of a number
    Immediate,        ///< bits, already encoded in `type` (a float literal in an .f32 slot holds its f32 pattern)
    Special,          ///< index: SpecialRegister
    Sink,             ///< `_`: the result is discarded
    Address,          ///< index: VariableId, bits: byte offset (signed); the variable's address as a value
    FunctionAddress,  ///< index: FunctionId; the function's address as a value, or the callee of a direct call
    Memory,           ///< [register + bits]; index: RegisterId, 32 or 64 bits wide
    MemoryVariable,   ///< [variable + bits]; index: VariableId
    MemoryAbsolute,   ///< [bits]
    Vector,           ///< {a, b, ...}: `count` operands from Function::elements[index]
    Label,            ///< index into Function::labels
    BranchTable,      ///< index into Function::branch_tables
    Call,             ///< index into Function::calls
};

/// What a video instruction reads or writes of a register: `.h1`, `.b3210`.
struct Selector {
    std::uint8_t bytes = 0;      ///< the size of an element: 1 or 2; 0: the whole register
    std::uint8_t count = 0;      ///< the number of elements
    std::uint16_t elements = 0;  ///< their indices, four bits each, the last one in the lowest bits

    unsigned element(unsigned n) const noexcept { return elements >> 4 * n & 15u; }
};

/// One operand. `type` is the type in which the instruction reads or writes it, filled in by the verifier: the
/// instruction's own type, doubled for the result of mul.wide, u32 for shift amounts, and so on. For Vector it is
/// the element's type. A register may be wider than `type` in ld, st, cvt and mov from a special register: a
/// destination is then extended by the type's sign, a source is truncated.
struct Operand {
    OperandKind kind = OperandKind::None;
    Type type = Type::None;
    bool negated = false;
    bool braces = false;  ///< a vector of one element
    std::uint8_t count = 1;
    std::uint32_t index = none;
    std::uint64_t bits = 0;

    std::int64_t offset() const noexcept { return static_cast<std::int64_t>(bits); }
    Selector selector() const noexcept { return std::bit_cast<Selector>(static_cast<std::uint32_t>(bits)); }
    SpecialRegister special() const noexcept { return static_cast<SpecialRegister>(index); }
};

/// The operands are in the order of the text, with these normal forms:
///  - `d|p` gives two operands, d and p (setp, shfl, vote, match, tex residency); without `|p` the second is absent
///    and Instruction::paired is false;
///  - tex/tld4/suld/sust: the bracket is flattened: destination, texture, [sampler], coordinates, ...
///  - shared::cta prefixes, hints and cache policies: kept in the modifiers, policy operand last (Flag::CacheHint);
///  - a vector of one element is that element;
///  - call: one operand of kind Call.
struct Instruction {
    Opcode opcode = Opcode::Count;
    Modifiers modifiers;
    std::array<Type, 4> types{};  ///< in the order of the text: cvt.rn.f32.s32 has types[0] = F32, types[1] = S32
    std::uint8_t operand_count = 0;
    bool paired = false;            ///< operands 0 and 1 were written `d|p`
    bool separate_sampler = false;  ///< tex, tld4: the brackets also name a sampler
    bool guard_negated = false;
    RegisterId guard = none;          ///< predicate of `@p` / `@!p`
    std::uint32_t first_operand = 0;  ///< into Function::operands
    std::uint32_t line = 0;           ///< of the PTX text
    std::uint32_t location = none;    ///< into Program::locations: the source line, if compiled with -lineinfo
};

struct Register {
    std::string name;  ///< with the %
    Type type = Type::None;
};

/// `target` is an index into Function::instructions; for a label at the end, the number of instructions.
struct Label {
    std::string name;
    std::uint32_t target = 0;
};

struct BranchTable {
    std::string name;
    std::vector<std::uint32_t> labels;  ///< into Function::labels
};

/// The shape of one parameter of a function, prototype or call.
struct ParameterShape {
    Type type = Type::None;       ///< element type; B8 for structs
    std::uint64_t count = 1;      ///< array elements
    std::uint32_t alignment = 1;  ///< bytes
    bool is_register = false;     ///< `.reg` parameter of old ABI-less PTX

    std::uint64_t size() const noexcept { return count * bytes(type); }
    bool operator==(const ParameterShape&) const = default;
};

struct Prototype {
    std::string name;
    std::vector<ParameterShape> results;
    std::vector<ParameterShape> parameters;
    bool noreturn = false;
};

/// call (results), callee, (arguments), prototype. A result or argument is an Address of a `.param` variable of the
/// caller, a Register, an Immediate or Sink.
struct Call {
    Operand callee;  ///< FunctionAddress (direct) or Register (indirect)
    std::vector<Operand> results;
    std::vector<Operand> arguments;
    std::uint32_t prototype = none;    ///< into Function::prototypes; indirect calls only
    std::uint32_t target_list = none;  ///< into Function::target_lists; indirect calls only
};

enum class Linkage : std::uint8_t { Local, Visible, Extern, Weak, Common };

/// An address in an initialiser: `size` bytes at `offset` receive (address of symbol + addend) >> shift.
struct Relocation {
    std::uint64_t offset = 0;
    std::uint32_t size = 8;
    std::uint32_t shift = 0;  ///< in bits, for the mask form 0xFF00(symbol)
    bool is_function = false;
    bool generic = false;         ///< written generic(symbol): the generic address
    std::uint32_t symbol = none;  ///< VariableId or FunctionId
    std::int64_t addend = 0;
};

/// A variable of the module or of a function, or a parameter, in any state space except .reg.
struct Variable {
    std::string name;
    Space space = Space::None;  ///< Global, Const, Shared, Local or Param
    Type type = Type::None;     ///< element type; Texref, Samplerref and Surfref in space Global
    Linkage linkage = Linkage::Local;
    FunctionId owner = none;      ///< the function in which it is declared; none: module scope
    std::uint32_t alignment = 1;  ///< bytes, a power of two
    std::uint64_t count = 1;      ///< number of elements: the product of all dimensions and the vector width
    bool unsized = false;         ///< `.extern .shared x[]`: the launch gives the size
    std::uint64_t offset = 0;     ///< for a parameter: byte offset in the function's parameter block
    bool pointer = false;         ///< parameter written with .ptr
    bool managed = false;         ///< .attribute(.managed)
    std::uint32_t line = 0;
    std::vector<std::uint8_t> data;  ///< initial bytes; the rest is zero
    std::vector<Relocation> relocations;
    /// For a texref or samplerref: ("addr_mode_0", "wrap"), ("filter_mode", "linear"), ...
    std::vector<std::pair<std::string, std::string>> properties;

    /// In bytes. It comes from untrusted text: check it against the device's memory before allocating.
    std::uint64_t size() const noexcept { return count * bytes(type); }
};

/// Limits that directives specify; 0: not specified.
struct Directives {
    std::array<std::uint32_t, 3> maxntid{};
    std::array<std::uint32_t, 3> reqntid{};
    std::array<std::uint32_t, 3> reqnctapercluster{};
    bool explicitcluster = false;
    std::uint32_t maxclusterrank = 0;
    std::uint32_t minnctapersm = 0;
    std::uint32_t maxnreg = 0;
    bool noreturn = false;
};

struct Function {
    std::string name;
    bool entry = false;
    bool defined = false;  ///< has a body; false for .extern functions, such as vprintf, malloc and __assertfail
    Linkage linkage = Linkage::Local;
    std::uint32_t line = 0;
    Directives directives;
    std::vector<VariableId> parameters;  ///< .param variables, offsets filled in
    std::vector<VariableId> results;
    std::uint64_t parameter_bytes = 0;  ///< end of the last parameter, without tail padding

    /// Only registers that the code uses have an id. Scopes are resolved.
    std::vector<Register> registers;
    std::vector<RegisterId> register_parameters;  ///< `.reg` parameters of a .func, in order (old PTX); else empty
    std::vector<RegisterId> register_results;
    std::vector<Instruction> instructions;
    std::vector<Operand> operands;
    std::vector<Operand> elements;  ///< of Vector operands
    std::vector<Label> labels;
    std::vector<BranchTable> branch_tables;
    std::vector<Prototype> prototypes;
    std::vector<std::vector<FunctionId>> target_lists;  ///< from .calltargets; no list is empty
    std::vector<Call> calls;

    std::span<const Operand> operands_of(const Instruction& instruction) const noexcept {
        return {operands.data() + instruction.first_operand, instruction.operand_count};
    }
    std::span<const Operand> elements_of(const Operand& vector) const noexcept {
        return {elements.data() + vector.index, vector.count};
    }
};

/// A line of the CUDA source, from `.loc`.
struct SourceLocation {
    std::uint32_t file = 0;  ///< key of Program::files
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t outermost = none;  ///< index in Program::locations: where the enclosing function was inlined
};

struct Program {
    int version = 0;                    ///< .version, major * 10 + minor
    int target = 0;                     ///< sm number of .target: 90 for sm_90a
    std::string target_name;            ///< "sm_90a"
    int address_size = 64;              ///< bits
    bool debug = false;                 ///< .target ..., debug
    bool independent_textures = false;  ///< .target texmode_independent
    bool linked = false;                ///< from `join`: everything declared .extern must be defined
    std::uint32_t max_registers = 0;    ///< limit per thread that the program set; 0: none
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<SourceLocation> locations;
    std::unordered_map<std::uint32_t, std::string> files;

    /// Takes linear time: for tests and diagnostics.
    const Function* function(std::string_view name) const noexcept {
        for (const Function& function : functions)
            if (function.name == name) return &function;
        return nullptr;
    }
    const Variable* variable(std::string_view name) const noexcept {
        for (const Variable& variable : variables)
            if (variable.owner == none && variable.name == name) return &variable;
        return nullptr;
    }
};

/// Parses and verifies PTX text (a trailing NUL is tolerated). The result does not refer to the text. For any text,
/// throws nothing but SyntaxError.
Program parse(std::string_view text);

}  // namespace cpu::ptx
