// 16 threads that share a context, a module, a pool, streams and events: for ThreadSanitizer (the preset tsan) above
// all.
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gate.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/streams/event.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"
#include "test_kernels.hpp"

namespace pycuda::test {
namespace {

constexpr unsigned threads = 16;
constexpr unsigned rounds = 60;
constexpr std::uint32_t elements = 64;

/// Arguments of the kernel `add`.
struct Addition {
    DevicePtr a, b, sum;
    std::uint32_t count = elements;
    static constexpr std::size_t nbytes = 3 * sizeof(DevicePtr) + sizeof(std::uint32_t);
};

class ContextStress : public ContextTest {
protected:
    /// Runs `work` of each thread's number, with the context current; all begin at the same moment.
    template <class Work>
    void run(const Work& work) {
        Start begin(threads);
        std::vector<std::thread> all;
        for (unsigned number = 0; number < threads; ++number)
            all.emplace_back([&, number] {
                const ContextScope scope(*context);
                begin.arrive_and_wait();
                EXPECT_NO_THROW(work(number));
            });
        for (std::thread& thread : all) thread.join();
    }
};

TEST_F(ContextStress, LaunchesCopiesAndPools) {
    const auto module = Module::from_buffer(kernels, std::strlen(kernels));
    const Function add = module->get_function("add");
    const auto pool = default_device_pool(*context);
    Stream shared_stream;
    Event shared_event;
    run([&](unsigned number) {
        const Stream own;
        LaunchConfig config;
        config.block[0] = elements;
        std::vector<float> ones(elements, 1.0f + static_cast<float>(number)), result(elements);
        for (unsigned round = 0; round < rounds; ++round) {
            const Stream& stream = round % 3 == 0 ? shared_stream : own;
            config.stream = stream.handle();
            PoolBlock in = pool->take(elements * sizeof(float), config.stream);
            PoolBlock out = pool->take(elements * sizeof(float), config.stream);
            pool->note_use(in, config.stream);
            pool->note_use(out, config.stream);
            memcpy_htod_async(in.address, ones.data(), elements * sizeof(float), &stream);
            const Addition arguments{in.address, in.address, out.address};
            add.launch(config, &arguments, Addition::nbytes);
            memcpy_dtoh_async(result.data(), elements * sizeof(float), out.address, &stream);
            shared_event.record(&stream);
            own.wait_for_event(shared_event);
            stream.synchronize();
            EXPECT_EQ(result.back(), 2.0f + 2.0f * static_cast<float>(number));
            pool->give(in);
            pool->give(out);
        }
    });
    EXPECT_EQ(pool->active_blocks(), 0u);
}

TEST_F(ContextStress, ThingsOfOthersAreUsedAndEnded) {
    std::vector<std::shared_ptr<Stream>> streams(4);
    std::mutex mutex;
    run([&](unsigned number) {
        for (unsigned round = 0; round < rounds; ++round) {
            auto made = std::make_shared<Stream>();
            std::shared_ptr<Stream> taken;
            {
                const std::lock_guard lock(mutex);
                taken = std::exchange(streams[(number + round) % streams.size()], made);
            }
            try {
                Event event;
                event.record(made.get());
                if (taken) {
                    taken->wait_for_event(event);
                    if (round % 2) taken->close();  // others may be at it
                }
                made->synchronize();
            } catch (const LogicError&) {  // another thread has closed the stream
            }
        }
    });
}

TEST_F(ContextStress, AModuleIsLoadedLaunchedAndUnloaded) {
    run([&](unsigned) {
        for (unsigned round = 0; round < rounds / 6; ++round) {
            const auto module = Module::from_buffer(kernels, std::strlen(kernels));
            const Function nothing = module->get_function("nothing");
            for (unsigned launch = 0; launch < 40; ++launch) nothing.launch({}, nullptr, 0);
        }
        Context::synchronize();
    });
}

}  // namespace
}  // namespace pycuda::test
