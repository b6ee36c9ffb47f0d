#include <atomic>

#include "driver/cpu_device_table.hpp"
#include "timeline/timeline.hpp"
#include "timeline/timeline_samples.hpp"

namespace pycuda {
namespace {

using Observer = void (*)(const char* kernel, std::uint64_t begin, std::uint64_t end);

struct LanesTable {
    void (*set_work_observer)(Observer observer);
};

std::atomic<const LanesTable*> cpu_device{nullptr};

}  // namespace

void connect_worker_lanes(const DriverLibrary& library) noexcept {
    cpu_device = static_cast<const LanesTable*>(cpu_device_table(library, "pycuda-observers"));
    observe_workers(timeline_is_on());
}

void observe_workers(bool on) noexcept {
    if (const LanesTable* table = cpu_device) table->set_work_observer(on ? record_share : nullptr);
}

}  // namespace pycuda
