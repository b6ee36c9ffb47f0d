#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

/// Tests of whole kernels through the driver's C ABI, on the driver that PYCUDA_DRIVER names. Each runs once for every
/// way in which its source was compiled, and all of them must give an H200's results.
namespace kernels {

/// Throws when a driver call failed.
void check(CUresult result, const char* call);
#define CHECK_CU(call) kernels::check(call, #call)

/// Device memory, as long as this lives.
template <class T>
class Buffer {
public:
    explicit Buffer(std::size_t count, T value = T{}) : Buffer(std::vector<T>(count, value)) {}
    explicit Buffer(const std::vector<T>& values) : count_(values.size()) {
        CHECK_CU(cuMemAlloc(&address_, count_ * sizeof(T)));
        set(values);
    }
    ~Buffer() { cuMemFree(address_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    void set(const std::vector<T>& values) { CHECK_CU(cuMemcpyHtoD(address_, values.data(), count_ * sizeof(T))); }
    std::vector<T> values() const {
        std::vector<T> result(count_);
        CHECK_CU(cuMemcpyDtoH(result.data(), address_, count_ * sizeof(T)));
        return result;
    }
    const CUdeviceptr& address() const { return address_; }

private:
    CUdeviceptr address_ = 0;
    std::size_t count_;
};

struct Size3 {
    Size3(unsigned width, unsigned height = 1, unsigned depth = 1) : x(width), y(height), z(depth) {}
    unsigned x, y, z;
};

struct Shape {
    Size3 grid, block;
    unsigned dynamic_shared = 0;
    bool cooperative = false;
    Size3 cluster = 0;  ///< 0: as the kernel says
};

class KernelTest : public testing::TestWithParam<const char*> {
protected:
    /// `source` is the name of a file of this folder, without .cu.
    explicit KernelTest(std::string source) : source_(std::move(source)) {}
    void SetUp() override;

    CUfunction function(const char* kernel) const;
    /// How many blocks the device runs at the same time, as a cooperative launch requires, but at most `most`.
    unsigned resident_blocks(const char* kernel, unsigned threads, unsigned most) const;
    /// Starts the kernel and waits for its end.
    template <class... Arguments>
    void launch(const char* kernel, const Shape& shape, const Arguments&... arguments) const {
        void* pointers[] = {pointer_to(arguments)..., nullptr};
        launch_with(kernel, shape, pointers);
    }
    /// Write and read a __constant__ or __device__ variable.
    void set_global(const char* name, const void* value, std::size_t size) const;
    void get_global(const char* name, void* value, std::size_t size) const;

private:
    template <class T>
    static void* pointer_to(const T& value) {
        return const_cast<T*>(&value);
    }
    template <class T>
    static void* pointer_to(const Buffer<T>& buffer) {
        return const_cast<CUdeviceptr*>(&buffer.address());
    }
    CUdeviceptr global(const char* name, std::size_t size) const;
    void launch_with(const char* kernel, const Shape& shape, void** arguments) const;

    std::string source_;
    CUmodule module_ = nullptr;
};

/// Runs the tests of the class `suite` once for each way in which `source`.cu was compiled.
#define COMPILED_EACH_WAY(source, suite)                                               \
    INSTANTIATE_TEST_SUITE_P(source, suite, testing::Values("nvcc", "debug", "nvrtc"), \
                             [](const auto& way) { return std::string(way.param); })

/// The kernels of `source`.cu, run by tests of the class `suite` as every compiler compiled them.
#define KERNELS_OF(source, suite)              \
    class suite : public kernels::KernelTest { \
    protected:                                 \
        suite() : KernelTest(#source) {}       \
    };                                         \
    COMPILED_EACH_WAY(source, suite)

/// A hash of the bytes, and four of their words (the first, those after each quarter) to make a failure readable.
std::string digest_of(const void* data, std::size_t size);
void expect_recorded_text(const std::string& name, const std::string& text);
void expect_recorded_numbers(const std::string& name, const std::vector<double>& values, double relative,
                             double absolute);

/// Expects the H200's results bit for bit.
template <class T>
void expect_recorded(const std::string& name, const std::vector<T>& values) {
    expect_recorded_text(name, digest_of(values.data(), values.size() * sizeof(T)));
}

/// Expects the H200's results up to an error of `relative` times the value plus `absolute`. A sample of the values is
/// compared.
template <class T>
void expect_recorded_near(const std::string& name, const std::vector<T>& values, double relative, double absolute = 0) {
    const std::size_t step = (values.size() + 47) / 48;
    std::vector<double> sample;
    for (std::size_t n = 0; n < values.size(); n += step) sample.push_back(static_cast<double>(values[n]));
    expect_recorded_numbers(name, sample, relative, absolute);
}

/// The same numbers on every platform, which no standard distribution guarantees.
class Random {
public:
    explicit Random(std::uint32_t seed) : state_(seed * 2654435761u + 12345u) {}
    std::uint32_t bits() {
        state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
        const auto mixed = static_cast<std::uint32_t>(((state_ >> 18) ^ state_) >> 27);
        const unsigned turn = static_cast<unsigned>(state_ >> 59);
        return (mixed >> turn) | (mixed << ((32 - turn) & 31));
    }
    /// At least `low` and less than `high`.
    int integer(int low, int high) {
        const auto from = static_cast<std::uint32_t>(low), to = static_cast<std::uint32_t>(high);
        return static_cast<int>(from + bits() % (to - from));
    }
    double real(double low, double high) { return low + (high - low) * (bits() * 0x1p-32); }

    template <class T = int>
    std::vector<T> integers(std::size_t count, int low, int high) {
        std::vector<T> values(count);
        for (T& value : values) value = static_cast<T>(integer(low, high));
        return values;
    }
    template <class T>
    std::vector<T> reals(std::size_t count, double low, double high) {
        std::vector<T> values(count);
        for (T& value : values) value = static_cast<T>(real(low, high));
        return values;
    }

private:
    std::uint64_t state_;
};

inline unsigned blocks_for(std::size_t count, unsigned block) {
    return static_cast<unsigned>((count + block - 1) / block);
}

}  // namespace kernels
