#include "platform/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace cpu::platform {

namespace {

std::size_t control_group_limit() {
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        std::size_t bytes = 0;
        if (file >> bytes && bytes > 0) return bytes;
    }
    return SIZE_MAX;
}

}  // namespace

unsigned usable_processors() noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool is_known = sched_getaffinity(0, sizeof set, &set) == 0;  // the set has 1,024 processors
    return std::max(1u, is_known ? static_cast<unsigned>(CPU_COUNT(&set)) : std::thread::hardware_concurrency());
}

std::size_t physical_memory() noexcept {
    const auto installed =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return std::min(installed, control_group_limit());
}

std::int64_t last_level_cache() noexcept {
    return std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L);
}

int clock_rate() noexcept {
    int khz = 0;
    if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> khz && khz > 0) return khz;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("cpu MHz")) return static_cast<int>(1000 * std::stod(line.substr(line.find(':') + 1)));
    return 0;
}

}  // namespace cpu::platform
