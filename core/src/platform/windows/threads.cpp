#include "platform/threads.hpp"

#include <windows.h>

#include <process.h>
#include <tlhelp32.h>

namespace pycuda {

namespace {

std::uint64_t creation_time(DWORD id) noexcept {
    const HANDLE thread = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, id);
    if (!thread) return UINT64_MAX;
    FILETIME created, other;
    const bool known = GetThreadTimes(thread, &created, &other, &other, &other);
    CloseHandle(thread);
    return known ? std::uint64_t{created.dwHighDateTime} << 32 | created.dwLowDateTime : UINT64_MAX;
}

/// That of the oldest thread; 0 if the system does not list them.
DWORD find_first_thread() noexcept {
    const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    if (all == INVALID_HANDLE_VALUE) return 0;
    THREADENTRY32 entry{};
    entry.dwSize = sizeof entry;
    DWORD first = 0;
    std::uint64_t oldest = UINT64_MAX;
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry)) {
        if (entry.th32OwnerProcessID != GetCurrentProcessId()) continue;
        const std::uint64_t created = creation_time(entry.th32ThreadID);
        if (created >= oldest) continue;
        oldest = created;
        first = entry.th32ThreadID;
    }
    CloseHandle(all);
    return first;
}

}  // namespace

bool is_first_thread_of_process() noexcept {
    static const DWORD first = find_first_thread();
    return GetCurrentThreadId() == first;
}

std::uint64_t number_of_this_thread() noexcept {
    return GetCurrentThreadId();
}

void run_on_stack(std::size_t nbytes, void (*body)(void*), void* argument) noexcept {
    struct Task {
        void (*body)(void*);
        void* argument;
    } task{body, argument};
    const auto start = [](void* given) -> unsigned {
        const auto& mine = *static_cast<const Task*>(given);
        mine.body(mine.argument);
        return 0;
    };
    const auto thread = reinterpret_cast<HANDLE>(_beginthreadex(nullptr, static_cast<unsigned>(nbytes), start, &task,
                                                                STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr));
    if (!thread) return body(argument);
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

}  // namespace pycuda
