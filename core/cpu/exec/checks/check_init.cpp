#include "exec/checks/check_init.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "exec/checks/written_bytes.hpp"
#include "exec/running/cluster.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

bool within(std::uint64_t address, const void* base, std::uint64_t size) {
    return address - reinterpret_cast<std::uint64_t>(base) < size;
}

bool is_parameter(const Warp& w, std::uint64_t address) {
    return within(address, w.parameters, w.parameter_size);
}

/// An address in the local memory of one of the warp's threads.
struct LocalPlace {
    std::size_t thread;
    std::uint32_t offset;
};

std::optional<LocalPlace> local_place(const Warp& w, std::uint64_t address) {
    if (!within(address, w.local[0], std::uint64_t{w.local_size} * warp_size)) return std::nullopt;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(w.local[0]);
    return LocalPlace{thread_number(w, static_cast<int>(offset / w.local_size)),
                      static_cast<std::uint32_t>(offset % w.local_size)};
}

/// `missing`: the offset of the first byte, of `size`, that was never written.
[[noreturn]] void unwritten(const Warp& w, const Insn& insn, int lane, std::uint32_t size, std::uint64_t missing,
                            const std::string& where) {
    const std::string from = missing ? ", from byte " + std::to_string(missing) + " on" : "";
    throw FaultSignal{
        CUDA_ERROR_LAUNCH_FAILED,
        "uninitialised read of " + byte_count(size) + from + ", at " + where + "; " + location(w, insn, lane), 0};
}

/// A kernel can only access an array through a texture or surface.
std::string describe(const Grid& grid, std::uint64_t address) {
    const bool is_known = grid.memory.find(address, grid.launch.queued).has_value();
    return hex(address) + (is_known ? near_memory(grid, address) : ", a texel of an array");
}

/// Code may read a variable at a fixed address and ignore the value, because compilers move such loads out of branches.
/// So in shared and local memory only computed addresses are checked.
bool is_fixed(const Warp& w, const Insn& insn) {
    const Kernel& kernel = w.block->grid.kernel;
    return kernel.accesses[pc_of(kernel, insn)].fixed;
}

void check_local(const Warp& w, const Insn& insn, int lane, LocalPlace at, std::uint32_t size) {
    if (is_fixed(w, insn)) return;
    const auto missing = w.block->checks.locals->first_unwritten(at.thread, at.offset, size);
    if (missing)
        unwritten(w, insn, lane, size, *missing - at.offset,
                  "byte " + std::to_string(at.offset) + " of the thread's local memory");
}

void check_shared(const Warp& w, const Insn& insn, int lane, const Block& owner, std::uint64_t address,
                  std::uint32_t size) {
    if (is_fixed(w, insn)) return;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(owner.shared);
    const auto first = owner.checks.shared_written.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto missing = std::find(first, first + size, 0);
    if (missing == first + size) return;
    unwritten(w, insn, lane, size, static_cast<std::uint64_t>(missing - first),
              shared_location(w.block->grid.kernel, static_cast<std::uint32_t>(offset)) + " of shared memory");
}

}  // namespace

void check_read(Warp& w, const Insn& insn, const LaneAddresses& lanes) {
    for (std::uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = lanes.address[lane];
        if (address == 0 || is_parameter(w, address)) continue;
        if (const auto local = local_place(w, address)) {
            check_local(w, insn, lane, *local, lanes.size);
        } else if (const Block* owner = w.block->cluster.block_of(address)) {
            check_shared(w, insn, lane, *owner, address, lanes.size);
        } else if (const auto missing = written_bytes::first_unwritten(address, lanes.size)) {
            unwritten(w, insn, lane, lanes.size, *missing - address, describe(w.block->grid, address));
        }
    }
}

void note_write(Warp& w, const LaneAddresses& lanes) {
    for (std::uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
        const std::uint64_t address = lanes.address[std::countr_zero(rest)];
        if (address == 0 || is_parameter(w, address)) continue;
        if (const auto local = local_place(w, address))
            w.block->checks.locals->set(local->thread, local->offset, lanes.size);
        else if (Block* owner = w.block->cluster.block_of(address))
            std::fill_n(owner->checks.shared_written.begin() +
                            static_cast<std::ptrdiff_t>(address - reinterpret_cast<std::uint64_t>(owner->shared)),
                        lanes.size, std::uint8_t{1});
        else
            written_bytes::set(address, lanes.size);
    }
}

}  // namespace cpu::exec
