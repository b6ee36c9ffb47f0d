#include "state/memory/residency.hpp"

#include "platform/pages.hpp"
#include "state/error.hpp"
#include "state/memory/address_space.hpp"

#include <algorithm>
#include <map>

namespace cpu::state::residency {

namespace {

/// CU_DEVICE_INVALID: nowhere yet.
Location location_of_page(std::uintptr_t address) {
    const auto resident = platform::is_resident(reinterpret_cast<const void*>(address));
    require(resident.has_value());
    return *resident ? CU_DEVICE_CPU : CU_DEVICE_INVALID;
}

CUmemLocation described(Location location) {
    if (location >= 0) return {CU_MEM_LOCATION_TYPE_DEVICE, location};
    return {location == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_NONE, 0};
}

}  // namespace

void tell(CUdeviceptr address, std::size_t bytes, std::size_t region, std::size_t sampling, CUmemLocation* out) {
    require(out != nullptr && region > 0 && region <= bytes && sampling <= region && bytes <= SIZE_MAX - address);
    if (sampling == 0) sampling = std::min(page_size(), region);
    const auto held = AddressSpace::instance().first_in(address, bytes);
    if (held) {
        require(held->kind == Allocation::Kind::Managed);
        require(AddressSpace::instance().find(address, bytes) == held);
    }
    for (std::size_t begin = 0; begin < bytes; begin += std::min(region, bytes - begin)) {
        const std::size_t end = begin + std::min(region, bytes - begin);
        std::map<Location, std::size_t> samples;
        for (std::size_t at = begin; at < end; at += std::min(sampling, end - at)) {
            const Location moved = held ? held->advice->prefetched_at(address - held->base + at) : CU_DEVICE_INVALID;
            ++samples[moved != CU_DEVICE_INVALID ? moved : location_of_page(address + at)];
        }
        const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
        *out++ = described(std::max_element(samples.begin(), samples.end(), fewer)->first);
    }
}

}  // namespace cpu::state::residency
