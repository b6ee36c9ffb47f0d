// Speed of the CPU device: lane instructions per second with each instruction set, the gain from more threads, how long
// the same algorithm takes in plain C++ on one thread, and the time of the smallest launches.
#include <cuda.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "exec/arguments.hpp"
#include "exec/handlers/op_table.hpp"
#include "exec/image.hpp"
#include "exec/running/launch.hpp"
#include "exec/running/memory.hpp"
#include "exec/running/pool.hpp"
#include "native.hpp"

namespace {

using namespace cpu::exec;
using exec_test::Arguments;

constexpr int rounds = 11;
constexpr int elements = 1 << 20, side = 256, width = 512, limit = 256, starts = 1 << 17, integrals = 4096;

/// At addresses as the device gives them out.
template <class T>
struct DeviceAllocator {
    using value_type = T;
    static constexpr std::align_val_t alignment{256};
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }
    bool operator==(const DeviceAllocator&) const = default;
};
template <class T>
using Array = std::vector<T, DeviceAllocator<T>>;

/// Whole numbers up to 8: sums and products are exact, in whatever order and fused or not.
struct Data {
    Array<float> a, b, out;
    Array<int> counts;
    Array<unsigned> values, bins;

    Data() : a(elements), b(elements), out(elements), counts(elements), values(elements), bins(256) { reset(); }
    void reset() {
        for (unsigned n = 0; n < elements; ++n) {
            a[n] = static_cast<float>(1 + (n * 2654435761u >> 29));
            b[n] = static_cast<float>(1 + (n * 2246822519u >> 29));
            values[n] = (n ^ n >> 7) * 2654435761u >> 13;
        }
        std::ranges::fill(out, 0.0f);
        std::ranges::fill(counts, 0);
        std::ranges::fill(bins, 0u);
    }
};

struct Case {
    const char* kernel;
    std::array<std::uint32_t, 3> grid, block;
    Arguments arguments;
    std::function<void(const Native&)> native;
    const char* name = kernel;
};

