#include "state/device.hpp"

#include "exec/environment.hpp"
#include "platform/processors.hpp"
#include "state/budget.hpp"
#include "state/error.hpp"
#include "state/initialization.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace cpu::state {

namespace {

constexpr int max_devices = 64;

int wanted_devices() {
    return exec::environment_number("PYCUDA_CPU_DEVICES", 0, max_devices, "a number of devices from 0 to 64")
        .value_or(1);
}

std::size_t memory_of_one(int count) {
    const std::string text = platform::environment("PYCUDA_CPU_MEMORY");
    if (const auto bytes = parse_bytes(text)) return *bytes;
    if (!text.empty()) exec::ignore_setting("PYCUDA_CPU_MEMORY", text, "a byte count");
    return platform::physical_memory() / 2 / static_cast<std::size_t>(std::max(count, 1));
}

const std::vector<std::unique_ptr<Device>>& all_devices() {
    static const auto* const list = [] {
        auto* made = new std::vector<std::unique_ptr<Device>>;
        const int count = wanted_devices();
        for (int i = 0; i < count; ++i) made->push_back(std::make_unique<Device>(i, count));
        return made;
    }();
    return *list;
}

}  // namespace

Device::Device(int ordinal, int count)
    : ordinal_(ordinal),
      integrated_(exec::environment_is("PYCUDA_CPU_MODEL", "integrated")),
      total_(memory_of_one(count)) {
    const unsigned cores = platform::usable_processors();
    name_ =
        "PyCUDA CPU device (" + std::to_string(cores) + (cores == 1 ? " core, " : " cores, ") + instruction_set() + ")";
}

CUuuid Device::uuid() const noexcept {
    CUuuid uuid{};
    std::memcpy(uuid.bytes, "pycuda-cpu-", 11);
    uuid.bytes[15] = static_cast<char>(ordinal_);
    return uuid;
}

std::string Device::pci_bus_id() const {
    char text[32];
    std::snprintf(text, sizeof text, "0000:%02X:00.0", attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID));
    return text;
}

bool Device::reserve(std::size_t bytes) noexcept {
    std::size_t used = used_.load();
    do {
        if (bytes > total_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes));
    budget::memory_was_taken(*this, used, used + bytes);
    return true;
}

int device_count() {
    return static_cast<int>(all_devices().size());
}

Device& device(CUdevice ordinal) {
    const auto& list = all_devices();
    if (ordinal < 0 || ordinal >= static_cast<int>(list.size())) fail(CUDA_ERROR_INVALID_DEVICE);
    return *list[static_cast<std::size_t>(ordinal)];
}

}  // namespace cpu::state
