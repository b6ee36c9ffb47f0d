// From nodes to code: allocates register slots, saves registers around recursive calls, fills in the operands.
#include <algorithm>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

/// Linear scan. A slot is reused only by a register of the same width whose life starts after the old one's ends, so
/// that no instruction overwrites a value that it still has to read in another lane.
std::uint32_t FunctionBuilder::allocate(std::uint32_t register_base) {
    const std::vector<Interval> intervals = live_intervals(nodes, registers_.size(), unit_.kernel.branch_targets);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < registers_.size(); ++r) {
        registers_[r].first = intervals[r].first;
        registers_[r].last = intervals[r].last;
        if (registers_[r].fixed != no_operand)
            registers_[r].offset = registers_[r].fixed;
        else if (intervals[r].first != ~0u)
            order.push_back(r);
    }
    std::ranges::sort(order, {}, [&](std::uint32_t r) { return registers_[r].first; });
    struct Busy {
        std::uint32_t last, offset;
    };
    std::uint32_t end = register_base;
    std::uint32_t predicate_line = 0, predicates_left = 0;
    for (const std::uint8_t width : {std::uint8_t{4}, std::uint8_t{8}, std::uint8_t{16}, std::uint8_t{1}}) {
        std::vector<Busy> busy;
        std::vector<std::uint32_t> free;
        for (std::uint32_t r : order) {
            VirtualRegister& reg = registers_[r];
            if (reg.width != width) continue;
            std::erase_if(busy, [&](const Busy& b) {
                if (b.last >= reg.first) return false;
                free.push_back(b.offset);
                return true;
            });
            if (!free.empty()) {
                reg.offset = free.back();
                free.pop_back();
            } else if (width != 1) {
                reg.offset = end;
                end += width * warp_size;
            } else {
                if (predicates_left == 0) {
                    predicate_line = end;
                    predicates_left = 16;
                    end += 64;
                }
                reg.offset = predicate_line + 4 * (16 - predicates_left--);
            }
            busy.push_back({reg.last, reg.offset});
        }
    }
    return align_up(end, 128);
}

/// Saves registers in the frame that are live across a call that may re-enter this function.
void FunctionBuilder::save_around_calls() {
    std::uint32_t max = frame_bytes_;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        if (!nodes[n].saves) continue;
        CallSite& call = unit_.kernel.calls[nodes[n].insn.call_site];
        std::uint32_t end = frame_bytes_;
        for (const VirtualRegister& r : registers_) {
            if (r.fixed != no_operand || r.first >= n || r.last <= n) continue;
            const std::uint32_t bytes = std::max<std::uint32_t>(4, r.width);
            end = align_up(end, bytes);
            call.saved.push_back({r.offset, r.width, end});
            end += bytes;
        }
        max = std::max(max, end);
    }
    frame_bytes_ = align_up(max, 32);
    for (const Node& node : nodes)
        if (node.insn.control == Control::Call || node.insn.control == Control::CallIndirect)
            unit_.kernel.calls[node.insn.call_site].frame_bytes = frame_bytes_;
}

/// The instruction with its operands replaced by their slots.
Insn FunctionBuilder::placed(const Node& node) const {
    Insn insn = node.insn;
    for (int n = 0; n < 6; ++n) {
        if (!((node.uses | node.defs) >> n & 1)) continue;
        const std::uint32_t index = insn.op[n] / 2;
        insn.op[n] = insn.op[n] & 1 ? unit_.kernel.constants[index].offset + 1 : registers_[index].offset;
    }
    return insn;
}

void FunctionBuilder::append(std::size_t first_target) {
    Kernel& kernel = unit_.kernel;
    const std::uint32_t base = static_cast<std::uint32_t>(kernel.insns.size());
    kernel.entry_points[function_address(id_)] = {base, frame_bytes_};
    for (std::size_t n = first_target; n < kernel.branch_targets.size(); ++n) kernel.branch_targets[n] += base;
    for (const Node& node : nodes) {
        Insn insn = placed(node);
        if (node.label >= 0 || insn.control == Control::Guard) insn.target_pc += base;
        if (insn.control == Control::Call || insn.control == Control::CallIndirect)
            kernel.calls[insn.call_site].return_pc = static_cast<std::uint32_t>(kernel.insns.size()) + 1;
        kernel.insns.push_back(insn);
        kernel.lines.push_back(node.line);
        kernel.accesses.push_back(node.access);
    }
}

}  // namespace cpu::exec
