#include "pycuda/memory/stream_ordered_pool.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/driver_table.hpp"
#include "memory/memory_location.hpp"
#include "memory/stream_ordered_take.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

bool is_flag(MemPoolAttribute attribute) {
    return attribute == MemPoolAttribute::REUSE_FOLLOW_EVENT_DEPENDENCIES ||
           attribute == MemPoolAttribute::REUSE_ALLOW_OPPORTUNISTIC ||
           attribute == MemPoolAttribute::REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

std::string text_of(MemPoolAttribute attribute) {
    return "attribute " + std::to_string(static_cast<int>(attribute));
}

CUmemAllocationType kind_of(bool managed) {
    return managed ? CU_MEM_ALLOCATION_TYPE_MANAGED : CU_MEM_ALLOCATION_TYPE_PINNED;
}

std::string text_of(const CUmemLocation& location, bool managed) {
    return location_text(location) + (managed ? ", managed" : "");
}

// No call with a pool affects the captures of this thread, but the driver cannot know that.

/// Destroys pools, but not while a stream is captured: then the next pool that begins or ends does. Driver 580 crashes
/// later if pools end during captures.
class EndedPools {
public:
    void destroy(CUmemoryPool pool) noexcept try {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(pool);
        }
        destroy_waiting();
    } catch (const std::bad_alloc&) {
        // Out of host memory: it ends with the process.
    }

    void destroy_waiting() noexcept {
        if (any_capture_is_open()) return;
        std::vector<CUmemoryPool> ended;
        {
            const std::lock_guard lock(mutex_);
            ended.swap(waiting_);
        }
        if (ended.empty()) return;
        const RelaxedCapture relaxed{RelaxedCapture::Always{}};
        for (const CUmemoryPool pool : ended) driver().cuMemPoolDestroy.clean_up(pool);
    }

private:
    std::mutex mutex_;
    std::vector<CUmemoryPool> waiting_;
};

EndedPools& ended_pools() {
    static auto* const instance = new EndedPools;  // pools may end while statics are destroyed
    return *instance;
}

/// Held by the pool's object and by its memory; the last of them ends the pool.
class PoolLife {
public:
    explicit PoolLife(CUmemoryPool pool) noexcept : pool_(pool) {}
    ~PoolLife() { ended_pools().destroy(pool_); }
    PoolLife(const PoolLife&) = delete;
    PoolLife& operator=(const PoolLife&) = delete;

private:
    const CUmemoryPool pool_;
};

/// The pools whose objects are open.
struct OpenPools {
    std::mutex mutex;
    std::unordered_map<CUmemoryPool, std::shared_ptr<PoolLife>> lives;
};

OpenPools& open_pools() {
    static auto* const instance = new OpenPools;
    return *instance;
}

Handle<StreamOrderedPoolTraits> owned(CUmemoryPool pool) {
    OpenPools& open = open_pools();
    auto life = std::make_shared<PoolLife>(pool);
    {
        const std::lock_guard lock(open.mutex);
        open.lives.insert_or_assign(pool, std::move(life));
    }
    return {pool, nullptr};
}

/// Null for a pool that someone else owns.
std::shared_ptr<void> life_of(CUmemoryPool pool) {
    OpenPools& open = open_pools();
    const std::lock_guard lock(open.mutex);
    const auto found = open.lives.find(pool);
    return found == open.lives.end() ? nullptr : found->second;
}

/// What `call` returns for a location, which this library does not own.
template <class Call>
Handle<StreamOrderedPoolTraits> pool_at(const Call& call, CUmemLocation where, bool managed) {
    CUmemoryPool pool = nullptr;
    if (const CUresult result = call.try_call(&pool, &where, kind_of(managed)))
        call.fail(result, text_of(where, managed));
    return Handle<StreamOrderedPoolTraits>::borrow(pool, nullptr);
}

}  // namespace

void StreamOrderedPoolTraits::destroy(CUmemoryPool pool) noexcept {
    OpenPools& open = open_pools();
    decltype(open.lives)::node_type last;  // ends without the lock
    {
        const std::lock_guard lock(open.mutex);
        last = open.lives.extract(pool);
    }
}

StreamOrderedPool::StreamOrderedPool(MemLocationType location, int id, std::size_t max_size,
                                     MemAllocationHandleType handle_type, bool managed) {
    ended_pools().destroy_waiting();
    const RelaxedCapture relaxed;
    CUmemPoolProps properties{};
    properties.allocType = kind_of(managed);
    properties.handleTypes = static_cast<CUmemAllocationHandleType>(handle_type);
    properties.location = memory_location(location, id);
    properties.maxSize = max_size;
    CUmemoryPool pool = nullptr;
    if (const CUresult result = driver().cuMemPoolCreate.try_call(&pool, &properties))
        driver().cuMemPoolCreate.fail(result, text_of(properties.location, managed));
    pool_ = owned(pool);
}

StreamOrderedPool StreamOrderedPool::default_of(const Device& device) {
    CUmemoryPool pool = nullptr;
    driver().cuDeviceGetDefaultMemPool(&pool, device.handle());
    return StreamOrderedPool(Handle<StreamOrderedPoolTraits>::borrow(pool, nullptr));
}

StreamOrderedPool StreamOrderedPool::current_of(const Device& device) {
    CUmemoryPool pool = nullptr;
    driver().cuDeviceGetMemPool(&pool, device.handle());
    return StreamOrderedPool(Handle<StreamOrderedPoolTraits>::borrow(pool, nullptr));
}

