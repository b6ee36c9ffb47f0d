// A second copy of an entry's code, for warps whose lanes all run at the same place. In it, values that all lanes share
// or that are evenly spaced in each half of the warp (such as the addresses of neighbours, in blocks whose rows have 16
// threads) stay in affine form and are computed once. Every instruction is at the same distance from its copy: where
// lanes diverge, or a value turns out not to be affine, the live registers are expanded to the lanes' values and the
// warp continues in the generic code. Warps that are at the same place in it run as a group, and compute affine values
// once for all of them.
#include <algorithm>
#include <string_view>

#include "exec/handlers/rounding.hpp"
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

namespace {

bool is_ctaid(const Kernel& kernel, std::uint32_t fixed) {
    return fixed >= kernel.fixed.ctaid[0] && fixed <= kernel.fixed.ctaid[2];
}

/// How a value may vary between lanes and warps. None: no instruction is known to write it.
enum class Variation : std::uint8_t { None, Uniform, Affine, Lanes };

bool is_copied(const Node& node, const Kernel& kernel) {
    const auto constant = [&](int n) {
        const Value value = node.insn.op[n];
        return value == no_operand ||
               ((value & 1) && kernel.constants[value / 2].kind != LaunchConstant::Kind::Special);  // such as %laneid
    };
    switch (node.insn.control) {
        case Control::Next:
        case Control::ReconvergencePoint:
        case Control::Guard:
        case Control::Unguard:
        case Control::Branch:
        case Control::BranchIf:
        case Control::Exit:
            return true;
        case Control::Sync:
            return constant(5);
        case Control::Barrier:
        case Control::Arrive:
            return constant(0) && constant(1);
        default:
            return false;
    }
}

/// Where a register's life starts: after its first instruction, if that only writes it.
std::uint32_t first_live(const std::vector<Node>& nodes, std::uint32_t r, const VirtualRegister& reg) {
    const Node& node = nodes[reg.first];
    const auto has = [&](std::uint8_t roles) {
        for (int n = 0; n < 6; ++n)
            if ((roles >> n & 1) && node.insn.op[n] == 2 * r) return true;
        return false;
    };
    return reg.first + (has(node.defs) && !has(node.uses) && !node.partial);
}

/// The variations of all registers, and which registers some instruction needs per lane.
class Variations {
public:
    Variations(const std::vector<Node>& nodes, const std::vector<VirtualRegister>& registers, const Kernel& kernel)
        : kernel_(kernel),
          registers_(registers),
          variations_(registers.size(), Variation::None),
          lanes_wanted_(registers.size()) {
        std::vector<bool> written(registers.size());
        for (const Node& node : nodes)
            for (int n = 0; n < 6; ++n)
                if (node.defs >> n & 1) written[node.insn.op[n] / 2] = true;
        for (std::size_t r = 0; r < registers.size(); ++r) {
            const std::uint32_t fixed = registers[r].fixed;
            if (fixed != no_operand)
                variations_[r] = is_ctaid(kernel, fixed)        ? Variation::Uniform
                                 : fixed <= kernel.fixed.warpid ? Variation::Affine
                                                                : Variation::Lanes;
            else if (!written[r])
                variations_[r] = Variation::Lanes;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (const Node& node : nodes) changed |= note_results(node);
        }
        for (const Node& node : nodes) note_wishes(node);
    }

    Variation of(Value value) const {
        if (!(value & 1)) return variations_[value / 2];
        const LaunchConstant& c = kernel_.constants[value / 2];
        if (c.width == 1 || c.width == 16) return Variation::Lanes;
        if (c.kind != LaunchConstant::Kind::Special) return Variation::Uniform;
        const auto special = static_cast<ptx::SpecialRegister>(c.bits);
        return special == ptx::SpecialRegister::Laneid ? Variation::Affine
               : differs_by_lane(special)              ? Variation::Lanes
                                                       : Variation::Uniform;
    }
    bool lanes_wanted(std::size_t r) const { return lanes_wanted_[r]; }

