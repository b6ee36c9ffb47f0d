// Natives of Java's kernels from user expressions, and of its random numbers. Arrays are as in array_calls.hpp.
#pragma once

#ifndef SWIG
#include "array_calls.hpp"
#endif

namespace pycuda_java {

/// Type, name, and "*" or "" of each parameter of a C parameter list.
std::vector<std::string> kernel_parameters(const std::string& list);
/// The code of the DType that a C name stands for; -1 when it is none.
int kernel_dtype(const std::string& c_name);
std::string elementwise_source(const std::string& parameters, const std::string& operation, const std::string& name,
                               const std::string& preamble, const std::string& loop_prep, const std::string& after_loop,
                               bool use_range);
/// Blocks in the upper half, threads a block in the lower, of a launch over n elements with a loop. Zero
/// multiprocessors: the current context's device.
std::int64_t launch_geometry(jlong n, int multiprocessors, int warp_size);
/// Whether the code uses n; then, for each parameter, whether it is an array that the code uses at every index.
std::vector<jlong> vector_use(const std::string& parameters, const std::string& code, const std::string& preamble);
bool has_context();
/// Of the current context: unlike that of any other, before and after. 0 when there is none.
std::uint64_t context_number();
/// `stage` 1 or 2.
std::string reduction_source(int stage, const std::string& parameters, const std::string& out_type,
                             const std::string& neutral, const std::string& reduce_expr, const std::string& map_expr,
                             const std::string& name, const std::string& preamble);
/// Blocks, elements a thread, and threads a block, of a launch over n elements.
std::vector<jlong> reduction_launch(jlong n);

/// Text and name of a scan kernel, or of that which finds the last item before it; empty texts are as in ScanText.
std::vector<std::string> scan_source(const std::string& type, jlong itemsize, const std::string& expression,
                                     const std::string& neutral, const std::string& name, const std::string& preamble,
                                     const std::string& parameters, const std::string& input, const std::string& output,
                                     const std::string& segment_start, bool find_last);
/// Blocks, threads, bytes of scratch memory, and how many of those must be 0, of its launch over n elements.
std::vector<jlong> scan_launch(const std::string& type, jlong itemsize, const std::string& expression,
                               const std::string& segment_start, jlong n);

void array_random(ArrayHandle out, std::uint64_t seed, std::uint64_t stream);

// Random number generators, by the addresses of their C++ objects.
std::uint64_t random_make(int kind);
void random_seed(std::uint64_t generators, ArrayHandle seeds, std::uint64_t offset, std::uint64_t stream);
/// `scramble` 0: none.
void random_directions(std::uint64_t generators, ArrayHandle vectors, ArrayHandle scramble, std::uint64_t offset,
                       std::uint64_t stream);
/// cuRAND's direction vectors (`bits` 32 or 64, as many numbers each), and scramble constants, as a new array of
/// unsigned numbers.
ArrayHandle random_direction_vectors(int bits, jlong count, bool scrambled);
ArrayHandle random_scramble_constants(int bits, jlong count);
int curand_library_version();
void random_delete(std::uint64_t generators);
/// Blocks, generators a block, bits.
std::vector<jlong> random_form(std::uint64_t generators);
/// Address of the states.
std::uint64_t random_state(std::uint64_t generators);
std::string random_state_type(std::uint64_t generators);
void random_fill_array(std::uint64_t generators, int distribution, ArrayHandle out, double first, double second,
                       std::uint64_t stream);
void random_skip(std::uint64_t generators, int what, jlong count, std::uint64_t stream);
void random_skip_each(std::uint64_t generators, int what, ArrayHandle counts, std::uint64_t stream);

}  // namespace pycuda_java
