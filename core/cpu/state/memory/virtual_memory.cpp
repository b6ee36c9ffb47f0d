#include "state/memory/virtual_memory.hpp"

#include "platform/pages.hpp"
#include "platform/processors.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/page_block.hpp"
#include "state/memory/size_math.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace cpu::state {

namespace {

/// The contents of the file's last page, for processes that import it.
struct Trailer {
    char kind[24] = "pycuda-cpu-physical";
    CUmemAllocationProp properties{};
    std::uint64_t size = 0;
};

}  // namespace

PhysicalMemory::PhysicalMemory(const CUmemAllocationProp& properties, std::size_t size)
    : properties_(properties), size_(size) {
    require(size > 0 && size % virtual_memory::granularity == 0);
    Device* const owner =
        properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? &device(properties.location.id) : nullptr;
    require(size <= (owner ? owner->total_memory() : platform::physical_memory()), CUDA_ERROR_OUT_OF_MEMORY);
    require(!owner || owner->reserve(size), CUDA_ERROR_OUT_OF_MEMORY);
    charged_ = owner;
    try {
        file_ = SharedFile(size + page_size());
        Trailer trailer;
        trailer.properties = properties;
        trailer.size = size;
        file_.write(size, &trailer, sizeof trailer);
    } catch (...) {
        if (owner) owner->release(size);
        throw;
    }
}

PhysicalMemory::PhysicalMemory(int descriptor) : file_(SharedFile::copy_of(descriptor)) {
    const Trailer wanted;
    Trailer seen;
    require(file_.size() > page_size());
    const std::size_t at = file_.size() - page_size();
    require(file_.read(at, &seen, sizeof seen));
    require(std::memcmp(seen.kind, wanted.kind, sizeof seen.kind) == 0 && seen.size == at);
    properties_ = seen.properties;
    size_ = seen.size;
}

PhysicalMemory::~PhysicalMemory() {
    if (charged_) charged_->release(size_);
}

int PhysicalMemory::export_descriptor() const {
    require((properties_.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0);
    return file_.new_descriptor();
}

namespace virtual_memory {

namespace {

struct Mapping {
    std::size_t size;
    std::shared_ptr<PhysicalMemory> memory;
    std::vector<CUmemAccess_flags> access;  ///< by device
};

struct Reservation {
    std::size_t size;
    std::map<std::uintptr_t, Mapping> mappings;
    std::vector<std::uintptr_t> runs;  ///< start addresses of the ranges in the address space
};

struct Reservations {
    std::mutex mutex;
    std::map<std::uintptr_t, Reservation> all;

    /// The reservation that contains the whole range.
    Reservation& holding(std::uintptr_t address, std::size_t size) {
        const auto next = all.upper_bound(address);
        require(next != all.begin());
        auto& [base, reservation] = *std::prev(next);
        require(address - base < reservation.size && size <= reservation.size - (address - base));
        return reservation;
    }
};

Reservations& reservations() {
    static auto* const instance = new Reservations;
    return *instance;
}

using Mappings = std::map<std::uintptr_t, Mapping>;

/// The mappings that make up the range exactly, without gaps.
std::vector<Mappings::iterator> whole_mappings(Reservation& reservation, std::uintptr_t address, std::size_t size) {
    std::vector<Mappings::iterator> found;
    for (std::uintptr_t at = address; at < address + size; at += found.back()->second.size) {
        const auto mapping = reservation.mappings.find(at);
        require(mapping != reservation.mappings.end() && mapping->second.size <= address + size - at);
        found.push_back(mapping);
    }
    return found;
}

/// The mappings within the range, which may have gaps but must not cut a mapping.
std::vector<Mappings::iterator> mappings_within(Reservation& reservation, std::uintptr_t address, std::size_t size) {
    std::vector<Mappings::iterator> found;
    auto next = reservation.mappings.lower_bound(address);
    if (next != reservation.mappings.begin()) {
        const auto& [base, before] = *std::prev(next);
        require(base + before.size <= address);
    }
    for (; next != reservation.mappings.end() && next->first < address + size; ++next) {
        require(next->first + next->second.size <= address + size);
        found.push_back(next);
    }
    return found;
}

bool is_accessible(const Mapping& mapping) {
    return std::any_of(mapping.access.begin(), mapping.access.end(),
                       [](CUmemAccess_flags flags) { return flags != CU_MEM_ACCESS_FLAGS_PROT_NONE; });
}

/// Adjacent mappings with the same access become one allocation, because copies may span them.
std::vector<std::shared_ptr<Allocation>> runs_of(const Reservation& reservation) {
    std::vector<std::shared_ptr<Allocation>> runs;
    for (const auto& [base, mapping] : reservation.mappings) {
        if (!is_accessible(mapping)) continue;
        if (!runs.empty() && runs.back()->base + runs.back()->size == base && runs.back()->access == mapping.access) {
            runs.back()->size += mapping.size;
            continue;
        }
        const CUmemLocation& location = mapping.memory->properties().location;
        auto made = std::make_shared<Allocation>();
        made->base = base;
        made->size = mapping.size;
        made->imported = true;  // neither cuMemFree nor IPC handles accept it, and other processes may write to it
        made->device = &device(location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id : 0);
        made->access = mapping.access;
        runs.push_back(std::move(made));
    }
    return runs;
}

void update(Reservation& reservation) {
    const auto runs = runs_of(reservation);
    AddressSpace::instance().replace(reservation.runs, runs);
    reservation.runs.clear();
    for (const auto& run : runs) reservation.runs.push_back(run->base);
}

void* pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);
}

Registry<PhysicalMemory, CUmemGenericAllocationHandle>& handles() {
    return registry<PhysicalMemory, CUmemGenericAllocationHandle>();
}

CUmemGenericAllocationHandle registered(const std::shared_ptr<PhysicalMemory>& memory) {
    memory->handle = new_handle_value();
    handles().add_as(memory->handle, memory);
    return memory->handle;
}

}  // namespace

