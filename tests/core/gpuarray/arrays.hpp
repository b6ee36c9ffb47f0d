#pragma once

#include <complex>
#include <filesystem>
#include <memory>
#include <numeric>
#include <vector>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/toolchain/toolchain.hpp"
#include "support.hpp"

namespace pycuda::gpuarray::test {

using Shape = std::vector<std::int64_t>;

template <class T>
constexpr DType dtype_of = DType::Opaque;
template <>
inline constexpr DType dtype_of<bool> = DType::Bool;
template <>
inline constexpr DType dtype_of<std::int8_t> = DType::Int8;
template <>
inline constexpr DType dtype_of<std::uint8_t> = DType::UInt8;
template <>
inline constexpr DType dtype_of<std::int16_t> = DType::Int16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::Int32;
template <>
inline constexpr DType dtype_of<std::uint32_t> = DType::UInt32;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::Int64;
template <>
inline constexpr DType dtype_of<std::uint64_t> = DType::UInt64;
template <>
inline constexpr DType dtype_of<float> = DType::Float32;
template <>
inline constexpr DType dtype_of<double> = DType::Float64;
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::Complex64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::Complex128;

/// Memory with elements of T, and the view of it that operations get.
template <class T>
class Array {
public:
    explicit Array(const std::vector<T>& values) : Array(values, {static_cast<std::int64_t>(values.size())}) {}
    Array(const std::vector<T>& values, const Shape& shape) : Array(values, Layout(shape, sizeof(T))) {}
    Array(const std::vector<T>& values, const Layout& form)
        : layout(form), count(values.size()), memory(std::max<std::size_t>(1, count * sizeof(T))) {
        std::unique_ptr<T[]> plain(new T[count + 1]);  // std::vector<bool> has no data()
        for (std::size_t k = 0; k < count; ++k) plain[k] = values[k];
        if (count) memcpy_htod(memory.pointer(), plain.get(), count * sizeof(T));
    }
    ArrayRef ref() const { return {memory.pointer(), &layout, dtype_of<T>}; }
    operator Input() const { return Input(ref()); }
    /// The memory, element by element, whatever the layout.
    std::vector<T> values() const {
        std::unique_ptr<T[]> plain(new T[count + 1]);
        if (count) memcpy_dtoh(plain.get(), count * sizeof(T), memory.pointer());
        return std::vector<T>(plain.get(), plain.get() + count);
    }
    Layout layout;
    std::size_t count;
    DeviceAllocation memory;
};

/// A context with its kernels, and an installed compiler.
class ArrayTest : public pycuda::test::ContextTest {
protected:
    void SetUp() override {
        const std::filesystem::path root = PYCUDA_SOURCE_DIR;
        set_device_include_dir((root / "core/device/include").generic_string());
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(PYTHON_LIBRARIES, error))
            add_toolkit_search_root((entry.path() / "site-packages").generic_string());
        ContextTest::SetUp();
        kernels = Kernels::current();
    }
    void TearDown() override {
        kernels.reset();
        ContextTest::TearDown();
    }

    /// op(inputs...) as a packed array of R, in C order of `shape`.
    template <class R, class... In>
    std::vector<R> apply(Op op, const Shape& shape, const In&... inputs) {
        const Layout layout(shape, sizeof(R));
        const Array<R> out(std::vector<R>(static_cast<std::size_t>(layout.size())), layout);
        const Input in[] = {inputs...};
        elementwise(*kernels, op, out.ref(), in, nullptr);
        return out.values();
    }

    std::shared_ptr<Kernels> kernels;
};

/// first, first + 1, ...: n numbers.
template <class T = std::int32_t>
std::vector<T> counting(std::size_t n, T first = T(0)) {
    std::vector<T> values(n);
    for (std::size_t k = 0; k < n; ++k) values[k] = static_cast<T>(first + static_cast<T>(k));
    return values;
}

}  // namespace pycuda::gpuarray::test
