#include "pycuda/gpuarray/composed/matmul.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/libraries/cublas.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "pycuda/gpuarray/views.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr std::uint64_t tile_edge = 64;  // rows and columns of the result that one block computes
/// Up to this many products, one thread computes one element: as fast, with a shorter source.
constexpr std::uint64_t few_products = 1 << 21;
/// The same for stacks of results of so few elements, of as short rows: tiles would be almost empty.
constexpr std::int64_t few_elements = 32 * 32, short_row = 64;
/// From this many products on (matrices of 203 by 203), cuBLAS takes less time on an H200.
constexpr double many_products = 1 << 23;
constexpr unsigned small_threads = 128;

KernelSource source_of(const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, int rank, bool is_small) {
    const DType common = promote(a.dtype, b.dtype), value = arithmetic_dtype(common);
    const auto read = [&](DType dtype) {
        return converted("static_cast<" + arithmetic_type(dtype) + ">(element)", arithmetic_dtype(dtype), value);
    };
    KernelSource source;
    source.name = std::string("matmul_") + info(a.dtype).short_name + "_" + info(b.dtype).short_name + "_to_" +
                  info(out.dtype).short_name + (is_small ? "_small_" : "_") + std::to_string(rank);
    source.compute = common;
    source.result = out.dtype;
    source.text = fill_in(kernel_files::matmul::preface, {{"includes", includes_for({a.dtype, b.dtype, out.dtype})},
                                                          {"a", storage_type(a.dtype)},
                                                          {"b", storage_type(b.dtype)},
                                                          {"value", arithmetic_type(value)},
                                                          {"out", storage_type(out.dtype)},
                                                          {"size", std::to_string(std::max(rank, 1))}}) +
                  fill_in(is_small ? kernel_files::matmul::small_kernel : kernel_files::matmul::tiled_kernel,
                          {{"name", source.name},
                           {"to_matrix", fill_in(kernel_files::matmul::to_matrix, {{"rank", std::to_string(rank)}})},
                           {"from_a", read(a.dtype)},
                           {"from_b", read(b.dtype)},
                           {"result", converted(is_small ? "sum" : "sums[i][j]", value, out.dtype)}});
    return source;
}

std::int64_t length(const ArrayRef& array, int from_the_end) {
    return array.layout->shape()[static_cast<std::size_t>(array.layout->ndim() - from_the_end)];
}
std::int64_t stride(const ArrayRef& array, int from_the_end) {
    return array.layout->strides()[static_cast<std::size_t>(array.layout->ndim() - from_the_end)];
}

/// All axes except the last two.
Layout stack_of(const ArrayRef& array) {
    const auto count = static_cast<std::size_t>(array.layout->ndim()) - 2;
    return Layout(array.layout->shape().first(count), array.layout->strides().first(count), array.layout->itemsize());
}

/// Products with a single row or column: a sum along the last axis, which reads each matrix once. The type of `out` is
/// the common type.
void multiply_by_vectors(Kernels& kernels, const ArrayRef& out, const ArrayRef& a, const ArrayRef& b, CUstream stream) {
    const int last = out.layout->ndim() - 1;
    const std::uint32_t vector_axis = std::uint32_t{1} << (length(out, 1) == 1 ? last : last - 1);
    const Layout lines = views::squeeze(*out.layout, vector_axis), columns = views::matrix_transpose(*b.layout);
    const ArrayRef both[] = {a, {b.address, &columns, b.dtype}};
    reduce(kernels, Reduction::dot, {out.address, &lines, out.dtype}, both, std::uint32_t{1} << last, stream);
}

}  // namespace

