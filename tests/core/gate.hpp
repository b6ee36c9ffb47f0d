#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "driver/driver_table.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda::test {

/// Work queued behind it on a stream waits until it is open.
struct Gate {
    std::atomic<bool> open{false};

    Gate() = default;
    explicit Gate(const Stream& stream) { hold(stream); }
    void hold(const Stream& stream) { driver().cuLaunchHostFunc(stream.handle(), &Gate::wait, this); }

private:
    static void wait(void* self) {
        while (!static_cast<Gate*>(self)->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
};

/// Threads that begin together. Not std::latch: libstdc++ 12's misses notifications where the system has no futexes.
class Start {
public:
    explicit Start(unsigned threads) : missing_(threads) {}
    void arrive_and_wait() {
        for (--missing_; missing_ != 0;) std::this_thread::yield();
    }

private:
    std::atomic<unsigned> missing_;
};

/// Waits for `done`, which another thread makes true.
template <class Condition>
bool soon(Condition done) {
    for (int n = 0; n < 60'000 && !done(); ++n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return done();
}

}  // namespace pycuda::test
