// Affine code (see lowering/affine_code.cpp): how warps run it as a group, and how they diverge or leave it.
#include <algorithm>
#include <utility>

#include "exec/operands.hpp"
#include "exec/running/cluster.hpp"

namespace cpu::exec {

namespace {

/// True if the register is live at this instruction of the generic code.
bool is_live(const AffineRegister& r, std::uint32_t pc) {
    return pc >= r.first && pc <= r.last;
}
/// Gives warp n its own value. Its step is kept: the distance to the next warp need not equal that between the first
/// two. Thread numbers are written only once, so their steps serve the groups that start in the next block.
void make_own(const Warp& first, std::uint32_t n, std::uint32_t from) {
    const Affine& a = affine_at(first, from);
    Affine& own = affine_at((&first)[n], from);
    own.base = a.base + n * a.step;
    own.low = a.low;
    own.high = a.high;
}

template <class T>
void expand(const std::byte* from, std::byte* to) {
    const Affine a = *reinterpret_cast<const Affine*>(from);
    T* lanes = reinterpret_cast<T*>(to);
    for (std::uint32_t l = 0; l < warp_size; ++l) lanes[l] = static_cast<T>(a.base + l % 16 * a.low + l / 16 * a.high);
}

/// How many warps, from the first on, have values that are evenly spaced from one warp to the next. Stores their
/// distance in the first one.
template <class T>
std::size_t count_evenly_spaced(std::span<Warp> warps, const AffineRegister& r) {
    Affine& first = affine_at(warps[0], r.from);
    first.step = affine_at(warps[1], r.from).base - first.base;
    if (r.uniform && static_cast<T>(first.step) != 0) return 1;
    for (std::size_t n = 1; n < warps.size(); ++n) {
        const Affine& a = affine_at(warps[n], r.from);
        const auto differs = [](std::uint64_t x, std::uint64_t y) { return static_cast<T>(x) != static_cast<T>(y); };
        if (differs(a.base, first.base + n * first.step) || differs(a.low, first.low) || differs(a.high, first.high))
            return n;
    }
    return warps.size();
}

}  // namespace

std::size_t count_group(std::span<Warp> warps, std::uint32_t pc) {
    const Kernel& kernel = warps[0].block->grid.kernel;
    for (const AffineRegister& r : kernel.affine_registers) {
        if (warps.size() == 1) break;
        if (!is_live(r, pc - kernel.affine_distance)) continue;
        warps = warps.first(r.width == 8 ? count_evenly_spaced<std::uint64_t>(warps, r)
                                         : count_evenly_spaced<std::uint32_t>(warps, r));
    }
    return warps.size();
}

void run_each(Warp& group, const Insn& insn) {
    for (Warp& w : std::span(&group, group.together)) insn.run[1](w, insn);
}
Warp& alone(Warp& group, const Insn& insn, std::uint32_t n) {
    if (n && !(insn.op[1] & 1)) make_own(group, n, insn.op[1]);
    return (&group)[n];
}
void run_each_with_address(Warp& group, const Insn& insn) {
    for (std::uint32_t n = 0; n < group.together; ++n) insn.run[1](alone(group, insn, n), insn);
}

void leave_affine(Warp& w, std::uint32_t pc) {
    const Kernel& kernel = w.block->grid.kernel;
    w.pc = pc - kernel.affine_distance;
    for (const AffineRegister& r : kernel.affine_registers) {
        if (r.offset == no_operand || !is_live(r, w.pc)) continue;
        if (r.width == 8)
            expand<std::uint64_t>(w.bank[0] + r.from, w.bank[0] + r.offset);
        else
            expand<std::uint32_t>(w.bank[0] + r.from, w.bank[0] + r.offset);
    }
}

namespace {

constexpr int max_back_edges = 4096;

/// The first warp holds the affine values of all, as long as they are a group.
class Group {
public:
    explicit Group(std::span<Warp>& warps)
        : warps_(warps), kernel_(warps[0].block->grid.kernel), code_(kernel_.insns.data()), pc_(warps[0].pc) {}

