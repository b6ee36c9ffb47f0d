// What the core costs over the bare driver, measured side by side in one run: the same kernel (3 pointers and an int, one
// block of 32 threads) launched in bursts of 20 after a synchronize, 1 MB allocated and freed, and 1,600 bytes copied.
// The two take turns, so that what the machine does meanwhile hits both; medians of 300 bursts, in µs a call.
#include <cuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "pycuda/context.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/driver.hpp"
#include "pycuda/function.hpp"
#include "pycuda/memcpy.hpp"

namespace {

constexpr int bursts = 300;
constexpr int calls = 20;

constexpr const char* kernel = R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.f32 %f1, [%rd5];
    ld.global.f32 %f2, [%rd6];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
DONE:
    ret;
}
)ptx";

/// The driver's own functions, as a C program has them.
struct PlainDriver {
    void* library = dlopen(pycuda::driver_info().library.c_str(), RTLD_NOW);
    decltype(&::cuLaunchKernel) launch = get<decltype(&::cuLaunchKernel)>("cuLaunchKernel");
    decltype(&::cuMemAlloc) alloc = get<decltype(&::cuMemAlloc)>("cuMemAlloc_v2");
    decltype(&::cuMemFree) free = get<decltype(&::cuMemFree)>("cuMemFree_v2");
    decltype(&::cuMemcpyHtoD) copy = get<decltype(&::cuMemcpyHtoD)>("cuMemcpyHtoD_v2");

    template <class F>
    F get(const char* name) {
        void* address = dlsym(library, name);
        if (!address) std::fprintf(stderr, "no %s in the driver\n", name), std::exit(1);
        return reinterpret_cast<F>(address);
    }
};

/// Medians of µs a call of both, burst by burst in turn.
template <class Plain, class Core>
void compare(const char* what, int count, Plain&& plain, Core&& core) {
    std::vector<double> times[2];
    const auto burst = [&](auto&& call, std::vector<double>& into) {
        pycuda::Context::synchronize();
        const auto start = std::chrono::steady_clock::now();
        for (int n = 0; n < count; ++n) call();
        into.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / count);
    };
    for (int n = 0; n < bursts; ++n) {
        burst(plain, times[0]);
        burst(core, times[1]);
    }
    for (auto& series : times) std::nth_element(series.begin(), series.begin() + bursts / 2, series.end());
    const double a = times[0][bursts / 2], b = times[1][bursts / 2];
    std::printf("%-34s %9.3f %9.3f %8.3f\n", what, a, b, b / a);
}

}  // namespace

int main() {
    pycuda::init();
    const auto context = pycuda::Device(0).make_context();
    const PlainDriver plain;
    const auto module = pycuda::Module::from_buffer(kernel, std::strlen(kernel));
    const pycuda::Function add = module->get_function("add");
    pycuda::DeviceAllocation a(128), b(128), c(128);
    int n = 32;
    CUdeviceptr pa = a.pointer(), pb = b.pointer(), pc = c.pointer();
    std::vector<char> host(1600);
    pycuda::DeviceAllocation device(host.size());
    pycuda::LaunchConfig config;
    config.block[0] = 32;

    std::printf("%s\n%-34s %9s %9s %8s\n", pycuda::Device(0).name().c_str(), "us a call", "plain C", "core", "ratio");
    compare(
        "launch, 3 pointers and an int", calls,
        [&] {
            void* arguments[] = {&pa, &pb, &pc, &n};
            plain.launch(add.handle(), 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
        },
        [&] {
            pycuda::ArgumentPacker packer(pycuda::thread_argument_block(), add.layout());
            packer.append(&pa, sizeof pa, alignof(CUdeviceptr), "DeviceAllocation");
            packer.append(&pb, sizeof pb, alignof(CUdeviceptr), "DeviceAllocation");
            packer.append(&pc, sizeof pc, alignof(CUdeviceptr), "DeviceAllocation");
            packer.append(&n, sizeof n, alignof(int), "int");
            add.launch(config, pycuda::thread_argument_block(), packer.finish());
        });
    compare(
        "allocate and free 1 MB", calls,
        [&] {
            CUdeviceptr pointer = 0;
            plain.alloc(&pointer, 1 << 20);
            plain.free(pointer);
        },
        [] { pycuda::DeviceAllocation memory(1 << 20); });
    compare(
        "copy 1,600 bytes to the device", calls, [&] { plain.copy(device.pointer(), host.data(), host.size()); },
        [&] { pycuda::memcpy_htod(device.pointer(), host.data(), host.size()); });
    context->synchronize();
    return 0;
}
