#include "state/memory/pool_sharing.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/device.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/memory.hpp"
#include "state/memory/memory_pool.hpp"

#include <cstring>

namespace cpu::state::pool_sharing {

namespace {

constexpr const char* kind = "pooled";

/// What CUmemPoolPtrExportData holds.
struct Exported {
    std::uint64_t pool;
    SharedFile::Name block;
};
static_assert(sizeof(Exported) <= sizeof(CUmemPoolPtrExportData));

}  // namespace

int export_pool(const MemoryPool& pool) {
    require(pool.identity() && !pool.is_imported());
    return pool.identity().new_descriptor();
}

CUmemoryPool import_pool(int descriptor) {
    const auto pool = MemoryPool::imported(SharedFile::copy_of(descriptor));
    pool->handle = reinterpret_cast<CUmemoryPool>(new_handle_value());
    memory_pools().add_as(pool->handle, pool);
    return pool->handle;
}

CUmemPoolPtrExportData export_pointer(CUdeviceptr pointer) {
    const auto held = memory::range(pointer, 1);
    const auto pool = held->pool.lock();
    require(held->base == pointer && pool && pool->identity() && !pool->is_imported());
    // Kernels of this process keep using the same addresses, but none may run while the memory behind them is replaced.
    for (const auto& context : contexts().all())
        if (pool->accessible_from(context->device())) context->synchronize();
    held->block.share();
    exec::written_bytes::forget(held->base);  // from now on, another process may write to it
    Exported made{pool->identity().inode(), held->block.file().name(kind)};
    made.block.size = held->size;
    CUmemPoolPtrExportData data{};
    std::memcpy(&data, &made, sizeof made);
    return data;
}

CUdeviceptr import_pointer(Context& context, MemoryPool& pool, const CUmemPoolPtrExportData& data) {
    Exported exported;
    std::memcpy(&exported, &data, sizeof exported);
    require(pool.is_imported() && pool.identity().inode() == exported.pool);
    const SharedFile file = SharedFile::open(exported.block, kind, CUDA_ERROR_INVALID_VALUE);
    auto made = std::make_shared<Allocation>();
    made->block = PageBlock::map_file(file, exported.block.size);
    made->base = made->block.address();
    made->size = exported.block.size;
    made->context = context.weak_from_this();
    made->context_handle = context.handle();
    made->device = &pool.device();
    made->pool = pool.weak_from_this();
    AddressSpace::instance().add(made);
    return made->base;
}

}  // namespace cpu::state::pool_sharing
