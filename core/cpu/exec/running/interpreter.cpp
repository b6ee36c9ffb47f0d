#include <bit>
#include <utility>

#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

constexpr int back_edges_a_turn = 4096;
/// How many back-edges a loop that may wait takes before another split of the warp gets a turn, and before another warp
/// does.
constexpr std::uint32_t max_spins = 16;
constexpr int waits_a_turn = 64;

bool is_affine(const Warp& w, std::uint32_t pc) {
    return pc >= w.block->grid.kernel.affine_begin;
}

/// Takes a branch for the lanes of `taken`; the lower pc runs first. Returns true if the target runs.
bool take_branch(Warp& w, const Insn& insn, std::uint32_t pc, std::uint32_t taken) {
    if (taken == w.mask) {
        w.pc = insn.target_pc;
        return true;
    }
    if (taken == 0) {
        w.pc = pc + 1;
        return false;
    }
    if (is_affine(w, pc)) {
        leave_affine(w, pc);
        return take_branch(w, w.block->grid.kernel.insns[w.pc], w.pc, taken);
    }
    const std::uint32_t other = w.mask & ~taken;
    const bool target_first = insn.target_pc <= pc;
    park(w, target_first ? pc + 1 : insn.target_pc, target_first ? other : taken, SplitState::Ready);
    w.mask = target_first ? taken : other;
    w.pc = target_first ? insn.target_pc : pc + 1;
    return target_first;
}

void branch_indexed(Warp& w, const Insn& insn, std::uint32_t pc) {
    const std::uint32_t* index = reinterpret_cast<const std::uint32_t*>(w.bank[insn.op[0] & 1] + insn.op[0]);
    const int first = std::countr_zero(w.mask);
    if (index[first] >= insn.table_size)
        raise_fault(w, insn, CUDA_ERROR_INVALID_PC, first, index[first], "brx.idx with an index beyond its table:");
    std::uint32_t same = 0;
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1)
        if (index[std::countr_zero(rest)] == index[first]) same |= rest & -rest;
    if (same != w.mask) park(w, pc, w.mask & ~same, SplitState::Ready);
    w.mask = same;
    w.pc = w.block->grid.kernel.branch_targets[insn.branch_table + index[first]];
}

/// Runs one turn of a warp. Counts its back-edges and, if requested, the instructions of its lanes.
template <bool Counting>
class Turn {
public:
    explicit Turn(Warp& w) : w_(w), code_(w.block->grid.kernel.insns.data()) {}

    Outcome run() {
        if (w_.mask == 0 && !pick_lowest(w_)) return w_.live ? Outcome::Blocked : Outcome::Done;
        const Outcome outcome = loop();
        if (Counting) w_.block->grid.lane_instructions += executed_;
        return outcome;
    }

private:
    Outcome loop() {
        for (;;) {
            std::uint32_t pc = w_.pc;
            const Insn* insn = code_ + pc;
            while (insn->control == Control::Next) {
                insn->run[w_.mask == full_mask](w_, *insn);
                ++insn;
            }
            if (Counting) executed_ += static_cast<std::uint64_t>(insn - (code_ + pc)) * std::popcount(w_.mask);
            if (Counting && insn->control != Control::ReconvergencePoint) executed_ += std::popcount(w_.mask);
            pc = static_cast<std::uint32_t>(insn - code_);
            w_.pc = pc;
            if (!control(*insn, pc)) return outcome_;
        }
    }

