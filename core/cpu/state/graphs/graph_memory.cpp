#include "state/graphs/graph_memory.hpp"

#include "state/device.hpp"
#include "state/error.hpp"
#include "state/memory/address_space.hpp"

#include <algorithm>
#include <map>

namespace cpu::state::graphs {

namespace {

struct Usage {
    std::size_t current = 0;
    std::size_t high = 0;
    void add(std::size_t bytes) { high = std::max(high, current += bytes); }
    void subtract(std::size_t bytes) { current -= bytes; }
};

struct UsageOfDevice {
    Usage used, reserved;
};

/// All memory of graphs, by address. Lock order: first the lock of one piece of memory, then this one.
struct Everything {
    std::mutex mutex;
    struct Left {
        std::shared_ptr<GraphMemory> memory;
        const Context* context = nullptr;
    };
    std::map<CUdeviceptr, std::weak_ptr<GraphMemory>> by_address;
    std::map<CUdeviceptr, Left> allocated;  ///< by launches in these contexts
    std::map<const Device*, UsageOfDevice> usage;
};

Everything& everything() {
    static auto* const all = new Everything;
    return *all;
}

template <class Change>
void change_usage(const Device& device, Change change) {
    std::lock_guard lock(everything().mutex);
    change(everything().usage[&device]);
}

std::vector<std::shared_ptr<GraphMemory>> all_of(const Device& device) {
    std::vector<std::shared_ptr<GraphMemory>> found;
    std::lock_guard lock(everything().mutex);
    for (const auto& [address, weak] : everything().by_address)
        if (auto memory = weak.lock(); memory && &memory->device() == &device) found.push_back(std::move(memory));
    return found;
}

}  // namespace

GraphMemory::GraphMemory(Device& device, std::size_t bytes, CUgraph graph)
    : device_(device), graph_(graph), allocation_(std::make_shared<Allocation>()), charge_(round_to_pages(bytes)) {
    allocation_->of_graph = true;
    allocation_->block = PageBlock(bytes);
    allocation_->base = allocation_->block.address();
    allocation_->size = bytes;
    allocation_->device = &device_;
}

std::shared_ptr<GraphMemory> GraphMemory::make(Device& device, std::size_t bytes, CUgraph graph) {
    require(bytes > 0);
    require(bytes <= device.total_memory(), CUDA_ERROR_OUT_OF_MEMORY);
    auto made = std::make_shared<GraphMemory>(device, bytes, graph);
    std::lock_guard lock(everything().mutex);
    everything().by_address[made->address()] = made;
    return made;
}

GraphMemory::~GraphMemory() {
    {
        std::lock_guard lock(everything().mutex);
        everything().by_address.erase(address());
    }
    take_away(launch_);
    give_back();
}

CUdeviceptr GraphMemory::address() const noexcept {
    return allocation_->base;
}
std::size_t GraphMemory::bytes() const noexcept {
    return allocation_->size;
}

bool GraphMemory::is_unfreed() const {
    std::lock_guard lock(mutex_);
    return unfreed_;
}

void GraphMemory::reserve() {
    std::lock_guard lock(mutex_);
    if (charged_) return;
    require(device_.reserve(charge_), CUDA_ERROR_OUT_OF_MEMORY);
    charged_ = true;
    change_usage(device_, [&](UsageOfDevice& usage) { usage.reserved.add(charge_); });
}

void GraphMemory::allocate(const Context& context) {
    std::lock_guard lock(mutex_);
    {
        std::lock_guard all(everything().mutex);
        everything().allocated[address()] = {shared_from_this(), &context};
    }
    if (!present_) {
        AddressSpace::instance().add(allocation_);
        change_usage(device_, [&](UsageOfDevice& usage) { usage.used.add(charge_); });
    }
    present_ = unfreed_ = true;
    ++launch_;
}

std::function<void()> GraphMemory::free() {
    std::lock_guard lock(mutex_);
    unfreed_ = false;
    return [self = shared_from_this(), launch = launch_] { self->take_away(launch); };
}

void GraphMemory::note_free_node(CUgraph graph) {
    std::lock_guard lock(mutex_);
    require(!freed_inside_ && (graph != graph_ || !freed_outside_));
    (graph == graph_ ? freed_inside_ : freed_outside_) = true;
}

std::function<void()> GraphMemory::free_by_program() {
    {
        std::lock_guard lock(mutex_);
        require(!freed_inside_ && unfreed_);
    }
    return free();
}

void GraphMemory::drop() {
    free()();
}

void GraphMemory::take_away(std::uint64_t launch) {
    Everything::Left last;  // its memory ends after the lock
    std::lock_guard lock(mutex_);
    if (!present_ || launch != launch_) return;
    {
        std::lock_guard all(everything().mutex);
        std::swap(last, everything().allocated[address()]);
        everything().allocated.erase(address());
    }
    present_ = unfreed_ = false;
    AddressSpace::instance().remove(address(), [&](const Allocation& live) { return &live == allocation_.get(); });
    change_usage(device_, [&](UsageOfDevice& usage) { usage.used.subtract(charge_); });
}

void GraphMemory::give_back() {
    std::lock_guard lock(mutex_);
    if (present_ || !charged_) return;
    charged_ = false;
    device_.release(charge_);
    change_usage(device_, [&](UsageOfDevice& usage) { usage.reserved.subtract(charge_); });
}

std::shared_ptr<GraphMemory> graph_memory_at(CUdeviceptr address) {
    std::lock_guard lock(everything().mutex);
    auto& all = everything().by_address;
    auto after = all.upper_bound(address);
    if (after == all.begin()) return nullptr;
    auto memory = std::prev(after)->second.lock();
    return memory && address - memory->address() < memory->bytes() ? memory : nullptr;
}

std::shared_ptr<Allocation> find_graph_memory(CUdeviceptr address, std::size_t bytes) {
    const auto memory = graph_memory_at(address);
    if (!memory || bytes > memory->bytes() - (address - memory->address())) return nullptr;
    return memory->allocation();
}

void drop_graph_memory_of(const Context& context) {
    std::vector<std::shared_ptr<GraphMemory>> left;
    {
        std::lock_guard lock(everything().mutex);
        for (const auto& [address, one] : everything().allocated)
            if (one.context == &context) left.push_back(one.memory);
    }
    for (const auto& memory : left) memory->drop();
}

void trim_graph_memory(Device& device) {
    for (const auto& memory : all_of(device)) memory->give_back();
}

namespace {

Usage& usage_of(UsageOfDevice& usage, bool used) {
    return used ? usage.used : usage.reserved;
}

bool is_used(CUgraphMem_attribute attribute) {
    return attribute == CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT || attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH;
}

bool is_high(CUgraphMem_attribute attribute) {
    return attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH || attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH;
}

}  // namespace

std::uint64_t graph_memory_attribute(Device& device, CUgraphMem_attribute attribute) {
    require(attribute >= CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT && attribute <= CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
    std::lock_guard lock(everything().mutex);
    const Usage& usage = usage_of(everything().usage[&device], is_used(attribute));
    return is_high(attribute) ? usage.high : usage.current;
}

void reset_graph_memory_attribute(Device& device, CUgraphMem_attribute attribute) {
    require(is_high(attribute));
    change_usage(device, [&](UsageOfDevice& all) {
        Usage& usage = usage_of(all, is_used(attribute));
        usage.high = usage.current;
    });
}

}  // namespace cpu::state::graphs
