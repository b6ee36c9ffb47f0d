#include "array_calls.hpp"
#include "array_handle.hpp"
#include "pycuda/gpuarray/fusing/trace.hpp"

namespace pycuda_java {
namespace {

using namespace pycuda::gpuarray;

FusedPrograms& programs_of(std::uint64_t function) {
    return *reinterpret_cast<FusedPrograms*>(function);
}

Trace& trace_of(std::uint64_t trace) {
    return *reinterpret_cast<Trace*>(trace);
}

std::vector<const Array*> arrays_of(const std::vector<jlong>& handles) {
    std::vector<const Array*> arrays;
    arrays.reserve(handles.size());
    for (const jlong handle : handles) arrays.push_back(&at(static_cast<ArrayHandle>(handle)));
    return arrays;
}

}  // namespace

std::uint64_t fused_make() {
    return reinterpret_cast<std::uint64_t>(new FusedPrograms);
}

void fused_delete(std::uint64_t function) {
    delete &programs_of(function);
}

NewArrays fused_run(std::uint64_t function, const std::vector<jlong>& arguments, std::uint64_t stream) {
    NewArrays made;
    const std::vector<const Array*> arrays = arrays_of(arguments);
    std::vector<Input> inputs;
    inputs.reserve(arrays.size());
    for (const Array* array : arrays) inputs.emplace_back(ArrayRef{0, &array->layout(), array->dtype()});
    const auto program = programs_of(function).find(inputs);
    if (!program) return made;
    for (Array& each : call(*program, arrays, stream_of(stream)))
        made.push_back(std::make_unique<Array>(std::move(each)));
    return made;
}

bool array_is_traced(ArrayHandle array) {
    return any_trace_is_open() && is_traced(at(array));
}

std::uint64_t trace_begin(bool fast) {
    return reinterpret_cast<std::uint64_t>(new Trace(fast));
}

ArrayHandle trace_argument(std::uint64_t trace, ArrayHandle argument) {
    return give(trace_of(trace).argument(at(argument).dtype(), at(argument).layout()));
}

void trace_finish(std::uint64_t trace, std::uint64_t function, const std::vector<jlong>& results) {
    std::vector<Array> arrays;
    for (const Array* array : arrays_of(results)) arrays.push_back(*array);
    programs_of(function).add(trace_of(trace).finish(arrays));
}

void trace_delete(std::uint64_t trace) {
    delete &trace_of(trace);
}

}  // namespace pycuda_java
