#include "api/abi.hpp"

#include "state/budget.hpp"
#include "state/device.hpp"
#include "state/textures/array.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

using namespace cpu::api;
using cpu::state::device;

namespace {

void copy_text(const std::string& text, char* out, int capacity) {
    require(out != nullptr && capacity > 0);
    const std::size_t length = std::min(text.size(), static_cast<std::size_t>(capacity) - 1);
    std::memcpy(out, text.data(), length);
    out[length] = '\0';
}

}  // namespace

CUresult cuInit(unsigned int Flags) {
    return entry_before_init("cuInit", [&] { cpu::state::initialize(Flags); });
}

CUresult cuDriverGetVersion(int* driverVersion) {
    return entry_before_init("cuDriverGetVersion", [&] { put(driverVersion, cpu::state::driver_version); });
}

CUresult cuDeviceGet(CUdevice* out, int ordinal) {
    return entry("cuDeviceGet", [&] { put(out, device(ordinal).ordinal()); });
}

CUresult cuDeviceGetCount(int* count) {
    return entry("cuDeviceGetCount", [&] { put(count, cpu::state::device_count()); });
}

CUresult cuDeviceGetName(char* name, int len, CUdevice dev) {
    return entry("cuDeviceGetName", [&] { copy_text(device(dev).name(), name, len); });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice dev) {
    return entry("cuDeviceGetUuid", [&] { put(uuid, device(dev).uuid()); });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev) {
    return cuDeviceGetUuid_v2(uuid, dev);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice dev) {
    return entry("cuDeviceTotalMem", [&] { put(bytes, device(dev).total_memory()); });
}

CUresult cuDeviceGetAttribute(int* pi, CUdevice_attribute attrib, CUdevice dev) {
    return entry("cuDeviceGetAttribute", [&] { put(pi, device(dev).attribute(attrib)); });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice dev) {
    return entry("cuDeviceComputeCapability", [&] {
        device(dev);
        put(major, cpu::state::compute_major);
        put(minor, cpu::state::compute_minor);
    });
}

CUresult cuDeviceGetProperties(CUdevprop* prop, CUdevice dev) {
    return entry("cuDeviceGetProperties", [&] {
        using namespace cpu::state;
        const Device& of = device(dev);
        require(prop != nullptr);
        *prop = {};
        prop->maxThreadsPerBlock = static_cast<int>(limits::threads_per_block);
        for (int i = 0; i < 3; ++i) {
            prop->maxThreadsDim[i] = static_cast<int>(limits::block[i]);
            prop->maxGridSize[i] = static_cast<int>(limits::grid[i]);
        }
        prop->sharedMemPerBlock = limits::shared_per_block;
        prop->totalConstantMemory = limits::constant_memory;
        prop->SIMDWidth = of.attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
        prop->memPitch = static_cast<int>(limits::maximum_pitch);
        prop->regsPerBlock = limits::registers;
        prop->clockRate = of.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        prop->textureAlign = static_cast<int>(limits::texture_alignment);
    });
}

CUresult cuDeviceGetPCIBusId(char* pciBusId, int len, CUdevice dev) {
    return entry("cuDeviceGetPCIBusId", [&] {
        const std::string id = device(dev).pci_bus_id();
        require(len > static_cast<int>(id.size()));  // a truncated name could be the name of another device
        copy_text(id, pciBusId, len);
    });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* dev, const char* pciBusId) {
    return entry("cuDeviceGetByPCIBusId", [&] {
        require(dev != nullptr && pciBusId != nullptr);
        // [domain:]bus:device[.function], all hexadecimal
        unsigned domain = 0, bus = 0, slot = 0, function = 0;
        if (std::sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
            domain = function = 0;
            require(std::sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) >= 2);
        }
        for (int i = 0; i < cpu::state::device_count(); ++i) {
            const auto own = static_cast<unsigned>(device(i).attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
            if (domain == 0 && bus == own && slot == 0 && function == 0) return put(dev, i);
        }
        fail(CUDA_ERROR_INVALID_DEVICE);
    });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format, unsigned numChannels,
                                            CUdevice dev) {
    return entry("cuDeviceGetTexture1DLinearMaxWidth", [&] {
        using namespace cpu::state;
        require(numChannels == 1 || numChannels == 2 || numChannels == 4);
        const std::size_t texel = channel_bytes(texel_format(format, numChannels).plain) * numChannels;
        device(dev);
        put(maxWidthInElements, std::min(limits::linear_texels, limits::linear_texture_bytes / texel));
    });
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target, CUflushGPUDirectRDMAWritesScope scope) {
    return entry("cuFlushGPUDirectRDMAWrites", [&] {
        require(target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX);
        require(scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER ||
                scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES);
        cpu::state::current_context();  // no other device writes to its memory
    });
}

CUresult cuDeviceGetExecAffinitySupport(int* pi, CUexecAffinityType, CUdevice dev) {
    return entry("cuDeviceGetExecAffinitySupport", [&] {
        device(dev);
        put(pi, 0);
    });
}

CUresult cuDeviceRegisterAsyncNotification(CUdevice dev, CUasyncCallback callbackFunc, void* userData,
                                           CUasyncCallbackHandle* callback) {
    return entry("cuDeviceRegisterAsyncNotification", [&] {
        require(callback != nullptr);
        *callback = cpu::state::budget::add(device(dev), callbackFunc, userData);
    });
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice dev, CUasyncCallbackHandle callback) {
    return entry("cuDeviceUnregisterAsyncNotification", [&] { cpu::state::budget::remove(device(dev), callback); });
}
