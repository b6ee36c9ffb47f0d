#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/checks/harmless_reads.hpp"
#include "exec/code.hpp"
#include "exec/handlers/op_table.hpp"
#include "exec/lowering/lower.hpp"
#include "ptx/grammar.hpp"

namespace cpu::exec {

/// A register or constant before slot allocation: 2 * index, plus 1 for a constant of the kernel.
using Value = std::uint32_t;

/// An instruction before its registers have slots; its operands are Values.
struct Node {
    Insn insn;
    const Op* row = nullptr;  ///< the row whose handlers it runs; none for a control instruction
    std::uint8_t defs = 0;    ///< bit n: op[n] is written
    std::uint8_t uses = 0;    ///< bit n: op[n] is read
    bool partial = false;     ///< guarded: inactive lanes keep the old value of the destination
    bool saves = false;       ///< a call that may re-enter this function: live registers must be saved
    CodeLine line;
    Access access;
    std::int64_t label = -1;  ///< the PTX instruction to jump to, until target_pc is known; -1: none

    /// Operand n, with its bit in `defs` or `uses`.
    void add(std::size_t n, Value value, std::uint8_t Node::* roles) {
        insn.op[n] = value;
        this->*roles = static_cast<std::uint8_t>(this->*roles | 1u << n);
    }
};

struct VirtualRegister {
    std::uint8_t width = 4;            ///< 1 predicate, 4, 8 or 16
    std::uint32_t fixed = no_operand;  ///< byte offset, for registers that the executor fills
    std::uint32_t offset = no_operand;
    std::uint32_t definition = ptx::none;  ///< the last PTX instruction that writes it; none: the function's entry
    std::uint32_t first = ~0u;             ///< the live interval, in nodes
    std::uint32_t last = 0;
};

/// The size of a register that holds the type: 1 for a predicate, else 4, 8 or 16.
std::uint8_t width_of_type(ptx::Type type);

/// The state that the functions of a kernel share while it is lowered.
struct Unit {
    const ptx::Program& program;
    Addresses addresses;
    Kernel& kernel;
    const std::vector<std::vector<ptx::VariableId>>& owned;  ///< local and parameter variables of each function
    std::span<const std::uint32_t> components;               ///< of CallGraph, by FunctionId
    const OpIndex& ops;
    bool allocates = false;                                                             ///< alloca is used
    bool delays = false, may_delay = true;                                              ///< see DelayedSums
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> constants_of_bits{};  ///< into Kernel::constants

    Value constant(const LaunchConstant& constant);
    Value immediate(std::uint64_t bits, std::uint8_t width);
};

/// Turns one function into nodes, then into instructions at the end of the kernel's code.
class FunctionBuilder {
public:
    FunctionBuilder(Unit& unit, ptx::FunctionId id);
    /// Appends to the kernel; register slots start at `register_base`. Returns where they end.
    std::uint32_t build(std::uint32_t register_base);
    /// For an entry, which is built last: appends its affine code. More slots start at `free_slot`; returns where they
    /// end.
    std::uint32_t append_affine(std::uint32_t free_slot);
    std::uint32_t frame_bytes() const noexcept { return frame_bytes_; }

    // For the lowering of single instructions (lower_*.cpp).
    const ptx::Program& program() const { return unit_.program; }
    const ptx::Function& function() const { return function_; }
    bool is_entry() const { return function_.entry; }

    std::span<const ptx::Operand> operands() const { return function_.operands_of(*current_); }
    /// The elements of an operand in braces; any other operand is its only element.
    std::span<const ptx::Operand> elements(const ptx::Operand& operand) const;
    const ptx::Instruction& instruction() const { return *current_; }
    [[noreturn]] void unsupported(std::string_view what) const;

    Value new_register(std::uint8_t width);
    Value immediate(std::uint64_t bits, std::uint8_t width) { return unit_.immediate(bits, width); }
    Value constant(const LaunchConstant& c) { return unit_.constant(c); }
    Value fixed(std::uint32_t offset, std::uint8_t width);
    std::uint8_t width_of(Value value) const;

