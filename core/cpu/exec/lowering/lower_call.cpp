// Calls: arguments and results go through the frames in local memory.
#include <algorithm>
#include <string>

#include "exec/builtins/builtins.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::OperandKind;

namespace {

struct Placement {
    std::vector<std::uint32_t> results, parameters;
};

/// Must match FunctionBuilder::layout_frame: results, then parameters, from byte 16 on.
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

/// The shapes of a function's results or parameters, those in variables first.
std::vector<ptx::ParameterShape> shapes(const ptx::Program& program, const ptx::Function& function,
                                        std::span<const ptx::VariableId> variables,
                                        std::span<const ptx::RegisterId> registers) {
    std::vector<ptx::ParameterShape> result;
    for (ptx::VariableId id : variables) {
        const ptx::Variable& v = program.variables[id];
        result.push_back({v.type, v.count, v.alignment, false});
    }
    for (ptx::RegisterId id : registers)
        result.push_back({function.registers[id].type, 1, ptx::bytes(function.registers[id].type), true});
    return result;
}

/// The offset of an argument or a result in the caller's frame: its variable, or a slot for one in a register.
std::uint32_t place_of(FunctionBuilder& b, const ptx::Operand& o, std::uint32_t bytes) {
    if (o.kind != OperandKind::Address) return b.frame_slot(bytes);
    if (!b.lies_in_frame(o.index)) b.unsupported("a call whose arguments are not .param variables of the caller");
    return b.frame_offset(o.index);
}

void pass_register(FunctionBuilder& b, const ptx::Operand& o, const FrameCopy& copy) {
    if (o.kind == OperandKind::Address) return;
    if (o.type == ptx::Type::Pred) b.unsupported("a call with a predicate as its argument");
    b.store_in_frame(copy.caller, copy.size, b.source(o, copy.size < 4 ? 4 : static_cast<std::uint8_t>(copy.size)));
}

void take_register(FunctionBuilder& b, const ptx::Operand& o, const FrameCopy& copy) {
    if (o.kind != OperandKind::Register) return;
    b.load_from_frame(copy.caller, copy.size, b.destination(o));
    b.finish_destinations();
}

void add_copies(FunctionBuilder& b, const std::vector<ptx::Operand>& actual, const std::vector<std::uint32_t>& formal,
                std::span<const ptx::ParameterShape> shape, std::vector<FrameCopy>& copies) {
    if (actual.size() < formal.size()) b.unsupported("a call with too few arguments");
    for (std::size_t n = 0; n < formal.size(); ++n) {
        const auto size = static_cast<std::uint32_t>(shape[n].size());
        copies.push_back({place_of(b, actual[n], size), formal[n], size});
    }
}

void lower_builtin(FunctionBuilder& b, Unit& unit, const ptx::Function& callee, const ptx::Call& call) {
    const Handler handler = find_builtin(callee.name);
    if (!handler && callee.name == "cudaGraphLaunch") b.unsupported("launches of graphs by kernels (cudaGraphLaunch)");
    if (!handler) b.unsupported("a call of the undefined function " + callee.name);
    unit.kernel.info.uses_heap |= callee.name == "malloc" || callee.name == "free" ||
                                  callee.name == "__cudaCDP2Malloc" || callee.name == "__cudaCDP2Free";
    unit.kernel.info.uses_printf |= callee.name == "vprintf" || callee.name == "__assertfail";
    CallSite site;
    const auto add = [&](const ptx::Operand& o, std::vector<FrameCopy>& copies) {
        const bool variable = o.kind == OperandKind::Address;
        const auto size =
            static_cast<std::uint32_t>(variable ? b.program().variables[o.index].size() : ptx::bytes(o.type));
        copies.push_back({place_of(b, o, size), 0, size});
    };
    for (const ptx::Operand& o : call.arguments) {
        add(o, site.arguments);
        pass_register(b, o, site.arguments.back());
    }
    for (const ptx::Operand& o : call.results) add(o, site.results);
    const Value frame = b.is_entry() ? b.immediate(0, 4) : b.fixed(unit.kernel.fixed.frame, 4);
    Node& node = b.emit_control(Control::Next);
    node.insn.run[0] = node.insn.run[1] = handler;
    node.insn.call_site = static_cast<std::uint32_t>(unit.kernel.calls.size());
    node.add(0, frame, &Node::uses);
    for (std::size_t n = 0; n < call.results.size(); ++n) take_register(b, call.results[n], site.results[n]);
    unit.kernel.calls.push_back(std::move(site));
}

}  // namespace

void lower_call(FunctionBuilder& b, Unit& unit) {
    const ptx::Call& call = b.function().calls[b.operands()[0].index];
    const bool direct = call.callee.kind == OperandKind::FunctionAddress;
    if (direct && !unit.program.functions[call.callee.index].defined)
        return lower_builtin(b, unit, unit.program.functions[call.callee.index], call);
    CallSite site;
    std::vector<ptx::ParameterShape> results, parameters;
    if (direct) {
        const ptx::Function& callee = unit.program.functions[call.callee.index];
        results = shapes(unit.program, callee, callee.results, callee.register_results);
        parameters = shapes(unit.program, callee, callee.parameters, callee.register_parameters);
    } else {
        // A list of targets replaces a prototype: the verifier checked that their signatures agree.
        const bool listed = call.prototype == ptx::none;
        const auto& lists = b.function().target_lists;
        const ptx::Function* any = listed ? &unit.program.functions[lists[call.target_list].front()] : nullptr;
        results = any ? shapes(unit.program, *any, any->results, any->register_results)
                      : b.function().prototypes[call.prototype].results;
        parameters = any ? shapes(unit.program, *any, any->parameters, any->register_parameters)
                         : b.function().prototypes[call.prototype].parameters;
    }
    const Placement formal = place(results, parameters);
    add_copies(b, call.arguments, formal.parameters, parameters, site.arguments);
    add_copies(b, call.results, formal.results, results, site.results);
    for (std::size_t n = 0; n < call.arguments.size(); ++n) pass_register(b, call.arguments[n], site.arguments[n]);
    const Value target = direct ? no_operand : b.source(call.callee, 8);
    Node& node = b.emit_control(direct ? Control::Call : Control::CallIndirect);
    node.insn.call_site = static_cast<std::uint32_t>(unit.kernel.calls.size());
    if (direct)
        node.insn.op[5] = call.callee.index;
    else
        node.add(0, target, &Node::uses);
    node.saves = !b.is_entry() && (!direct || unit.components[call.callee.index] == unit.components[b.id()]);
    for (std::size_t n = 0; n < call.results.size(); ++n) take_register(b, call.results[n], site.results[n]);
    unit.kernel.calls.push_back(std::move(site));
}

}  // namespace cpu::exec
