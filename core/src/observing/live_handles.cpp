#include "pycuda/observing/live_handles.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

#include "pycuda/observing/memory_report.hpp"
#include "pycuda/platform/forks.hpp"

namespace pycuda {
namespace {

/// Leaked: handles are destroyed until the process ends.
struct Counters {
    std::mutex& mutex = *fork_safe(new std::mutex);
    std::map<std::string, std::atomic<long>> by_kind;
};

Counters& counters() {
    static auto* instance = new Counters;
    return *instance;
}

}  // namespace

std::atomic<long>& live_handle_counter(const char* what) {
    const std::lock_guard lock(counters().mutex);
    return counters().by_kind[what];
}

long live_handles(const std::string& what) {
    const std::lock_guard lock(counters().mutex);
    const auto found = counters().by_kind.find(what);
    return found == counters().by_kind.end() ? 0 : found->second.load();
}

std::vector<LiveObjects> live_objects() {
    std::vector<LiveObjects> found;
    {
        const std::lock_guard lock(counters().mutex);
        for (const auto& [kind, counter] : counters().by_kind)
            if (const long count = counter.load(); count > 0)
                found.push_back({kind, "", static_cast<std::size_t>(count), 0});
    }
    std::ranges::stable_sort(found, std::greater{}, &LiveObjects::count);
    return found;
}

}  // namespace pycuda
