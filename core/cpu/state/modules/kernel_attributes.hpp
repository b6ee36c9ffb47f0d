#pragma once

#include "exec/image.hpp"

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cpu::state {

/// Bytes of an image's constant variables.
std::size_t constant_bytes(const exec::Image& image) noexcept;

/// The attributes of a kernel that programs read and set: those of a function, or of a library's kernel on one device.
class KernelAttributes {
public:
    KernelAttributes(const exec::KernelInfo& info, std::size_t constant_bytes);

    /// Throws CUDA_ERROR_INVALID_VALUE for an attribute that does not exist.
    int get(CUfunction_attribute attribute) const;
    /// Throws CUDA_ERROR_INVALID_VALUE for an attribute that cannot be set, or not to that value.
    void set(CUfunction_attribute attribute, int value);
    /// Sets what was set in those of the function's kernel, except what was set here: that takes precedence.
    void inherit(const KernelAttributes& of_kernel);

    unsigned max_dynamic_shared() const noexcept { return max_dynamic_shared_; }
    /// The cluster size that each launch must have; zeros mean any or none. Single components may be zero.
    std::array<std::uint32_t, 3> required_cluster() const noexcept;
    /// The maximum number of blocks in a cluster.
    unsigned largest_cluster() const noexcept;

private:
    void assign(CUfunction_attribute attribute, int value);
    void set_required_cluster(int axis, int value);

    const exec::KernelInfo info_;
    const std::size_t constant_bytes_;
    std::atomic<std::uint64_t> set_here_{0};  ///< a bit for each attribute
    std::atomic<unsigned> max_dynamic_shared_;
    std::atomic<int> carveout_{-1};
    std::atomic<int> non_portable_cluster_{0};
    std::atomic<int> cluster_policy_{0};
    std::array<std::atomic<unsigned>, 3> required_cluster_;
};

}  // namespace cpu::state
