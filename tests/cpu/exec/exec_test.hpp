#pragma once

#include <sys/mman.h>

#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exec/arguments.hpp"
#include "exec/image.hpp"
#include "exec/running/grid_run.hpp"
#include "exec/running/memory.hpp"

namespace exec_test {

using namespace cpu::exec;

/// Device memory of exactly `count` elements, with nothing registered around it.
template <class T>
class Buffer {
public:
    Buffer(Memory& memory, std::size_t count, T value = T{})
        : memory_(memory), storage_(count + 2 * gap, value), count_(count) {
        memory_.add({address(), count * sizeof(T), false, true});
    }
    Buffer(Memory& memory, const std::vector<T>& values) : Buffer(memory, values.size()) {
        std::copy(values.begin(), values.end(), begin());
    }
    ~Buffer() { memory_.remove(address()); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(storage_.data() + gap); }
    T* begin() { return storage_.data() + gap; }
    T* end() { return begin() + count_; }
    T& operator[](std::size_t n) { return begin()[n]; }
    std::size_t size() const { return count_; }
    std::vector<T> values() { return {begin(), end()}; }

private:
    static constexpr std::size_t gap = 64;
    Memory& memory_;
    std::vector<T> storage_;
    std::size_t count_;
};

struct Shape {
    unsigned grid = 1;
    unsigned block = 32;
    unsigned dynamic_shared = 0;
    unsigned threads = 1;
    bool cooperative = false;
    unsigned cluster = 1;
    double seconds = 0;  // the watchdog's limit
};

/// A module and the memory that its kernels may touch.
class Device {
public:
    explicit Device(std::string_view ptx) : image_(Image::load(ptx, memory)) {}
    static std::string file(const std::string& name) {
        std::ifstream in(std::string(EXEC_PTX_DIRECTORY) + "/" + name);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    std::optional<Fault> run(std::string_view kernel, const Shape& shape, const Arguments& arguments) {
        GridLaunch launch;
        launch.kernel = image_->kernel(kernel);
        if (!launch.kernel) throw std::runtime_error("no kernel " + std::string(kernel));
        launch.memory = &memory;
        launch.grid = {shape.grid, 1, 1};
        launch.block = {shape.block, 1, 1};
        launch.dynamic_shared_bytes = shape.dynamic_shared;
        launch.threads = shape.threads;
        launch.seconds = shape.seconds;
        launch.cooperative = shape.cooperative;
        launch.cluster = {shape.cluster, 1, 1};
        launch.parameters = arguments.bytes();
        // Every other launch is left all the time, and continued.
        if (launches_++ % 2 == 0) return cpu::exec::run(launch);
        GridRun run(launch);
        while (!run.run(Time::clock::now())) {
        }
        return run.take_fault();
    }
    const Image& image() const { return *image_; }

    Memory memory;

private:
    std::shared_ptr<const Image> image_;
    unsigned launches_ = 0;
};

inline testing::AssertionResult succeeds(const std::optional<Fault>& fault) {
    if (!fault) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "fault " << fault->code << ": " << fault->report;
}

}  // namespace exec_test
