#include "state/memory/pointer_attributes.hpp"

#include "state/current_context.hpp"
#include "state/device.hpp"
#include "state/error.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/memory_pool.hpp"

namespace cpu::state {

namespace {

template <class T, class Value>
void write(void* data, Value value) {
    *static_cast<T*>(data) = (T)value;  // a cast that converts integers and pointers
}

/// Without a current context, no kernel could use it.
bool is_usable_here(const Allocation& held) {
    ContextStack& stack = ContextStack::of_this_thread();
    return !stack.top() || AddressSpace::instance().is_usable(held, *stack.live_top());
}

void describe(void* data, CUpointer_attribute attribute, CUdeviceptr pointer, const Allocation& held) {
    const bool managed = held.kind == Allocation::Kind::Managed;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
            return write<CUcontext>(data, held.named_context());
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return write<unsigned>(data, held.on_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            require(is_usable_here(held));
            return write<CUdeviceptr>(data, pointer);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            if (!held.on_host() && !managed) {
                write<void*>(data, nullptr);
                fail(CUDA_ERROR_INVALID_VALUE);
            }
            return write<void*>(data, pointer);
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
            return write<unsigned>(data, held.sync_memops);
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return write<unsigned long long>(data, held.id);
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return write<unsigned char>(data, managed);
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return write<int>(data, held.device->ordinal());
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
            return write<unsigned char>(data, held.kind == Allocation::Kind::Device && held.pool.expired());
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
            return write<CUdeviceptr>(data, held.base);
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return write<size_t>(data, held.size);
        case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
            return write<size_t>(data, held.block.address() ? held.block.size() : held.size);
        case CU_POINTER_ATTRIBUTE_MAPPED:
            return write<unsigned char>(data, 1);
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
            return write<unsigned long long>(data, 0);
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
            return write<unsigned char>(data, 0);
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            return write<unsigned>(data, held.read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                        : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: {
            const auto pool = held.pool.lock();
            return write<CUmemoryPool>(data, pool ? pool->handle : nullptr);
        }
        case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
            return write<unsigned long long>(data, held.id);
        case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
            return write<unsigned char>(data, 0);
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void describe_unknown(void* data, CUpointer_attribute attribute) {
    switch (attribute) {
        // The driver leaves these unchanged.
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return;
        case CU_POINTER_ATTRIBUTE_CONTEXT:
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
            return write<unsigned long long>(data, 0);
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
            return write<unsigned>(data, 0);
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return write<int>(data, -2);
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
        case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
            return write<unsigned char>(data, 0);
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

}  // namespace

void get_pointer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
    const auto held = AddressSpace::instance().find(pointer);
    require(held != nullptr);
    describe(data, attribute, pointer, *held);
}

void get_pointer_attribute_or_zero(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
    const auto held = AddressSpace::instance().find(pointer);
    const bool has_host_pointer = held && (held->on_host() || held->kind == Allocation::Kind::Managed);
    if (!held && attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) return write<CUdeviceptr>(data, pointer);
    const bool is_out_of_reach = held && attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER && !is_usable_here(*held);
    if (!held || is_out_of_reach || (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && !has_host_pointer))
        return describe_unknown(data, attribute);
    describe(data, attribute, pointer, *held);
}

void set_pointer_attribute(const void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
    require(value != nullptr && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
    const auto held = AddressSpace::instance().find(pointer);
    require(held != nullptr);
    require(held->access.empty(), CUDA_ERROR_NOT_SUPPORTED);  // virtual memory
    held->sync_memops = *static_cast<const unsigned*>(value) != 0;
}

}  // namespace cpu::state
