#include "pycuda/devices/device.hpp"

#include <cstdio>

#include "driver/driver_table.hpp"

namespace pycuda {
namespace {

void tell_over_budget(CUasyncNotificationInfo* info, void* user, CUasyncCallbackHandle) {
    if (info->type == CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET)
        DriverCallback::call(user, static_cast<std::int64_t>(info->info.overBudget.bytesOverBudget), 0);
}

int ask(CUdevice device, DeviceAttribute attribute) {
    int value = 0;
    const CUresult result =
        driver().cuDeviceGetAttribute.try_call(&value, static_cast<CUdevice_attribute>(attribute), device);
    if (result != CUDA_SUCCESS)
        driver().cuDeviceGetAttribute.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return value;
}

std::string link_text(CUdevice from, CUdevice to) {
    return "from device " + std::to_string(from) + " to device " + std::to_string(to);
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

DriverCallback Device::on_over_budget(std::function<void(std::uint64_t)> listener) const {
    const auto call = [listener = std::move(listener)](std::int64_t bytes, std::int64_t) {
        listener(static_cast<std::uint64_t>(bytes));
    };
    return DriverCallback::begin(call, [device = device_](void* user) -> DriverCallback::End {
        CUasyncCallbackHandle handle = nullptr;
        driver().cuDeviceRegisterAsyncNotification(device, &tell_over_budget, user, &handle);
        return [device, handle] { driver().cuDeviceUnregisterAsyncNotification(device, handle); };
    });
}

std::string Device::uuid() const {
    CUuuid id{};
    driver().cuDeviceGetUuid(&id, device_);
    std::string text;
    for (std::size_t i = 0; i < sizeof id.bytes; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(id.bytes[i]));
        text += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(digits);
    }
    return text;
}

std::size_t Device::max_linear_texture_width(ArrayFormat format, unsigned num_channels) const {
    std::size_t texels = 0;
    const auto& ask = driver().cuDeviceGetTexture1DLinearMaxWidth;
    if (const CUresult result = ask.try_call(&texels, static_cast<CUarray_format>(format), num_channels, device_))
        ask.fail(result,
                 std::to_string(num_channels) + " channels of format " + std::to_string(static_cast<int>(format)));
    return texels;
}

int Device::get_p2p_attribute(DeviceP2pAttribute attribute, const Device& peer) const {
    int value = 0;
    const auto& ask = driver().cuDeviceGetP2PAttribute;
    if (const CUresult result =
            ask.try_call(&value, static_cast<CUdevice_P2PAttribute>(attribute), device_, peer.device_))
        ask.fail(result,
                 "attribute " + std::to_string(static_cast<int>(attribute)) + ", " + link_text(device_, peer.device_));
    return value;
}

unsigned Device::get_p2p_atomic_capabilities(AtomicOperation operation, const Device& peer) const {
    unsigned capabilities = 0;
    const auto asked = static_cast<CUatomicOperation>(operation);
    const auto& ask = driver().cuDeviceGetP2PAtomicCapabilities;
    if (const CUresult result = ask.try_call(&capabilities, &asked, 1, device_, peer.device_))
        ask.fail(result, "operation " + std::to_string(asked) + ", " + link_text(device_, peer.device_));
    return capabilities;
}

unsigned Device::get_host_atomic_capabilities(AtomicOperation operation) const {
    unsigned capabilities = 0;
    const auto asked = static_cast<CUatomicOperation>(operation);
    const auto& ask = driver().cuDeviceGetHostAtomicCapabilities;
    if (const CUresult result = ask.try_call(&capabilities, &asked, 1, device_))
        ask.fail(result, "operation " + std::to_string(asked));
    return capabilities;
}

std::size_t Device::get_graph_memory(GraphMemAttribute attribute) const {
    cuuint64_t bytes = 0;
    const auto& ask = driver().cuDeviceGetGraphMemAttribute;
    if (const CUresult result = ask.try_call(device_, static_cast<CUgraphMem_attribute>(attribute), &bytes))
        ask.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)));
    return bytes;
}

void Device::reset_graph_memory(GraphMemAttribute attribute) const {
    cuuint64_t nothing = 0;
    const auto& set = driver().cuDeviceSetGraphMemAttribute;
    if (const CUresult result = set.try_call(device_, static_cast<CUgraphMem_attribute>(attribute), &nothing))
        set.fail(result, "attribute " + std::to_string(static_cast<int>(attribute)) +
                             ": only the maxima USED_MEM_HIGH and RESERVED_MEM_HIGH can be reset");
}

void Device::trim_graph_memory() const {
    driver().cuDeviceGraphMemTrim(device_);
}

bool Device::supports_execution_affinity(ExecAffinityType type) const {
    int supported = 0;
    driver().cuDeviceGetExecAffinitySupport(&supported, static_cast<CUexecAffinityType>(type), device_);
    return supported != 0;
}

unsigned Device::get_primary_context_flags() const {
    unsigned flags = 0;
    int active = 0;
    driver().cuDevicePrimaryCtxGetState(device_, &flags, &active);
    return flags;
}

void Device::set_primary_context_flags(unsigned flags) const {
    const auto& set = driver().cuDevicePrimaryCtxSetFlags;
    if (const CUresult result = set.try_call(device_, flags)) set.fail(result, "flags " + std::to_string(flags));
}

bool Device::can_access_peer(const Device& peer) const {
    int can = 0;
    driver().cuDeviceCanAccessPeer(&can, device_, peer.device_);
    return can != 0;
}

}  // namespace pycuda