void matmul(Kernels& kernels, const ArrayRef& out, const ArrayRef& left, const ArrayRef& right, CUstream stream) {
    for (const ArrayRef* array : {&out, &left, &right}) {
        if (array->dtype == DType::Opaque) throw ArgumentTypeError("'matmul' is not defined for structures");
        if (array->layout->ndim() < 2)
            throw std::invalid_argument("'matmul' takes matrices, not an array of shape " +
                                        shape_text(array->layout->shape()));
        check_alignment(*array);
    }
    const Apart left_apart(kernels, left, out, stream), right_apart(kernels, right, out, stream);
    const ArrayRef &a = left_apart.ref(), &b = right_apart.ref();
    const std::int64_t m = length(a, 2), k = length(a, 1), n = length(b, 1);
    if (length(b, 2) != k || length(out, 2) != m || length(out, 1) != n)
        throw std::invalid_argument("shapes " + shape_text(a.layout->shape()) + " and " +
                                    shape_text(b.layout->shape()) + " cannot be multiplied into shape " +
                                    shape_text(out.layout->shape()));
    if ((m == 1 || n == 1) && promote(a.dtype, b.dtype) == out.dtype)
        return multiply_by_vectors(kernels, out, a, b, stream);
    const Layout stack = stack_of(out);
    const Layout of_a = stack_of(a).broadcast_to(stack.shape()), of_b = stack_of(b).broadcast_to(stack.shape());
    if (out.layout->size() == 0) return;
    const Layout* layouts[] = {&stack, &of_a, &of_b};
    const CollapsedLayouts walk = collapse(layouts);
    if (walk.ndim > 8)
        throw std::invalid_argument("'matmul' supports at most 8 non-contiguous axes; copy the arrays first");
    const auto elements = static_cast<std::uint64_t>(out.layout->size());
    const bool is_small = (m * n <= few_elements && k <= short_row) ||
                          (elements <= few_products && elements * static_cast<std::uint64_t>(k) <= few_products);
    const bool is_faster = !is_small && static_cast<double>(elements) * static_cast<double>(k) >= many_products;
    if (multiply_with_cublas(out, a, b, walk, is_faster, stream)) return;
    const Kernel& kernel = kernels.get(
        KernelFields(Family::Matmul).field(is_small).field<4>(walk.ndim).field(a.dtype).field(b.dtype).field(out.dtype),
        [&] { return source_of(out, a, b, walk.ndim, is_small); });
    const std::uint64_t down = (static_cast<std::uint64_t>(m) + tile_edge - 1) / tile_edge;
    const std::uint64_t across = (static_cast<std::uint64_t>(n) + tile_edge - 1) / tile_edge;
    Arguments arguments;
    arguments.add(out.address + static_cast<std::uint64_t>(walk.offset[0]));
    arguments.add(a.address + static_cast<std::uint64_t>(walk.offset[1]));
    arguments.add(b.address + static_cast<std::uint64_t>(walk.offset[2]));
    arguments.add(WideDivisor(is_small ? static_cast<std::uint64_t>(m * n) : down * across));
    arguments.add(WideDivisor(is_small ? static_cast<std::uint64_t>(n) : across));
    const int rank = std::max(walk.ndim, 1);
    for (int axis = 0; axis < rank; ++axis)
        arguments.add(WideDivisor(walk.ndim ? static_cast<std::uint64_t>(walk.shape[axis]) : 1));
    for (int operand = 0; operand < 3; ++operand)
        for (int axis = 0; axis < rank; ++axis)
            arguments.add(walk.ndim ? walk.strides[operand][axis] : std::int64_t{0});
    for (const std::int64_t size : {m, n, k}) arguments.add(size);
    for (const ArrayRef* array : {&out, &a, &b}) {
        arguments.add(stride(*array, 2));
        arguments.add(stride(*array, 1));
    }
    for (const ArrayRef* array : {&a, &b})
        arguments.add(std::int32_t{std::abs(stride(*array, 2)) < std::abs(stride(*array, 1))});
    if (is_small) {
        arguments.pad(8);
        arguments.add(elements);
        return kernels.launch(kernel, (elements + small_threads - 1) / small_threads, small_threads, arguments.data(),
                              arguments.size(), stream);
    }
    kernels.launch(kernel, static_cast<std::uint64_t>(walk.size) * down * across, 256, arguments.data(),
                   arguments.size(), stream);
}

}  // namespace pycuda::gpuarray