CUmemGenericAllocationHandle create(const CUmemAllocationProp& properties, std::size_t size) {
    return registered(std::make_shared<PhysicalMemory>(properties, size));
}

CUmemGenericAllocationHandle import(int descriptor) {
    return registered(std::make_shared<PhysicalMemory>(descriptor));
}

std::shared_ptr<PhysicalMemory> memory_of(CUmemGenericAllocationHandle handle) {
    return handles().get(handle, CUDA_ERROR_INVALID_VALUE);
}

void release(CUmemGenericAllocationHandle handle) {
    const std::lock_guard lock(reservations().mutex);
    if (--memory_of(handle)->references == 0) handles().take(handle);
}

CUmemGenericAllocationHandle retain(CUdeviceptr address) {
    const std::lock_guard lock(reservations().mutex);
    Reservation& reservation = reservations().holding(address, 1);
    const auto next = reservation.mappings.upper_bound(address);
    require(next != reservation.mappings.begin());
    const auto& [base, mapping] = *std::prev(next);
    require(address - base < mapping.size);
    if (mapping.memory->references++ == 0) handles().add_as(mapping.memory->handle, mapping.memory);
    return mapping.memory->handle;
}

CUdeviceptr reserve(std::size_t size, std::size_t alignment, CUdeviceptr wanted) {
    require(size > 0 && size % granularity == 0 && (alignment & (alignment - 1)) == 0);
    const std::size_t step = std::max(alignment, granularity);
    void* made = nullptr;
    if (wanted != 0 && wanted % step == 0) made = platform::reserve_addresses_at(pointer(wanted), size);
    if (!made) made = platform::reserve_aligned_addresses(size, sum(size, step) - size);
    require(made != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
    const auto base = reinterpret_cast<std::uintptr_t>(made);
    const std::lock_guard lock(reservations().mutex);
    reservations().all[base] = {size, {}, {}};
    return base;
}

void free(CUdeviceptr address, std::size_t size) {
    const std::lock_guard lock(reservations().mutex);
    const auto found = reservations().all.find(address);
    require(found != reservations().all.end() && found->second.size == size && found->second.mappings.empty());
    reservations().all.erase(found);
    platform::unmap_pages(pointer(address), size);
}

void map(CUdeviceptr address, std::size_t size, const std::shared_ptr<PhysicalMemory>& memory) {
    require(size > 0 && size % granularity == 0 && address % granularity == 0);
    require(size <= memory->size(), CUDA_ERROR_NOT_SUPPORTED);
    const std::lock_guard lock(reservations().mutex);
    Reservation& reservation = reservations().holding(address, size);
    const auto next = reservation.mappings.lower_bound(address);
    require(next == reservation.mappings.end() || next->first >= address + size);
    if (next != reservation.mappings.begin()) {
        const auto& [base, before] = *std::prev(next);
        require(base + before.size <= address);
    }
    memory->file().map_at(pointer(address), size);
    reservation.mappings[address] = {
        size, memory, std::vector(static_cast<std::size_t>(device_count()), CU_MEM_ACCESS_FLAGS_PROT_NONE)};
}

void unmap(CUdeviceptr address, std::size_t size) {
    require(size > 0);
    std::vector<std::shared_ptr<PhysicalMemory>> released;
    {
        const std::lock_guard lock(reservations().mutex);
        Reservation& reservation = reservations().holding(address, size);
        // Kernels that start from now on find nothing there; running ones are waited for.
        for (const auto& mapping : mappings_within(reservation, address, size)) {
            released.push_back(mapping->second.memory);
            std::fill(mapping->second.access.begin(), mapping->second.access.end(), CU_MEM_ACCESS_FLAGS_PROT_NONE);
        }
        update(reservation);
    }
    for (const auto& context : contexts().all()) context->synchronize();
    const std::lock_guard lock(reservations().mutex);
    Reservation& reservation = reservations().holding(address, size);
    for (const auto& mapping : mappings_within(reservation, address, size)) reservation.mappings.erase(mapping);
    require(platform::take_pages_away(pointer(address), size), CUDA_ERROR_OPERATING_SYSTEM);
}

void set_access(CUdeviceptr address, std::size_t size, int device, CUmemAccess_flags flags) {
    require(size > 0);
    const std::lock_guard lock(reservations().mutex);
    Reservation& reservation = reservations().holding(address, size);
    for (const auto& mapping : whole_mappings(reservation, address, size))
        mapping->second.access[static_cast<std::size_t>(device)] = flags;
    update(reservation);
}

CUmemAccess_flags access(CUdeviceptr address, int device) {
    const std::lock_guard lock(reservations().mutex);
    const Reservation& reservation = reservations().holding(address, 1);
    const auto next = reservation.mappings.upper_bound(address);
    require(next != reservation.mappings.begin());
    const auto& [base, mapping] = *std::prev(next);
    require(address - base < mapping.size);
    return mapping.access[static_cast<std::size_t>(device)];
}

void require_mapped(CUdeviceptr address, std::size_t size) {
    const std::lock_guard lock(reservations().mutex);
    static_cast<void>(whole_mappings(reservations().holding(address, size), address, size));
}

}  // namespace virtual_memory

}  // namespace cpu::state
