// What the core costs over the bare driver: the calls of plain_driver.hpp, which take turns with the core's, so that
// what the machine does meanwhile hits both; medians of 300 bursts of 20, in us a call.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "plain_driver.hpp"
#include "pycuda/context.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/driver.hpp"
#include "pycuda/function.hpp"
#include "pycuda/memcpy.hpp"

namespace {

constexpr int bursts = 300;
constexpr int calls = 20;

/// Microseconds a call of a burst.
template <class Call>
double burst(int count, Call&& call) {
    pycuda::Context::synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int n = 0; n < count; ++n) call();
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count;
}

double median(std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + bursts / 2, times.end());
    return times[bursts / 2];
}

template <class Core>
void compare(const char* what, double (*plain)(int), Core&& core) {
    std::vector<double> times[2];
    for (int n = 0; n < bursts; ++n) {
        times[0].push_back(plain(calls));
        times[1].push_back(burst(calls, core));
    }
    const double a = median(times[0]), b = median(times[1]);
    std::printf("%-34s %9.3f %9.3f %8.3f\n", what, a, b, b / a);
}

}  // namespace

int main() {
    pycuda::init();
    const auto context = pycuda::Device(0).make_context();
    if (const int result = plain_open()) return std::fprintf(stderr, "plain C: error %d\n", result), 1;
    const auto module = pycuda::Module::from_buffer(plain_kernel(), std::strlen(plain_kernel()));
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
    context->synchronize();
    return 0;
}
