#pragma once

#include "state/memory/page_block.hpp"
#include "state/memory/shared_file.hpp"

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace cpu::state {

/// The shared state of an interprocess event: how often it was recorded, and which recordings its streams have reached.
class SharedPoint {
public:
    SharedPoint();
    explicit SharedPoint(const CUipcEventHandle& handle);

    CUipcEventHandle handle() const;
    std::uint64_t recorded() const noexcept { return counters().recorded.load(); }
    std::uint64_t record() noexcept { return counters().recorded.fetch_add(1) + 1; }
    void complete(std::uint64_t recording) noexcept;
    bool reached(std::uint64_t recording) const noexcept { return counters().completed.load() >= recording; }
    /// Polls, because the other side is another process. Calls `between` each time; an exception from it ends the wait.
    template <class F>
    void wait(std::uint64_t recording, F&& between) const {
        for (; !reached(recording); between()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    void wait(std::uint64_t recording) const noexcept {
        wait(recording, [] {});
    }

private:
    struct Counters {
        std::atomic<std::uint64_t> recorded;
        std::atomic<std::uint64_t> completed;
    };
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    Counters& counters() const noexcept { return *reinterpret_cast<Counters*>(block_.data()); }

    SharedFile file_;
    PageBlock block_;
};

}  // namespace cpu::state
