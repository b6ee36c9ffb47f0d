#pragma once

#include <cstddef>

/// Pages whose memory was freed. A kernel checks each access, but another thread may free the memory just after the
/// check: so pages stay mapped, but empty, while launches run. Only incorrect programs access them.
namespace cpu::state::retired_pages {

/// Calls `release` with them now, or after the running launches.
using Release = void (*)(void* address, std::size_t bytes) noexcept;
void retire(void* address, std::size_t bytes, Release release) noexcept;

/// Exists while a launch runs.
class RunningLaunch {
public:
    RunningLaunch() noexcept;
    ~RunningLaunch();
    RunningLaunch(const RunningLaunch&) = delete;
    RunningLaunch& operator=(const RunningLaunch&) = delete;
};

}  // namespace cpu::state::retired_pages
