#include "pycuda/launch.hpp"

#include <algorithm>
#include <stdexcept>

namespace pycuda {

LaunchAttributes& LaunchAttributes::cooperative() {
    CUlaunchAttributeValue value{};
    value.cooperative = 1;
    return set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
}

LaunchAttributes& LaunchAttributes::cluster(unsigned x, unsigned y, unsigned z) {
    CUlaunchAttributeValue value{};
    value.clusterDim = {x, y, z};
    return set(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
}

LaunchAttributes& LaunchAttributes::priority(int priority) {
    CUlaunchAttributeValue value{};
    value.priority = priority;
    return set(CU_LAUNCH_ATTRIBUTE_PRIORITY, value);
}

LaunchAttributes& LaunchAttributes::set(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
    const auto end = attributes_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto place = std::find_if(attributes_.begin(), end, [&](const CUlaunchAttribute& a) { return a.id == id; });
    if (place == attributes_.end()) throw std::length_error("a launch takes at most 16 attributes");
    if (place == end) ++count_;
    place->id = id;
    place->value = value;
    return *this;
}

}  // namespace pycuda
