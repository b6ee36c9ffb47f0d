#include "pycuda/gpuarray/sort.hpp"

#include <bit>
#include <optional>
#include <stdexcept>

#include "arguments.hpp"
#include "device_types.hpp"
#include "driver_table.hpp"
#include "pycuda/error.hpp"
#include "pycuda/gpuarray/scan.hpp"
#include "scratch.hpp"
#include "sort_source.hpp"

namespace pycuda::gpuarray {
namespace {

/// One pass, as device code sees it.
struct Pass {
    WideDivisor row{1};
    std::uint32_t n = 0, tiles = 0, shift = 0, flags = 0;
    static constexpr std::uint32_t first = 1, last = 2, by_row = 4;
};

void check(const ArrayRef& array, const ArrayRef& in, const char* what) {
    if (!array.layout->is_c_contiguous())
        throw std::invalid_argument(std::string(what) + " must be C contiguous; copy it first");
    if (!array.layout->same_shape(*in.layout))
        throw std::invalid_argument(std::string(what) + " has shape " + shape_text(array.layout->shape()) +
                                    ", but what is sorted has shape " + shape_text(in.layout->shape()));
    check_alignment(array);
}

std::uint64_t key_of(int kernel, DType dtype) {
    return 1ull << 58 | static_cast<std::uint64_t>(kernel) << 8 | static_cast<std::uint64_t>(dtype);
}

void check_sortable(DType dtype) {
    if (dtype == DType::Opaque || is_complex(dtype))
        throw ArgumentTypeError(std::string("sorting is not defined for ") + name_of(dtype));
}

/// Where keys or places are before and after each pass: in `final` after the last one, in `other` between.
DevicePtr target(unsigned pass, unsigned passes, DevicePtr last, DevicePtr other) {
    return (passes - 1 - pass) % 2 == 0 ? last : other;
}

class Sorter {
public:
    Sorter(Kernels& kernels, DType dtype, std::uint32_t n, CUstream stream)
        : kernels_(kernels),
          stream_(stream),
          tiles_((n + sort_tile - 1) / sort_tile),
          n_(n),
          counting_(kernels.get(key_of(0, dtype), [&] { return digit_counts_source(dtype); })),
          moving_(kernels.get(key_of(1, dtype), [&] { return digit_moves_source(dtype); })),
          counts_(std::size_t{256} * tiles_ * 4, stream),
          shape_{std::int64_t{256} * tiles_},
          layout_(shape_, 4) {}