void StreamOrderedPool::make_current(const Device& device) {
    const RelaxedCapture relaxed;
    driver().cuDeviceSetMemPool(device.handle(), use());
}

StreamOrderedPool StreamOrderedPool::default_at(MemLocationType location, int id, bool managed) {
    return StreamOrderedPool(pool_at(driver().cuMemGetDefaultMemPool, memory_location(location, id), managed));
}

StreamOrderedPool StreamOrderedPool::current_at(MemLocationType location, int id, bool managed) {
    return StreamOrderedPool(pool_at(driver().cuMemGetMemPool, memory_location(location, id), managed));
}

void StreamOrderedPool::make_current_at(MemLocationType location, int id, bool managed) {
    const RelaxedCapture relaxed;
    CUmemLocation where = memory_location(location, id);
    const auto& call = driver().cuMemSetMemPool;
    if (const CUresult result = call.try_call(&where, kind_of(managed), use()))
        call.fail(result, text_of(where, managed));
}

std::unique_ptr<StreamOrderedAllocation> StreamOrderedPool::allocate(std::size_t bytes, const Stream* stream) {
    const auto pool = use();
    const auto& call = driver().cuMemAllocFromPoolAsync;
    auto memory = StreamOrderedAllocation::take_with(bytes, stream, call, [&](CUdeviceptr* address, CUstream queue) {
        return call.try_call(address, bytes, pool, queue);
    });
    memory->pool_ = life_of(pool);
    return memory;
}

std::uint64_t StreamOrderedPool::get_attribute(MemPoolAttribute attribute) const {
    const RelaxedCapture relaxed;
    union {
        int flag;
        cuuint64_t bytes = 0;
    } value;
    const auto& call = driver().cuMemPoolGetAttribute;
    if (const CUresult result = call.try_call(use(), static_cast<CUmemPool_attribute>(attribute), &value))
        call.fail(result, text_of(attribute));
    return is_flag(attribute) ? static_cast<std::uint64_t>(value.flag) : value.bytes;
}

void StreamOrderedPool::set_attribute(MemPoolAttribute attribute, std::size_t value) {
    const RelaxedCapture relaxed;
    cuuint64_t bytes = value;
    int flag = value != 0;
    void* const where = is_flag(attribute) ? static_cast<void*>(&flag) : &bytes;
    const auto& call = driver().cuMemPoolSetAttribute;
    if (const CUresult result = call.try_call(use(), static_cast<CUmemPool_attribute>(attribute), where))
        call.fail(result, text_of(attribute) + " to " + std::to_string(value));
}

void StreamOrderedPool::trim(std::size_t bytes_to_keep) {
    const RelaxedCapture relaxed;
    driver().cuMemPoolTrimTo(use(), bytes_to_keep);
}

MemAccessFlags StreamOrderedPool::get_access(const Device& device) const {
    const RelaxedCapture relaxed;
    CUmemAccess_flags flags{};
    CUmemLocation location = device_location(device);
    driver().cuMemPoolGetAccess(&flags, use(), &location);
    return static_cast<MemAccessFlags>(flags);
}

void StreamOrderedPool::set_access(const Device& device, MemAccessFlags access) {
    const RelaxedCapture relaxed;
    const CUmemAccessDesc map{device_location(device), static_cast<CUmemAccess_flags>(access)};
    const auto& call = driver().cuMemPoolSetAccess;
    if (const CUresult result = call.try_call(use(), &map, 1)) call.fail(result, location_text(map.location));
}

int StreamOrderedPool::export_descriptor() const {
    int descriptor = -1;
    const auto& call = driver().cuMemPoolExportToShareableHandle;
    if (const CUresult result = call.try_call(&descriptor, use(), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        call.fail(result, "only a pool that was made with handle type POSIX_FILE_DESCRIPTOR can be exported");
    return descriptor;
}

StreamOrderedPool StreamOrderedPool::import_descriptor(int descriptor) {
    CUmemoryPool pool = nullptr;
    const auto& call = driver().cuMemPoolImportFromShareableHandle;
    void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
    if (const CUresult result = call.try_call(&pool, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0))
        call.fail(result,
                  "file descriptor " + std::to_string(descriptor) + " must be of a pool that another process exported");
    return StreamOrderedPool(owned(pool));
}

PoolPointerHandle StreamOrderedPool::export_pointer(DevicePtr devptr) {
    CUmemPoolPtrExportData data{};
    const auto& call = driver().cuMemPoolExportPointer;
    if (const CUresult result = call.try_call(&data, devptr))
        call.fail(result,
                  "the address must be the start of memory from a pool that can be exported; its descriptor is "
                  "exported first");
    PoolPointerHandle bytes;
    std::memcpy(bytes.data(), &data, sizeof data);
    return bytes;
}

std::unique_ptr<StreamOrderedAllocation> StreamOrderedPool::import_pointer(const PoolPointerHandle& handle) {
    CUmemPoolPtrExportData data;
    std::memcpy(&data, handle.data(), sizeof data);
    const auto& call = driver().cuMemPoolImportPointer;
    const auto pool = use();
    auto memory = StreamOrderedAllocation::import_with(
        call, [&](CUdeviceptr* address) { return call.try_call(address, pool, &data); });
    memory->pool_ = life_of(pool);
    return memory;
}

}  // namespace pycuda
