// Native methods for Java's kernels from user expressions, and for random numbers. Arrays are passed as in
// array_calls.hpp.
#pragma once

#ifndef SWIG
#include "array_calls.hpp"
#endif

namespace pycuda_java {

/// The code of the DType with this C name; -1 if there is none.
int kernel_dtype(const std::string& c_name);
/// Blocks in the upper half, threads per block in the lower, of a launch over n elements with a loop. Zero
/// multiprocessors: the current context's device.
std::int64_t launch_geometry(jlong n, int multiprocessors, int warp_size);
bool has_context();
/// The number of the current context, which no other context has had or will have; 0 without a current context.
std::uint64_t context_number();

// Random number generators, as the addresses of their C++ objects.
std::uint64_t random_make(int kind);
void random_seed(std::uint64_t generators, ArrayHandle seeds, std::uint64_t offset, std::uint64_t stream);
/// `scramble` 0: none.
void random_directions(std::uint64_t generators, ArrayHandle vectors, ArrayHandle scramble, std::uint64_t offset,
                       std::uint64_t stream);
void random_delete(std::uint64_t generators);
/// Blocks, generators per block, bits.
std::vector<jlong> random_form(std::uint64_t generators);
/// The address of the states.
std::uint64_t random_state(std::uint64_t generators);
std::string random_state_type(std::uint64_t generators);
void random_fill_array(std::uint64_t generators, int distribution, ArrayHandle out, double first, double second,
                       std::uint64_t stream);
void random_skip(std::uint64_t generators, int what, jlong count, std::uint64_t stream);
void random_skip_each(std::uint64_t generators, int what, ArrayHandle counts, std::uint64_t stream);

}  // namespace pycuda_java
