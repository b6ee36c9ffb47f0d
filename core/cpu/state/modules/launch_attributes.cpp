#include "state/modules/launch_attributes.hpp"

#include "state/error.hpp"
#include "state/modules/launch.hpp"

namespace cpu::state {

void apply(const CUlaunchAttribute& attribute, LaunchRequest& request) {
    const CUlaunchAttributeValue& value = attribute.value;
    switch (attribute.id) {
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
            request.cooperative = value.cooperative != 0;
            return;
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            request.cluster = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
            return;
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
            return require(value.memSyncDomain <= 1);
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            return require(value.sharedMemCarveout <= 100);
        case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
            return require(value.nvlinkUtilCentricScheduling <= 1);
        // Without support for this the launch starts later, with the same result.
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            request.programmatic = value.programmaticStreamSerializationAllowed != 0;
            return;
        // Hints, which have no visible effect.
        case CU_LAUNCH_ATTRIBUTE_IGNORE:
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        case CU_LAUNCH_ATTRIBUTE_PRIORITY:
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
            return;
        case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
            fail(CUDA_ERROR_NOT_SUPPORTED);
        default:
            fail(CUDA_ERROR_INVALID_VALUE);
    }
}

}  // namespace cpu::state
