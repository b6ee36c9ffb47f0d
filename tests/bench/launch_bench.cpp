// What the core costs over the bare driver: the calls of plain_driver.hpp, which take turns with the core's, so that
// what the machine does meanwhile hits both; medians of 300 bursts of 20, in us a call.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "plain_driver.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/host_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/pools/memory_pool.hpp"
#include "pycuda/start/init.hpp"
#include "pycuda/streams/stream.hpp"

namespace {

constexpr int bursts = 300;
constexpr int calls = 20;
constexpr int long_bursts = 40, long_calls = 2;  // of calls that take long

/// Microseconds per call in a burst.
template <class Call>
double burst(int count, Call&& call) {
    pycuda::Context::synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < count; ++n) call();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count;
}

double median(std::vector<double>& times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

template <class Core>
void compare(const char* what, double (*plain)(int), Core&& core, int count = calls, int rounds = bursts) {
    std::vector<double> times[2];
    for (int n = 0; n < rounds; ++n) {
        times[0].push_back(plain(count));
        times[1].push_back(burst(count, core));
    }
    const double a = median(times[0]), b = median(times[1]);
    std::printf("%-34s %9.3f %9.3f %8.3f\n", what, a, b, b / a);
}

/// The work of In and Out: without a stream, copies wait; on a stream, copies of page-locked memory are queued.
void launch_with_copies(const pycuda::Function& add, pycuda::MemoryPool& memory, const pycuda::Stream* stream,
                        char* host) {
    constexpr std::size_t bytes = 128;
    const auto queue = pycuda::use_of(stream);
    pycuda::PoolBlock blocks[] = {memory.take(bytes, queue), memory.take(bytes, queue), memory.take(bytes, queue)};
    for (int i : {1, 2})
        stream ? pycuda::memcpy_htod_async(blocks[i].address, host, bytes, stream)
               : pycuda::memcpy_htod(blocks[i].address, host, bytes);
    const int n = 32;
    pycuda::LaunchConfig config;
    config.block[0] = 32;
    config.stream = queue;
    pycuda::ArgumentPacker packer(pycuda::thread_argument_block(), add.layout());
    for (const pycuda::PoolBlock& block : blocks)
        packer.append(&block.address, sizeof block.address, alignof(CUdeviceptr), "PooledDeviceAllocation");
    packer.append(&n, sizeof n, alignof(int), "int");
    add.launch(config, pycuda::thread_argument_block(), packer.finish());
    stream ? pycuda::memcpy_dtoh_async(host + 1024, bytes, blocks[0].address, stream)
           : pycuda::memcpy_dtoh(host + 1024, bytes, blocks[0].address);
    for (pycuda::PoolBlock& block : blocks) memory.give(block);
}

}  // namespace

int main() {
    pycuda::init();
    const auto context = pycuda::Device(0).make_context();
    if (const int result = plain_open()) return std::fprintf(stderr, "plain C: error %d\n", result), 1;
    const auto module = pycuda::Module::from_buffer(fast_kernel(), std::strlen(fast_kernel()));
    const pycuda::Function add = module->get_function("add");
    pycuda::DeviceAllocation a(128), b(128), c(128);
    const int n = 32;
    const CUdeviceptr pa = a.pointer(), pb = b.pointer(), pc = c.pointer();
    const std::vector<char> host(1600);
    const pycuda::DeviceAllocation device(host.size());
    pycuda::LaunchConfig config;
    config.block[0] = 32;

    std::printf("%s\n%-34s %9s %9s %8s\n", pycuda::Device(0).name().c_str(), "us a call", "plain C", "core", "ratio");
    compare("launch, 3 pointers and an int", plain_launch, [&] {
        pycuda::ArgumentPacker packer(pycuda::thread_argument_block(), add.layout());
        packer.append(&pa, sizeof pa, alignof(CUdeviceptr), "DeviceAllocation");
        packer.append(&pb, sizeof pb, alignof(CUdeviceptr), "DeviceAllocation");
        packer.append(&pc, sizeof pc, alignof(CUdeviceptr), "DeviceAllocation");
        packer.append(&n, sizeof n, alignof(int), "int");
        add.launch(config, pycuda::thread_argument_block(), packer.finish());
    });
    compare("allocate and free 1 MB", plain_allocate_free, [] { pycuda::DeviceAllocation memory(1 << 20); });
    compare("copy 1,600 bytes to the device", plain_copy,
            [&] { pycuda::memcpy_htod(device.pointer(), host.data(), host.size()); });
    pycuda::DeviceMemoryPool pool;
    compare("a pool's allocate and free, 1 MB", plain_allocate_free, [&] {
        pycuda::PoolBlock block = pool.pool()->take(1 << 20);
        pool.pool()->give(block);
    });
    constexpr std::size_t large = 16 << 20;
    const pycuda::Stream stream;
    const pycuda::DeviceAllocation large_device(large);
    const std::vector<char> large_host(large, 1);
    const pycuda::PagelockedHostAllocation pinned(large, 0);
    auto* const pinned_bytes = static_cast<char*>(pinned.data());
    compare("the same, page-locked and queued", plain_copy_pinned,
            [&] { pycuda::memcpy_htod_async(device.pointer(), pinned_bytes, host.size(), &stream); });
    compare(
        "copy 16 MB to the device", plain_copy_large,
        [&] { pycuda::memcpy_htod(large_device.pointer(), large_host.data(), large); }, long_calls, long_bursts);
    compare(
        "the same, page-locked", plain_copy_large_pinned,
        [&] { pycuda::memcpy_htod(large_device.pointer(), pinned_bytes, large); }, long_calls, long_bursts);
    std::vector<char> arguments(2048);
    compare("launch with two copies in, one out", plain_in_out,
            [&] { launch_with_copies(add, *pool.pool(), nullptr, arguments.data()); });
    compare("the same, page-locked on a stream", plain_in_out_pinned,
            [&] { launch_with_copies(add, *pool.pool(), &stream, pinned_bytes); });
    context->synchronize();
    return 0;
}
