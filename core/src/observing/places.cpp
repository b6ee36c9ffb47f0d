#include "pycuda/observing/places.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace pycuda {
namespace {

/// Leaked: threads may call the driver while statics are destroyed.
struct Places {
    std::mutex mutex;
    std::map<std::string, Place> numbers;
    std::vector<const std::string*> texts;
};

Places& places() {
    static auto* instance = new Places;
    return *instance;
}

std::atomic<PlaceSource> place_source{nullptr};

}  // namespace

void set_place_source(PlaceSource source) noexcept {
    place_source = source;
}

Place current_place() noexcept {
    const PlaceSource source = place_source;
    return source ? source() : 0;
}

Place number_of_place(const std::string& text) noexcept try {
    Places& known = places();
    const std::lock_guard lock(known.mutex);
    known.texts.reserve(known.texts.size() + 1);
    const auto [found, is_new] = known.numbers.try_emplace(text, static_cast<Place>(known.texts.size() + 1));
    if (is_new) known.texts.push_back(&found->first);
    return found->second;
} catch (const std::bad_alloc&) {
    return 0;
}

std::string text_of_place(Place place) {
    Places& known = places();
    const std::lock_guard lock(known.mutex);
    return place == 0 ? "" : *known.texts.at(place - 1);
}

}  // namespace pycuda
