#include "state/memory/ipc_memory.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/memory.hpp"

#include <cstring>
#include <map>
#include <mutex>

namespace cpu::state::ipc_memory {

namespace {

constexpr const char* kind = "memory";

struct Opened {
    std::uint64_t inode = 0;
    Context* context = nullptr;
    std::weak_ptr<Allocation> allocation;
    unsigned count = 0;
};

struct State {
    std::mutex mutex;
    std::map<CUdeviceptr, Opened> opened;
};

State& state() {
    static auto* const instance = new State;
    return *instance;
}

}  // namespace

CUipcMemHandle export_handle(CUdeviceptr pointer) {
    const auto held = memory::range(pointer, 1);
    require(held->kind == Allocation::Kind::Device && !held->imported && held->pool.expired());
    if (const auto context = held->context.lock()) context->synchronize();
    std::lock_guard lock(state().mutex);
    held->block.share();
    exec::written_bytes::forget(held->base);  // from now on, another process may write to it
    static_assert(sizeof(SharedFile::Name) <= sizeof(CUipcMemHandle));
    auto name = held->block.file().name(kind);
    name.size = held->size;
    CUipcMemHandle handle{};
    std::memcpy(&handle, &name, sizeof name);
    return handle;
}

CUdeviceptr open(Context& context, const CUipcMemHandle& handle) {
    SharedFile::Name name;
    std::memcpy(&name, &handle, sizeof name);
    std::lock_guard lock(state().mutex);
    for (auto& [pointer, opened] : state().opened) {
        if (opened.inode != name.number.inode || opened.context != &context || opened.allocation.expired()) continue;
        ++opened.count;
        return pointer;
    }
    const SharedFile file = SharedFile::open_foreign(name, kind, CUDA_ERROR_INVALID_VALUE);
    auto made = std::make_shared<Allocation>();
    made->block = PageBlock::map_file(file, name.size);
    made->base = made->block.address();
    made->size = name.size;
    made->imported = true;
    made->context = context.weak_from_this();
    made->owner = &context;
    made->context_handle = context.handle();
    made->device = &context.device();
    AddressSpace::instance().add(made);
    state().opened[made->base] = {name.number.inode, &context, made, 1};
    return made->base;
}

void close(CUdeviceptr pointer) {
    std::lock_guard lock(state().mutex);
    const auto found = state().opened.find(pointer);
    require(found != state().opened.end());
    if (--found->second.count > 0) return;
    const auto held = found->second.allocation.lock();
    state().opened.erase(found);
    if (!held) return;  // its context has ended
    if (const auto context = held->context.lock()) context->synchronize();
    AddressSpace::instance().remove(pointer, [&](const Allocation& live) { return &live == held.get(); });
}

}  // namespace cpu::state::ipc_memory
