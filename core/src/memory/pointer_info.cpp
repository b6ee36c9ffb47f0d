#include "pycuda/memory/pointer_info.hpp"

#include "driver/driver_table.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {

std::optional<PointerInfo> pointer_info(std::uint64_t address) {
    const auto& ask = driver().cuPointerGetAttribute;
    unsigned type = 0, managed = 0;
    PointerInfo info{};
    const CUresult result = ask.try_call(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (result == CUDA_ERROR_INVALID_VALUE) return std::nullopt;
    if (result != CUDA_SUCCESS) ask.fail(result, {});
    ask(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
    ask(&info.device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    ask(&info.context, CU_POINTER_ATTRIBUTE_CONTEXT, address);
    info.managed = managed != 0;
    info.on_host = type == CU_MEMORYTYPE_HOST && !info.managed;
    const CUresult mapped = ask.try_call(&info.device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address);
    if (mapped == CUDA_ERROR_INVALID_VALUE)  // page-locked memory that is not mapped into the current context
        info.device_pointer = 0;
    else if (mapped != CUDA_SUCCESS)
        ask.fail(mapped, {});
    return info;
}

void hand_over(DeviceMemory* memory, const CUstream* stream) {
    const std::shared_ptr<Context> context = memory ? memory->context() : Context::current();
    if (memory) static_cast<void>(memory->pointer());  // LogicError after free, which leaves no context
    const ContextScope scope(*context);
    if (!stream) return Context::synchronize();
    if (memory) static_cast<void>(memory->pointer_for(*stream));
    const auto order = context->attachment<StreamOrder>();
    order->order_after_epoch(*stream, order->epoch());
}

}  // namespace pycuda
