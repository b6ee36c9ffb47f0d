#include "api/abi.hpp"

#include "state/device.hpp"
#include "state/memory/address_space.hpp"

using namespace cpu::api;
using namespace cpu::state;

namespace {

bool can_access(const Device& viewer, const Device& owner) {
    return &viewer != &owner && !viewer.is_integrated();
}

}  // namespace

CUresult cuDeviceCanAccessPeer(int* canAccessPeer, CUdevice dev, CUdevice peerDev) {
    return entry("cuDeviceCanAccessPeer",
                 [&] { put(canAccessPeer, can_access(device(dev), device(peerDev)) ? 1 : 0); });
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags) {
    return entry("cuCtxEnablePeerAccess", [&] {
        require(Flags == 0);
        const std::shared_ptr<Context> viewer = current_context();
        const auto owner = contexts().get(peerContext, CUDA_ERROR_INVALID_CONTEXT);
        require(can_access(viewer->device(), owner->device()), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
        require(!viewer->is_peer(owner.get()), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
        AddressSpace::instance().set_peer(*viewer, *owner, true);
    });
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext) {
    return entry("cuCtxDisablePeerAccess", [&] {
        const std::shared_ptr<Context> viewer = current_context();
        const auto owner = contexts().get(peerContext, CUDA_ERROR_INVALID_CONTEXT);
        require(viewer->is_peer(owner.get()), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
        viewer->synchronize();
        AddressSpace::instance().set_peer(*viewer, *owner, false);
    });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice) {
    return entry("cuDeviceGetP2PAttribute", [&] {
        require(value != nullptr);
        require(&device(srcDevice) != &device(dstDevice), CUDA_ERROR_INVALID_DEVICE);
        switch (attrib) {
            case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
                return put(value, 0);
            case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
            case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
            case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
                return put(value, can_access(device(srcDevice), device(dstDevice)) ? 1 : 0);
            case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
                return put(value, 0);
        }
        fail(CUDA_ERROR_INVALID_VALUE);
    });
}

namespace {

/// What the processor's atomic operations can do, which kernels' operations become.
unsigned capabilities_of(CUatomicOperation operation) {
    constexpr unsigned sizes = CU_ATOMIC_CAPABILITY_SCALAR_32 | CU_ATOMIC_CAPABILITY_SCALAR_64;
    constexpr unsigned both = CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_UNSIGNED;
    switch (operation) {
        case CU_ATOMIC_OPERATION_INTEGER_ADD:
        case CU_ATOMIC_OPERATION_INTEGER_MIN:
        case CU_ATOMIC_OPERATION_INTEGER_MAX:
            return both | CU_ATOMIC_CAPABILITY_REDUCTION | sizes;
        case CU_ATOMIC_OPERATION_INTEGER_INCREMENT:
        case CU_ATOMIC_OPERATION_INTEGER_DECREMENT:
            return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | CU_ATOMIC_CAPABILITY_SCALAR_32;
        case CU_ATOMIC_OPERATION_AND:
        case CU_ATOMIC_OPERATION_OR:
        case CU_ATOMIC_OPERATION_XOR:
            return CU_ATOMIC_CAPABILITY_UNSIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | sizes;
        case CU_ATOMIC_OPERATION_EXCHANGE:
        case CU_ATOMIC_OPERATION_CAS:
            return CU_ATOMIC_CAPABILITY_UNSIGNED | sizes | CU_ATOMIC_CAPABILITY_SCALAR_128;
        case CU_ATOMIC_OPERATION_FLOAT_ADD:
            return CU_ATOMIC_CAPABILITY_SIGNED | CU_ATOMIC_CAPABILITY_REDUCTION | sizes;
        case CU_ATOMIC_OPERATION_FLOAT_MIN:
        case CU_ATOMIC_OPERATION_FLOAT_MAX:
            return 0;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void put_capabilities(unsigned* capabilities, const CUatomicOperation* operations, unsigned count, bool reachable) {
    require(capabilities != nullptr && operations != nullptr && count > 0);
    for (unsigned k = 0; k < count; ++k) {
        const unsigned all = capabilities_of(operations[k]);
        capabilities[k] = reachable ? all : 0;
    }
}

}  // namespace

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned int* capabilities, const CUatomicOperation* operations,
                                          unsigned int count, CUdevice srcDevice, CUdevice dstDevice) {
    return entry("cuDeviceGetP2PAtomicCapabilities", [&] {
        const auto &from = device(srcDevice), &to = device(dstDevice);
        require(&from != &to, CUDA_ERROR_INVALID_DEVICE);
        put_capabilities(capabilities, operations, count, can_access(from, to));
    });
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned int* capabilities, const CUatomicOperation* operations,
                                           unsigned int count, CUdevice dev) {
    return entry("cuDeviceGetHostAtomicCapabilities", [&] {
        device(dev);
        put_capabilities(capabilities, operations, count, true);
    });
}
