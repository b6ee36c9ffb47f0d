// What several threads at a time cost the host, each with a stream and arrays of its own: the rate of n threads over
// that of one, medians of 5 runs. On idle_driver.cpp, whose launches do nothing, this is the core's part alone; what
// Python adds is in thread_bench.py. The last row tells what the machine itself allows.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/start/init.hpp"
#include "pycuda/streams/stream.hpp"

namespace {

namespace arrays = pycuda::gpuarray;
using Clock = std::chrono::steady_clock;

constexpr int calls = 200'000;
constexpr int runs = 5;
constexpr char nothing[] = R"(
.version 8.0
.target sm_50
.address_size 64
.visible .entry nothing(.param .u64 x, .param .u32 n) { ret; }
)";

/// The objects of one thread, and those that all threads share.
struct Mine {
    pycuda::Stream stream;
    std::unique_ptr<pycuda::PooledDeviceAllocation> memory =
        pycuda::DeviceMemoryPool::of_current_context().allocate(64, &stream);
    arrays::Array a = zeros(), b = zeros();
    arrays::Array zeros() const {
        return arrays::Array::empty(arrays::DType::Float32, arrays::Layout(std::array<std::int64_t, 1>{1024}, 4),
                                    stream.handle(), nullptr);
    }
};
struct Common {
    pycuda::Function function;
    arrays::Array array;
};

void take_and_give(Mine& mine, const Common&) {
    pycuda::MemoryPool& pool = *arrays::current().pool;
    pycuda::PoolBlock block = pool.take(4096, mine.stream.handle());
    pool.note_use(block, mine.stream.handle());
    pool.give(block);
}

void call(Mine& mine, const Common& common) {
    pycuda::LaunchConfig config;
    config.stream = mine.stream.handle();
    const std::uint64_t arguments[] = {mine.memory->pointer_for(config.stream), 16};
    common.function.launch(config, arguments, 12);
}

void add(const arrays::Array& a, const arrays::Array& b, CUstream stream) {
    const arrays::Operand operands[] = {&a, &b};
    arrays::Array::retire(arrays::apply(arrays::Op::add, operands, arrays::ResultType::Usual, stream));
}

/// The product of numbers that no thread shares, about as long as the others.
void compute(Mine&, const Common&) {
    volatile double x = 1.5;
    for (int k = 0; k < 25; ++k) x = x * 1.0001;
}

struct Row {
    const char* name;
    void (*work)(Mine&, const Common&);
};
const Row rows[] = {
    {"take and give 4 KB", take_and_give},
    {"kernel call", call},
    {"a + b", [](Mine& mine, const Common&) { add(mine.a, mine.b, mine.stream.handle()); }},
    {"a + an array of all threads",
     [](Mine& mine, const Common& common) { add(mine.a, common.array, mine.stream.handle()); }},
    {"computation alone", compute},
};

double seconds(const Row& row, const std::shared_ptr<pycuda::Context>& context, const Common& common, unsigned count) {
    std::barrier together(static_cast<std::ptrdiff_t>(count));
    std::vector<Clock::time_point> begins(count), ends(count);
    std::vector<std::jthread> threads;
    for (unsigned n = 0; n < count; ++n)
        threads.emplace_back([&, n] {
            context->push();
            {
                Mine mine;
                row.work(mine, common);
                together.arrive_and_wait();
                begins[n] = Clock::now();
                for (int k = 0; k < calls; ++k) row.work(mine, common);
                ends[n] = Clock::now();
            }
            pycuda::Context::pop();
        });
    threads.clear();  // waits for them
    return std::chrono::duration<double>(std::ranges::max(ends) - std::ranges::min(begins)).count();
}

double median_seconds(const Row& row, const std::shared_ptr<pycuda::Context>& context, const Common& common,
                      unsigned count) {
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) times.push_back(seconds(row, context, common, count));
    std::ranges::nth_element(times, times.begin() + runs / 2);
    return times[runs / 2];
}

}  // namespace

int main(int count, char** given) {
    std::vector<unsigned> counts;
    for (int k = 1; k < count; ++k) counts.push_back(static_cast<unsigned>(std::atoi(given[k])));
    if (counts.empty())
        for (const unsigned n : {1u, 2u, 4u, 8u, 16u})
            if (n <= std::thread::hardware_concurrency()) counts.push_back(n);
    pycuda::init();
    const auto context = pycuda::Device(0).make_context();
    const auto module = pycuda::Module::from_buffer(nothing, std::strlen(nothing));
    {
        const Common common{module->get_function("nothing"), Mine().zeros()};
        std::printf("rate, %2u processors          ", std::thread::hardware_concurrency());
        for (const unsigned n : counts) std::printf("%4u threads", n);
        std::printf("   ns a call on %u\n", counts[0]);
        for (const Row& row : rows) {
            std::printf("%-28s", row.name);
            double first = 0;
            for (const unsigned n : counts) {
                const double time = median_seconds(row, context, common, n);
                if (first == 0) first = time;
                std::printf("%12.2f", n * first / time / counts[0]);
                std::fflush(stdout);
            }
            std::printf("%16.0f\n", 1e9 * first / calls);
        }
    }
    pycuda::Context::pop();
}
