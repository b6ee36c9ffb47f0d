#pragma once

#include <cuda.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/dtype.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/layout.hpp"
#include "pycuda/gpuarray/operation.hpp"
#include "pycuda/gpuarray/plan.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "pycuda/gpuarray/views.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda::gpuarray {

/// Allocates the memory of an array and of results computed from it, instead of the context's pool.
class ArrayAllocator {
public:
    virtual ~ArrayAllocator() = default;
    /// Allocate at least `nbytes` bytes (not 0) for work on `stream`. Never null; exceptions propagate
    /// to the operation's caller.
    virtual std::shared_ptr<DeviceMemory> allocate(std::size_t nbytes, CUstream stream) = 0;
};

/// Elements of one type in device memory that this array shares with its views: the array type for languages
/// without one. A small value, whose copies are views of the same elements. Immutable except for
/// the elements. The memory is freed with the last array that shares it, or by close().
///
/// Operations need memory that kernels of the current context can access (LogicError), and are asynchronous on their
/// stream (null: the default stream). std::invalid_argument for shapes and types that do not fit, std::out_of_range for
/// an index outside an axis, LogicError for closed memory.
class Array {
public:
    /// An uninitialised array for work on `stream`. Without an allocator, from the current context's pool. Results of
    /// operations use the allocator of their first array operand.
    static Array empty(DType dtype, const Layout& packed, CUstream stream,
                       std::shared_ptr<ArrayAllocator> allocator = nullptr);
    /// The same, from this array's allocator.
    Array empty_beside(DType dtype, const Layout& packed, CUstream stream) const {
        return empty(dtype, packed, stream, allocator_);
    }
    /// An array over memory that the caller owns and keeps alive.
    static Array wrap(DevicePtr address, DType dtype, const Layout& layout);

    /// An array over memory of another kind of array. Results use the allocator (null: the context's pool).
    static Array over(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<ArrayAllocator> allocator, DType dtype,
                      const Layout& layout);

    DType dtype() const noexcept { return dtype_; }
    const Layout& layout() const noexcept { return *layout_; }
    /// Null: the context's pool.
    const std::shared_ptr<ArrayAllocator>& allocator() const noexcept { return allocator_; }
    /// The address of element (0, 0, ...); 0 if the array is empty. LogicError after close, and after the context's
    /// end.
    DevicePtr address() const;
    /// The same for work on `stream`, for operations. Valid while this array lives.
    ArrayRef ref(CUstream stream) const;
    /// The same, if the current context is known to be `now`.
    ArrayRef ref(const Current& now, CUstream stream) const;
    /// The same without a look-up, from a block that the context's pool holds. Null if there is none, or if
    /// the memory does not come from that pool.
    std::unique_ptr<Array> try_beside(const Current& now, DType dtype, const Layout& packed, CUstream stream) const {
        return try_beside(now, dtype, shared_layout(packed), stream);
    }
    /// The same, with this array's shape and order, if it is dense.
    std::unique_ptr<Array> try_like(const Current& now, DType dtype, CUstream stream) const;
    /// Free the memory now, for all arrays that share it. A no-op if it is free already.
    void close() const noexcept;
    /// The same for an array without other references. This thread's next result reuses the object.
    static void retire(std::unique_ptr<Array> array) noexcept;

    // For languages with their own array type, which take over results.
    const std::shared_ptr<DeviceMemory>& memory() const noexcept { return memory_; }
    /// In bytes, from the start of the memory.
    std::int64_t offset() const noexcept { return static_cast<std::int64_t>(address_); }
    /// Transfer its pool block to the caller. Null if it has none, or if the block is shared.
    std::shared_ptr<MemoryPool> release_block(PoolBlock& block) noexcept;

    /// The view of these elements, of this array's type or another (views.hpp).
    Array view(const Layout& layout, std::int64_t offset = 0) const { return view({layout, offset}, dtype_); }
    Array view(const views::View& view, DType dtype) const;
    /// LogicError if elements would have to be copied.
    Array reshaped(std::span<const std::int64_t> shape, views::ReadingOrder order = views::ReadingOrder::C) const;

    // From memory that is kept for arrays.
    static void* operator new(std::size_t bytes);
    static void operator delete(void* array, std::size_t bytes) noexcept;

private:
    /// The layout, shared by arrays.
    using SharedLayout = std::shared_ptr<const Layout>;
    struct Retired;
    static SharedLayout shared_layout(const Layout& layout);
    Array(std::shared_ptr<DeviceMemory> memory, std::shared_ptr<ArrayAllocator> allocator, DevicePtr address,
          DType dtype, SharedLayout layout);
    /// An array over a block of the pool, which it returns.
    Array(const std::shared_ptr<MemoryPool>& pool, PoolBlock block, DType dtype, SharedLayout layout);
    std::unique_ptr<Array> try_beside(const Current& now, DType dtype, const SharedLayout& packed,
                                      CUstream stream) const;

    std::shared_ptr<DeviceMemory> memory_;      ///< null for memory owned elsewhere
    PooledDeviceAllocation* pooled_ = nullptr;  ///< memory_, if it is from a context's pool
    std::shared_ptr<ArrayAllocator> allocator_;
    /// The address of element (0, 0, ...), relative to the start of memory_ if there is one.
    DevicePtr address_ = 0;
    DType dtype_;
    SharedLayout layout_;
};

using Operand = std::variant<const Array*, Scalar>;

/// A new array with the result, in the operands' order of axes.
std::unique_ptr<Array> apply(Op op, std::span<const Operand> operands, ResultType type, CUstream stream);
/// Write the result to `out`, which must have its type, and a shape that it broadcasts to. Operands that overlap
/// `out` are copied first.
void apply_into(const Array& out, Op op, std::span<const Operand> operands, ResultType type, CUstream stream);
/// A packed copy with elements of `dtype`, converted as C does; in C order, Fortran order, or (`keep`) this one's own.
enum class Order { C, Fortran, Keep };
Array converted(const Array& array, DType dtype, Order order, CUstream stream);
/// out = in, broadcast and converted.
void assign(const Array& out, const Array& in, CUstream stream);
void fill(const Array& out, const Scalar& value, CUstream stream);

/// A new array with `inputs` reduced over `axes` (a bit mask, see reduce), of `dtype` if it is given; with
/// `keepdims`, reduced axes stay with length 1. std::invalid_argument for argmin and argmax of an empty array.
std::unique_ptr<Array> reduced(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, bool keepdims,
                               std::optional<DType> dtype, CUstream stream);
/// A new array of `arrays` one after another along `axis`, in their common type. Their other axes must be equal.
Array concatenate(std::span<const Array* const> arrays, int axis, CUstream stream);
/// A new array of `arrays` of one shape along a new axis, in their common type, in C order or, `by_columns`, in Fortran
/// order. std::invalid_argument if the shapes differ.
Array stack(std::span<const Array* const> arrays, int axis, bool by_columns, CUstream stream);

/// `value` as a weak scalar beside elements of `dtype`. std::invalid_argument if they cannot hold it: integers
/// out of range (unsigned types take the negative number of the same bits), and finite numbers that would become
/// infinite.
Scalar weak_scalar(DType dtype, std::int64_t value);
Scalar weak_scalar(DType dtype, std::complex<double> value, bool is_complex);

}  // namespace pycuda::gpuarray