    Outcome run() {
        warps_[0].together = static_cast<std::uint32_t>(warps_.size());
        while (step()) {
        }
        return outcome_;
    }

private:
    /// Runs up to and including the next control instruction; false if the warps are no longer a group.
    bool step() {
        const Insn* insn = code_ + pc_;
        for (; insn->control == Control::Next; ++insn) insn->run[0](warps_[0], *insn);
        pc_ = static_cast<std::uint32_t>(insn - code_);
        switch (insn->control) {
            case Control::ReconvergencePoint:
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
                return part();
        }
    }

    bool go_to(std::uint32_t pc) {
        pc_ = pc;
        return true;
    }
    /// Keeps only the first warps in the group.
    void shrink(std::size_t size) {
        part();
        warps_ = warps_.first(size);
        warps_[0].together = static_cast<std::uint32_t>(size);
    }
    /// Gives each warp its own values of the registers that are live at pc_; its instruction writes none of them.
    bool disband() {
        for (const AffineRegister& r : kernel_.affine_registers)
            if (is_live(r, pc_ - kernel_.affine_distance))
                for (std::uint32_t n = 1; n < warps_.size(); ++n) make_own(warps_[0], n, r.from);
        warps_[0].together = 1;
        return false;
    }
    /// Lets each warp continue on its own, from the current instruction on.
    bool part() {
        for (Warp& w : warps_) w.pc = pc_;
        return disband();
    }
    bool jump(const Insn& insn) {
        pc_ = insn.target_pc;
        if (!insn.backward || --budget_ > 0) return true;
        outcome_ = Outcome::Yielded;
        return part();
    }
    bool agreed(std::uint32_t operand, bool negated, std::uint32_t if_true, std::uint32_t if_false) {
        enum class Lanes { None, All, Some };
        const auto lanes = [&](const Warp& w) {
            const std::uint32_t p = predicate_of(w, operand);
            return p == 0 ? Lanes::None : p == full_mask ? Lanes::All : Lanes::Some;
        };
        const Lanes first = lanes(warps_[0]);
        std::size_t alike = 1;
        while (alike < warps_.size() && lanes(warps_[alike]) == first) ++alike;
        if (alike < warps_.size()) shrink(alike);
        return first == Lanes::Some ? part() : go_to((first == Lanes::All) != negated ? if_true : if_false);
    }
    bool widen(const Insn& insn) {
        insn.run[0](warps_[0], insn);
        return std::exchange(warps_[0].wrapped, false) ? part() : go_to(pc_ + 1);
    }
    bool exit() {
        Block& block = *warps_[0].block;
        const bool awaited = block.awaited || block.cluster.arrived;
        for (Warp& w : warps_) {
            if (awaited) lanes_exited(w, full_mask);
            w.live = w.mask = 0;
            w.done = true;
        }
        if (!awaited) {
            const std::uint32_t threads = static_cast<std::uint32_t>(warps_.size()) * warp_size;
            block.live_threads -= threads;
            block.cluster.live_threads -= threads;
        }
        warps_[0].together = 1;
        outcome_ = Outcome::Done;
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
        return all ? go_to(pc_ + 1) : disband();
    }
    bool meet(const Insn& insn) {
        if (is_whole_block() && is_plain_barrier(insn)) return go_to(pc_ + 1);
        for (Warp& w : warps_) {
            w.pc = pc_;
            arrive_at_barrier(w, insn, true);
        }
        for (Warp& w : warps_)
            if (w.next_pc != pc_ + 1) return disband();
        for (Warp& w : warps_) pick_lowest(w);
        return go_to(pc_ + 1);
    }

    /// True if the group is the whole block, and no thread has arrived at a barrier before it.
    bool is_whole_block() const {
        const Block& block = *warps_[0].block;
        return warps_.size() == block.warps.size() && !block.awaited;
    }

    bool is_plain_barrier(const Insn& insn) const {
        return insn.op[1] == no_operand && insn.op[2] == no_operand &&
               *lanes_of<std::uint32_t>(warps_[0], insn.op[0]) < warps_[0].block->barriers.size();
    }

    std::span<Warp>& warps_;
    const Kernel& kernel_;
    const Insn* const code_;
    std::uint32_t pc_;
    int budget_ = max_back_edges;
    Outcome outcome_ = Outcome::Blocked;
};

}  // namespace

Outcome run_group(std::span<Warp>& warps) {
    return Group(warps).run();
}

}  // namespace cpu::exec
