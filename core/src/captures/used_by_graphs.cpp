#include "captures/used_by_graphs.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "driver/driver_table.hpp"

namespace pycuda::used_by_graphs {
namespace {

struct Table {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, std::vector<std::weak_ptr<GraphResources>>> users;
    std::atomic<std::size_t> count{0};
};

/// Leaked: memory may be released at any time during process exit.
Table& table() {
    static auto* const instance = new Table;
    return *instance;
}

bool is(const std::weak_ptr<GraphResources>& known, const std::shared_ptr<GraphResources>& graph) {
    return !known.owner_before(graph) && !graph.owner_before(known);
}

/// The living users of an object. `and_then(table, entry)` is called under the lock if it is known.
template <class Then>
std::vector<std::shared_ptr<GraphResources>> look_up(std::uint64_t address, Then and_then) noexcept {
    Table& known = table();
    std::vector<std::shared_ptr<GraphResources>> alive;
    // Relaxed: the program orders the use of memory in a graph before the memory's end.
    if (known.count.load(std::memory_order_relaxed) == 0) return alive;
    const std::lock_guard lock(known.mutex);
    const auto found = known.users.find(address);
    if (found == known.users.end()) return alive;
    for (const auto& user : found->second)
        if (auto graph = user.lock()) alive.push_back(std::move(graph));
    and_then(known, found);
    return alive;
}

}  // namespace

void add(std::uint64_t address, const std::shared_ptr<GraphResources>& graph) {
    Table& known = table();
    const std::lock_guard lock(known.mutex);
    auto& users = known.users[address];
    for (const auto& user : users)
        if (is(user, graph)) return;
    std::erase_if(users, [](const auto& user) { return user.expired(); });
    users.push_back(graph);
    known.count.store(known.users.size(), std::memory_order_relaxed);
}

std::uint64_t start_of(const void* memory) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    CUdeviceptr start = 0;
    const auto& ask = driver().cuPointerGetAttribute;
    const bool known = ask.try_call(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) == CUDA_SUCCESS;
    return known && start != 0 ? start : address;
}

std::vector<std::shared_ptr<GraphResources>> users(std::uint64_t address) noexcept {
    return look_up(address, [](auto&, auto) {});
}

std::vector<std::shared_ptr<GraphResources>> take(std::uint64_t address) noexcept {
    return look_up(address, [](Table& known, auto found) {
        known.users.erase(found);
        count_of_changes.fetch_add(1, std::memory_order_release);
        known.count.store(known.users.size(), std::memory_order_relaxed);
    });
}

}  // namespace pycuda::used_by_graphs
