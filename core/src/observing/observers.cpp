#include "observing/observers.hpp"

#include <mutex>

#include "pycuda/observing/places.hpp"

namespace pycuda {
namespace {

bool change(Observer observer, bool on) noexcept {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const unsigned before = on ? observers.fetch_or(observer) : observers.fetch_and(~unsigned{observer});
    const bool any = any_observer();
    places_are_recorded = any;
    observe_driver_calls(any);
    return static_cast<bool>(before & observer) != on;
}

}  // namespace

bool add_observer(Observer observer) noexcept {
    return change(observer, true);
}

bool remove_observer(Observer observer) noexcept {
    return change(observer, false);
}

}  // namespace pycuda