    /// True if the row's affine handler can run the instruction.
    bool is_affine(const Node& node) const {
        if (!node.row || !node.row->affine || node.insn.control != Control::Next || node.insn.run[1] != node.row->all)
            return false;
        const auto& op = node.insn.op;
        if (node.row->rule == AffineRule::Access)
            return node.insn.window != Window::Local && of(op[1]) != Variation::Lanes;
        if (node.row->rule == AffineRule::Compare)
            return of(op[1]) != Variation::Lanes && of(op[2]) != Variation::Lanes;
        return of(op[0]) != Variation::Lanes;
    }
    /// True if the affine handler may find that the result has no affine form: for example because a 32-bit value that
    /// it extends wraps around.
    bool may_wrap(const Node& node) const {
        const std::string_view widths = node.row->operands;
        if (node.row->rule == AffineRule::Select) return true;
        if (node.row->rule == AffineRule::Mask || node.row->rule == AffineRule::Shift)
            return of(node.insn.op[1]) != Variation::Uniform;
        if (node.row->rule == AffineRule::Access || node.row->rule == AffineRule::Compare || widths[0] != 'q')
            return false;
        for (std::size_t n = 1; n < widths.size(); ++n)
            if (widths[n] == 'w' && of(node.insn.op[n]) == Variation::Affine) return true;
        return false;
    }

private:
    static bool differs_by_lane(ptx::SpecialRegister reg) {
        using S = ptx::SpecialRegister;
        return reg == S::LanemaskEq || reg == S::LanemaskLt || reg == S::LanemaskLe || reg == S::LanemaskGt ||
               reg == S::LanemaskGe;
    }

    Variation result(const Node& node) const {
        if (!node.row || !node.row->affine || node.insn.control != Control::Next || node.insn.run[1] != node.row->all)
            return Variation::Lanes;
        Variation max = Variation::Uniform;
        for (int n = 1; n < 5; ++n)
            if (node.uses >> n & 1) max = std::max(max, of(node.insn.op[n]));
        const auto shared = [&](int n) { return of(node.insn.op[n]) <= Variation::Uniform; };
        switch (node.row->rule) {
            case AffineRule::Sum:
                return max;
            case AffineRule::Product:
                return shared(1) || shared(2) ? max : Variation::Lanes;
            case AffineRule::Scale:
                return shared(2) ? max : Variation::Lanes;
            case AffineRule::Uniform:
                return max == Variation::Uniform ? max : Variation::Lanes;
            case AffineRule::Mask:
            case AffineRule::Shift:
                return max == Variation::Uniform || is_part_of_number(node) ? max : Variation::Lanes;
            case AffineRule::Select:
                return shared(3) ? std::max(of(node.insn.op[1]), of(node.insn.op[2])) : Variation::Lanes;
            case AffineRule::Compare:  // a predicate is kept per lane, but may be known to be uniform
                return max == Variation::Uniform ? max : Variation::Lanes;
            default:
                return Variation::Lanes;
        }
    }
    /// True if the node computes a part of a thread's position in its row. Rows have at least 16 threads in affine
    /// code, so the parts are evenly spaced in each half, and from one warp to the next. Wider parts are not, and no
    /// group could keep them.
    bool is_part_of_number(const Node& node) const {
        const Value number = node.insn.op[1], amount = node.insn.op[2];
        if ((number & 1) || !(amount & 1) || registers_[number / 2].fixed != kernel_.fixed.tid[0]) return false;
        const LaunchConstant& c = kernel_.constants[amount / 2];
        if (c.kind != LaunchConstant::Kind::Immediate) return false;
        return node.row->rule == AffineRule::Shift ? c.bits == 4 || c.bits == 5 : c.bits == 15 || c.bits == 31;
    }
    bool note_results(const Node& node) {
        bool changed = false;
        const Variation found = node.defs ? result(node) : Variation::None;
        for (int n = 0; n < 6; ++n) {
            if (!(node.defs >> n & 1)) continue;
            Variation& variation = variations_[node.insn.op[n] / 2];
            const Variation now = std::max(variation, n == 0 ? found : Variation::Lanes);
            changed |= now != variation;
            variation = now;
        }
        return changed;
    }
    void note_wishes(const Node& node) {
        if (!is_copied(node, kernel_)) return;
        const bool affine = is_affine(node), access = affine && node.row->rule == AffineRule::Access;
        for (int n = 0; n < 6; ++n)
            if ((node.uses >> n & 1) && !(node.insn.op[n] & 1) && (access ? n != 1 : !affine))
                lanes_wanted_[node.insn.op[n] / 2] = true;
    }

