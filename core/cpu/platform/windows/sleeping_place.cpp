#include "platform/sleeping_place.hpp"

#include <windows.h>

namespace cpu::platform {

int current_processor() noexcept {
    return static_cast<int>(GetCurrentProcessorNumber());
}

// Windows looks for an idle processor each time that a thread wakes.

struct SleepingPlace::Thread {};

SleepingPlace::SleepingPlace() = default;

SleepingPlace::~SleepingPlace() = default;

void SleepingPlace::leave() noexcept {}

void SleepingPlace::return_home() noexcept {}

}  // namespace cpu::platform