    /// Executes a control instruction; false: the turn is over.
    bool control(const Insn& insn, std::uint32_t pc) {
        switch (insn.control) {
            case Control::ReconvergencePoint:
                if (pc >= w_.next_pc || w_.forced) {
                    reconverge(w_);
                    if (w_.pc != pc) return true;
                }
                w_.pc = pc + 1;
                return true;
            case Control::Guard: {
                const std::uint32_t narrowed = w_.mask & predicate_of(w_, insn.op[0]);
                if (narrowed && narrowed != w_.mask && is_affine(w_, pc)) return leave(pc);
                w_.guarded = w_.mask;
                if (narrowed) w_.mask = narrowed;
                w_.pc = narrowed ? pc + 1 : insn.target_pc;
                return true;
            }
            case Control::Unguard:
                w_.mask = w_.guarded;
                w_.pc = pc + 1;
                return true;
            case Control::Branch:
                w_.pc = insn.target_pc;
                return !insn.backward || back_edge(insn);
            case Control::BranchIf: {
                const std::uint32_t p = predicate_of(w_, insn.op[0]);
                const bool jumped = take_branch(w_, insn, pc, w_.mask & (insn.negated ? ~p : p));
                return !jumped || !insn.backward || back_edge(insn);
            }
            case Control::Widen:
                insn.run[1](w_, insn);
                if (std::exchange(w_.wrapped, false)) return leave(pc);
                w_.pc = pc + 1;
                return true;
            case Control::Expand:
                return leave(pc);
            default:
                return rare_control(insn, pc);
        }
    }

    /// Leaves affine code, to execute the instruction in the generic code.
    bool leave(std::uint32_t pc) {
        if (Counting) executed_ -= static_cast<std::uint64_t>(std::popcount(w_.mask));
        leave_affine(w_, pc);
        return true;
    }

    bool rare_control(const Insn& insn, std::uint32_t pc) {
        switch (insn.control) {
            case Control::BranchIndexed:
                branch_indexed(w_, insn, pc);
                return count_back_edge();
            case Control::Barrier:
                arrive_at_barrier(w_, insn, true);
                return next_split();
            case Control::Arrive:
                arrive_at_barrier(w_, insn, false);
                return next_split();
            case Control::ClusterArrive:
                arrive_at_cluster(w_, insn);
                w_.pc = pc + 1;
                return true;
            case Control::ClusterWait:
                return wait_for_cluster(w_) || next_split();
            case Control::Wait:
                insn.run[0](w_, insn);
                return wait_at_mbarrier(w_, insn) || next_split();
            case Control::Sync:
                if (!synchronize(w_, insn)) return next_split();
                w_.pc = pc + 1;
                return true;
            case Control::Exit:
                lanes_exited(w_, w_.mask);
                return next_split();
            case Control::Call:
            case Control::CallIndirect:
                enter_call(w_, insn, pc);
                return count_back_edge();
            case Control::Return:
                return_from_call(w_, insn, pc);
                return true;
            case Control::Trap:
                raise_fault(w_, insn, CUDA_ERROR_LAUNCH_FAILED, std::countr_zero(w_.mask), 0, "trap");
            default:
                raise_fault(w_, insn, CUDA_ERROR_UNKNOWN, -1, 0, "internal error: unknown control instruction");
        }
    }

    bool next_split() {
        w_.forced = 0;
        if (pick_lowest(w_)) return true;
        return stop(w_.live ? Outcome::Blocked : Outcome::Done);
    }
    bool stop(Outcome outcome) {
        outcome_ = outcome;
        return false;
    }
    bool count_back_edge() { return --budget_ > 0 || stop(Outcome::Yielded); }

    bool back_edge(const Insn& insn) {
        if (insn.may_spin) {
            if (w_.next_pc != ~0u) {
                if (++w_.spins >= max_spins) {
                    w_.spins = 0;
                    run_starved(w_);
                }
            }
            if (--waits_ == 0) return stop(Outcome::Spinning);
        }
        return count_back_edge();
    }

    Warp& w_;
    const Insn* code_;
    int budget_ = back_edges_a_turn;
    int waits_ = waits_a_turn;
    Outcome outcome_ = Outcome::Done;
    std::uint64_t executed_ = 0;
};

}  // namespace

Outcome run_warp(Warp& warp) {
    return warp.block->grid.counting ? Turn<true>(warp).run() : Turn<false>(warp).run();
}

}  // namespace cpu::exec
