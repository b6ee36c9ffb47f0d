#include "known_memory/allocations.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "driver/driver_table.hpp"
#include "known_memory/freed_memory.hpp"
#include "pycuda/constants/array_formats.hpp"
#include "pycuda/observing/memory_report.hpp"

namespace pycuda {
namespace {

/// Numbers identify objects within one space.
enum class Space { Device, Host, Registered, Physical, Array, Mipmapped, Texture, Surface, Stream, Module, Block };
using Words = std::span<const std::uint64_t>;

std::uint64_t no_bytes(Words) noexcept {
    return 0;
}
std::uint64_t second_argument(Words arguments) noexcept {
    return arguments[1];
}
std::uint64_t pitch_and_rows(Words arguments) noexcept {
    return *reinterpret_cast<const std::size_t*>(arguments[1]) * arguments[3];
}

/// Of one texel; 0 for packed and compressed formats, whose sizes are not known here.
std::uint64_t texel_bytes(CUarray_format format, unsigned channels) noexcept {
    return channels * channel_bytes(static_cast<ArrayFormat>(format));
}

std::uint64_t bytes_of_array(Words arguments) noexcept {
    const auto& shape = *reinterpret_cast<const CUDA_ARRAY_DESCRIPTOR*>(arguments[1]);
    return shape.Width * std::max<std::uint64_t>(shape.Height, 1) * texel_bytes(shape.Format, shape.NumChannels);
}
std::uint64_t bytes_of_3d_array(Words arguments) noexcept {
    const auto& shape = *reinterpret_cast<const CUDA_ARRAY3D_DESCRIPTOR*>(arguments[1]);
    return shape.Width * std::max<std::uint64_t>(shape.Height, 1) * std::max<std::uint64_t>(shape.Depth, 1) *
           texel_bytes(shape.Format, shape.NumChannels);
}

}  // namespace

/// The kind of object that a call creates or frees. A call that creates one stores its number through its first
/// argument.
struct AllocationRule {
    std::string_view call;
    Space space;
    const char* kind = nullptr;  ///< null: the call frees
    std::uint64_t (*bytes)(Words) noexcept = no_bytes;
};

namespace {

constexpr AllocationRule rules[] = {
    {"cuMemAlloc", Space::Device, "device allocation", second_argument},
    {"cuMemAllocPitch", Space::Device, "device allocation", pitch_and_rows},
    {"cuMemAllocManaged", Space::Device, "managed allocation", second_argument},
    {"cuMemAllocAsync", Space::Device, "stream-ordered allocation", second_argument},
    {"cuMemAllocFromPoolAsync", Space::Device, "stream-ordered allocation", second_argument},
    {"cuMemFree", Space::Device},
    {"cuMemFreeAsync", Space::Device},
    {"cuMemHostAlloc", Space::Host, "page-locked allocation", second_argument},
    {"cuMemFreeHost", Space::Host},
    {"cuMemHostRegister", Space::Registered, "registered host memory", second_argument},
    {"cuMemHostUnregister", Space::Registered},
    {"cuMemCreate", Space::Physical, "physical memory", second_argument},
    {"cuMemRelease", Space::Physical},
    {"cuArrayCreate", Space::Array, "array", bytes_of_array},
    {"cuArray3DCreate", Space::Array, "array", bytes_of_3d_array},
    {"cuArrayDestroy", Space::Array},
    {"cuMipmappedArrayCreate", Space::Mipmapped, "mipmapped array"},
    {"cuMipmappedArrayDestroy", Space::Mipmapped},
    {"cuTexObjectCreate", Space::Texture, "texture object"},
    {"cuTexObjectDestroy", Space::Texture},
    {"cuSurfObjectCreate", Space::Surface, "surface object"},
    {"cuSurfObjectDestroy", Space::Surface},
    {"cuStreamCreate", Space::Stream, "stream"},
    {"cuStreamCreateWithPriority", Space::Stream, "stream"},
    {"cuStreamDestroy", Space::Stream},
    {"cuModuleLoadDataEx", Space::Module, "module"},
    {"cuModuleUnload", Space::Module},
};

using Key = std::pair<Space, std::uint64_t>;

/// Leaked: objects are destroyed until the process is gone.
struct Allocations {
    std::mutex mutex;
    std::map<Key, AllocationRecord> alive;
    FreedMemories freed;

