#include "state/modules/kernel_attributes.hpp"

#include "state/device.hpp"
#include "state/error.hpp"

namespace cpu::state {

std::size_t constant_bytes(const exec::Image& image) noexcept {
    std::size_t bytes = 0;
    for (const exec::GlobalVariable& variable : image.globals())
        if (variable.constant) bytes += variable.size;
    return bytes;
}

KernelAttributes::KernelAttributes(const exec::KernelInfo& info, std::size_t constant_bytes)
    : info_(info),
      constant_bytes_(constant_bytes),
      max_dynamic_shared_(info.static_shared_bytes < limits::shared_per_block
                              ? limits::shared_per_block - info.static_shared_bytes
                              : 0),
      required_cluster_{info.required_cluster[0], info.required_cluster[1], info.required_cluster[2]} {}

std::array<std::uint32_t, 3> KernelAttributes::required_cluster() const noexcept {
    return {required_cluster_[0], required_cluster_[1], required_cluster_[2]};
}

unsigned KernelAttributes::largest_cluster() const noexcept {
    return non_portable_cluster_ ? limits::cluster_non_portable : limits::cluster;
}

int KernelAttributes::get(CUfunction_attribute which) const {
    switch (which) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            return static_cast<int>(info_.max_threads);
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            return static_cast<int>(info_.static_shared_bytes);
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            return static_cast<int>(constant_bytes_);
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            return static_cast<int>(info_.local_bytes);
        case CU_FUNC_ATTRIBUTE_NUM_REGS:
            return static_cast<int>(info_.registers);
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            return info_.ptx_version;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
            return compute_major * 10 + compute_minor;
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
            return 0;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            return static_cast<int>(max_dynamic_shared_);
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            return carveout_;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
            return info_.needs_cluster;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            return static_cast<int>(required_cluster_[which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH].load());
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            return cluster_policy_;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            return non_portable_cluster_;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

/// Values that the kernel's text sets cannot be changed.
void KernelAttributes::set_required_cluster(int axis, int value) {
    require(value >= 0);
    const auto size = static_cast<unsigned>(value);
    require(info_.required_cluster[axis] == 0 || info_.required_cluster[axis] == size);
    required_cluster_[static_cast<std::size_t>(axis)] = size;
}

void KernelAttributes::assign(CUfunction_attribute which, int value) {
    switch (which) {
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
            const int room =
                static_cast<int>(limits::shared_per_block_optin) - static_cast<int>(info_.static_shared_bytes);
            require(value >= 0 && value <= room);
            max_dynamic_shared_ = static_cast<unsigned>(value);
            return;
        }
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            require(value >= -1 && value <= 100);
            carveout_ = value;
            return;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            non_portable_cluster_ = value != 0;
            return;
        case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
            require(value >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
                    value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
            cluster_policy_ = value;
            return;
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
            set_required_cluster(which - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, value);
            return;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void KernelAttributes::set(CUfunction_attribute which, int value) {
    assign(which, value);
    set_here_ |= 1ull << which;
}

void KernelAttributes::inherit(const KernelAttributes& of_kernel) {
    const std::uint64_t wanted = of_kernel.set_here_ & ~set_here_.load();
    for (int which = 0; which < CU_FUNC_ATTRIBUTE_MAX; ++which)
        if (wanted >> which & 1)
            assign(static_cast<CUfunction_attribute>(which), of_kernel.get(static_cast<CUfunction_attribute>(which)));
}

}  // namespace cpu::state
