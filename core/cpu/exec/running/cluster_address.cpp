// Addresses in the shared memory of a cluster's blocks. In the window .shared::cluster a block's own memory starts at
// 0, as in .shared::cta, and the memory of rank r at (r + 1) << 24.
#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

constexpr int rank_shift = 24;
constexpr std::uint64_t window_end = std::uint64_t{1} << 32;

/// op[0] = f(lane, op[1])
template <class T, class F>
void each_address(Warp& w, const Insn& insn, F f) {
    const auto* a = lanes_of<std::uint64_t>(w, insn.op[1]);
    T* d = lanes_of<T>(w, insn.op[0]);
    each_lane(w.mask, [&](int lane) { d[lane] = static_cast<T>(f(lane, a[lane])); });
}

/// An offset in the shared memory of one of the blocks; for other addresses the rank is out of range.
struct ClusterPlace {
    std::uint64_t rank;
    std::uint64_t offset;
};

ClusterPlace place_in_window(const Warp& w, std::uint64_t address) {
    const std::uint64_t rank = address >> rank_shift;
    return {rank ? rank - 1 : w.block->rank, address & ((1u << rank_shift) - 1)};
}

ClusterPlace place_of(const Warp& w, std::uint64_t generic) {
    const Cluster& cluster = w.block->cluster;
    const std::uint64_t distance = generic - reinterpret_cast<std::uint64_t>(cluster.shared.get());
    return {distance / cluster.stride, distance % cluster.stride};
}

std::uint64_t generic_of(const Warp& w, const ClusterPlace& place) {
    const Cluster& cluster = w.block->cluster;
    return reinterpret_cast<std::uint64_t>(cluster.shared.get()) + place.rank * cluster.stride + place.offset;
}

std::uint64_t window_of(const Warp& w, const ClusterPlace& place) {
    return (place.rank == w.block->rank ? 0 : place.rank + 1) << rank_shift | place.offset;
}

bool exists(const Warp& w, std::uint64_t rank) {
    return rank < w.block->cluster.blocks.size();
}

/// The place of an address of either kind.
ClusterPlace place(Warp& w, const Insn& insn, int lane, std::uint64_t address) {
    const ClusterPlace found = address < window_end ? place_in_window(w, address) : place_of(w, address);
    if (!exists(w, found.rank))
        raise_fault(w, insn, CUDA_ERROR_ILLEGAL_ADDRESS, lane, address, "address outside the cluster's shared memory:");
    return found;
}

}  // namespace

/// op[0] = the address in the block of rank op[2] that corresponds to op[1].
void run_mapa(Warp& w, const Insn& insn) {
    const auto* ranks = lanes_of<std::uint32_t>(w, insn.op[2]);
    each_address<std::uint64_t>(w, insn, [&](int lane, std::uint64_t address) {
        const ClusterPlace from = place(w, insn, lane, address);
        if (!exists(w, ranks[lane]))
            raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, lane, ranks[lane], "mapa to a block outside the cluster:");
        const ClusterPlace to{ranks[lane], from.offset};
        return address < window_end ? window_of(w, to) : generic_of(w, to);
    });
}

void run_getctarank(Warp& w, const Insn& insn) {
    each_address<std::uint32_t>(w, insn,
                                [&](int lane, std::uint64_t address) { return place(w, insn, lane, address).rank; });
}

/// For an invalid rank, returns an address without memory.
void run_cluster_to_generic(Warp& w, const Insn& insn) {
    each_address<std::uint64_t>(w, insn, [&](int, std::uint64_t address) {
        const ClusterPlace found = place_in_window(w, address);
        return exists(w, found.rank) ? generic_of(w, found) : address;
    });
}

void run_generic_to_cluster(Warp& w, const Insn& insn) {
    each_address<std::uint64_t>(w, insn, [&](int, std::uint64_t address) {
        const ClusterPlace found = place_of(w, address);
        return exists(w, found.rank) ? window_of(w, found) : address;
    });
}

void run_is_cluster_shared(Warp& w, const Insn& insn) {
    const auto* a = lanes_of<std::uint64_t>(w, insn.op[1]);
    std::uint32_t& d = predicate_of(w, insn.op[0]);
    each_lane(w.mask, [&](int lane) {
        const std::uint32_t bit = 1u << lane;
        d = w.block->cluster.block_of(a[lane]) ? d | bit : d & ~bit;
    });
}

}  // namespace cpu::exec
