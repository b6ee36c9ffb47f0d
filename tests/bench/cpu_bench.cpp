// Speed of the CPU device's executor: time of each kernel and lane-instructions a second, on one thread and on all.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>
#include <vector>

#include "exec/image.hpp"
#include "exec/launch.hpp"
#include "exec/memory.hpp"

namespace {

using namespace cpu::exec;

class Arguments {
public:
    template <class... T>
    explicit Arguments(T... values) {
        (add(values), ...);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    template <class T>
    void add(T value) {
        bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
        std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    }
    std::vector<std::byte> bytes_;
};

struct Case {
    const char* kernel;
    std::array<std::uint32_t, 3> grid, block;
    Arguments arguments;
};

double milliseconds(const std::function<void()>& action) {
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

bool launch(const Image& image, Memory& memory, const Case& c, unsigned threads, std::uint64_t* count) {
    Launch launch;
    launch.kernel = image.kernel(c.kernel);
    launch.memory = &memory;
    launch.grid = c.grid;
    launch.block = c.block;
    launch.parameters = c.arguments.bytes();
    launch.threads = threads;
    launch.lane_instructions = count;
    const auto fault = run(launch);
    if (fault) std::printf("%s: %s\n", c.kernel, fault->report.c_str());
    return !fault;
}

/// Median of 7 launches.
double time_of(const Image& image, Memory& memory, const Case& c, unsigned threads) {
    std::vector<double> times;
    for (int n = 0; n < 7; ++n) times.push_back(milliseconds([&] { launch(image, memory, c, threads, nullptr); }));
    std::ranges::sort(times);
    return times[3];
}

}  // namespace

int main() {
    std::ifstream file(CPU_BENCH_PTX);
    std::stringstream text;
    text << file.rdbuf();
    Memory memory;
    std::shared_ptr<const Image> image;
    const double load = milliseconds([&] { image = Image::load(text.str(), memory); });
    std::printf("module load %.2f ms\n", load);

    std::vector<float> a(1 << 20, 1.25f), b(1 << 20, 0.5f), c(1 << 20);
    for (auto* v : {&a, &b, &c})
        memory.add({reinterpret_cast<std::uintptr_t>(v->data()), v->size() * sizeof(float), false});
    float *pa = a.data(), *pb = b.data(), *pc = c.data();
    const Case cases[] = {
        {"saxpy", {4096, 1, 1}, {256, 1, 1}, Arguments(1e-6f, pa, pb, 1 << 20)},
        {"matmul", {16, 16, 1}, {16, 16, 1}, Arguments(pa, pb, pc, 256)},
        {"matmul_tiled", {16, 16, 1}, {16, 16, 1}, Arguments(pa, pb, pc, 256)},
        {"reduce", {64, 1, 1}, {256, 1, 1}, Arguments(pa, pc, 1 << 20)},
        {"mandelbrot", {32, 64, 1}, {16, 8, 1}, Arguments(pc, 512, 256)},
        {"collatz", {512, 1, 1}, {256, 1, 1}, Arguments(pc)},
        {"functions", {1024, 1, 1}, {256, 1, 1}, Arguments(pa, 1 << 18)},
    };
    const unsigned all = std::max(1u, std::thread::hardware_concurrency());
    std::printf("%-14s %12s %14s %20s %16s\n", "kernel", "1 thread, ms", "all (ms)", "lane-instructions M",
                "G/s a core");
    for (const Case& each : cases) {
        std::uint64_t count = 0;
        if (!launch(*image, memory, each, 1, &count)) return 1;
        const double one = time_of(*image, memory, each, 1), many = time_of(*image, memory, each, all);
        std::printf("%-14s %12.2f %14.2f %20.1f %16.2f\n", each.kernel, one, many, static_cast<double>(count) * 1e-6,
                    static_cast<double>(count) * 1e-6 / one);
    }
}
