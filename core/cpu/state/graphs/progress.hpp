#pragma once

#include "state/modules/launch.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace cpu::state {
class Context;
}

namespace cpu::state::graphs {

/// Values that nodes pass from the queuing of a launch to its run, which visits the nodes in the same order.
template <class T>
class Sequence {
public:
    void push(T item) { items_.push_back(std::move(item)); }
    T next() { return std::move(items_[next_++]); }

private:
    std::vector<T> items_;
    std::size_t next_ = 0;
};

/// One launch of an executable graph.
struct Progress {
    const Context* context = nullptr;  ///< of its stream
    exec::QueuedWork queued;
    Sequence<std::function<void()>> recordings;
    std::vector<std::function<void()>> publications;  ///< of event recordings, called once the launch is queued
    Sequence<std::function<void()>> waits;
    Sequence<std::function<void()>> frees;

    /// Steps that run, up to `end`.
    struct Part {
        std::size_t next = 0, end = 0;
    };
    bool has_begun = false;
    Part now;
    std::vector<Part> outer;          ///< around it, from the outermost: each is at the conditional node that it is in
    std::optional<KernelRun> kernel;  ///< which the thread that ran it left unfinished
    exec::Time leave_at = exec::never;
    unsigned turns = 0;
};

}  // namespace cpu::state::graphs
