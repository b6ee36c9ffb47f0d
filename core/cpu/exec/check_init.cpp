#include "exec/check_init.hpp"

#include <algorithm>
#include <bit>

#include "exec/block.hpp"
#include "exec/report.hpp"
#include "exec/written_bytes.hpp"

namespace cpu::exec {

namespace {

bool within(std::uint64_t address, const void* base, std::uint64_t size) {
    return address - reinterpret_cast<std::uint64_t>(base) < size;
}

/// The lanes' local memory and the parameters are not followed.
bool is_private(const Warp& w, std::uint64_t address) {
    return within(address, w.local[0], std::uint64_t{w.local_size} * warp_size) ||
           within(address, w.parameters, w.parameter_size);
}

/// `missing`: the first byte of `size` that nothing wrote.
[[noreturn]] void unwritten(const Warp& w, const Insn& insn, int lane, std::uint32_t size, std::uint64_t missing,
                            const std::string& where) {
    const std::string from = missing ? ", from byte " + std::to_string(missing) + " on" : "";
    throw FaultSignal{
        CUDA_ERROR_LAUNCH_FAILED,
        "read of " + byte_count(size) + " that nothing wrote" + from + ", at " + where + "; " + place(w, insn, lane),
        0};
}

/// Arrays are no memory that kernels can address otherwise.
std::string describe(const Memory& memory, std::uint64_t address) {
    return hex(address) + (memory.find(address) ? near_memory(memory, address) : ", a texel of an array");
}

/// A variable at a fixed place may be read by code that then makes no use of it: compilers move such loads out of
/// branches. So only places that are computed are checked.
void check_shared(const Warp& w, const Insn& insn, int lane, std::uint64_t address, std::uint32_t size) {
    const bool fixed = insn.window == Window::Shared && (insn.op[1] & 1);
    if (fixed) return;
    const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(w.shared);
    const auto first = w.block->checks.shared_written.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto missing = std::find(first, first + size, 0);
    if (missing == first + size) return;
    unwritten(w, insn, lane, size, static_cast<std::uint64_t>(missing - first),
              shared_place(w.block->grid.kernel, static_cast<std::uint32_t>(offset)) + " of shared memory");
}

}  // namespace

void check_read(Warp& w, const Insn& insn, const LaneAddresses& lanes) {
    for (std::uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const std::uint64_t address = lanes.address[lane];
        if (address == 0 || is_private(w, address)) continue;
        if (within(address, w.shared, w.shared_size)) {
            check_shared(w, insn, lane, address, lanes.size);
        } else if (const auto missing = written_bytes::first_unwritten(address, lanes.size)) {
            unwritten(w, insn, lane, lanes.size, *missing - address, describe(w.block->grid.memory, address));
        }
    }
}

void note_write(Warp& w, const LaneAddresses& lanes) {
    for (std::uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
        const std::uint64_t address = lanes.address[std::countr_zero(rest)];
        if (address == 0 || is_private(w, address)) continue;
        if (within(address, w.shared, w.shared_size))
            std::fill_n(w.block->checks.shared_written.begin() +
                            static_cast<std::ptrdiff_t>(address - reinterpret_cast<std::uint64_t>(w.shared)),
                        lanes.size, std::uint8_t{1});
        else
            written_bytes::set(address, lanes.size);
    }
}

}  // namespace cpu::exec