    const Kernel& kernel_;
    const std::vector<VirtualRegister>& registers_;
    std::vector<Variation> variations_;
    std::vector<bool> lanes_wanted_;
};

}  // namespace

std::uint32_t FunctionBuilder::append_affine(std::uint32_t free_slot) {
    Kernel& kernel = unit_.kernel;
    const Variations variations(nodes, registers_, kernel);
    const std::uint32_t begin = static_cast<std::uint32_t>(kernel.insns.size()),
                        count = static_cast<std::uint32_t>(nodes.size());
    kernel.affine_begin = begin;
    kernel.affine_distance = count;

    constexpr std::uint32_t line = 64;
    std::vector<bool> used_by_lanes(free_slot / line + 1);
    std::vector<std::uint32_t> slots(registers_.size(), no_operand);
    for (std::uint32_t r = 0; r < registers_.size(); ++r) {
        const VirtualRegister& reg = registers_[r];
        if (reg.offset == no_operand) continue;
        if (variations.of(2 * r) == Variation::Lanes || variations.lanes_wanted(r))
            for (std::uint32_t at = 0; at < reg.width * warp_size; at += line)
                used_by_lanes[(reg.offset + at) / line] = true;
        if (reg.width == 1 || variations.of(2 * r) == Variation::Lanes) continue;
        const bool uniform = variations.of(2 * r) == Variation::Uniform;
        if (reg.fixed != no_operand) {
            slots[r] = kernel.fixed.affine_of(reg.fixed);
            const bool ctaid = is_ctaid(kernel, reg.fixed);
            kernel.affine_wants_ctaid |= ctaid && variations.lanes_wanted(r);
            kernel.affine_registers.push_back({slots[r], ctaid ? reg.fixed : no_operand, reg.width, uniform,
                                               begin - count, begin - count + reg.last});
        } else {
            slots[r] = variations.lanes_wanted(r) ? std::exchange(free_slot, free_slot + 64) : reg.offset;
            kernel.affine_registers.push_back({slots[r], variations.lanes_wanted(r) ? no_operand : reg.offset,
                                               reg.width, uniform, begin - count + first_live(nodes, r, reg),
                                               begin - count + reg.last});
        }
    }
    kernel.affine_lane_bytes = line * static_cast<std::uint32_t>(std::ranges::count(used_by_lanes, true));
    const auto slot_of = [&](Value value) {
        return value & 1 ? kernel.constants[value / 2].offset + 1 - affine_bytes : slots[value / 2];
    };
    for (std::uint32_t at = 0; at < count; ++at) {
        const Node& node = nodes[at];
        Insn insn = kernel.insns[begin - count + at];
        if (!is_copied(node, kernel)) {
            insn = Insn{};
            insn.control = Control::Expand;
        } else if (node.label >= 0 || insn.control == Control::Guard) {
            insn.target_pc += count;
        } else if (variations.is_affine(node)) {
            insn.run[0] = insn.run[1] = node.row->affine;
            insn.op[1] = slot_of(node.insn.op[1]);
            if (node.row->rule != AffineRule::Access) {
                for (int n = 2; n < (node.row->rule == AffineRule::Select ? 3 : 5); ++n)
                    if (node.uses >> n & 1) insn.op[n] = slot_of(node.insn.op[n]);
            }
            if (node.row->rule != AffineRule::Access && node.row->rule != AffineRule::Compare) {
                const std::uint32_t r = node.insn.op[0] / 2;
                insn.op[0] = slots[r];
                insn.op[5] = variations.lanes_wanted(r) ? registers_[r].offset : no_operand;
            }
            if (variations.may_wrap(node)) insn.control = Control::Widen;
            if (node.row->alone) insn.run[0] = run_each_with_address;
        } else if (insn.control == Control::Next) {
            const bool serves_group =
                node.row && node.row->all_of_group && (insn.run[1] == node.row->all || is_rounded(insn));
            insn.run[0] = serves_group ? insn.run[1] : run_each;
        }
        kernel.insns.push_back(insn);
        kernel.lines.push_back(node.line);
        kernel.accesses.push_back(node.access);
    }
    return (free_slot + 127) / 128 * 128;
}

}  // namespace cpu::exec
