// cp.async.bulk. op[0] is the destination and op[1] the source (generic addresses), op[2] the bytes, op[3] the mbarrier
// to notify and op[4] the ranks of the receiving blocks; the last two are optional. The copy is done immediately, which
// is one of the permitted orders.
#include <bit>
#include <cstring>

#include "exec/checks/check_init.hpp"
#include "exec/checks/checks.hpp"
#include "exec/mbarrier.hpp"
#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint32_t granularity = 16;

template <class T>
const T* operand(const Warp& w, std::uint32_t op) {
    return op == no_operand ? nullptr : lanes_of<T>(w, op);
}

void copy(Warp& w, const Insn& insn, int lane, std::uint64_t to, std::uint64_t from, std::uint32_t bytes) {
    check_range(w, insn, lane, from, bytes, granularity, false);
    check_range(w, insn, lane, to, bytes, granularity, true);
    if (enabled_checks().init) {
        w.address[lane] = from;
        check_read(w, insn, {1u << lane, w.address, bytes});
        w.address[lane] = to;
        note_write(w, {1u << lane, w.address, bytes});
    }
    std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

}  // namespace

void run_bulk_copy(Warp& w, const Insn& insn) {
    const auto* to = operand<std::uint64_t>(w, insn.op[0]);
    const auto* from = operand<std::uint64_t>(w, insn.op[1]);
    const auto* bytes = operand<std::uint32_t>(w, insn.op[2]);
    const auto* object = operand<std::uint64_t>(w, insn.op[3]);
    const auto* ranks = operand<std::uint32_t>(w, insn.op[4]);
    const Cluster& cluster = w.block->cluster;
    each_lane(w.mask, [&](int lane) {
        if (bytes[lane] % granularity)
            raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, lane, 0,
                        "cp.async.bulk of a size that is not a multiple of 16");
        std::uint32_t targets = ranks ? ranks[lane] & 0xffff : 1;
        if (targets >> cluster.blocks.size())
            raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, lane, 0, "cp.async.bulk to a block outside the cluster");
        for (; targets; targets &= targets - 1) {
            const std::uint64_t distance =
                ranks ? (static_cast<std::uint64_t>(std::countr_zero(targets)) - w.block->rank) * cluster.stride : 0;
            copy(w, insn, lane, to[lane] + distance, from[lane], bytes[lane]);
            if (object) complete_bytes(w, insn, lane, object[lane] + distance, bytes[lane]);
        }
    });
}

}  // namespace cpu::exec
