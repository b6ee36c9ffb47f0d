#include "pycuda/threads/held_ends.hpp"

#include <new>
#include <utility>

namespace pycuda {

void HeldEnds::add(std::shared_ptr<void> end) noexcept {
    auto* kept = new (std::nothrow) std::shared_ptr<void>(std::move(end));
    if (!kept) return;
    try {
        if (!now_.waiting) now_.waiting = new std::vector<std::shared_ptr<void>>;
        now_.waiting->push_back(std::move(*kept));
        delete kept;
    } catch (...) {
        // `kept` keeps it until the process ends.
    }
}

/// Ends may run code of the program, which makes calls of its own.
void HeldEnds::run() noexcept {
    delete std::exchange(now_.waiting, nullptr);
}

}  // namespace pycuda