std::vector<Case> cases(Data& d) {
    float *a = d.a.data(), *b = d.b.data(), *out = d.out.data();
    int* counts = d.counts.data();
    unsigned *values = d.values.data(), *bins = d.bins.data();
    const auto histogram = [=](const char* name, const char* kernel, unsigned blocks, unsigned mask) {
        return Case{kernel,
                    {blocks, 1, 1},
                    {256, 1, 1},
                    Arguments(values, mask, bins, elements),
                    [=](const Native& n) { n.histogram(values, mask, bins, elements); },
                    name};
    };
    return {
        {"saxpy",
         {elements / 256, 1, 1},
         {256, 1, 1},
         Arguments(0.5f, a, out, elements),
         [=](const Native& n) { n.saxpy(0.5f, a, out, elements); }},
        {"add",
         {elements / 256, 1, 1},
         {256, 1, 1},
         Arguments(a, b, out, elements),
         [=](const Native& n) { n.add(a, b, out, elements); }},
        {"matmul",
         {side / 16, side / 16, 1},
         {16, 16, 1},
         Arguments(a, b, out, side),
         [=](const Native& n) { n.matmul(a, b, out, side); }},
        {"matmul_tiled",
         {side / 16, side / 16, 1},
         {16, 16, 1},
         Arguments(a, b, out, side),
         [=](const Native& n) { n.matmul_tiled(a, b, out, side); }},
        {"reduce",
         {64, 1, 1},
         {256, 1, 1},
         Arguments(a, out, elements),
         [=](const Native& n) { n.reduce(a, out, elements); }},
        {"mandelbrot",
         {width / 16, width / 8, 1},
         {16, 8, 1},
         Arguments(counts, width, limit),
         [=](const Native& n) { n.mandelbrot(counts, width, limit); }},
        {"collatz",
         {starts / 256, 1, 1},
         {256, 1, 1},
         Arguments(counts, starts),
         [=](const Native& n) { n.collatz(counts, starts); }},
        {"functions",
         {elements / 4 / 256, 1, 1},
         {256, 1, 1},
         Arguments(a, elements / 4),
         [=](const Native& n) { n.functions(a, elements / 4); }},
        {"romberg",
         {integrals / 256, 1, 1},
         {256, 1, 1},
         Arguments(out, integrals),
         [=](const Native& n) { n.romberg(out, integrals); }},
        {"counter",
         {elements / 256, 1, 1},
         {256, 1, 1},
         Arguments(bins, elements),
         [=](const Native& n) { n.counter(bins, elements); }},
        {"tickets",
         {elements / 256, 1, 1},
         {256, 1, 1},
         Arguments(bins, elements - 1u, counts, elements),
         [=](const Native& n) { n.tickets(bins, elements - 1u, counts, elements); }},
        histogram("bins", "histogram", elements / 256, 255),
        histogram("bins-equal", "histogram", elements / 256, 0),
        histogram("bins-shared", "histogram_shared", 64, 255),
        histogram("bins-sh-equal", "histogram_shared", 64, 0),
    };
}

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) {
    return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

double median(std::vector<double> times) {
    std::ranges::sort(times);
    return times[times.size() / 2];
}

/// Milliseconds of each action, medians. The actions take turns, so that what else the machine does strikes all of
/// them; a turn is a burst of about 10 ms, as launches of a program follow one another.
std::vector<double> interleaved(const std::vector<std::function<void()>>& actions) {
    std::vector<std::vector<double>> times(actions.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t n = 0; n < actions.size(); ++n) {
            const auto burst = Clock::now();
            do {
                const auto start = Clock::now();
                actions[n]();
                times[n].push_back(microseconds(start) * 1e-3);
            } while (microseconds(burst) < 10e3);
        }
    std::vector<double> result;
    for (const auto& each : times) result.push_back(median(each));
    return result;
}

struct Module {
    std::string isa;
    std::shared_ptr<const Image> image;
};

class Bench {
public:
    explicit Bench(const std::string& ptx) {
        for (Data* data : {&data_, &other_data_})
            for (auto [start, size] : {range(data->a), range(data->b), range(data->out), range(data->counts),
                                       range(data->values), range(data->bins)})
                memory_.add({start, size, false, true});
        const auto begin = Clock::now();
        default_ = {chosen_ops().name(), Image::load(ptx, memory_)};
        std::printf("module load %.2f ms; default instruction set %s\n", microseconds(begin) * 1e-3,
                    default_.isa.c_str());
        for (const char* isa : {"baseline", "v3", "v4"}) {
            setenv("PYCUDA_CPU_ISA", isa, 1);
            if (chosen_ops().name() == std::string(isa)) modules_.push_back({isa, Image::load(ptx, memory_)});
        }
        unsetenv("PYCUDA_CPU_ISA");
        natives_.push_back(native_baseline());
        if (modules_.size() > 1) natives_.push_back(native_v3());
    }

    /// Speed with each instruction set on one thread; time on several and what they gain; the same in plain C++. Of all
    /// kernels if none is named. "2 apart" is what two launches at once on one thread each gain over one after the
    /// other: what the machine gives, where two processors may be one core's, and no more than which two threads can
    /// reach.
    void print_table(const std::vector<unsigned>& threads, std::span<char* const> names) {
        std::string heading, units;
        const auto column = [&](const std::string& top, const std::string& unit) {
            char text[32];
            std::snprintf(text, sizeof text, "%11s", top.c_str());
            heading += text;
            std::snprintf(text, sizeof text, "%11s", unit.c_str());
            units += text;
        };
        column("lane insns", "M");
        for (const Module& m : modules_) column(m.isa, "G/s");
        for (unsigned n : threads) column(std::to_string(n) + " thr.", "ms");
        for (unsigned n : threads)
            if (n > 1) column(std::to_string(n) + " thr.", "speed-up");
        if (threads.size() > 1) column("2 apart", "speed-up");
        for (const Native& n : natives_) column("C++, ms", n.name);
        for (const Native& n : natives_) column("to C++", n.name);
        std::printf("\n%-13s%s\n%-13s%s\n", "", heading.c_str(), "kernel", units.c_str());
        const std::vector<Case> others = cases(other_data_);
        for (std::size_t n = 0; const Case& c : cases(data_)) {
            const Case& other = others[n++];
            if (names.empty() || std::ranges::find(names, std::string_view(c.name)) != names.end())
                print_row(c, other, threads);
        }
    }

private:
    /// Concurrent launches on two independent threads, each with its own data.
    void launch_apart(const Case& c, const Case& other, int launches) {
        std::atomic<int> taken = 0;
        const auto take_one = [&] {
            for (int number; (number = taken++) < 2;)
                for (int n = 0; n < launches; ++n) launch(default_, number ? other : c, 1);
        };
        const SharedWork shared(take_one, 1);
        take_one();
    }

    void print_row(const Case& c, const Case& other, const std::vector<unsigned>& threads) {
        constexpr int apart = 4;
        const double count = check(c) * 1e-6;
        std::vector<std::function<void()>> actions;
        for (const Module& m : modules_) actions.push_back([&] { launch(m, c, 1); });
        for (unsigned n : threads) actions.push_back([&, n] { launch(default_, c, n); });
        for (const Native& n : natives_) actions.push_back([&] { c.native(n); });
        if (threads.size() > 1) actions.push_back([&] { launch_apart(c, other, apart); });
        const std::vector<double> ms = interleaved(actions);
        const double *on_threads = ms.data() + modules_.size(), *native = on_threads + threads.size();
        std::printf("%-13s%11.1f", c.name, count);
        for (std::size_t n = 0; n < modules_.size(); ++n) std::printf("%11.2f", count / ms[n]);
        for (std::size_t n = 0; n < threads.size(); ++n) std::printf("%11.2f", on_threads[n]);
        for (std::size_t n = 1; n < threads.size(); ++n) std::printf("%11.2f", on_threads[0] / on_threads[n]);
        if (threads.size() > 1) std::printf("%11.2f", 2 * apart * on_threads[0] / ms.back());
        for (std::size_t n = 0; n < natives_.size(); ++n) std::printf("%11.2f", native[n]);
        for (std::size_t n = 0; n < natives_.size(); ++n) std::printf("%11.2f", on_threads[0] / native[n]);
        std::printf("\n");
    }

    template <class T>
    static std::pair<std::uintptr_t, std::size_t> range(const Array<T>& v) {
        return {reinterpret_cast<std::uintptr_t>(v.data()), v.size() * sizeof(T)};
    }

    std::uint64_t launch(const Module& module, const Case& c, unsigned threads, bool counting = false) {
        std::uint64_t count = 0;
        GridLaunch launch;
        launch.kernel = module.image->kernel(c.kernel);
        launch.memory = &memory_;
        launch.grid = c.grid;
        launch.block = c.block;
        launch.parameters = c.arguments.bytes();
        launch.threads = threads;
        launch.lane_instructions = counting ? &count : nullptr;
        if (const auto fault = run(launch)) throw std::runtime_error(std::string(c.kernel) + ": " + fault->report);
        return count;
    }

    /// The device and plain C++ must agree; but for Mandelbrot's last steps near the edge of the set, where a fused
    /// multiplication matters. Returns how many lane-instructions the kernel is.
    double check(const Case& c) {
        data_.reset();
        const std::uint64_t count = launch(default_, c, 1, true);
        const Data device = data_;
        for (const Native& n : natives_) {
            data_.reset();
            c.native(n);
            int different = 0;
            for (int i = 0; i < elements; ++i) {
                const auto near = [](float x, float y) { return std::fabs(x - y) <= 1e-5f * std::fabs(y); };
                different += !near(device.out[i], data_.out[i]) || !near(device.a[i], data_.a[i]) ||
                             device.counts[i] != data_.counts[i];
            }
            different += device.bins != data_.bins;
            if (different > (std::strcmp(c.kernel, "mandelbrot") == 0 ? width * width / 100 : 0))
                throw std::runtime_error(std::string(c.name) + ": " + std::to_string(different) +
                                         " results differ from plain C++ (" + n.name + ")");
        }
        return static_cast<double>(count);
    }

    Data data_, other_data_;
    Memory memory_;
    Module default_;
    std::vector<Module> modules_;
    std::vector<Native> natives_;
};

void require(CUresult result) {
    if (result != CUDA_SUCCESS) throw std::runtime_error("driver error " + std::to_string(result));
}

/// Through the driver's interface, like programs.
void print_latencies(const std::string& ptx) {
    CUcontext context;
    CUmodule module;
    CUfunction empty;
    require(cuInit(0));
    require(cuCtxCreate(&context, nullptr, 0, 0));
    require(cuModuleLoadData(&module, ptx.c_str()));
    require(cuModuleGetFunction(&empty, module, "empty"));
    std::printf("\nempty kernel, launch and synchronise, us (blocks x threads):");
    for (const auto& [grid, block] : {std::pair{1u, 32u}, {1u, 1024u}, {2u, 32u}, {16u, 256u}, {256u, 256u}}) {
        std::vector<double> times;
        for (int n = 0; n < 3000; ++n) {
            const auto start = Clock::now();
            require(cuLaunchKernel(empty, grid, 1, 1, block, 1, 1, 0, nullptr, nullptr, nullptr));
            require(cuCtxSynchronize());
            if (n >= 1000) times.push_back(microseconds(start));
        }
        std::printf("  %ux%u: %.1f", grid, block, median(times));
    }
    constexpr int burst = 100;
    std::vector<double> times;
    for (int n = 0; n < 100; ++n) {
        const auto start = Clock::now();
        for (int i = 0; i < burst; ++i) require(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr));
        require(cuCtxSynchronize());
        times.push_back(microseconds(start) / burst);
    }
    std::printf("  1x32 in bursts of %d: %.1f\n", burst, median(times));
    require(cuModuleUnload(module));
    require(cuCtxDestroy(context));
}

