// Calls: arguments and results go through the frames in local memory.
#include <algorithm>
#include <string>

#include "exec/builtins.hpp"
#include "exec/function_builder.hpp"

namespace cpu::exec {

using ptx::OperandKind;

namespace {

struct Placement {
    std::vector<std::uint32_t> results, parameters;
};

/// The same rule as FunctionBuilder::layout_frame: results, then parameters, from byte 16 on.
Placement place(std::span<const ptx::ParameterShape> results, std::span<const ptx::ParameterShape> parameters) {
    Placement p;
    std::uint32_t end = 16;
    const auto add = [&](const ptx::ParameterShape& shape, std::vector<std::uint32_t>& to) {
        const std::uint32_t alignment = std::max(1u, shape.alignment);
        end = (end + alignment - 1) / alignment * alignment;
        to.push_back(end);
        end += static_cast<std::uint32_t>(shape.size());
    };
    for (const auto& shape : results) add(shape, p.results);
    for (const auto& shape : parameters) add(shape, p.parameters);
    return p;
}

std::vector<ptx::ParameterShape> shapes(const ptx::Module& module, std::span<const ptx::VariableId> ids) {
    std::vector<ptx::ParameterShape> result;
    for (ptx::VariableId id : ids) {
        const ptx::Variable& v = module.variables[id];
        result.push_back({v.type, v.count, v.alignment, false});
    }
    return result;
}

void add_copies(FunctionBuilder& b, const std::vector<ptx::Operand>& actual, const std::vector<std::uint32_t>& formal,
                std::span<const ptx::ParameterShape> shape, std::vector<FrameCopy>& copies) {
    if (actual.size() < formal.size()) b.unsupported("a call with too few arguments");
    for (std::size_t n = 0; n < formal.size(); ++n) {
        if (actual[n].kind == OperandKind::Sink) continue;
        if (actual[n].kind != OperandKind::Address || !b.lies_in_frame(actual[n].index))
            b.unsupported("a call whose arguments are not .param variables");
        copies.push_back({b.frame_offset(actual[n].index), formal[n], static_cast<std::uint32_t>(shape[n].size())});
    }
}

void lower_builtin(FunctionBuilder& b, Unit& unit, const ptx::Function& callee, const ptx::Call& call) {
    const Handler handler = find_builtin(callee.name);
    if (!handler) b.unsupported("a call of the undefined function " + callee.name);
    CallSite site;
    for (const ptx::Operand& o : call.arguments) {
        if (o.kind != OperandKind::Address || !b.lies_in_frame(o.index))
            b.unsupported("a call whose arguments are not .param variables");
        site.arguments.push_back(
            {b.frame_offset(o.index), 0, static_cast<std::uint32_t>(b.module().variables[o.index].size())});
    }
    for (const ptx::Operand& o : call.results)
        if (o.kind == OperandKind::Address)
            site.results.push_back(
                {b.frame_offset(o.index), 0, static_cast<std::uint32_t>(b.module().variables[o.index].size())});
    const Value frame = b.is_entry() ? b.immediate(0, 4) : b.fixed(unit.kernel.fixed.frame, 4);
    Node& node = b.emit_control(Control::Next);
    node.insn.run[0] = node.insn.run[1] = handler;
    node.insn.target = static_cast<std::uint32_t>(unit.kernel.calls.size());
    node.insn.op[0] = frame;
    node.uses = 1;
    unit.kernel.calls.push_back(std::move(site));
}

}  // namespace

void lower_call(FunctionBuilder& b, Unit& unit) {
    const ptx::Call& call = b.function().calls[b.operands()[0].index];
    const bool direct = call.callee.kind == OperandKind::FunctionAddress;
    if (direct && !unit.module.functions[call.callee.index].defined)
        return lower_builtin(b, unit, unit.module.functions[call.callee.index], call);
    CallSite site;
    std::vector<ptx::ParameterShape> results, parameters;
    if (direct) {
        const ptx::Function& callee = unit.module.functions[call.callee.index];
        if (!callee.register_parameters.empty() || !callee.register_results.empty())
            b.unsupported("a call of " + callee.name + ", which takes its parameters in registers");
        results = shapes(unit.module, callee.results);
        parameters = shapes(unit.module, callee.parameters);
    } else {
        // A list of targets stands for a prototype: the verifier saw that all of them take the same.
        const bool listed = call.prototype == ptx::none;
        const auto& lists = b.function().target_lists;
        const ptx::Function* any = listed ? &unit.module.functions[lists[call.target_list].front()] : nullptr;
        results = any ? shapes(unit.module, any->results) : b.function().prototypes[call.prototype].results;
        parameters = any ? shapes(unit.module, any->parameters) : b.function().prototypes[call.prototype].parameters;
    }
    const Placement formal = place(results, parameters);
    add_copies(b, call.arguments, formal.parameters, parameters, site.arguments);
    add_copies(b, call.results, formal.results, results, site.results);
    const Value target = direct ? no_operand : b.source(call.callee, 8);
    Node& node = b.emit_control(direct ? Control::Call : Control::CallIndirect);
    node.insn.target = static_cast<std::uint32_t>(unit.kernel.calls.size());
    if (direct)
        node.insn.op[5] = call.callee.index;
    else {
        node.insn.op[0] = target;
        node.uses = 1;
    }
    node.saves = !b.is_entry() && (!direct || unit.components[call.callee.index] == unit.components[b.id()]);
    unit.kernel.calls.push_back(std::move(site));
}

}  // namespace cpu::exec
