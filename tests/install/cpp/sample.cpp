// Loads a kernel from PTX and runs it: no compiler is needed. Prints the device's name and "right" or "wrong".
#include <cstdio>
#include <string>

#include "pycuda/contexts/context.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/modules/module.hpp"
#include "pycuda/start/init.hpp"
#include "pycuda/toolchain/toolchain.hpp"

const std::string ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry triple(.param .u64 numbers)
{
    .reg .u64 %a<3>;
    .reg .u32 %n<3>;
    ld.param.u64 %a0, [numbers];
    mov.u32 %n0, %tid.x;
    mul.wide.u32 %a1, %n0, 4;
    add.u64 %a2, %a0, %a1;
    mul.lo.u32 %n1, %n0, 3;
    st.global.u32 [%a2], %n1;
    ret;
}
)";

int main() {
    pycuda::set_cpu_library(CPU_LIBRARY);
    pycuda::set_device_include_dir(DEVICE_INCLUDE_DIR);
    pycuda::init();
    const pycuda::Device device(0);
    const auto context = device.make_context();
    bool right = !pycuda::device_include_dir().empty();
    {
        constexpr unsigned count = 32;
        const auto module = pycuda::Module::from_buffer(ptx.data(), ptx.size());
        const pycuda::Function kernel = module->get_function("triple");
        const pycuda::DeviceAllocation memory(count * sizeof(unsigned));
        const pycuda::DevicePtr argument = memory.pointer();
        pycuda::LaunchConfig config;
        config.block[0] = count;
        kernel.launch(config, &argument, sizeof argument);
        unsigned numbers[count] = {};
        pycuda::memcpy_dtoh(numbers, sizeof numbers, memory.pointer());
        for (unsigned i = 0; i < count; ++i) right = right && numbers[i] == 3 * i;
    }
    context->detach();
    std::printf("%s: %s\n", device.name().c_str(), right ? "right" : "wrong");
    return right ? 0 : 1;
}