/// Cores that this process may use.
unsigned cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

void print_machine() {
    std::ifstream info("/proc/cpuinfo");
    std::string line, model = "unknown processor";
    while (std::getline(info, line))
        if (line.starts_with("model name")) {
            model = line.substr(line.find(':') + 2);
            break;
        }
    double load = 0;
    getloadavg(&load, 1);
    std::printf("%s, %u cores for this process; medians of %d interleaved runs\n", model.c_str(), cores(), rounds);
    if (load > 0.3)
        std::printf(
            "NOTE: the machine is busy (load %.1f): only ratios within a row mean something, and not those of "
            "threads\n",
            load);
}

}  // namespace

// Arguments: names of kernels, of which the table is then. CPU_BENCH_PTX names bench.ptx where the build tree is
// absent.
int main(int count, char** arguments) try {
    const char* path = std::getenv("CPU_BENCH_PTX");
    std::ifstream file(path ? path : BENCH_PTX);
    std::stringstream text;
    text << file.rdbuf();
    print_machine();
    std::vector<unsigned> threads{1};
    for (unsigned n : {2u, cores()})
        if (n <= cores() && n > threads.back()) threads.push_back(n);
    Bench(text.str()).print_table(threads, std::span(arguments, static_cast<std::size_t>(count)).subspan(1));
    print_latencies(text.str());
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
