#include "exec/checks/written_bytes.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "exec/checks/checks.hpp"

namespace cpu::exec::written_bytes {

namespace {

/// One flag for each byte of the memory; 1 means written. calloc, so that untouched pages cost nothing.
struct Shadow {
    explicit Shadow(std::size_t bytes)
        : size(bytes), written(static_cast<std::uint8_t*>(std::calloc(std::max<std::size_t>(bytes, 1), 1))) {
        if (!written) throw std::bad_alloc();
    }
    struct Free {
        void operator()(std::uint8_t* p) const noexcept { std::free(p); }
    };
    std::size_t size;
    std::unique_ptr<std::uint8_t[], Free> written;
};

struct Shadows {
    std::shared_mutex mutex;
    std::map<std::uintptr_t, Shadow> by_base;
};

Shadows& shadows() {
    static Shadows* const leaked = new Shadows;  // leaked: streams still run while the process exits
    return *leaked;
}

/// The longest part of [at, at + size), from `at` on, that is entirely tracked or entirely untracked.
struct Piece {
    Shadow* shadow = nullptr;  ///< nullptr: untracked
    std::size_t offset = 0;
    std::size_t size = 0;
};

Piece piece_at(Shadows& all, std::uintptr_t at, std::size_t size) {
    const auto after = all.by_base.upper_bound(at);
    if (after != all.by_base.begin()) {
        auto& [base, shadow] = *std::prev(after);
        if (at - base < shadow.size) return {&shadow, at - base, std::min(size, shadow.size - (at - base))};
    }
    const std::size_t until = after == all.by_base.end() ? size : std::min<std::size_t>(size, after->first - at);
    return {nullptr, 0, until};
}

/// Calls f(piece, done) for each piece in turn, until f returns false.
template <class F>
void each_piece(std::uintptr_t at, std::size_t size, F f) {
    Shadows& all = shadows();
    for (std::size_t done = 0; done < size;) {
        const Piece piece = piece_at(all, at + done, size - done);
        if (!f(piece, done)) return;
        done += piece.size;
    }
}

using Byte = std::atomic_ref<std::uint8_t>;

void mark(const Piece& piece, std::size_t n, bool is_written) {
    Byte(piece.shadow->written[piece.offset + n]).store(is_written, std::memory_order_relaxed);
}

bool is_written(const Piece& piece, std::size_t n) {
    return !piece.shadow || Byte(piece.shadow->written[piece.offset + n]).load(std::memory_order_relaxed);
}

}  // namespace

void track(std::uintptr_t base, std::size_t size) {
    if (!enabled_checks().init) return;
    std::unique_lock lock(shadows().mutex);
    shadows().by_base.insert_or_assign(base, Shadow(size));
}

void forget(std::uintptr_t base) {
    if (!enabled_checks().init) return;
    std::unique_lock lock(shadows().mutex);
    shadows().by_base.erase(base);
}

void set(std::uintptr_t at, std::size_t size) {
    if (!enabled_checks().init) return;
    std::shared_lock lock(shadows().mutex);
    each_piece(at, size, [](const Piece& piece, std::size_t) {
        for (std::size_t n = 0; piece.shadow && n < piece.size; ++n) mark(piece, n, true);
        return true;
    });
}

void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size) {
    if (!enabled_checks().init) return;
    std::shared_lock lock(shadows().mutex);
    std::array<bool, 4096> state;
    const bool backwards = to > from;  // so that overlapping ranges are copied correctly
    for (std::size_t done = 0; done < size;) {
        const std::size_t chunk = std::min(size - done, state.size());
        const std::size_t offset = backwards ? size - done - chunk : done;
        each_piece(from + offset, chunk, [&](const Piece& piece, std::size_t at) {
            for (std::size_t n = 0; n < piece.size; ++n) state[at + n] = is_written(piece, n);
            return true;
        });
        each_piece(to + offset, chunk, [&](const Piece& piece, std::size_t at) {
            for (std::size_t n = 0; piece.shadow && n < piece.size; ++n) mark(piece, n, state[at + n]);
            return true;
        });
        done += chunk;
    }
}

std::optional<std::uintptr_t> first_unwritten(std::uintptr_t at, std::size_t size) {
    if (!enabled_checks().init) return std::nullopt;
    std::shared_lock lock(shadows().mutex);
    std::optional<std::uintptr_t> found;
    each_piece(at, size, [&](const Piece& piece, std::size_t done) {
        for (std::size_t n = 0; piece.shadow && n < piece.size && !found; ++n)
            if (!is_written(piece, n)) found = at + done + n;
        return !found;
    });
    return found;
}

}  // namespace cpu::exec::written_bytes
