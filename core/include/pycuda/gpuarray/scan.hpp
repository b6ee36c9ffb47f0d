#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

/// The built-in scans: running sums, products and extrema (NaN stays, as in NumPy).
enum class Scan : std::uint8_t { sum, prod, min, max };

/// Whether a scan's results include their own element.
enum class ScanKind : std::uint8_t { Inclusive, Exclusive };

template <>
inline constexpr unsigned values_of<Scan> = 4;
template <>
inline constexpr unsigned values_of<ScanKind> = 2;

/// out[i] = in[0] op ... op in[i] along `axis` (exclusive: without in[i], and the neutral element first),
/// asynchronously on `stream`: one pass over the memory (a scan of one contiguous row of any length), with scratch
/// memory from the context's pool. Values are accumulated in out's type, left to right within a row. The
/// grouping of floating sums depends only on the length.
///
/// Both arrays have one shape, any strides. If `in` shares memory with `out` and is not the same view, it is
/// copied first. Raises std::invalid_argument for
/// shapes and axes that do not fit; ArgumentTypeError for structures, and for extrema of complex numbers.
void scan(Kernels& kernels, Scan op, ScanKind kind, const ArrayRef& out, const ArrayRef& in, int axis, CUstream stream);

/// A scan over values of any type by a user's expressions. The code sees scan_type, SCAN_EXPR(a, b), N, the number
/// of elements.
struct ScanText {
    std::string name = "scan";  ///< of the kernel
    std::string type;           ///< C type of the accumulated values
    std::size_t itemsize = 0;   ///< its size in bytes, which determines the elements per thread
    std::string expression;     ///< of a (left) and b (right): associative
    std::string neutral;        ///< C text; needed if prev_item is used
    std::string preamble;       ///< before the kernel
    /// Kernel parameters, as C declares them. Empty: "const scan_type *in, scan_type *out", which may be equal.
    std::string parameters;
    std::string input;  ///< the value at index i; empty: in[i]
    /// Statement for index i with item, the scanned value, prev_item, the one before it (the neutral
    /// element at the start of a segment), and last_item, that of index N - 1. Empty: out[i] = item.
    std::string output;
    std::string segment_start;  ///< whether a segment begins at index i; empty: one segment

    /// With last_item there are two launches: of this text's kernel first, which finds that item, then of the text's
    /// own. Both have a further parameter, the last of their own, where the item is kept: a pointer to a scan_type.
    ScanText finding_last() const;
    bool uses_last() const;  ///< whether the output statement names last_item
};

/// A kernel to be compiled with CompileRequest::no_extern_c, and how to launch it. Its parameters: ScanText's, then
/// scratch memory (pointer) and n (64 bits, unsigned); `blocks` blocks of `threads` threads. The scratch memory must be
/// zero at the start; a single block does not read it.
class ScanKernelSource {
public:
    explicit ScanKernelSource(const ScanText& text);

    const std::string& text() const noexcept { return text_; }
    const std::string& name() const noexcept { return name_; }
    unsigned threads() const noexcept { return threads_; }
    unsigned tile() const noexcept { return threads_ * items_; }  ///< elements per block
    std::uint64_t blocks(std::uint64_t n) const noexcept { return (n + tile() - 1) / tile(); }
    std::size_t scratch_bytes(std::uint64_t blocks) const noexcept;

private:
    std::string text_, name_;
    unsigned threads_ = 256, items_ = 1;
    std::size_t itemsize_ = 0;
    bool segmented_ = false;
};

}  // namespace pycuda::gpuarray
