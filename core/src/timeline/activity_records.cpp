#include "timeline/activity_records.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

namespace pycuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;  // some 4,000 kernels

/// The collected records. Leaked: CUPTI's thread may complete buffers while statics are destroyed.
struct Collection {
    std::atomic<const Cupti*> cupti{nullptr};  ///< null while buffers are discarded
    std::mutex mutex;                          ///< never held while CUPTI is called, which calls complete_buffer
    ActivityRecords collected;
};

Collection& collection() {
    static auto* instance = new Collection;
    return *instance;
}

const char* direction_text(std::uint8_t direction) noexcept {
    static constexpr const char* texts[] = {"copy",
                                            "copy host to device",
                                            "copy device to host",
                                            "copy host to array",
                                            "copy array to host",
                                            "copy array to array",
                                            "copy array to device",
                                            "copy device to array",
                                            "copy device to device",
                                            "copy host to host",
                                            "copy between devices"};
    return texts[direction < std::size(texts) ? direction : 0];
}

/// Append a record, unless it is of another kind or has no times.
void append_record(std::vector<ActivityRecord>& records, const std::uint32_t* record) {
    if (*record == cupti::concurrent_kernel) {
        const auto& kernel = *reinterpret_cast<const cupti::KernelRecord*>(record);
        const char* const name = kernel.name ? kernel.name : "kernel";
        if (kernel.start && kernel.end)
            records.push_back({name, kernel.context, kernel.stream, kernel.start, kernel.end, 0});
    } else if (*record == cupti::copy || *record == cupti::copy_between_contexts || *record == cupti::fill) {
        const auto& memory = *reinterpret_cast<const cupti::MemoryRecord*>(record);
        const char* const name = *record == cupti::fill ? "fill" : direction_text(memory.direction);
        if (memory.start && memory.end)
            records.push_back({name, memory.context, memory.stream, memory.start, memory.end, memory.bytes});
    }
}

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
    *size = *buffer ? buffer_bytes : 0;
    *max_records = 0;  // as many as fit
}

ActivityRecords read_buffer(const Cupti& cupti, std::uint8_t* buffer, std::size_t valid) {
    ActivityRecords read;
    std::uint32_t* record = nullptr;
    while (valid && cupti.next_record(buffer, valid, &record) == cupti::success) append_record(read.records, record);
    if (cupti.dropped_records(nullptr, 0, &read.lost) != cupti::success) read.lost = 0;
    return read;
}

/// Runs on a thread of CUPTI's, or within flush.
void complete_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) try {
    Collection& all = collection();
    if (const Cupti* const cupti = all.cupti) {
        ActivityRecords read = read_buffer(*cupti, buffer, valid);
        const std::lock_guard lock(all.mutex);
        std::move(read.records.begin(), read.records.end(), std::back_inserter(all.collected.records));
        all.collected.lost += read.lost;
    }
    std::free(buffer);
} catch (const std::bad_alloc&) {
    std::free(buffer);  // Out of memory: its records are lost.
}

}  // namespace

bool collect_activity_records(const Cupti& cupti) noexcept {
    Collection& all = collection();
    take_activity_records();
    all.cupti = &cupti;
    if (cupti.register_callbacks(request_buffer, complete_buffer) == cupti::success) return true;
    all.cupti = nullptr;
    return false;
}

ActivityRecords take_activity_records() noexcept {
    Collection& all = collection();
    all.cupti = nullptr;
    const std::lock_guard lock(all.mutex);
    return std::exchange(all.collected, {});
}

}  // namespace pycuda