    AllocationRecord take(const Key& key) {
        const std::lock_guard lock(mutex);
        const auto found = alive.extract(key);
        return found ? found.mapped() : AllocationRecord{};
    }
    void note_freed(std::uint64_t address, const AllocationRecord& record, Place place) noexcept {
        const std::lock_guard lock(mutex);
        freed.add({address, record.bytes, record.place, place});
    }
    const AllocationRecord* containing(Space space, std::uint64_t address) const noexcept {
        const auto after = alive.upper_bound({space, address});
        if (after == alive.begin()) return nullptr;
        const auto& [key, record] = *std::prev(after);
        return key.first == space && address - key.second < record.bytes ? &record : nullptr;
    }
    void put(const Key& key, const AllocationRecord& record) noexcept try {
        const std::lock_guard lock(mutex);
        if (is_observed_by(allocation_observer)) alive.insert_or_assign(key, record);
    } catch (const std::bad_alloc&) {
        // Out of memory: one record is lost.
    }
};

Allocations& allocations() {
    static auto* instance = new Allocations;
    return *instance;
}

AllocationRecord new_record(const char* kind, std::uint64_t bytes) noexcept {
    const ObserversCalls own;
    CUcontext context = nullptr;
    static_cast<void>(driver().cuCtxGetCurrent.try_call(&context));
    return {kind, context, current_place(), bytes};
}

}  // namespace

void ObservedAllocation::begin(const char* call, Words arguments) noexcept {
    if (ObserversCalls::is_active()) return;
    const auto* const found = std::ranges::find(rules, std::string_view(call), &AllocationRule::call);
    if (found == std::end(rules)) return;
    rule_ = found;
    arguments_ = arguments;
    if (!rule_->kind) record_ = allocations().take({rule_->space, arguments_[0]});
}

void ObservedAllocation::note(CUresult result) noexcept {
    if (!rule_->kind) {
        if (record_.kind) note_end(result);
        return;
    }
    if (result != CUDA_SUCCESS || LibraryAllocation::is_active()) return;
    const bool gives_number = rule_->space != Space::Registered;
    const std::uint64_t number = gives_number ? *reinterpret_cast<const std::uint64_t*>(arguments_[0]) : arguments_[0];
    allocations().put({rule_->space, number}, new_record(rule_->kind, rule_->bytes(arguments_)));
}

void ObservedAllocation::note_end(CUresult result) noexcept {
    if (result == CUDA_SUCCESS)
        allocations().note_freed(arguments_[0], record_, current_place());
    else
        allocations().put({rule_->space, arguments_[0]}, record_);
}

void record_block_taken(const char* kind, std::uint64_t address, std::uint64_t bytes) noexcept {
    allocations().put({Space::Block, address}, new_record(kind, bytes));
}

void record_block_given(std::uint64_t address) noexcept {
    const AllocationRecord record = allocations().take({Space::Block, address});
    if (record.kind) allocations().note_freed(address, record, current_place());
}

MemoryPlaces places_of_memory(std::uint64_t address, bool is_freed) noexcept {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    if (is_freed) {
        const FreedMemory* const memory = all.freed.containing(address);
        return memory ? MemoryPlaces{memory->allocated, memory->freed} : MemoryPlaces{};
    }
    for (const Space space : {Space::Block, Space::Device, Space::Host, Space::Registered})
        if (const AllocationRecord* const record = all.containing(space, address)) return {record->place, 0};
    return {};
}

void forget_allocations_of(CUcontext context) noexcept {
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.alive, [&](const auto& known) { return known.second.context == context; });
}

void record_allocations(bool on) {
    on ? add_observer(allocation_observer) : remove_observer(allocation_observer);
    if (on) return;
    Allocations& all = allocations();
    const std::lock_guard lock(all.mutex);
    all.alive.clear();
    all.freed.clear();
}

std::vector<LiveObjects> recorded_allocations() {
    std::map<std::pair<std::string_view, Place>, LiveObjects> sums;
    {
        Allocations& all = allocations();
        const std::lock_guard lock(all.mutex);
        for (const auto& [key, record] : all.alive) {
            LiveObjects& sum = sums[{record.kind, record.place}];
            ++sum.count;
            sum.bytes += record.bytes;
        }
    }
    std::vector<LiveObjects> found;
    for (auto& [key, sum] : sums)
        found.push_back({std::string(key.first), text_of_place(key.second), sum.count, sum.bytes});
    std::ranges::stable_sort(found, std::greater{},
                             [](const LiveObjects& row) { return std::pair(row.bytes, row.count); });
    return found;
}

}  // namespace pycuda
