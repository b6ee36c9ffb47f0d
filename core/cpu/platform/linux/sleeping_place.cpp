#include "platform/sleeping_place.hpp"

#include <pthread.h>
#include <sched.h>

namespace cpu::platform {

int current_processor() noexcept {
    return sched_getcpu();
}

struct SleepingPlace::Thread {
    const pthread_t thread = pthread_self();
    cpu_set_t allowed;
};

SleepingPlace::SleepingPlace() : thread_(std::make_unique<Thread>()) {}

SleepingPlace::~SleepingPlace() = default;

void SleepingPlace::leave() noexcept {
    if (pthread_getaffinity_np(thread_->thread, sizeof thread_->allowed, &thread_->allowed) != 0) return;
    cpu_set_t others = thread_->allowed;
    CPU_CLR(static_cast<unsigned>(processor_), &others);
    if (CPU_COUNT(&others) == 0) return;
    narrowed_ = pthread_setaffinity_np(thread_->thread, sizeof others, &others) == 0;
    processor_ = -1;
}

void SleepingPlace::return_home() noexcept {
    pthread_setaffinity_np(thread_->thread, sizeof thread_->allowed, &thread_->allowed);
}

}  // namespace cpu::platform
