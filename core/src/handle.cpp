#include "pycuda/handle.hpp"

#include <map>
#include <mutex>

namespace pycuda {
namespace {

/// Leaked: handles are destroyed until the process is gone.
struct Counters {
    std::mutex mutex;
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

std::mutex& handle_owner_mutex() noexcept {
    static auto* instance = new std::mutex;
    return *instance;
}

long live_handles(const std::string& what) {
    const std::lock_guard lock(counters().mutex);
    const auto found = counters().by_kind.find(what);
    return found == counters().by_kind.end() ? 0 : found->second.load();
}

}  // namespace pycuda
