#include "known_memory/page_locked.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

namespace pycuda {
namespace {

struct Piece {
    std::size_t nbytes;
    CUcontext context;
};

/// Leaked: memory is freed at any time during process exit.
struct Pieces {
    std::shared_mutex mutex;
    std::map<std::uintptr_t, Piece> by_start;
};

Pieces& all() {
    static auto* const instance = new Pieces;
    return *instance;
}

}  // namespace

void note_page_locked(const void* start, std::size_t nbytes, CUcontext context) noexcept {
    try {
        Pieces& pieces = all();
        const std::lock_guard lock(pieces.mutex);
        pieces.by_start.insert_or_assign(reinterpret_cast<std::uintptr_t>(start), Piece{nbytes, context});
    } catch (const std::bad_alloc&) {
        return;
    }
}

void forget_page_locked(const void* start) noexcept {
    Pieces& pieces = all();
    const std::lock_guard lock(pieces.mutex);
    pieces.by_start.erase(reinterpret_cast<std::uintptr_t>(start));
}

void forget_page_locked_of(CUcontext context) noexcept {
    Pieces& pieces = all();
    const std::lock_guard lock(pieces.mutex);
    std::erase_if(pieces.by_start, [context](const auto& piece) { return piece.second.context == context; });
}

bool is_known_page_locked(const void* memory, std::size_t nbytes) noexcept {
    const auto start = reinterpret_cast<std::uintptr_t>(memory);
    Pieces& pieces = all();
    const std::shared_lock lock(pieces.mutex);
    auto found = pieces.by_start.upper_bound(start);
    if (found == pieces.by_start.begin()) return false;
    --found;
    const std::size_t offset = start - found->first;
    return offset <= found->second.nbytes && nbytes <= found->second.nbytes - offset;
}

}  // namespace pycuda
