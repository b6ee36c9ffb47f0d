#include "pycuda/devices/device.hpp"

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

int ask(CUdevice device, DeviceAttribute attribute) {
    int value = 0;
    const CUresult result =
        driver().cuDeviceGetAttribute.try_call(&value, static_cast<CUdevice_attribute>(attribute), device);
    if (result != CUDA_SUCCESS)
        driver().cuDeviceGetAttribute.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

}  // namespace

Device::Device(int ordinal) : device_(0) {
    if (const CUresult result = driver().cuDeviceGet.try_call(&device_, ordinal))
        driver().cuDeviceGet.fail(result, result == CUDA_ERROR_INVALID_DEVICE
                                              ? "device " + std::to_string(ordinal) + " of " + std::to_string(count())
                                              : "");
}

Device::Device(const std::string& pci_bus_id) : device_(0) {
    if (const CUresult result = driver().cuDeviceGetByPCIBusId.try_call(&device_, pci_bus_id.c_str()))
        driver().cuDeviceGetByPCIBusId.fail(result, "no device at '" + pci_bus_id + "'");
}

int Device::count() {
    int count = 0;
    driver().cuDeviceGetCount(&count);
    return count;
}

std::string Device::name() const {
    char name[256] = {};
    driver().cuDeviceGetName(name, sizeof name, device_);
    return name;
}

std::string Device::pci_bus_id() const {
    char id[32] = {};
    driver().cuDeviceGetPCIBusId(id, sizeof id, device_);
    return id;
}

ComputeCapability Device::compute_capability() const {
    return {ask(device_, DeviceAttribute::COMPUTE_CAPABILITY_MAJOR),
            ask(device_, DeviceAttribute::COMPUTE_CAPABILITY_MINOR)};
}

std::size_t Device::total_memory() const {
    std::size_t bytes = 0;
    driver().cuDeviceTotalMem(&bytes, device_);
    return bytes;
}

int Device::get_attribute(DeviceAttribute attribute) const {
    return ask(device_, attribute);
}

std::vector<std::pair<DeviceAttribute, int>> Device::get_attributes() const {
    std::vector<std::pair<DeviceAttribute, int>> known;
    const auto add = [&](DeviceAttribute attribute) {
        int value = 0;
        const auto driver_attribute = static_cast<CUdevice_attribute>(attribute);
        const CUresult result = driver().cuDeviceGetAttribute.try_call(&value, driver_attribute, device_);
        if (result == CUDA_SUCCESS) known.emplace_back(attribute, value);
        // Drivers report attributes that they do not know as an invalid value.
        if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_NOT_SUPPORTED)
            driver().cuDeviceGetAttribute.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    };
    for (const EnumTable& table : enum_tables())
        if (std::string_view(table.cpp_name) == "DeviceAttribute")
            for (const EnumValue& value : table.values)
                if (!value.alias) add(static_cast<DeviceAttribute>(value.value));
    return known;
}

bool Device::can_access_peer(const Device& peer) const {
    int can = 0;
    driver().cuDeviceCanAccessPeer(&can, device_, peer.device_);
    return can != 0;
}

}  // namespace pycuda