    /// The predicate that guards the current instruction.
    Value guard();
    /// A source operand in a register of `width` bytes (0: the width of its type).
    Value source(const ptx::Operand& operand, std::uint8_t width = 0);
    /// The register that an instruction writes. If the operand's register is wider than its type, this is a temporary
    /// that finish_destinations() extends.
    Value destination(const ptx::Operand& operand);
    /// One destination for each element of an operand in braces.
    std::vector<Value> destinations(const ptx::Operand& operand);
    void finish_destinations();
    Value address_of(const ptx::Operand& operand);
    /// The generic address of a memory operand in `space`.
    Value generic_address(const ptx::Operand& operand, ptx::Space space);

    Node& emit(OpName name, std::initializer_list<Value> defs, std::span<const Value> uses);
    Node& emit(OpName name, std::initializer_list<Value> defs, std::initializer_list<Value> uses) {
        return emit(name, defs, std::span(uses.begin(), uses.size()));
    }
    /// The row whose name consists of these parts, some of which may be empty. If there is none, the instruction is
    /// unsupported.
    OpName op(std::initializer_list<OpPart> parts) const;
    /// Adds "operands" instructions that name the values, six in each, as read or as written: for rows with more
    /// operands than fit.
    void carry(const std::vector<Value>& values, std::uint8_t Node::* roles);
    Node& emit_control(Control control);
    /// d = value. Where that is safe, the register becomes an alias of `value` from here on.
    void move(const ptx::Operand& d, Value value);
    Value carry_flag();
    Value stack_top();
    /// Returns the value of Insn::texture for a texture or surface instruction.
    std::uint32_t add_texture(const TextureAccess& access);
    /// Return the values of Insn::product and Insn::fragment for matrix instructions.
    std::uint32_t add_product(MatrixProduct product);
    std::uint32_t add_fragment(const FragmentInMemory& fragment);
    /// `generic` is the result of cluster_address() for the operand, called before the node was made.
    void memory_operand(Node& node, const ptx::Operand& operand, ptx::Space space, std::uint32_t bytes,
                        const Access& access, Value generic = no_operand);
    /// The generic address of an operand that may be in another block's shared memory; no_operand if it cannot be.
    Value cluster_address(const ptx::Operand& operand, ptx::Space space);
    /// The fixed offset in the kernel's parameters that a memory operand refers to; none if there is no such offset.
    std::optional<std::uint64_t> parameter_offset(const ptx::Operand& operand) const;
    /// The same for an address in a register or a constant.
    std::optional<std::uint64_t> parameter_offset(Value address) const;
    std::uint32_t frame_offset(ptx::VariableId variable);
    bool lies_in_frame(ptx::VariableId variable) const;
    /// True if the loop from `target` to `branch` may wait for another lane, warp or block.
    bool may_spin(std::uint32_t target, std::uint32_t branch) const;
    /// True if the register that an instruction writes appears nowhere else in the text.
    bool is_unread(const ptx::Operand& destination) const;
    /// Reserves bytes in the frame for internal use; returns their offset.
    std::uint32_t frame_slot(std::uint32_t bytes);
    void store_in_frame(std::uint32_t offset, std::uint32_t bytes, Value value);
    void load_from_frame(std::uint32_t offset, std::uint32_t bytes, Value to);
    void emit_return();
    void branch_table(const ptx::BranchTable& table, Node& node);
    ptx::FunctionId id() const { return id_; }

    std::vector<Node> nodes;

private:
    void scan();
    void count_mentions();
    bool waits_for_others(const ptx::Instruction& i) const;
    void find_runs();
    bool equals_copy(Value value) const;
    std::uint32_t current_index() const { return static_cast<std::uint32_t>(current_ - function_.instructions.data()); }
    void layout_frame();
    void load_register_parameters();
    void lower_instruction(std::uint32_t index);
    void lower_unguarded(std::uint32_t index);
    std::uint32_t short_branch(std::uint32_t index) const;
    void lower_short_branch(std::uint32_t index, std::uint32_t count);
    std::size_t resolve_labels();
    std::uint32_t allocate(std::uint32_t register_base);
    void save_around_calls();
    void append(std::size_t first_target);
    Insn placed(const Node& node) const;
    Value special(ptx::SpecialRegister reg);
    Value in_cluster(ptx::SpecialRegister reg);
    Value block_number(int axis);
    Value reference(const ptx::Operand& operand);
    bool is_control(const ptx::Instruction& instruction) const;

