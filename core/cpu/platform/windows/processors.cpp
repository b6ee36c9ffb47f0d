#include "platform/processors.hpp"

#include <windows.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace cpu::platform {

unsigned usable_processors() noexcept {
    DWORD_PTR usable = 0, all = 0;
    // Both are 0 in a process whose threads run in several groups of processors.
    const bool is_known = GetProcessAffinityMask(GetCurrentProcess(), &usable, &all) && usable;
    return std::max(1u, is_known ? static_cast<unsigned>(std::popcount(usable))
                                 : static_cast<unsigned>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

/// Containers are jobs.
std::size_t physical_memory() noexcept {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    GlobalMemoryStatusEx(&status);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION job{};
    std::size_t limit = SIZE_MAX;
    if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job, nullptr) &&
        (job.BasicLimitInformation.LimitFlags & JOB_OBJECT_LIMIT_JOB_MEMORY))
        limit = job.JobMemoryLimit;
    return std::min<std::size_t>(status.ullTotalPhys, limit);
}

std::int64_t last_level_cache() noexcept try {
    DWORD size = 0;
    GetLogicalProcessorInformation(nullptr, &size);
    std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> all(size / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION));
    if (!GetLogicalProcessorInformation(all.data(), &size)) return 0;
    std::int64_t largest = 0;
    for (const auto& one : all)
        if (one.Relationship == RelationCache && one.Cache.Level == 3)
            largest = std::max<std::int64_t>(largest, one.Cache.Size);
    return largest;
} catch (const std::bad_alloc&) {
    return 0;
}

int clock_rate() noexcept {
    constexpr const wchar_t* processor = L"HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    DWORD mhz = 0, size = sizeof mhz;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, processor, L"~MHz", RRF_RT_REG_DWORD, nullptr, &mhz, &size) != ERROR_SUCCESS)
        return 0;
    return static_cast<int>(mhz) * 1000;
}

}  // namespace cpu::platform
