#include <atomic>
#include <cstring>

#include "timeline.hpp"
#include "timeline_samples.hpp"

namespace pycuda {
namespace {

using Observer = void (*)(const char* kernel, std::uint64_t begin, std::uint64_t end);

/// The table that cuGetExportTable of the CPU device returns for `cpu_table_id`.
struct CpuTable {
    void (*set_work_observer)(Observer observer);
};
constexpr char cpu_table_id[] = "pycuda-observers";
static_assert(sizeof cpu_table_id - 1 == sizeof CUuuid::bytes);

std::atomic<const CpuTable*> cpu_device{nullptr};

}  // namespace

void connect_worker_lanes(const DriverLibrary& library) noexcept {
    if (!library.is_cpu_device) return;
    CUuuid id;
    std::memcpy(id.bytes, cpu_table_id, sizeof id.bytes);
    const void* table = nullptr;
    if (library.functions.cuGetExportTable.try_call(&table, &id) != CUDA_SUCCESS) return;
    cpu_device = static_cast<const CpuTable*>(table);
    observe_workers(timeline_is_on());
}

void observe_workers(bool on) noexcept {
    if (const CpuTable* table = cpu_device) table->set_work_observer(on ? record_share : nullptr);
}

}  // namespace pycuda
