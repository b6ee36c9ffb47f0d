#include "graphs/node_parameters.hpp"

#include <stdexcept>
#include <string>

#include "captures/used_by_graphs.hpp"

namespace pycuda {

CUDA_MEMSET_NODE_PARAMS fill_parameters(DevicePtr dest, unsigned value, std::size_t count, unsigned width) {
    if (width != 1 && width != 2 && width != 4)
        throw std::invalid_argument("a fill sets elements of 1, 2 or 4 bytes, not " + std::to_string(width));
    if (width < 4 && value >> (8 * width) != 0)
        throw std::invalid_argument("the value " + std::to_string(value) + " does not fit in elements of " +
                                    std::to_string(width) + (width == 1 ? " byte" : " bytes"));
    CUDA_MEMSET_NODE_PARAMS params{};
    params.dst = dest;
    params.value = value;
    params.elementSize = width;
    params.width = count;
    params.height = 1;
    return params;
}

void keep_copy_end(const CopyEnd& end, const std::shared_ptr<GraphResources>& resources) {
    if (end.owner()) resources->keep(end.owner());
    if (end.owner() || end.kind() == CopyEnd::Kind::Host) used_by_graphs::add(end.key(), resources);
}

}  // namespace pycuda