    void run(Pass pass, DevicePtr keys_to, DevicePtr keys_from, DevicePtr places_to, DevicePtr places_from) {
        pass.n = n_;
        pass.tiles = tiles_;
        Arguments counting;
        counting.add(keys_from);
        counting.add(places_from);
        counting.add(counts_.pointer());
        counting.add(pass);
        kernels_.launch(counting_, tiles_, sort_threads, counting.data(), counting.size(), stream_);
        const ArrayRef counts{counts_.pointer(), &layout_, DType::UInt32};
        scan(kernels_, Scan::sum, ScanKind::Exclusive, counts, counts, 0, stream_);
        Arguments moving;
        moving.add(keys_to);
        moving.add(keys_from);
        moving.add(places_to);
        moving.add(places_from);
        moving.add(counts_.pointer());
        moving.add(pass);
        kernels_.launch(moving_, tiles_, sort_threads, moving.data(), moving.size(), stream_);
    }

private:
    Kernels& kernels_;
    CUstream stream_;
    std::uint32_t tiles_, n_;
    const Kernel &counting_, &moving_;
    Scratch counts_;
    std::int64_t shape_[1];
    Layout layout_;
};

}  // namespace

void sort(Kernels& kernels, const ArrayRef& keys, const ArrayRef& places, const ArrayRef& in, CUstream stream) {
    check_sortable(in.dtype);
    check(in, in, "what is sorted");
    if (!keys.layout && !places.layout)
        throw std::invalid_argument("sort needs an output array for the keys or for their indices");
    if (keys.layout) {
        check(keys, in, "the array of sorted keys");
        if (keys.dtype != in.dtype)
            throw std::invalid_argument("the array of sorted keys must have the type of the input");
    }
    if (places.layout) {
        check(places, in, "the array of places");
        if (places.dtype != DType::Int64) throw std::invalid_argument("the array of indices must have type int64");
    }
    const auto n = static_cast<std::uint64_t>(in.layout->size());
    if (n == 0) return;
    if (n > 0xffffffffu - sort_tile) throw std::invalid_argument("sort supports fewer than 2^32 elements");
    const auto itemsize = static_cast<std::size_t>(info(in.dtype).size);
    const int ndim = in.layout->ndim();
    const auto length = ndim ? static_cast<std::uint64_t>(in.layout->shape()[static_cast<std::size_t>(ndim) - 1]) : 1;
    const std::uint64_t rows = n / length;
    // First all bytes of the keys, then those of their rows: so every row comes out sorted, and all in order.
    const auto key_passes = static_cast<unsigned>(itemsize);
    const unsigned row_passes = (static_cast<unsigned>(std::bit_width(rows - 1)) + 7) / 8,
                   passes = key_passes + row_passes;
    const bool with_places = places.layout || rows > 1;
    const Scratch other_keys(n * itemsize, stream);
    std::optional<Scratch> own_keys, own_places, other_places;
    if (!keys.layout) own_keys.emplace(n * itemsize, stream);
    // The first pass must not write where it reads.
    const DevicePtr final_keys = keys.layout ? keys.address : own_keys->pointer();
    DevicePtr from = in.address;
    const std::uint64_t nbytes = n * itemsize;
    if (passes % 2 == 1 && final_keys < in.address + nbytes && in.address < final_keys + nbytes) {
        own_keys.emplace(n * itemsize, stream);
        driver().cuMemcpyDtoDAsync(own_keys->pointer(), in.address, n * itemsize, stream);
        from = own_keys->pointer();
    }
    DevicePtr places_last = 0, places_other = 0;
    if (with_places) {
        if (!places.layout) own_places.emplace(n * 8, stream);
        other_places.emplace(n * 4, stream);
        places_last = places.layout ? places.address : own_places->pointer();
        places_other = other_places->pointer();
    }
    Sorter sorter(kernels, in.dtype, static_cast<std::uint32_t>(n), stream);
    DevicePtr places_from = 0;
    for (unsigned k = 0; k < passes; ++k) {
        Pass pass;
        pass.row = WideDivisor(length);
        const bool by_row = k >= key_passes;
        pass.shift = 8 * (by_row ? k - key_passes : k);
        pass.flags = (k == 0 ? Pass::first : 0) | (k + 1 == passes ? Pass::last : 0) | (by_row ? Pass::by_row : 0);
        const DevicePtr to = target(k, passes, final_keys, other_keys.pointer());
        const DevicePtr places_to = with_places ? target(k, passes, places_last, places_other) : 0;
        sorter.run(pass, to, from, places_to, places_from);
        from = to;
        places_from = places_to;
    }
}

void mark_first(Kernels& kernels, const ArrayRef& mask, const ArrayRef& sorted, CUstream stream) {
    check_sortable(sorted.dtype);
    check(sorted, sorted, "the sorted array");
    check(mask, sorted, "the mask");
    if (mask.dtype != DType::Bool) throw std::invalid_argument("mask must be a bool array");
    const auto n = static_cast<std::uint64_t>(sorted.layout->size());
    if (n == 0) return;
    const Kernel& kernel = kernels.get(key_of(2, sorted.dtype), [&] { return mark_first_source(sorted.dtype); });
    Arguments arguments;
    arguments.add(mask.address);
    arguments.add(sorted.address);
    arguments.add(n);
    kernels.launch(kernel, (n + dense_elements - 1) / dense_elements, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

}  // namespace pycuda::gpuarray
