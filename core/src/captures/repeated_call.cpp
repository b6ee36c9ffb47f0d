#include "captures/repeated_call.hpp"

#include <cstdio>
#include <exception>

#include "threads/host_function_scope.hpp"

namespace pycuda {

void RepeatedCall::run(void* call) noexcept {
    const HostFunctionScope scope;
    try {
        static_cast<const RepeatedCall*>(call)->function_();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "[pycuda] a host function in a graph threw: %s\n", error.what());
    } catch (...) {
        std::fprintf(stderr, "[pycuda] a host function in a graph threw\n");
    }
}

}  // namespace pycuda
