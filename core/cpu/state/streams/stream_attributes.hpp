#pragma once

#include <cuda.h>

#include <mutex>

namespace cpu::state {

/// The attributes of a stream that have no effect on the CPU device, but are stored and reported.
class StreamAttributes {
public:
    /// Throws CUDA_ERROR_INVALID_VALUE for an attribute that streams do not have; PRIORITY is not among them.
    CUlaunchAttributeValue get(CUlaunchAttributeID id) const;
    /// The same, and for a value that is out of range.
    void set(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);
    void copy_from(const StreamAttributes& source);

private:
    struct Values {
        CUaccessPolicyWindow window{};
        CUsynchronizationPolicy policy = CU_SYNC_POLICY_AUTO;
        CUlaunchMemSyncDomainMap domains{};
        CUlaunchMemSyncDomain domain = CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT;
    };
    Values values() const;

    mutable std::mutex mutex_;
    Values values_;
};

}  // namespace cpu::state
