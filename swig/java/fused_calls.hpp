// Native methods for Java's fused functions. A function and a trace are the addresses of their C++ objects; arrays are
// passed as in array_calls.hpp.
#pragma once

#ifndef SWIG
#include "array_calls.hpp"
#endif

namespace pycuda_java {

std::uint64_t fused_make();
void fused_delete(std::uint64_t function);
/// The results of the function, for arguments like those of an earlier trace; empty without one.
NewArrays fused_run(std::uint64_t function, const std::vector<jlong>& arguments, std::uint64_t stream);
bool array_is_traced(ArrayHandle array);

std::uint64_t trace_begin(bool fast);
/// A traced array in the place of an argument.
ArrayHandle trace_argument(std::uint64_t trace, ArrayHandle argument);
/// Ends the trace. The function then has its program, for these results.
void trace_finish(std::uint64_t trace, std::uint64_t function, const std::vector<jlong>& results);
/// Ends the trace, unless it is over.
void trace_delete(std::uint64_t trace);

}  // namespace pycuda_java
