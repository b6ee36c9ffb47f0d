// libFuzzer harness of execution: any module that loads ends in a result or in a fault. The baseline's
// handlers are instrumented too. Built and started as fuzz_ptx.cpp says; the kernels' output is hidden with
// -close_fd_mask=1.
#include <cstdlib>
#include <string_view>

#include "fuzz/fuzz_execute.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace cpu::exec;
    setenv("PYCUDA_CPU_ISA", "baseline", 1);
    Memory memory;
    try {
        const auto image = Image::load({reinterpret_cast<const char*>(data), size}, memory);
        for (const Kernel* kernel : image->kernels()) fuzz::execute(*kernel, memory, 0.02);
    } catch (const LoadError&) {
    }
    return 0;
}
