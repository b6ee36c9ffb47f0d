#include "exec/lowering/lower.hpp"

#include <algorithm>

#include "exec/checks/checks.hpp"
#include "exec/checks/instrument.hpp"
#include "exec/lowering/call_graph.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::FunctionId;
using ptx::OperandKind;

namespace {

template <class F>
void for_all_operands(const ptx::Function& function, F f) {
    for (const ptx::Operand& o : function.operands) f(o);
    for (const ptx::Operand& o : function.elements) f(o);
}

FixedRegisters fixed_registers() {
    FixedRegisters f;
    std::uint32_t end = 0;
    const auto place = [&](std::uint32_t& at) { at = std::exchange(end, end + 4 * warp_size); };
    for (int n = 0; n < 3; ++n) place(f.tid[n]);
    for (int n = 0; n < 3; ++n) place(f.ctaid[n]);
    place(f.warpid);
    place(f.frame);
    place(f.top);
    f.affine = end;
    f.end = end + 2 * 4 * warp_size;
    return f;
}

/// Assigns offsets to the shared variables that the functions name; those of unknown size start where the launch's
/// dynamic part does.
void layout_shared(const ptx::Program& program, std::span<const FunctionId> functions,
                   std::vector<std::uint64_t>& addresses, Kernel& kernel) {
    std::vector<ptx::VariableId> sized, unsized;
    std::vector<bool> seen(program.variables.size());
    const auto use = [&](const ptx::Operand& o) {
        if (o.kind != OperandKind::Address && o.kind != OperandKind::MemoryVariable) return;
        if (program.variables[o.index].space != ptx::Space::Shared || seen[o.index]) return;
        seen[o.index] = true;
        (program.variables[o.index].unsized ? unsized : sized).push_back(o.index);
    };
    for (FunctionId id : functions) for_all_operands(program.functions[id], use);
    std::ranges::sort(sized);
    std::uint64_t end = 0;
    for (ptx::VariableId id : sized) {
        const ptx::Variable& v = program.variables[id];
        end = (end + v.alignment - 1) / v.alignment * v.alignment;
        addresses[id] = end;
        kernel.shared_variables.push_back(
            {v.name, static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(v.size())});
        end += v.size();  // cannot overflow: no variable has more than 2^43 bytes
    }
    if (end > limits::shared_per_block)
        throw too_much("Entry function '" + kernel.info.name + "'", "shared data", end, limits::shared_per_block);
    std::uint64_t alignment = 16;
    for (ptx::VariableId id : unsized) alignment = std::max<std::uint64_t>(alignment, program.variables[id].alignment);
    kernel.dynamic_shared_offset = static_cast<std::uint32_t>((end + alignment - 1) / alignment * alignment);
    for (ptx::VariableId id : unsized) {
        addresses[id] = kernel.dynamic_shared_offset;
        kernel.shared_variables.push_back({program.variables[id].name, kernel.dynamic_shared_offset, 0});
    }
    kernel.uses_dynamic_shared = !unsized.empty();
    kernel.info.static_shared_bytes = static_cast<std::uint32_t>(unsized.empty() ? end
                                                                 : end           ? kernel.dynamic_shared_offset
                                                                                 : 0);
}

/// The stack of the deepest call chain from the last of the functions, which are ordered callees first; if there is a
/// cycle, the open-ended stack is added.
std::uint32_t stack_depth(const CallGraph& graph, std::span<const FunctionId> order,
                          const std::unordered_map<FunctionId, std::uint32_t>& frames, bool& open_ended) {
    constexpr std::uint32_t max = 1u << 24;
    std::unordered_map<FunctionId, std::uint32_t> depths;
    for (FunctionId id : order) {
        std::uint32_t deepest = 0;
        for (FunctionId callee : graph.callees(id)) {
            if (!frames.contains(callee)) continue;  // a built-in, which has no body
            const auto known = depths.find(callee);
            open_ended |= known == depths.end();
            deepest = std::max(deepest, known == depths.end() ? open_ended_stack : known->second);
        }
        depths[id] = std::min(frames.at(id) + deepest, max);
    }
    return depths.at(order.back());
}

}  // namespace

Lowering::Lowering(const ptx::Program& program, Addresses addresses)
    : program_(program),
      addresses_(addresses),
      calls_(std::make_unique<CallGraph>(program)),
      owned_(program.functions.size()) {
    for (ptx::VariableId id = 0; id < program.variables.size(); ++id) {
        const ptx::Variable& v = program.variables[id];
        if (v.owner != ptx::none && (v.space == ptx::Space::Local || v.space == ptx::Space::Param))
            owned_[v.owner].push_back(id);
    }
}

Lowering::~Lowering() = default;

void Lowering::lower(FunctionId entry, Kernel& kernel) const {
    const std::vector<FunctionId> order = calls_->order(entry);
    std::vector<std::uint64_t> addresses(addresses_.begin(), addresses_.end());
    kernel.fixed = fixed_registers();
    layout_shared(program_, order, addresses, kernel);
    Unit unit{program_, addresses, kernel, owned_, calls_->components(), chosen_ops()};

    std::uint32_t end = kernel.fixed.end;
    std::unordered_map<FunctionId, std::uint32_t> frames;
    for (FunctionId id : order) {
        FunctionBuilder builder(unit, id);
        kernel.affine_slots = builder.build(end);
        end = id == entry && !enabled_checks().any() ? builder.append_affine(kernel.affine_slots) : kernel.affine_slots;
        frames[id] = builder.frame_bytes();
    }
    kernel.register_bytes = end;
    kernel.entry_pc = kernel.entry_points.at(function_address(entry)).pc;
    for (const Insn& insn : kernel.insns) {
        if (insn.control == Control::Call)
            kernel.calls[insn.call_site].callee = kernel.entry_points.at(function_address(insn.op[5]));
        kernel.may_wait |= insn.may_spin;
    }
    kernel.stack_top = stack_depth(*calls_, order, frames, kernel.open_ended);
    kernel.open_ended |= unit.allocates;
    kernel.local_bytes = kernel.stack_top + (unit.allocates ? open_ended_stack : 0);
    kernel.delays_sums = unit.delays && unit.may_delay && !kernel.may_wait && !enabled_checks().any();
    if (enabled_checks().any()) instrument(kernel);
}

}  // namespace cpu::exec
