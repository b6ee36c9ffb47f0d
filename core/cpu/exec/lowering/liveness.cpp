#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {
namespace {

struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> predecessors;
};

bool ends_block(Control control) {
    return control == Control::Branch || control == Control::BranchIf || control == Control::BranchIndexed ||
           control == Control::Exit || control == Control::Return || control == Control::Trap;
}

bool falls_through(Control control) {
    return !ends_block(control) || control == Control::BranchIf;
}

/// Calls f(register, is_use) for each register operand, uses first.
template <class F>
void for_operands(const Node& node, F f) {
    for (int n = 0; n < 6; ++n)
        if ((node.uses >> n & 1) && !(node.insn.op[n] & 1)) f(node.insn.op[n] / 2, true);
    for (int n = 0; n < 6; ++n)
        if ((node.defs >> n & 1) && !(node.insn.op[n] & 1)) f(node.insn.op[n] / 2, false);
}

std::vector<BasicBlock> find_blocks(const std::vector<Node>& nodes, const std::vector<std::uint32_t>& branch_targets) {
    std::vector<BasicBlock> blocks;
    std::vector<std::uint32_t> block_of(nodes.size() + 1);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const bool starts =
            i == 0 || nodes[i].insn.control == Control::ReconvergencePoint || ends_block(nodes[i - 1].insn.control);
        if (starts) blocks.push_back({i, i, {}});
        block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
        blocks.back().end = i + 1;
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const Insn& last = nodes[blocks[b].end - 1].insn;
        if (falls_through(last.control) && b + 1 < blocks.size()) blocks[b + 1].predecessors.push_back(b);
        if (last.control == Control::Branch || last.control == Control::BranchIf)
            blocks[block_of[last.target_pc]].predecessors.push_back(b);
        if (last.control == Control::BranchIndexed)
            for (std::uint32_t n = 0; n < last.table_size; ++n)
                blocks[block_of[branch_targets[last.branch_table + n]]].predecessors.push_back(b);
    }
    return blocks;
}

/// A set of blocks for each register.
class BlocksByRegister {
public:
    explicit BlocksByRegister(std::size_t register_count) : begin_(register_count + 1), latest_(register_count, none) {}

    /// Blocks must be added in order; a block counts once for each register.
    void add(std::uint32_t r, std::uint32_t block) {
        if (has_latest(r, block)) return;
        latest_[r] = block;
        pairs_.push_back({r, block});
        ++begin_[r + 1];
    }
    bool has_latest(std::uint32_t r, std::uint32_t block) const { return latest_[r] == block; }

    /// Call this after all have been added.
    void sort() {
        for (std::size_t r = 1; r < begin_.size(); ++r) begin_[r] += begin_[r - 1];
        std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
        blocks_.resize(pairs_.size());
        for (const auto& [r, block] : pairs_) blocks_[next[r]++] = block;
    }
    std::span<const std::uint32_t> of(std::uint32_t r) const {
        return std::span(blocks_).subspan(begin_[r], begin_[r + 1] - begin_[r]);
    }

private:
    static constexpr std::uint32_t none = ~0u;
    std::vector<std::uint32_t> begin_, latest_, blocks_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

/// Which registers a block reads before writing them, and which it writes.
struct Uses {
    BlocksByRegister exposed, defined;

    Uses(const std::vector<BasicBlock>& blocks, const std::vector<Node>& nodes, std::size_t register_count)
        : exposed(register_count), defined(register_count) {
        for (std::uint32_t b = 0; b < blocks.size(); ++b)
            for (std::uint32_t i = blocks[b].begin; i < blocks[b].end; ++i)
                for_operands(nodes[i], [&](std::uint32_t r, bool use) {
                    if ((use || nodes[i].partial) && !defined.has_latest(r, b)) exposed.add(r, b);
                    if (!use && !nodes[i].partial) defined.add(r, b);
                });
        exposed.sort();
        defined.sort();
    }
};

}  // namespace

// Walks backwards from each read of a register to its writes: this takes time proportional to the total length of all
// live ranges. A set of registers for each block would take the product of their numbers.
std::vector<Interval> live_intervals(const std::vector<Node>& nodes, std::size_t register_count,
                                     const std::vector<std::uint32_t>& branch_targets) {
    std::vector<Interval> intervals(register_count);
    const auto extend = [&](std::uint32_t r, std::uint32_t at) {
        intervals[r].first = std::min(intervals[r].first, at);
        intervals[r].last = std::max(intervals[r].last, at);
    };
    const std::vector<BasicBlock> blocks = find_blocks(nodes, branch_targets);
    const Uses uses(blocks, nodes, register_count);
    // By block: the last register that is live at its start, and the last that it writes.
    std::vector<std::uint32_t> live_in(blocks.size(), ~0u), defines(blocks.size(), ~0u), left;
    for (std::uint32_t r = 0; r < register_count; ++r) {
        for (const std::uint32_t b : uses.defined.of(r)) defines[b] = r;
        left.assign(uses.exposed.of(r).begin(), uses.exposed.of(r).end());
        for (const std::uint32_t b : left) live_in[b] = r;
        while (!left.empty()) {
            const BasicBlock& block = blocks[left.back()];
            left.pop_back();
            extend(r, block.begin);
            for (const std::uint32_t p : block.predecessors) {
                extend(r, blocks[p].end);
                if (defines[p] == r || live_in[p] == r) continue;
                live_in[p] = r;
                left.push_back(p);
            }
        }
    }
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        for_operands(nodes[i], [&](std::uint32_t r, bool) { extend(r, i); });
    return intervals;
}

}  // namespace cpu::exec
