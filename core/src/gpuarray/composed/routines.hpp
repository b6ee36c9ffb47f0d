// Kernels whose texts differ only in the element type.
#pragma once

#include <initializer_list>

#include "gpuarray/arguments.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::gpuarray {

/// One of these kernels, by its number in its family. Its text follows the preface, whose $header$ and $type$ are
/// filled in.
struct Routine {
    Family family;
    unsigned number;
    const char *name, *preface, *header, *text;

    KernelKey key(DType dtype) const { return KernelFields(family).field<4>(number).field(dtype); }
    KernelSource source(DType dtype) const;
};

/// Compiles the kernels that a call needs, in parallel.
void prepare(std::initializer_list<Routine> routines, DType dtype);

/// Queues the kernel of `key`, from the text that `source` returns; a no-op without blocks.
template <class Source, class... Values>
void launch(KernelKey key, const Source& source, std::int64_t blocks, unsigned threads, CUstream stream,
            const Values&... values) {
    if (blocks == 0) return;
    const auto kernels = current_kernels();
    const Kernel& kernel = kernels->get(key, source);
    Arguments arguments;
    (arguments.add(values), ...);
    kernels->launch(kernel, static_cast<std::uint64_t>(blocks), threads, arguments.data(), arguments.size(), stream);
}
template <class... Values>
void launch(const Routine& routine, DType dtype, std::int64_t blocks, unsigned threads, CUstream stream,
            const Values&... values) {
    launch(routine.key(dtype), [&] { return routine.source(dtype); }, blocks, threads, stream, values...);
}

}  // namespace pycuda::gpuarray
