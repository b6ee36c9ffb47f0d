#include "ptx/verifier.hpp"

namespace cpu::ptx {

void Verifier::check_call() {
    if (now_->opcode != Opcode::Call) return;
    Call& call = function_.calls[operands_[0].index];
    if (call.callee.kind == OperandKind::FunctionAddress) {
        const Function& callee = program_.functions[call.callee.index];
        if (callee.entry) fail("an .entry cannot be called");
        check_list(call.results, shapes(callee, callee.results, callee.register_results), true);
        check_list(call.arguments, shapes(callee, callee.parameters, callee.register_parameters), false);
        return;
    }
    if (const char* why = address_register(call.callee)) fail(why);
    if (bits(function_.registers[call.callee.index].type) != 64) fail("the address of a function takes 64 bits");
    call.callee.type = Type::U64;
    if (call.prototype != none) {
        const Prototype& prototype = function_.prototypes[call.prototype];
        check_list(call.results, prototype.results, true);
        check_list(call.arguments, prototype.parameters, false);
    } else if (call.target_list == none) {
        fail("a call through a register needs a prototype or a list of targets");
    } else {
        check_targets(call);
    }
}

/// Checks that all targets of a list have the same parameters, so that calls need to be checked against one of them
/// only. Each list is checked once, however many calls use it.
void Verifier::check_targets(Call& call) {
    const std::vector<FunctionId>& targets = function_.target_lists[call.target_list];
    const Function& first = program_.functions[targets.front()];
    const std::vector<ParameterShape> results = shapes(first, first.results, first.register_results);
    const std::vector<ParameterShape> parameters = shapes(first, first.parameters, first.register_parameters);
    if (checked_lists_.size() < function_.target_lists.size()) checked_lists_.resize(function_.target_lists.size());
    if (!checked_lists_[call.target_list]) {
        for (const FunctionId target : targets) {
            const Function& other = program_.functions[target];
            if (other.entry) fail("an .entry cannot be called");
            const bool same = shapes(other, other.results, other.register_results) == results &&
                              shapes(other, other.parameters, other.register_parameters) == parameters;
            if (!same) fail("the targets of the call take different arguments");
        }
        checked_lists_[call.target_list] = true;
    }
    check_list(call.results, results, true);
    check_list(call.arguments, parameters, false);
}

std::vector<ParameterShape> Verifier::shapes(const Function& callee, const std::vector<VariableId>& variables,
                                             const std::vector<RegisterId>& registers) const {
    std::vector<ParameterShape> out;
    for (const VariableId id : variables) {
        const Variable& variable = program_.variables[id];
        out.push_back({variable.type, variable.count, variable.alignment, false});
    }
    for (const RegisterId id : registers)
        out.push_back({callee.registers[id].type, 1, bytes(callee.registers[id].type), true});
    return out;
}

void Verifier::check_list(std::vector<Operand>& given, const std::vector<ParameterShape>& wanted, bool results) {
    const char* const what = results ? "results" : "arguments";
    if (given.size() != wanted.size())
        fail("the callee has " + std::to_string(wanted.size()) + " " + what + ", not " + std::to_string(given.size()));
    for (std::size_t i = 0; i < given.size(); ++i) {
        Operand& operand = given[i];
        const ParameterShape& shape = wanted[i];
        if (operand.kind == OperandKind::Address) {
            const Variable& variable = program_.variables[operand.index];
            if (variable.space != Space::Param || operand.bits != 0 || variable.size() != shape.size())
                fail(std::string("one of the ") + what + " does not have the size that the callee expects");
            operand.type = shape.type;
            continue;
        }
        Slot slot;
        slot.destination = results;
        slot.wider = true;
        if (shape.count != 1 || operand.kind == OperandKind::Vector)
            fail(std::string("one of the ") + what + " must be a .param variable");
        commit_ = true;
        if (const char* why = value(operand, shape.type, slot)) fail(why);
    }
}

}  // namespace cpu::ptx
