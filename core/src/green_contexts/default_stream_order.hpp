#pragma once

#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// Attached to a context that a green context was converted to, after ConvertedFrom: orders its default stream and that
/// of the primary context, which pools treat as one stream.
class DefaultStreamOrder final : public ContextAttachment {
public:
    void context_ends(bool) noexcept override {}
    void is_pushed(Context& context) override;
    void is_popped(Context& context) override;
};

}  // namespace pycuda
