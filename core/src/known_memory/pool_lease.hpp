#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda {

struct DriverLibrary;
struct PoolLease;

/// The table that cuGetExportTable of the CPU device returns for `pycuda-pool-lent`. A pool's memory is larger than
/// what the program asked for, and stays allocated when the program has freed it: the CPU device checks accesses
/// against what the pool has lent, if the pool tells it.
struct PoolLeases {
    /// The lease of memory that starts at this address. Null: all of the memory may be accessed at any time. Valid
    /// while the context exists.
    PoolLease* (*at)(std::uint64_t address) noexcept;
    /// If the former lease was not taken back, the larger size counts.
    void (*lend)(PoolLease* lease, std::size_t bytes) noexcept;
    /// `freed_by_call`: other threads may be about to queue work with the address, which is then not reported.
    void (*take_back)(PoolLease* lease, bool freed_by_call) noexcept;
};

/// Null for drivers other than the CPU device.
const PoolLeases* pool_leases() noexcept;
/// Called when a driver has been loaded.
void connect_pool_leases(const DriverLibrary& library) noexcept;

}  // namespace pycuda
