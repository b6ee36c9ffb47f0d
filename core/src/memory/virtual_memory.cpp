#include "pycuda/memory/virtual_memory.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>

#include "captures/used_by_graphs.hpp"
#include "driver/driver_table.hpp"
#include "memory/memory_location.hpp"
#include "memory/out_of_memory.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/drop_when_idle.hpp"

namespace pycuda {
namespace {

std::atomic<long>& live_virtual_memory() {
    static std::atomic<long>& counter = live_handle_counter(VirtualMemory::name);
    return counter;
}

CUmemAllocationProp properties_of(MemLocationType location, int id, MemAllocationHandleType handle_type) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = static_cast<CUmemAllocationHandleType>(handle_type);
    properties.location = memory_location(location, id);
    return properties;
}

std::size_t granularity_of(const CUmemAllocationProp& properties, MemAllocationGranularity which) {
    std::size_t granularity = 0;
    const auto& call = driver().cuMemGetAllocationGranularity;
    const auto option = static_cast<CUmemAllocationGranularity_flags>(which);
    if (const CUresult result = call.try_call(&granularity, &properties, option))
        call.fail(result, location_text(properties.location));
    return granularity;
}

std::size_t rounded(std::size_t bytes, std::size_t granularity) {
    if (bytes > SIZE_MAX - granularity) driver().cuMemAddressReserve.fail(CUDA_ERROR_OUT_OF_MEMORY, asked_for(bytes));
    return (bytes + granularity - 1) / granularity * granularity;
}

}  // namespace

/// Addresses belong to the process: they are released even if the context has ended.
struct VirtualMemory::Range {
    DevicePtr address;
    std::size_t size;
    Range(DevicePtr at, std::size_t bytes) noexcept : address(at), size(bytes) {}
    ~Range() {
        clean_up_unlocked([at = address, bytes = size] { driver().cuMemAddressFree.clean_up(at, bytes); });
    }
};

struct VirtualMemory::Mapping {
    std::shared_ptr<const Range> range;
    DevicePtr address;
    std::size_t size;
    ~Mapping() { driver().cuMemUnmap.clean_up(address, size); }
};

/// A mapping in use by its VirtualMemory and by graphs. Afterwards it ends as soon as all work of the context is done.
struct VirtualMemory::Piece {
    std::shared_ptr<Context> context;
    std::shared_ptr<Mapping> mapping;

    Piece(std::shared_ptr<Context> of, std::shared_ptr<Mapping> made) noexcept
        : context(std::move(of)), mapping(std::move(made)) {}
    ~Piece() {
        clean_up_unlocked([owner = std::move(context), last = std::move(mapping)]() mutable {
            drop_when_idle(*owner, std::move(last));
        });
    }
    std::size_t size() const noexcept { return mapping->size; }
};

void PhysicalMemoryTraits::destroy(CUmemGenericAllocationHandle memory) noexcept {
    driver().cuMemRelease.clean_up(memory);
}

PhysicalMemory::PhysicalMemory(std::size_t size, MemLocationType location, int id, MemAllocationHandleType handle_type)
    : PhysicalMemory(size, properties_of(location, id, handle_type)) {}

PhysicalMemory PhysicalMemory::tile_pool(std::size_t size, int device) {
    CUmemAllocationProp properties = properties_of(MemLocationType::DEVICE, device, MemAllocationHandleType::NONE);
    properties.allocFlags.usage = CU_MEM_CREATE_USAGE_TILE_POOL;
    return {size, properties};
}

PhysicalMemory::PhysicalMemory(std::size_t size, const CUmemAllocationProp& properties) {
    const auto& call = driver().cuMemCreate;
    if (size == 0) call.fail(CUDA_ERROR_INVALID_VALUE, asked_for(0) + ", at least 1 is needed");
    size_ = rounded(size, granularity_of(properties, MemAllocationGranularity::MINIMUM));
    device_ = properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? properties.location.id : -1;
    CUmemGenericAllocationHandle memory = 0;
    if (const CUresult result = with_room_made([&] { return call.try_call(&memory, size_, &properties, 0); }))
        call.fail(result, asked_for(size) + ", " + location_text(properties.location) + shortage_text(result, size));
    memory_ = {memory, nullptr};
}

