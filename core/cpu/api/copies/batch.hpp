#pragma once

#include "api/abi.hpp"

#include <cstddef>

#include "state/graphs/capture.hpp"

/// What calls for many copies or ranges have in common.
namespace cpu::api {

/// The stream of a batch, which is neither the legacy default stream nor captured.
inline auto queue_of_batch(CUstream stream) {
    auto queue = state::stream_of(stream);
    state::require(queue->kind() != state::Stream::Kind::Legacy);
    state::graphs::refuse_if_captured(*queue);
    return queue;
}

/// Of `count` members, those from begins[k] to the next one's begin are of group k.
inline void check_groups(const std::size_t* begins, std::size_t groups, std::size_t count) {
    state::require(begins != nullptr && groups > 0 && groups <= count && begins[0] == 0);
    for (std::size_t k = 1; k < groups; ++k) state::require(begins[k] > begins[k - 1] && begins[k] < count);
}

}  // namespace cpu::api
