#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pycuda {

/// Tells a person at a terminal that a compile takes its time: after two seconds one line with the source's name,
/// completed with the seconds at the end. Silent when stderr is no terminal or PYCUDA_QUIET is set, so never in logs.
class SlowNotice {
public:
    explicit SlowNotice(std::string what);
    ~SlowNotice();
    SlowNotice(const SlowNotice&) = delete;
    SlowNotice& operator=(const SlowNotice&) = delete;

private:
    void run();

    std::string what_;
    std::mutex mutex_;
    std::condition_variable done_changed_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace pycuda
