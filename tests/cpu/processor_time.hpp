#pragma once

#include <ctime>

namespace test {

/// Processor time of this thread since: unlike time, it does not depend on the machine's other work.
class ProcessorTime {
public:
    double seconds() const { return now() - start_; }

private:
    static double now() {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    }
    const double start_ = now();
};

}  // namespace test
