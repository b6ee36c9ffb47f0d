// Affine code (see lowering/affine_code.cpp): warps that run it together, and where a warp leaves it.
#include <algorithm>
#include <utility>

#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

template <class T>
void spread(const std::byte* from, std::byte* to) {
    const Affine a = *reinterpret_cast<const Affine*>(from);
    T* lanes = reinterpret_cast<T*>(to);
    for (std::uint32_t l = 0; l < warp_size; ++l) lanes[l] = static_cast<T>(a.base + l % 16 * a.low + l / 16 * a.high);
}

}  // namespace

void leave_affine(Warp& w, std::uint32_t pc) {
    const Kernel& kernel = w.block->grid.kernel;
    w.pc = pc - kernel.affine_distance;
    for (const AffineRegister& r : kernel.affine_registers) {
        if (w.pc < r.first || w.pc > r.last) continue;
        if (r.width == 8)
            spread<std::uint64_t>(w.bank[0] + r.from, w.bank[0] + r.offset);
        else
            spread<std::uint32_t>(w.bank[0] + r.from, w.bank[0] + r.offset);
    }
}

namespace {

constexpr int most_back_edges = 4096;

class Together {
public:
    explicit Together(std::span<Warp> warps)
        : warps_(warps), code_(warps[0].block->grid.kernel.insns.data()), pc_(warps[0].pc) {}

    bool run() {
        while (step()) {
        }
        return done_;
    }

private:
    /// Up to the next control instruction, and that; false: the warps are not together any more.
    bool step() {
        const Insn* insn = code_ + pc_;
        for (; insn->control == Control::Next; ++insn)
            for (Warp& w : warps_) insn->run[1](w, *insn);
        pc_ = static_cast<std::uint32_t>(insn - code_);
        switch (insn->control) {
            case Control::Leader:
            case Control::Unguard:
                return go_to(pc_ + 1);
            case Control::Guard:
                for (Warp& w : warps_) w.guarded = w.mask;
                return agreed(insn->op[0], 0, pc_ + 1, insn->target_pc);
            case Control::Branch:
                return jump(*insn);
            case Control::BranchIf:
                return agreed(insn->op[0], insn->negated, insn->target_pc, pc_ + 1) &&
                       (pc_ == insn->target_pc ? jump(*insn) : true);
            case Control::Widen:
                return widen(*insn);
            case Control::Barrier:
                return meet(*insn);
            case Control::Sync:
                return exchange(*insn);
            case Control::Exit:
                return exit();
            default:
                return leave_all([](Warp&) {});
        }
    }

    bool go_to(std::uint32_t pc) {
        pc_ = pc;
        return true;
    }
    /// Each warp by itself, from the instruction that has been reached on.
    template <class F>
    bool leave_all(F f) {
        for (Warp& w : warps_) w.pc = pc_;
        for (Warp& w : warps_) f(w);
        return false;
    }
    bool jump(const Insn& insn) {
        pc_ = insn.target_pc;
        return insn.backward && (insn.may_spin || --budget_ == 0) ? leave_all([](Warp&) {}) : true;
    }
    bool agreed(std::uint32_t operand, bool negated, std::uint32_t if_true, std::uint32_t if_false) {
        const std::uint32_t first = predicate_of(warps_[0], operand);
        const bool same = (first == 0 || first == full_mask) &&
                          std::ranges::all_of(warps_, [&](const Warp& w) { return predicate_of(w, operand) == first; });
        return same ? go_to((first != 0) != negated ? if_true : if_false) : leave_all([](Warp&) {});
    }
    bool widen(const Insn& insn) {
        bool wrapped = false;
        for (Warp& w : warps_) {
            insn.run[1](w, insn);
            w.pc = pc_ + 1;
            if (!std::exchange(w.wrapped, false)) continue;
            leave_affine(w, pc_);
            wrapped = true;
        }
        return !wrapped && go_to(pc_ + 1);
    }
    bool exit() {
        Block& block = *warps_[0].block;
        for (Warp& w : warps_) {
            if (block.awaited) {
                lanes_exited(w, w.mask);
            } else {  // nobody of the block waits for them
                lanes_left_cluster(w, w.mask);
                w.live = w.mask = 0;
                block.live_threads -= warp_size;
            }
            w.done = true;
        }
        done_ = true;
        return false;
    }
    bool exchange(const Insn& insn) {
        bool all = true;
        for (Warp& w : warps_) {
            w.pc = pc_;
            const bool complete = synchronize(w, insn);
            if (complete) w.pc = pc_ + 1;
            all &= complete;
        }
        return all && go_to(pc_ + 1);
    }
    bool meet(const Insn& insn) {
        for (Warp& w : warps_) {
            w.pc = pc_;
            arrive_at_barrier(w, insn, true);
        }
        for (Warp& w : warps_)
            if (w.next_pc != pc_ + 1) return false;
        for (Warp& w : warps_) pick_lowest(w);
        return go_to(pc_ + 1);
    }

    const std::span<Warp> warps_;
    const Insn* const code_;
    std::uint32_t pc_;
    int budget_ = most_back_edges;
    bool done_ = false;
};

}  // namespace

bool run_together(std::span<Warp> warps) {
    return Together(warps).run();
}

}  // namespace cpu::exec
