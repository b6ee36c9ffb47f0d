#pragma once

#include "exec/limits.hpp"

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <string>

namespace cpu::state {

class MemoryPool;

/// One software device. All devices run on the same processors; each has its own memory budget.
class Device {
public:
    Device(int ordinal, int count);

    int ordinal() const noexcept { return ordinal_; }
    const std::string& name() const noexcept { return name_; }
    std::size_t total_memory() const noexcept { return total_; }
    std::size_t free_memory() const noexcept { return total_ - used_.load(); }
    CUuuid uuid() const noexcept;
    /// "0000:c0:00.0", where the second number is the ordinal.
    std::string pci_bus_id() const;
    /// True for the model of a GPU that shares its memory with the host, such as a Jetson: PYCUDA_CPU_MODEL=integrated.
    bool is_integrated() const noexcept { return integrated_; }
    /// Throws CUDA_ERROR_INVALID_VALUE for an attribute that does not exist.
    int attribute(CUdevice_attribute attribute) const;

    /// Takes `bytes` from the budget; false if too little is left.
    bool reserve(std::size_t bytes) noexcept;
    void release(std::size_t bytes) noexcept { used_ -= bytes; }

private:
    int ordinal_;
    std::string name_;
    bool integrated_;
    std::size_t total_;
    std::atomic<std::size_t> used_{0};
};

/// PYCUDA_CPU_DEVICES, default 1.
int device_count();
/// Throws CUDA_ERROR_INVALID_DEVICE.
Device& device(CUdevice ordinal);

/// Limits that launches are checked against; the attributes report the same values.
namespace limits {
using namespace exec::limits;
constexpr unsigned block[3] = {1024, 1024, 64};
constexpr unsigned cluster = 8;
constexpr unsigned cluster_non_portable = 16;
constexpr unsigned grid[3] = {2147483647u, 65535, 65535};
constexpr unsigned shared_per_block_optin = 227 * 1024;
constexpr unsigned shared_per_multiprocessor = 228 * 1024;
constexpr unsigned shared_reserved = 1024;
constexpr unsigned threads_per_multiprocessor = 2048;
constexpr unsigned blocks_per_multiprocessor = 32;
constexpr std::size_t pitch_alignment = 512;
constexpr std::size_t maximum_pitch = 2147483647;
constexpr std::size_t texture_alignment = 512;
constexpr std::size_t texture_pitch_alignment = 32;
constexpr std::size_t linear_texture_width = 131072;
constexpr std::size_t linear_texture_height = 65000;
constexpr std::size_t linear_texture_pitch = 2097120;
/// Largest texture in linear memory, in texels and in bytes.
constexpr std::size_t linear_texels = std::size_t{1} << 30;
constexpr std::size_t linear_texture_bytes = std::size_t{1} << 32;
}  // namespace limits

constexpr int compute_major = 9;
constexpr int compute_minor = 0;
constexpr int driver_version = 13000;

}  // namespace cpu::state
