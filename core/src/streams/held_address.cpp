#include "pycuda/streams/held_address.hpp"

#include <utility>

namespace pycuda {

void HeldOwners::add(std::shared_ptr<void> owner) {
    if (!owner) return;
    if (!list_) list_ = std::make_shared<std::vector<std::shared_ptr<void>>>();
    list_->push_back(std::move(owner));
}

void HeldOwners::keep_until_done(const Stream* stream) const {
    if (!list_) return;
    if (stream)
        stream->keep_until_done(list_);
    else
        Stream::from_handle(nullptr).keep_until_done(list_);
}

}  // namespace pycuda
