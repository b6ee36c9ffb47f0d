// mbarrier objects: 64 bits in shared memory that hold how many arrivals and bytes the current phase still waits for.
#include "exec/mbarrier.hpp"

#include <cstring>
#include <string>

#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint32_t max_arrivals = mbarrier_pending_mask;
constexpr std::int64_t max_bytes = (1 << 20) - 1;

/// The fields of an object. In memory, pending arrivals are in the lowest bits, where mbarrier.pending_count reads
/// them.
struct State {
    std::uint32_t pending;
    std::uint32_t expected;  ///< number of arrivals in the next phase
    std::int64_t bytes;      ///< bytes still to be copied; negative if copies complete before they are expected
    std::uint32_t phase;     ///< 0 or 1

    explicit State(std::uint64_t bits)
        : pending(bits & max_arrivals),
          expected(bits >> 20 & max_arrivals),
          bytes(static_cast<std::int64_t>(bits << 3) >> 43),
          phase(static_cast<std::uint32_t>(bits >> 63)) {}
    std::uint64_t bits() const {
        return pending | std::uint64_t{expected} << 20 | (static_cast<std::uint64_t>(bytes) & 0x1fffff) << 40 |
               std::uint64_t{phase} << 63;
    }
};

/// One lane's object.
class Mbarrier {
public:
    Mbarrier(Warp& w, const Insn& insn, int lane, std::uint64_t address)
        : w_(w), insn_(insn), lane_(lane), address_(address), block_(w.block->cluster.block_of(address)) {
        const bool whole = block_ && address - reinterpret_cast<std::uint64_t>(block_->shared) + 8 <= w.shared_size;
        if (!whole)
            raise_fault(w, insn, CUDA_ERROR_ILLEGAL_ADDRESS, lane, address, "an mbarrier outside shared memory, at");
        if (address % 8) raise_fault(w, insn, CUDA_ERROR_MISALIGNED_ADDRESS, lane, address, "misaligned mbarrier at");
    }

    State state() const {
        std::uint64_t bits;
        std::memcpy(&bits, reinterpret_cast<const void*>(address_), sizeof bits);
        return State(bits);
    }
    void store(std::uint64_t bits) { std::memcpy(reinterpret_cast<void*>(address_), &bits, sizeof bits); }

    void init(std::uint32_t count) {
        if (count == 0 || count > max_arrivals) fail("an mbarrier of " + std::to_string(count) + " arrivals");
        store(State(count | std::uint64_t{count} << 20).bits());
    }
    void expect(std::int64_t bytes) {
        State s = state();
        s.bytes += bytes;
        if (s.bytes < -max_bytes || s.bytes > max_bytes)
            fail("an mbarrier that waits for " + std::to_string(s.bytes) + " bytes");
        put(s);
    }
    void arrive(std::uint32_t count, bool drops, bool may_complete) {
        State s = state();
        if (count == 0 || count > s.pending || (drops && count > s.expected))
            fail(std::to_string(count) + " arrivals at an mbarrier that waits for " + std::to_string(s.pending));
        if (drops) s.expected -= count;
        s.pending -= count;
        if (!may_complete && s.pending == 0 && s.bytes == 0) fail("a .noComplete arrival that completes the phase");
        put(s);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        raise_fault(w_, insn_, CUDA_ERROR_LAUNCH_FAILED, lane_, address_, (what + ", at").c_str());
    }
    void put(State s) {
        const bool complete = s.pending == 0 && s.bytes == 0;
        if (complete) {
            s.phase ^= 1;
            s.pending = s.expected;
        }
        store(s.bits());
        if (complete) release();
    }
    /// Lets waiting threads of the object's block test it again.
    void release() {
        ++w_.block->cluster.releases;
        for (Warp& warp : block_->warps) {
            for (std::uint32_t n = 0; n < warp.split_count; ++n)
                if (warp.splits[n].state == SplitState::Mbarrier) warp.splits[n].state = SplitState::Ready;
            update_next_pc(warp);
        }
    }

    Warp& w_;
    const Insn& insn_;
    int lane_;
    std::uint64_t address_;
    Block* block_;
};

void put_state(Warp& w, const Insn& insn, int lane, std::uint64_t bits) {
    if (insn.op[0] != no_operand) lanes_of<std::uint64_t>(w, insn.op[0])[lane] = bits;
}

bool phase_is_complete(const Warp& w, const Insn& insn, int lane, const State& state) {
    const std::uint32_t awaited = static_cast<MbarrierOp>(insn.mode) == MbarrierOp::TestParity
                                      ? lanes_of<std::uint32_t>(w, insn.op[2])[lane] & 1
                                      : State(lanes_of<std::uint64_t>(w, insn.op[2])[lane]).phase;
    return awaited != state.phase;
}

void run_lane(Warp& w, const Insn& insn, int lane) {
    Mbarrier barrier(w, insn, lane, w.address[lane]);
    const std::uint64_t before = barrier.state().bits();
    const auto number = [&](int n) { return lanes_of<std::uint32_t>(w, insn.op[n])[lane]; };
    const auto op = static_cast<MbarrierOp>(insn.mode);
    switch (op) {
        case MbarrierOp::Init:
            return barrier.init(number(2));
        case MbarrierOp::Invalidate:
            return barrier.store(0);
        case MbarrierOp::Expect:
            return barrier.expect(number(2));
        case MbarrierOp::Complete:
            return barrier.expect(-std::int64_t{number(2)});
        case MbarrierOp::Arrive:
        case MbarrierOp::Drop:
        case MbarrierOp::ArriveNoComplete:
        case MbarrierOp::DropNoComplete:
            if (insn.op[3] != no_operand) barrier.expect(number(3));
            barrier.arrive(number(2), op == MbarrierOp::Drop || op == MbarrierOp::DropNoComplete,
                           op == MbarrierOp::Arrive || op == MbarrierOp::Drop);
            return put_state(w, insn, lane, before);
        case MbarrierOp::Test:
        case MbarrierOp::TestParity: {
            std::uint32_t& done = predicate_of(w, insn.op[0]);
            const bool complete = phase_is_complete(w, insn, lane, barrier.state());
            done = complete ? done | 1u << lane : done & ~(1u << lane);
            return;
        }
    }
}

}  // namespace

void run_mbarrier(Warp& w, const Insn& insn) {
    std::memcpy(w.address, lanes_of<std::uint64_t>(w, insn.op[1]), sizeof w.address);
    each_lane(w.mask, [&](int lane) { run_lane(w, insn, lane); });
}

void complete_bytes(Warp& w, const Insn& insn, int lane, std::uint64_t address, std::uint32_t bytes) {
    Mbarrier(w, insn, lane, address).expect(-std::int64_t{bytes});
}

bool wait_at_mbarrier(Warp& w, const Insn& insn) {
    const std::uint32_t done = predicate_of(w, insn.op[0]) & w.mask;
    if (done != w.mask) park(w, w.pc, w.mask & ~done, SplitState::Mbarrier);
    w.mask = done;
    ++w.pc;
    return done != 0;
}

bool time_out_waits(Cluster& cluster) {
    bool any = false;
    for (const auto& block : cluster.blocks)
        for (Warp& w : block->warps) {
            for (std::uint32_t n = 0; n < w.split_count; ++n) {
                Split& split = w.splits[n];
                if (split.state != SplitState::Mbarrier) continue;
                split.state = SplitState::Ready;
                ++split.pc;
                any = true;
            }
            update_next_pc(w);
        }
    return any;
}

}  // namespace cpu::exec
