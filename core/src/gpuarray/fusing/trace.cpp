#include "pycuda/gpuarray/fusing/trace.hpp"

#include <utility>

#include "gpuarray/fusing/trace_record.hpp"

namespace pycuda::gpuarray {
namespace {

/// The record of the arrays; null if none is traced.
std::shared_ptr<TraceRecord> common_record(std::span<const Array* const> arrays) {
    std::shared_ptr<TraceRecord> record;
    for (const Array* array : arrays)
        if (const TracedMemory* const memory = traced_memory(*array); memory && !record) record = memory->record();
    if (!record) return nullptr;
    record->require_open();
    for (const Array* array : arrays) {
        const TracedMemory* const memory = traced_memory(*array);
        if (!memory) throw CannotFuse("it uses an array that is not an argument of the function; pass it as one");
        if (memory->record() != record) throw CannotFuse("it uses an array of another function that is fused");
    }
    return record;
}

}  // namespace

bool is_traced(const DeviceMemory* memory) noexcept {
    return dynamic_cast<const TracedMemory*>(memory) != nullptr;
}

bool is_traced(const Array& array) noexcept {
    return traced_memory(array) != nullptr;
}

Trace::Trace(bool fast) : record_(std::make_shared<TraceRecord>(fast)) {
    open_traces.fetch_add(1, std::memory_order_relaxed);
}

Trace::~Trace() {
    end();
}

bool Trace::is_open() const noexcept {
    return record_->open;
}

void Trace::require_open() const {
    record_->require_open();
}

void Trace::end() noexcept {
    if (record_->open.exchange(false)) open_traces.fetch_sub(1, std::memory_order_relaxed);
}

Array Trace::argument(DType dtype, const Layout& layout) {
    if (dtype == DType::Opaque) throw CannotFuse("an argument is an array of structures");
    FusedProgram::Argument argument;
    argument.dtype = dtype;
    argument.layout = layout;
    return std::move(*record_->array_of_stored(record_->add_argument(argument)));
}

Scalar Trace::argument(const Scalar& value) {
    FusedProgram::Argument argument;
    argument.dtype = value.dtype();
    argument.is_number = true;
    argument.is_weak = value.is_weak();
    argument.value = value;
    const int number = static_cast<int>(record_->arguments.size());
    record_->add_argument(argument);
    return value.as_argument(number);
}

void Trace::fix(int argument) {
    record_->require_open();
    record_->arguments.at(static_cast<std::size_t>(argument)).is_fixed = true;
}

std::shared_ptr<FusedProgram> Trace::finish(std::span<const Array> results) {
    record_->require_open();
    auto program = record_->program(results);
    end();
    return program;
}

std::unique_ptr<Array> try_record(Op op, std::span<const Operand> operands, ResultType type) {
    const Array* arrays[max_inputs];
    std::size_t count = 0;
    for (const Operand& operand : operands)
        if (const auto* array = std::get_if<const Array*>(&operand); array && count < max_inputs)
            arrays[count++] = *array;
    const auto record = common_record({arrays, count});
    return record ? record->record(op, operands, type) : nullptr;
}

std::unique_ptr<Array> try_record(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, DType dtype,
                                  const Layout& layout) {
    const auto record = common_record(inputs);
    return record ? record->record(op, inputs, axes, dtype, layout) : nullptr;
}

std::unique_ptr<Array> try_record_copy(const Array& array, DType dtype, const Layout& layout) {
    const Array* const one = &array;
    const auto record = common_record({&one, 1});
    return record ? record->record_copy(array, dtype, layout) : nullptr;
}

}  // namespace pycuda::gpuarray
