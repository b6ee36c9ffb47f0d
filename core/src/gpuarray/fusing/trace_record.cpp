#include "gpuarray/fusing/trace_record.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "gpuarray/device_types.hpp"
#include "pycuda/gpuarray/plan.hpp"

namespace pycuda::gpuarray {
namespace {

/// True if `seen` is the layout broadcast to a shape, or the layout itself.
bool is_broadcast(const Layout& layout, const Layout& seen) {
    if (layout == seen) return true;
    try {
        return layout.broadcast_to(seen.shape()) == seen;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

/// A constant that stands in a kernel's text: small, so that there are few such texts.
std::optional<std::int64_t> literal_of(const FusedNumber& number) {
    constexpr double max = 16;
    if (number.value.argument() >= 0 || is_complex(number.value.dtype()) || is_complex(number.dtype) ||
        number.dtype == DType::Bool)
        return std::nullopt;
    double value;
    number.value.store(DType::Float64, &value);
    const bool is_whole = value == std::trunc(value) && std::abs(value) <= max && !(value == 0 && std::signbit(value));
    if (!is_whole || (value < 0 && info(number.dtype).kind == DTypeKind::Unsigned)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

bool is_two(const Scalar& number) {
    const auto literal = literal_of({number, number.dtype()});
    return literal && *literal == 2;
}

/// The number as an operand of a kernel: in its text, or as a parameter.
FusedOperand pass(FusedWork& work, const FusedNumber& number) {
    const std::optional<std::int64_t> literal = literal_of(number);
    work.numbers.push_back(number);
    work.expression.numbers.push_back({number.dtype, literal.has_value(), literal.value_or(0)});
    return {FusedOperand::Number, static_cast<int>(work.numbers.size()) - 1};
}

}  // namespace

bool answer(FusedQuestion question, const Scalar& number, DType dtype) noexcept {
    switch (question) {
        case FitsType:
            return number.fits(dtype);
        case IsStoredAsOnDevice:
            return number.stores_as_device(dtype);
        case IsNegative:
            break;
    }
    return number.is_negative_integer();
}

void TraceRecord::require_open() const {
    if (!open) throw CannotFuse("the array is one of a function that has been fused already");
    if (thread != std::this_thread::get_id()) throw CannotFuse("another thread uses an array of the function");
}

int TraceRecord::add_argument(FusedProgram::Argument argument) {
    constexpr std::size_t max = 100;
    if (arguments.size() == max) throw CannotFuse("a function has at most 100 arguments");
    FusedSteps::Stored stored;
    stored.argument = static_cast<int>(arguments.size());
    stored.dtype = argument.dtype;
    stored.layout = argument.layout;
    arguments.push_back(std::move(argument));
    steps_.stored.push_back(stored);  // of a number, too, so that both have the same numbers
    return stored.argument;
}

std::unique_ptr<Array> TraceRecord::array_of_stored(int number) {
    const FusedSteps::Stored& stored = steps_.stored[static_cast<std::size_t>(number)];
    auto memory = std::make_shared<TracedMemory>(shared_from_this(), true, number, stored.layout.nbytes());
    return std::make_unique<Array>(Array::over(std::move(memory), nullptr, stored.dtype, stored.layout));
}

std::unique_ptr<Array> TraceRecord::array_of_node(int number) {
    const Node& node = nodes_[static_cast<std::size_t>(number)];
    auto memory = std::make_shared<TracedMemory>(shared_from_this(), false, number, node.layout.nbytes());
    return std::make_unique<Array>(Array::over(std::move(memory), nullptr, node.operation.out, node.layout));
}

int TraceRecord::add_node(Op op, const Signature& types, DType out, std::vector<FusedOperand> operands,
                          const Layout& layout) {
    constexpr std::size_t max = 1000;
    if (nodes_.size() == max) throw CannotFuse("a function has at most 1000 operations");
    nodes_.push_back({{op, types, out, std::move(operands)}, layout});
    return static_cast<int>(nodes_.size()) - 1;
}

FusedAccess TraceRecord::access_to(const Array& array) {
    const TracedMemory& memory = *traced_memory(array);
    int stored = memory.number();
    if (!memory.is_stored()) {
        const int node = memory.number();
        if (nodes_[static_cast<std::size_t>(node)].stored < 0) store({&node, 1});
        stored = nodes_[static_cast<std::size_t>(node)].stored;
    }
    return {stored, array.dtype(), array.layout(), array.offset()};
}

FusedOperand TraceRecord::operand_of(const Array& array) {
    const TracedMemory& memory = *traced_memory(array);
    if (!memory.is_stored() && array.offset() == 0) {
        const Node& node = nodes_[static_cast<std::size_t>(memory.number())];
        const bool same_type = array.dtype() == node.operation.out;
        if (same_type && is_broadcast(node.layout, array.layout())) return {FusedOperand::Value, memory.number()};
    }
    accesses_.push_back(access_to(array));
    return {FusedOperand::Element, static_cast<int>(accesses_.size()) - 1};
}

FusedOperand TraceRecord::operand_of(const Scalar& number, DType passed) {
    numbers_.push_back({number, passed});
    return {FusedOperand::Number, static_cast<int>(numbers_.size()) - 1};
}

void TraceRecord::note_answers(const Scalar& number, FusedQuestion question, std::initializer_list<DType> types) {
    if (number.argument() < 0) return;
    auto& answers = arguments[static_cast<std::size_t>(number.argument())].answers;
    for (const DType type : types) {
        const FusedProgram::Argument::Answer given{type, question, answer(question, number, type)};
        if (std::find(answers.begin(), answers.end(), given) == answers.end()) answers.push_back(given);
    }
}

std::unique_ptr<Array> TraceRecord::record(Op op, std::span<const Operand> given, ResultType type) {
    Input inputs[max_inputs] = {Scalar::weak(false), Scalar::weak(false), Scalar::weak(false), Scalar::weak(false)};
    OperandType types_of_operands[max_inputs];
    if (given.size() > max_inputs) throw std::invalid_argument("an operation has at most 4 operands");
    const std::size_t count = given.size();
    for (std::size_t k = 0; k < count; ++k) {
        if (const auto* const array = std::get_if<const Array*>(&given[k]))
            inputs[k] = Input(ArrayRef{0, &(*array)->layout(), (*array)->dtype()});
        else
            inputs[k] = Input(std::get<Scalar>(given[k]));
        types_of_operands[k] = inputs[k].type();
        if (types_of_operands[k].dtype == DType::Opaque) throw CannotFuse("it computes with structures");
    }
    const std::span<const Input> operands(inputs, count);
    const Plan made = plan(op, operands, type);
    if (op == Op::copy && inputs[0].type().dtype == made.result)
        return record_copy(*std::get<const Array*>(given[0]), made.result, made.layout);
    const Signature types = types_of(op, operands, made.result);
    const Signature plain = signature(op, std::span<const OperandType>(types_of_operands, count));
    const bool is_square = op == Op::pow && !is_complex(types.compute) && inputs[1].is_scalar() &&
                           inputs[1].scalar().argument() < 0 && is_two(inputs[1].scalar());
    std::vector<FusedOperand> used;
    for (std::size_t k = 0; k < (is_square ? 1 : count); ++k) {
        if (!inputs[k].is_scalar()) {
            used.push_back(operand_of(*std::get<const Array*>(given[k])));
            continue;
        }
        const Scalar& number = inputs[k].scalar();
        note_answers(number, FitsType, {types.compute, plain.compute, made.result, DType::Int64});
        if (info(op).rule == ResultRule::Choice) note_answers(number, IsStoredAsOnDevice, {made.result});
        if (op == Op::pow) note_answers(number, IsNegative, {types.compute});
        used.push_back(operand_of(number, passed_dtype(op, types, made.result, number, static_cast<int>(k))));
    }
    return array_of_node(add_node(is_square ? Op::square : op, types, made.result, std::move(used), made.layout));
}

std::unique_ptr<Array> TraceRecord::record_copy(const Array& array, DType dtype, const Layout& layout) {
    if (dtype == DType::Opaque || array.dtype() == DType::Opaque) throw CannotFuse("it computes with structures");
    const OperandType type{array.dtype(), false};
    Signature types = signature(Op::copy, {&type, 1});
    return array_of_node(add_node(Op::copy, types, dtype, {operand_of(array)}, layout));
}

std::unique_ptr<Array> TraceRecord::record(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes,
                                           DType dtype, const Layout& layout) {
    ReductionStep step;
    step.op = op;
    step.axes = axes;
    if (!try_compute_in_reduction(step, inputs, layout, dtype))
        for (const Array* input : inputs) step.reads.push_back(access_to(*input));
    step.writes = static_cast<int>(steps_.stored.size());
    FusedSteps::Stored stored;
    stored.dtype = dtype;
    stored.layout = layout;
    steps_.stored.push_back(stored);
    steps_.steps.push_back(std::move(step));
    return array_of_stored(static_cast<int>(steps_.stored.size()) - 1);
}

/// If the operands are recorded operations of one shape and order, and those read arrays in this order.
bool TraceRecord::try_compute_in_reduction(ReductionStep& step, std::span<const Array* const> inputs, const Layout& out,
                                           DType dtype) {
    std::vector<int> nodes;
    for (const Array* input : inputs) {
        const TracedMemory& memory = *traced_memory(*input);
        if (memory.is_stored() || input->layout().size() == 0 || input->offset() != 0) return false;
        const Node& node = nodes_[static_cast<std::size_t>(memory.number())];
        const bool is_whole = input->layout() == node.layout && input->dtype() == node.operation.out;
        if (!is_whole || node.stored >= 0 || !inputs[0]->layout().same_dense(node.layout)) return false;
        nodes.push_back(memory.number());
    }
    FusedWork work = work_of(nodes);
    if (!walk_flat(work, inputs[0]->layout())) return false;
    step.work = std::move(work);
    plan_step(step, inputs, {0, &out, dtype});
    return true;
}

void TraceRecord::store(std::span<const int> nodes) {
    std::vector<int> writes;
    std::vector<const Layout*> layouts;
    for (const int node : nodes) layouts.push_back(&nodes_[static_cast<std::size_t>(node)].layout);
    for (std::size_t k = 0; k < nodes.size(); ++k) writes.push_back(static_cast<int>(steps_.stored.size() + k));
    steps_.steps.push_back(elementwise_step(work_of(nodes), writes, layouts));
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        Node& node = nodes_[static_cast<std::size_t>(nodes[k])];
        node.stored = writes[k];
        FusedSteps::Stored stored;
        stored.dtype = node.operation.out;
        stored.layout = node.layout;
        steps_.stored.push_back(stored);
    }
}

FusedWork TraceRecord::work_of(std::span<const int> nodes) const {
    FusedWork work;
    work.expression.fast = fast;
    std::vector<bool> needed(nodes_.size());
    for (const int node : nodes) needed[static_cast<std::size_t>(node)] = true;
    const auto is_root = [&](std::size_t node) {
        return std::find(nodes.begin(), nodes.end(), static_cast<int>(node)) != nodes.end();
    };
    for (std::size_t k = nodes_.size(); k-- > 0;)
        if (needed[k] && (is_root(k) || nodes_[k].stored < 0))
            for (const FusedOperand& operand : nodes_[k].operation.operands)
                if (operand.kind == FusedOperand::Value) needed[static_cast<std::size_t>(operand.index)] = true;
    const auto read = [&](const FusedAccess& access) -> FusedOperand {
        const auto same = [&](const FusedAccess& other) {
            return other.stored == access.stored && other.dtype == access.dtype && other.offset == access.offset &&
                   other.layout == access.layout;
        };
        const auto known = std::find_if(work.reads.begin(), work.reads.end(), same);
        const auto index = static_cast<int>(known - work.reads.begin());
        if (known == work.reads.end()) {
            work.reads.push_back(access);
            work.expression.elements.push_back(access.dtype);
        }
        return {FusedOperand::Element, index};
    };
    std::vector<FusedOperand> made(nodes_.size());
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
        if (!needed[k]) continue;
        const Node& node = nodes_[k];
        if (node.stored >= 0 && !is_root(k)) {
            made[k] = read({node.stored, node.operation.out, node.layout, 0});
            continue;
        }
        FusedOperation operation = node.operation;
        // Between operations, 16-bit numbers are rounded as in memory.
        if (fast && !is_root(k)) operation.out = arithmetic_dtype(operation.out);
        for (FusedOperand& operand : operation.operands) {
            const auto index = static_cast<std::size_t>(operand.index);
            if (operand.kind == FusedOperand::Value)
                operand = made[index];
            else if (operand.kind == FusedOperand::Element)
                operand = read(accesses_[index]);
            else
                operand = pass(work, numbers_[index]);
        }
        made[k] = {FusedOperand::Value, static_cast<int>(work.expression.operations.size())};
        work.expression.operations.push_back(std::move(operation));
    }
    for (const int node : nodes) work.expression.results.push_back(made[static_cast<std::size_t>(node)].index);
    return work;
}

std::shared_ptr<FusedProgram> TraceRecord::program(std::span<const Array> results) {
    // Results of one shape come from one kernel.
    std::vector<std::vector<int>> groups;
    for (const Array& result : results) {
        const TracedMemory* const memory = traced_memory(result);
        if (!memory || memory->record().get() != this)
            throw CannotFuse("it returns an array that does not come from its arguments");
        if (memory->is_stored()) continue;
        const Node& node = nodes_[static_cast<std::size_t>(memory->number())];
        if (node.stored >= 0) continue;
        const auto fits = [&](const std::vector<int>& group) {
            return nodes_[static_cast<std::size_t>(group[0])].layout.same_shape(node.layout);
        };
        auto group = std::find_if(groups.begin(), groups.end(), fits);
        if (group == groups.end()) group = groups.insert(groups.end(), std::vector<int>());
        if (std::find(group->begin(), group->end(), memory->number()) == group->end())
            group->push_back(memory->number());
    }
    for (const std::vector<int>& group : groups) store(group);
    const std::shared_ptr<FusedProgram> program(new FusedProgram);
    for (const Array& result : results) {
        const FusedAccess access = access_to(result);
        FusedSteps::Stored& stored = steps_.stored[static_cast<std::size_t>(access.stored)];
        if (stored.argument < 0 && stored.made < 0) {
            stored.made = static_cast<int>(program->made_.size());
            program->made_.push_back({stored.dtype, stored.layout});
        }
        const bool is_argument = stored.argument >= 0;
        program->results_.push_back(
            {is_argument, is_argument ? stored.argument : stored.made, access.dtype, access.layout, access.offset});
    }
    program->arguments_ = std::move(arguments);
    program->steps_ = std::make_shared<const FusedSteps>(std::move(steps_));
    return program;
}

}  // namespace pycuda::gpuarray
