#pragma once

#include "state/graphs/content.hpp"

namespace cpu::state::graphs {

/// The content of a new node of `graph` with these parameters. Call with structure_mutex() held. Throws
/// CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED for unknown types, and the exceptions of the content's
/// constructor.
std::shared_ptr<const Content> make_content(const CUgraphNodeParams& parameters, const Graph& graph);

/// The content `now` of a node of `graph` with changed parameters; the type is the same, and what the parameters do not
/// specify stays. Throws CUDA_ERROR_INVALID_VALUE for another type, CUDA_ERROR_NOT_SUPPORTED for one whose parameters
/// cannot be set.
std::shared_ptr<const Content> changed_content(const Content& now, const CUgraphNodeParams& parameters,
                                               const Graph& graph);

}  // namespace cpu::state::graphs