int PhysicalMemory::export_descriptor() const {
    int descriptor = -1;
    const auto& call = driver().cuMemExportToShareableHandle;
    if (const CUresult result = call.try_call(&descriptor, use(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        call.fail(result, "only memory that was made with handle type POSIX_FILE_DESCRIPTOR can be exported");
    return descriptor;
}

PhysicalMemory PhysicalMemory::import_descriptor(int descriptor, std::size_t size) {
    CUmemGenericAllocationHandle memory = 0;
    const auto& call = driver().cuMemImportFromShareableHandle;
    void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
    if (const CUresult result = call.try_call(&memory, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
        call.fail(result, "file descriptor " + std::to_string(descriptor) + " must be of memory that was exported");
    return with_properties(memory, size);
}

PhysicalMemory PhysicalMemory::of_address(DevicePtr devptr, std::size_t size) {
    CUmemGenericAllocationHandle memory = 0;
    const auto& call = driver().cuMemRetainAllocationHandle;
    if (const CUresult result = call.try_call(&memory, reinterpret_cast<void*>(devptr)))
        call.fail(result, "no physical memory is mapped at " + std::to_string(devptr));
    return with_properties(memory, size);
}

PhysicalMemory PhysicalMemory::with_properties(CUmemGenericAllocationHandle memory, std::size_t size) {
    Handle<PhysicalMemoryTraits> owner(memory, nullptr);
    CUmemAllocationProp properties{};
    driver().cuMemGetAllocationPropertiesFromHandle(&properties, memory);
    return {std::move(owner), size,
            properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? properties.location.id : -1};
}

std::size_t PhysicalMemory::granularity(MemAllocationGranularity which, int device) {
    return granularity_of(properties_of(MemLocationType::DEVICE, device, MemAllocationHandleType::NONE), which);
}

VirtualMemory::VirtualMemory(std::size_t size, std::size_t reserve, MemAllocationHandleType handle_type)
    : context_(Context::current()), handle_type_(handle_type), device_(Context::get_device().handle()) {
    const CUmemAllocationProp properties = properties_of(MemLocationType::DEVICE, device_, handle_type);
    granularity_ = granularity_of(properties, MemAllocationGranularity::RECOMMENDED);
    if (reserve == 0) reserve = std::max(size, mem_get_info().total);
    const auto& call = driver().cuMemAddressReserve;
    reserved_ = rounded(reserve, granularity_);
    CUdeviceptr address = 0;
    if (const CUresult result = call.try_call(&address, reserved_, granularity_, 0, 0))
        call.fail(result, "asked for " + std::to_string(reserved_) + " bytes of addresses");
    try {
        range_ = std::make_shared<const Range>(address, reserved_);
    } catch (...) {
        driver().cuMemAddressFree.clean_up(address, reserved_);
        throw;
    }
    address_ = address;
    open_ = true;
    ++live_virtual_memory();
    devices_[device_] = MemAccessFlags::READWRITE;
    try {
        resize(size);
    } catch (...) {
        release();
        throw;
    }
}

DevicePtr VirtualMemory::pointer() const {
    require_open();
    return noted(address_);
}

std::size_t VirtualMemory::size() const noexcept {
    const std::lock_guard lock(mutex_);
    return size_;
}

std::shared_ptr<Context> VirtualMemory::context() const noexcept {
    return is_closed() ? nullptr : context_;
}

bool VirtualMemory::is_closed() const noexcept {
    return !open_.load(std::memory_order_acquire);
}

std::size_t VirtualMemory::mapped() const noexcept {
    const std::lock_guard lock(mutex_);
    return bytes_mapped();
}

/// With the lock held.
std::size_t VirtualMemory::bytes_mapped() const noexcept {
    return std::accumulate(pieces_.begin(), pieces_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& piece) { return sum + piece->size(); });
}

void VirtualMemory::require_open() const {
    if (is_closed()) raise_closed(name);
    if (!context_->is_valid()) raise_context_gone(name);
}

void VirtualMemory::resize(std::size_t size) {
    require_open();
    const ContextScope scope(*context_);
    if (size > reserved_)
        throw LogicError("VirtualMemory.resize", 0,
                         "asked for " + std::to_string(size) + " bytes, " + std::to_string(reserved_) +
                             " are reserved: reserve more when the memory is made");
    if (HeldEnds::any() && size < mapped())
        throw LogicError(
            "VirtualMemory.resize", 0,
            "a pointer holder cannot shrink memory while a call asks for its address: the call may use it");
    if (size <= mapped()) unmap_behind(size);
    for (std::size_t there = mapped(); size > there; there = mapped())
        if (const std::size_t missing = reclaim_mapped(rounded(size - there, granularity_)))
            append(PhysicalMemory(missing, MemLocationType::DEVICE, device_, handle_type_));
    const std::lock_guard lock(mutex_);
    size_ = size;
}

void VirtualMemory::map(const PhysicalMemory& memory) {
    require_open();
    const ContextScope scope(*context_);
    append(memory);
    const std::lock_guard lock(mutex_);
    size_ = bytes_mapped();
}

void VirtualMemory::append(const PhysicalMemory& memory) {
    const std::lock_guard lock(mutex_);
    if (is_closed()) raise_closed(name);  // another thread closed it; the addresses may be reused
    const std::size_t there = bytes_mapped();
    if (memory.size() > reserved_ - there)
        throw LogicError("VirtualMemory.map", 0,
                         std::to_string(memory.size()) + " bytes do not fit: " + std::to_string(reserved_) +
                             " are reserved, and " + std::to_string(there) + " mapped");
    for (const auto& [offset, known] : left_mapped_)
        if (offset - there < memory.size() && !known.expired())
            throw LogicError("VirtualMemory.map", 0,
                             "a graph still uses the memory that was mapped there: end the graph and its executable "
                             "graphs first, or grow with resize, which takes that memory back");
    pieces_.reserve(pieces_.size() + 1);
    driver().cuMemMap(address_ + there, memory.size(), 0, memory.use(), 0);
    try {
        grant(address_ + there, memory.size());
    } catch (...) {
        driver().cuMemUnmap.clean_up(address_ + there, memory.size());
        throw;
    }
    std::shared_ptr<Mapping> mapping(new Mapping{range_, address_ + there, memory.size()});
    pieces_.push_back(std::make_shared<Piece>(context_, std::move(mapping)));
}

/// Take back what is still mapped behind the mapped part. If there is nothing, return how much of `missing` must be
/// mapped next.
std::size_t VirtualMemory::reclaim_mapped(std::size_t missing) {
    const std::lock_guard lock(mutex_);
    if (is_closed()) raise_closed(name);
    const std::size_t there = bytes_mapped();
    std::erase_if(left_mapped_, [](const auto& known) { return known.second.expired(); });
    const auto next = left_mapped_.lower_bound(there);
    if (next == left_mapped_.end()) return missing;
    if (next->first != there) return std::min(missing, next->first - there);
    if (auto mapping = next->second.lock()) pieces_.push_back(std::make_shared<Piece>(context_, std::move(mapping)));
    left_mapped_.erase(next);
    return 0;
}

void VirtualMemory::grant(DevicePtr address, std::size_t bytes) const {
    std::vector<CUmemAccessDesc> access;
    for (const auto& [device, flags] : devices_)
        access.push_back({{CU_MEM_LOCATION_TYPE_DEVICE, device}, static_cast<CUmemAccess_flags>(flags)});
    driver().cuMemSetAccess(address, bytes, access.data(), access.size());
}

/// Release the pieces that begin at or after `size`.
void VirtualMemory::unmap_behind(std::size_t size) {
    {
        const std::lock_guard lock(mutex_);
        if (pieces_.empty() || bytes_mapped() - pieces_.back()->size() < size) return;
    }
    if (!any_capture_is_open()) Context::synchronize();  // raises an error of earlier work
    std::vector<std::shared_ptr<Piece>> unused;          // unmapped after the lock
    const std::lock_guard lock(mutex_);
    const auto graphs = used_by_graphs::users(address_);
    std::size_t end = bytes_mapped();
    while (!pieces_.empty() && end - pieces_.back()->size() >= size) {
        end -= pieces_.back()->size();
        for (const auto& graph : graphs) graph->keep(pieces_.back());
        left_mapped_[end] = pieces_.back()->mapping;
        unused.push_back(std::move(pieces_.back()));
        pieces_.pop_back();
        size_ = std::min(size_, end);
    }
}

void VirtualMemory::set_access(const Device& device, MemAccessFlags access) {
    require_open();
    const ContextScope scope(*context_);
    const std::lock_guard lock(mutex_);
    const std::size_t there = bytes_mapped();
    const CUmemAccessDesc map{device_location(device), static_cast<CUmemAccess_flags>(access)};
    const auto& call = driver().cuMemSetAccess;
    if (there != 0)
        if (const CUresult result = call.try_call(address_, there, &map, 1))
            call.fail(result, location_text(map.location));
    devices_[device.handle()] = access;
}

MemAccessFlags VirtualMemory::get_access(const Device& device) const {
    require_open();
    const std::lock_guard lock(mutex_);
    if (pieces_.empty()) {
        const auto found = devices_.find(device.handle());
        return found == devices_.end() ? MemAccessFlags::NONE : found->second;
    }
    unsigned long long flags = 0;
    const CUmemLocation location = device_location(device);
    driver().cuMemGetAccess(&flags, &location, address_);
    return static_cast<MemAccessFlags>(flags);
}

bool VirtualMemory::release() noexcept {
    std::vector<std::shared_ptr<Piece>> pieces;
    std::shared_ptr<const Range> range;
    {
        const std::lock_guard lock(mutex_);
        if (!open_.exchange(false)) return false;
        pieces.swap(pieces_);
        range.swap(range_);
        size_ = 0;
    }
    --live_virtual_memory();
    used_by_graphs::leave_to_graphs(address_, [&pieces] { return std::make_shared<decltype(pieces)>(pieces); });
    return true;
}

}  // namespace pycuda
