#include "known_memory/pool_lease.hpp"

#include <atomic>

#include "driver/cpu_device_table.hpp"

namespace pycuda {
namespace {

std::atomic<const PoolLeases*> cpu_device{nullptr};

}  // namespace

const PoolLeases* pool_leases() noexcept {
    return cpu_device.load(std::memory_order_acquire);
}

void connect_pool_leases(const DriverLibrary& library) noexcept {
    cpu_device = static_cast<const PoolLeases*>(cpu_device_table(library, "pycuda-pool-lent"));
}

}  // namespace pycuda
