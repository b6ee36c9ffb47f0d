#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pycuda {

/// Notifies a person at a terminal of a slow compilation: prints one line with the source's name after two seconds, and
/// adds the seconds at the end. Silent if stderr is not a terminal or PYCUDA_QUIET is set, so logs never contain it.
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