    Unit& unit_;
    ptx::FunctionId id_;
    const ptx::Function& function_;
    const ptx::Instruction* current_ = nullptr;
    std::vector<VirtualRegister> registers_;
    std::vector<std::uint32_t> definitions_;  ///< for each PTX register: how many instructions write it
    std::vector<std::uint32_t> mentions_;     ///< for each PTX register: how many operands name it
    std::vector<std::optional<Value>> aliases_;
    std::vector<bool> used_;               ///< registers read so far in the order of the text
    HarmlessReads harmless_;               ///< filled for PYCUDA_CPU_CHECK=init only
    std::vector<std::uint32_t> jumps_to_;  ///< for each PTX instruction: how many branches may jump to it
    std::vector<bool> reconvergence_points_;
    std::vector<std::uint32_t> run_of_;        ///< for each PTX instruction: its run between reconvergence points
    std::vector<std::uint32_t> waits_before_;  ///< for each PTX instruction: how many instructions before it may wait
    std::vector<bool> in_loop_;                ///< for each PTX instruction: whether it may run more than once
    std::vector<std::uint32_t> node_of_;       ///< for each PTX instruction: its first node
    std::unordered_map<std::uint32_t, Value> fixed_;
    std::unordered_map<ptx::VariableId, std::uint32_t> frame_;
    struct Extension {
        Value from;
        Value to;
        ptx::Type type;
    };
    std::vector<Extension> extensions_;
    std::optional<Value> carry_;
    std::uint32_t frame_bytes_ = 0;
    std::vector<std::uint32_t> result_slots_, parameter_slots_;  ///< of results and parameters in registers
    std::size_t table_entries_ = 0;  ///< the length of this function's part of Kernel::branch_targets, at its end
    bool guarded_ = false;
};

inline OpPart part(ptx::Type type) {
    return OpPart::given(ptx::name(type));
}
inline OpPart part(ptx::Opcode opcode) {
    return OpPart::given(ptx::name(opcode));
}
/// The part of a name for a modifier; the group must have one.
OpPart part(ptx::Group group, auto value) {
    return OpPart::given(ptx::spelling(group, static_cast<std::uint8_t>(value)));
}
inline OpPart part(ptx::Operation operation) {
    return part(ptx::Group::Operation, operation);
}
inline OpPart part(ptx::Rounding rounding) {
    return part(ptx::Group::Rounding, rounding);
}
/// The unsigned type of that size, such as u32 for four bytes.
OpPart unsigned_part(std::uint32_t bytes);
/// The untyped part of the same size, such as b32 for 32 bits.
OpPart bits_part(ptx::Type type);
/// The row that copies a register of that width.
OpName move_of(std::uint8_t width);

constexpr std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

/// The HostRounding of a directed rounding mode, as a number; 0: to nearest.
std::uint16_t rounding_bits(ptx::Rounding rounding);
/// The result of the instruction called `name`, of this type, on `value`.
Value apply(FunctionBuilder& b, OpPart name, ptx::Type type, Value value);
Value apply(FunctionBuilder& b, OpPart name, ptx::Type type, Value x, Value y);
/// Applies the modifiers that change the result, and writes it to the instruction's destination.
void finish(FunctionBuilder& b, Value result, ptx::Type type, bool flush);
bool is_half(ptx::Type type);

// One for each family of instructions.
void lower_value(FunctionBuilder& b);
void lower_modified(FunctionBuilder& b);
void lower_conversion(FunctionBuilder& b);
void lower_video(FunctionBuilder& b);
void lower_memory(FunctionBuilder& b);
void lower_mbarrier(FunctionBuilder& b);
/// Signals the written bytes to the mbarrier that operand `address` of the instruction names.
void complete_at_mbarrier(FunctionBuilder& b, std::size_t address, std::uint32_t bytes);
void lower_cluster(FunctionBuilder& b);
void lower_control(FunctionBuilder& b, std::uint32_t index);
void lower_exchange(FunctionBuilder& b);
void lower_call(FunctionBuilder& b, Unit& unit);
void lower_texture(FunctionBuilder& b);
void lower_matrix(FunctionBuilder& b);

/// The live interval of a virtual register, in the order of the nodes.
struct Interval {
    std::uint32_t first = ~0u;
    std::uint32_t last = 0;
};
std::vector<Interval> live_intervals(const std::vector<Node>& nodes, std::size_t register_count,
                                     const std::vector<std::uint32_t>& branch_targets);

}  // namespace cpu::exec
