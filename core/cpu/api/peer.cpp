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
