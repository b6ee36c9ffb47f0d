// The device functions __cudaCDP2..., which nvcc calls for <<<>>> and for the runtime's functions in device code.
#include "exec/builtins/device_heap.hpp"
#include "exec/code.hpp"
#include "exec/operands.hpp"
#include "exec/running/call_frame.hpp"
#include "exec/running/device_runtime.hpp"

namespace cpu::exec {

namespace {

/// How deep launches may be nested below the host's grid. GPUs showed no limit.
constexpr std::uint32_t max_depth = 256;

struct Dim3 {
    std::uint32_t x, y, z;
};

/// One lane's call.
struct Call {
    Warp& warp;
    const Insn& insn;
    int lane;
    CallFrame frame;

    Grid& grid() const { return warp.block->grid; }
    DeviceRuntime& runtime() const { return grid().device_runtime(); }
    std::uint64_t thread() const {
        const Block& block = *warp.block;
        const auto& size = block.grid.size;
        const std::uint64_t index =
            block.ctaid[0] + std::uint64_t{size[0]} * (block.ctaid[1] + std::uint64_t{size[1]} * block.ctaid[2]);
        return index * block.grid.threads_per_block + warp.index * warp_size + static_cast<std::uint32_t>(lane);
    }
    std::uint64_t argument(std::size_t n) const { return frame.argument(n); }
    /// Store a result where the caller expects it.
    void put(std::size_t n, const void* value, std::uint32_t size) const {
        check_range(warp, insn, lane, argument(n), size, size, true);
        std::memcpy(reinterpret_cast<void*>(argument(n)), value, size);
    }
};

template <class F>
void each_call(Warp& w, const Insn& insn, F f) {
    each_lane(w.mask, [&](int lane) {
        Call call{w, insn, lane, CallFrame(w, insn, lane)};
        call.frame.result(static_cast<std::uint64_t>(f(call)));
    });
}

/// For functions that return an error code, which also becomes the thread's last error.
template <DeviceError call_one(Call&)>
void checked(Warp& w, const Insn& insn) {
    each_call(w, insn, [](Call& call) {
        const DeviceError error = call_one(call);
        call.runtime().set_error(call.thread(), error);
        return error;
    });
}

const Kernel* kernel_at(const Call& call, std::uint64_t address) {
    const auto& kernels = *call.grid().kernel.kernels;
    const auto found = kernels.find(address);
    return found == kernels.end() ? nullptr : found->second;
}

DeviceRequest request(const Call& call, std::size_t function, std::size_t sizes) {
    const auto grid = call.frame.argument<Dim3>(sizes), block = call.frame.argument<Dim3>(sizes + 1);
    DeviceRequest launch;
    launch.kernel = kernel_at(call, call.argument(function));
    launch.grid = {grid.x, grid.y, grid.z};
    launch.block = {block.x, block.y, block.z};
    launch.shared_bytes = static_cast<std::uint32_t>(call.argument(sizes + 2));
    return launch;
}

bool is_too_deep(const Call& call) {
    return call.grid().launch.depth >= max_depth;
}

/// (function, grid, block, shared bytes)
void get_parameter_buffer_v2(Warp& w, const Insn& insn) {
    each_call(w, insn, [](Call& call) -> std::uint64_t {
        const DeviceRequest launch = request(call, 0, 1);
        if (launch.kernel)
            return call.runtime().prepare(call.grid().memory, launch, launch.kernel->info.parameter_bytes);
        call.runtime().set_error(call.thread(), DeviceError::InvalidDeviceFunction);
        return 0;
    });
}
/// (alignment, bytes)
void get_parameter_buffer(Warp& w, const Insn& insn) {
    constexpr std::uint64_t max = 1u << 20;
    each_call(w, insn, [](Call& call) -> std::uint64_t {
        const std::uint64_t bytes = call.argument(1);
        return bytes > max ? 0 : call.runtime().prepare(call.grid().memory, DeviceRequest{}, bytes);
    });
}
/// (buffer, stream)
DeviceError launch_v2(Call& call) {
    if (is_too_deep(call)) return DeviceError::LaunchMaxDepthExceeded;
    return call.runtime().launch(call.argument(0), call.argument(1));
}
/// (function, buffer, grid, block, shared bytes, stream)
DeviceError launch(Call& call) {
    if (is_too_deep(call)) return DeviceError::LaunchMaxDepthExceeded;
    const DeviceRequest described = request(call, 0, 2);
    return call.runtime().launch(call.argument(1), call.argument(5), &described);
}

/// (to, from, bytes, kind, stream)
DeviceError copy(Call& call) {
    DeviceRequest request;
    request.what = DeviceRequest::What::Copy;
    request.to = call.argument(0);
    request.from = call.argument(1);
    request.size = call.argument(2);
    return call.runtime().add(request, call.argument(4));
}
/// (to, byte, bytes, stream)
DeviceError fill(Call& call) {
    DeviceRequest request;
    request.what = DeviceRequest::What::Fill;
    request.to = call.argument(0);
    request.from = call.argument(1) & 0xff;
    request.size = call.argument(2);
    return call.runtime().add(request, call.argument(3));
}

/// (stream or event, flags)
DeviceError create(Call& call) {
    const std::uint64_t handle = call.runtime().new_handle();
    call.put(0, &handle, sizeof handle);
    return DeviceError::None;
}
DeviceError destroy(Call& call) {
    return call.runtime().destroy(call.argument(0));
}
/// Requests are carried out in order on all streams, so no event ever has to be waited for.
DeviceError nothing(Call&) {
    return DeviceError::None;
}

/// (address of the pointer, bytes)
DeviceError allocate(Call& call) {
    const std::uint64_t address = device_heap_allocate(call.grid().memory, call.argument(1), call.grid().heap_bytes);
    if (!address) return DeviceError::MemoryAllocation;
    call.put(0, &address, sizeof address);
    return DeviceError::None;
}
DeviceError release(Call& call) {
    return device_heap_free(call.grid().memory, call.argument(0)) ? DeviceError::None : DeviceError::InvalidValue;
}

template <bool Clears>
void last_error(Warp& w, const Insn& insn) {
    each_call(w, insn, [](Call& call) { return call.runtime().error(call.thread(), Clears); });
}

struct Function {
    std::string_view name;
    Handler handler;
};

// The functions with _ptsz are for programs with a per-thread default stream; device code has only one default stream.
constexpr Function functions[] = {
    {"GetParameterBuffer", get_parameter_buffer},
    {"GetParameterBufferV2", get_parameter_buffer_v2},
    {"LaunchDevice", checked<launch>},
    {"LaunchDeviceV2", checked<launch_v2>},
    {"MemcpyAsync", checked<copy>},
    {"MemsetAsync", checked<fill>},
    {"Malloc", checked<allocate>},
    {"Free", checked<release>},
    {"StreamCreateWithFlags", checked<create>},
    {"StreamDestroy", checked<destroy>},
    {"StreamWaitEvent", checked<nothing>},
    {"EventCreateWithFlags", checked<create>},
    {"EventRecord", checked<nothing>},
    {"EventRecordWithFlags", checked<nothing>},
    {"EventDestroy", checked<destroy>},
    {"GetLastError", last_error<true>},
    {"PeekAtLastError", last_error<false>},
};

}  // namespace

Handler find_device_runtime(std::string_view name) {
    constexpr std::string_view prefix = "__cudaCDP2", suffix = "_ptsz";
    if (!name.starts_with(prefix)) return nullptr;
    name.remove_prefix(prefix.size());
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
    for (const Function& function : functions)
        if (function.name == name) return function.handler;
    return nullptr;
}

}  // namespace cpu::exec
