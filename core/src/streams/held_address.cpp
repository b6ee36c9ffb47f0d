#include "pycuda/streams/held_address.hpp"

#include <utility>

#include "pycuda/streams/keeping.hpp"

namespace pycuda {

void HeldOwners::add(std::shared_ptr<void> owner) {
    if (!owner) return;
    if (!list_) list_ = std::make_shared<std::vector<std::shared_ptr<void>>>();
    list_->push_back(std::move(owner));
}

void HeldOwners::keep_until_done(const Stream* stream) const {
    if (list_) pycuda::keep_until_done(stream, list_);
}

}  // namespace pycuda
