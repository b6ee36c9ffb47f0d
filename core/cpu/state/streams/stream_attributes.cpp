#include "state/streams/stream_attributes.hpp"

#include "state/error.hpp"

namespace cpu::state {

namespace {

/// Memory sync domains of the device (CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT).
constexpr unsigned char domains = 1;

}  // namespace

StreamAttributes::Values StreamAttributes::values() const {
    const std::lock_guard lock(mutex_);
    return values_;
}

CUlaunchAttributeValue StreamAttributes::get(CUlaunchAttributeID id) const {
    const Values now = values();
    CUlaunchAttributeValue value{};
    switch (id) {
        case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
            value.accessPolicyWindow = now.window;
            return value;
        case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
            value.syncPolicy = now.policy;
            return value;
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
            value.memSyncDomainMap = now.domains;
            return value;
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            value.memSyncDomain = now.domain;
            return value;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void StreamAttributes::set(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
    const std::lock_guard lock(mutex_);
    switch (id) {
        case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW: {
            const CUaccessPolicyWindow& window = value.accessPolicyWindow;
            require(window.hitRatio >= 0 && window.hitRatio <= 1);
            require(window.hitProp <= CU_ACCESS_PROPERTY_PERSISTING);
            require(window.missProp <= CU_ACCESS_PROPERTY_STREAMING);  // misses do not persist
            values_.window = window;
            return;
        }
        case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
            require(value.syncPolicy >= CU_SYNC_POLICY_AUTO && value.syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC);
            values_.policy = value.syncPolicy;
            return;
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
            require(value.memSyncDomainMap.default_ < domains && value.memSyncDomainMap.remote < domains);
            values_.domains = value.memSyncDomainMap;
            return;
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            require(value.memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
            values_.domain = value.memSyncDomain;
            return;
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

void StreamAttributes::copy_from(const StreamAttributes& source) {
    const Values copied = source.values();
    const std::lock_guard lock(mutex_);
    values_ = copied;
}

}  // namespace cpu::state
