#pragma once

#include <functional>
#include <vector>

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
    Sequence<std::function<void()>> recordings;
    std::vector<std::function<void()>> publications;  ///< of event recordings, called once the launch is queued
    Sequence<std::function<void()>> waits;
    Sequence<std::function<void()>> frees;
};

}  // namespace cpu::state::graphs
