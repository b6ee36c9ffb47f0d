#include "pycuda/errors/advice.hpp"

namespace pycuda {
namespace {

constexpr Advice advice_for_cpp{
    "call pycuda::init(), and make a context",
    "make a context with Device::make_context(), or push one",
    "call its push() in this thread before CUDA is used, and Context::pop() after",
    "start processes by fork and exec, or fork before pycuda::init()",
    "Install a CUDA toolkit of the driver's major version, and set CUDA_HOME to its folder.",
    "set CompileRequest::no_extern_c",
    "name its folder in CompileRequest::include_dirs",
    nullptr};
Advice advice_in_use = advice_for_cpp;

}  // namespace

void set_advice(const Advice& texts) noexcept {
    advice_in_use = texts;
}

const Advice& advice() noexcept {
    return advice_in_use;
}

std::string install_advice() {
    return advice_in_use.install;
}

}  // namespace pycuda
