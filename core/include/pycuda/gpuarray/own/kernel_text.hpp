#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pycuda/gpuarray/kernel_parameters.hpp"

namespace pycuda::gpuarray {

// Sources of kernels over a user's expressions. All of them put `preamble` before their own code,
// include pycuda-complex.hpp (and the toolkit's 16-bit headers where a parameter needs them), and give C linkage to the
// kernel alone, so compile them with CompileRequest::no_extern_c.

/// The text of an elementwise kernel. `operation` is C statements without the last semicolon that see i, n (or
/// start, stop, step), tid, total_threads, cta_start.
struct ElementwiseText {
    std::vector<KernelParameterText> parameters;
    std::string operation;
    std::string name = "kernel";
    std::string preamble;
    std::string loop_prep;   ///< before the loop
    std::string after_loop;  ///< after it
    bool use_range = false;  ///< start, stop, step (signed, 64 bits) instead of n (unsigned, 64 bits)
    std::string bounds;      ///< their declarations, if they have other types
};
/// The kernel: a grid-stride loop with 64-bit indices. Parameters: those given, then n, or start, stop and step.
std::string elementwise_text(const ElementwiseText& text);

/// How the code of a kernel uses its parameters. Nothing is assumed about code with conditions, loops, its
/// own `i`, or macros of the preamble: it may access fewer elements than there are indices.
///
/// PyCUDA computes as many elements as the first vector has, and reads and writes beyond the end of a shorter one that
/// is used at every index. Here elementwise kernels compute only as many elements as the shortest of those has, and
/// reject shorter vectors if the code uses n, the first vector's size; reductions and scans reject them.
struct VectorUse {
    std::vector<bool> at_every_index;  ///< a parameter: a vector that the code uses as name[i] for every i, and only so
    bool names_count = false;          ///< whether the code uses n
};
VectorUse vector_use(const std::vector<KernelParameterText>& parameters, const std::string& code,
                     const std::string& preamble);

/// The text of a reduction kernel. Its code sees out_type, BLOCK_SIZE, READ_AND_MAP(i), REDUCE(a, b).
struct ReductionText {
    std::vector<KernelParameterText> parameters;
    std::string out_type;
    std::string neutral;
    std::string reduce_expr;  ///< of a and b
    std::string map_expr;     ///< of i and the parameters; empty: in[i]
    std::string name = "reduce_kernel";
    std::string preamble;
    unsigned block_size = 512;  ///< a power of two up to 1024
    int stage = 1;              ///< 2: reads pycuda_reduction_inp[i] instead of mapping
};
/// The kernel `name`. Its code also sees n and MY_INFINITY, of float; the kernel's own names begin with pycuda_.
/// Parameters: the results (one per block), in stage 2 `pycuda_reduction_inp`, the given ones, elements per thread
/// (32 bits), n (64 bits).
std::string reduction_text(const ReductionText& text);

/// Blocks, and elements per thread, of one launch of a reduction kernel over n elements. Stage 2 reduces the
/// blocks' results until one is left.
struct ReductionGeometry {
    unsigned blocks;
    unsigned seq_count;
};
ReductionGeometry reduction_geometry(std::uint64_t n, unsigned block_size = 512);

}  // namespace pycuda::gpuarray
