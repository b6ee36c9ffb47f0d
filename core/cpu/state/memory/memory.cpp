#include "state/memory/memory.hpp"

#include "platform/pages.hpp"
#include "platform/processors.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/graphs/graph_memory.hpp"
#include "state/memory/size_math.hpp"

namespace cpu::state::memory {

namespace {

std::shared_ptr<Allocation> make_allocation(Context& context, std::size_t bytes, Allocation::Kind kind,
                                            unsigned flags) {
    require(bytes > 0);
    auto made = std::make_shared<Allocation>();
    made->kind = kind;
    made->sync_memops = !made->on_host();
    if (kind == Allocation::Kind::Managed) made->advice = std::make_unique<AdviceMap>();
    made->size = bytes;
    made->flags = flags;
    made->context = context.weak_from_this();
    made->owner = &context;
    made->context_handle = context.handle();
    made->device = &context.device();
    return made;
}

void attach_block(Allocation& allocation) {
    allocation.block = PageBlock(allocation.size);
    allocation.base = allocation.block.address();
}

/// Waits, like the driver before memory is freed, until no submitted work can still use it.
void wait_for_users(const Allocation& allocation) {
    const auto context = allocation.context.lock();
    if (!context) return;
    context->check_fault();
    context->synchronize();
}

}  // namespace

std::shared_ptr<Allocation> allocate_device(Context& context, std::size_t bytes, Allocation::Kind kind,
                                            unsigned flags) {
    auto made = make_allocation(context, bytes, kind, flags);
    require(bytes <= context.device().total_memory(), CUDA_ERROR_OUT_OF_MEMORY);
    const std::size_t charge = round_to_pages(bytes);
    require(context.device().reserve(charge), CUDA_ERROR_OUT_OF_MEMORY);
    made->charged = charge;
    attach_block(*made);
    AddressSpace::instance().add(made);
    return made;
}

std::shared_ptr<Allocation> allocate_host(Context& context, std::size_t bytes, unsigned flags) {
    auto made = make_allocation(context, bytes, Allocation::Kind::Host, flags);
    require(bytes <= platform::physical_memory(), CUDA_ERROR_OUT_OF_MEMORY);
    attach_block(*made);
    AddressSpace::instance().add(made);
    return made;
}

void register_host(Context& context, void* address, std::size_t bytes, unsigned flags) {
    require(address != nullptr);
    auto made = make_allocation(context, bytes, Allocation::Kind::Registered, flags);
    made->base = reinterpret_cast<std::uintptr_t>(address);
    made->read_only = (flags & CU_MEMHOSTREGISTER_READ_ONLY) != 0;
    require(bytes <= platform::physical_memory());
    sum(made->base, sum(bytes, page_size()));
    const auto there = AddressSpace::instance().first_in(made->base, bytes);
    require(!there || there->kind == Allocation::Kind::Registered);
    require(!there, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    require(platform::is_mapped(address, bytes));
    AddressSpace::instance().add(made);
}

void unregister_host(void* address) {
    const auto base = reinterpret_cast<std::uintptr_t>(address);
    const auto found = AddressSpace::instance().find(base);
    require(found != nullptr, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    require(found->kind == Allocation::Kind::Registered && found->base == base);
    wait_for_users(*found);
    AddressSpace::instance().remove(base, [&](const Allocation& held) { return &held == found.get(); });
}

namespace {

void free_of_graph(CUdeviceptr base) {
    const auto memory = graphs::graph_memory_at(base);
    require(memory != nullptr);
    memory->free_by_program()();
}

void free_at(std::uintptr_t base, bool (*wanted)(const Allocation&)) {
    const auto found = AddressSpace::instance().find(base);
    require(found && found->base == base && wanted(*found));
    wait_for_users(*found);
    if (found->of_graph) return free_of_graph(base);
    require(AddressSpace::instance().remove(base, [&](const Allocation& held) { return &held == found.get(); }) !=
            nullptr);
}

}  // namespace

void free_device(CUdeviceptr pointer) {
    if (pointer == 0) return;
    free_at(pointer, [](const Allocation& held) {
        const bool freeable =
            held.kind == Allocation::Kind::Device || held.kind == Allocation::Kind::Managed || held.pooled;
        return freeable && (!held.imported || held.is_external);
    });
}

void free_host(void* address) {
    require(address != nullptr);
    free_at(reinterpret_cast<std::uintptr_t>(address),
            [](const Allocation& held) { return held.kind == Allocation::Kind::Host; });
}

std::shared_ptr<Allocation> range(CUdeviceptr pointer, std::size_t bytes) {
    auto found = AddressSpace::instance().find(pointer, bytes);
    require(found != nullptr);
    return found;
}

std::shared_ptr<Allocation> host_range(const void* address) {
    auto found = AddressSpace::instance().find(reinterpret_cast<std::uintptr_t>(address));
    require(found && found->on_host());
    return found;
}

}  // namespace cpu::state::memory
