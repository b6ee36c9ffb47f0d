#include "compiler/slow_notice.hpp"

#include <chrono>
#include <cstdio>
#include <system_error>

#include "platform/environment.hpp"
#include "platform/standard_error.hpp"

namespace pycuda {

SlowNotice::SlowNotice(std::string what) : what_(std::move(what)) {
    if (!standard_error_is_a_terminal() || !environment("PYCUDA_QUIET").empty()) return;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
        // A notice is not worth a failed compile.
    }
}

SlowNotice::~SlowNotice() {
    if (!thread_.joinable()) return;
    {
        std::lock_guard lock(mutex_);
        done_ = true;
    }
    done_changed_.notify_one();
    thread_.join();
}

void SlowNotice::run() {
    const auto start = std::chrono::steady_clock::now();
    std::unique_lock lock(mutex_);
    if (done_changed_.wait_for(lock, std::chrono::seconds(2), [this] { return done_; })) return;
    std::fprintf(stderr, "pycuda: compiling %s ...", what_.c_str());
    std::fflush(stderr);
    done_changed_.wait(lock, [this] { return done_; });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, " %.1f s\n", taken.count());
}

}  // namespace pycuda
