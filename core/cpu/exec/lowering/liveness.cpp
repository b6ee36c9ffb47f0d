#include <algorithm>
#include <bit>
#include <cstdint>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {
namespace {

using Bits = std::vector<std::uint64_t>;

struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> successors, predecessors;
    Bits used, defined, live_in;
};

bool ends_block(Control control) {
    return control == Control::Branch || control == Control::BranchIf || control == Control::BranchIndexed ||
           control == Control::Exit || control == Control::Return || control == Control::Trap;
}

bool falls_through(Control control) {
    return !ends_block(control) || control == Control::BranchIf;
}

void set(Bits& bits, std::uint32_t n) {
    bits[n / 64] |= 1ull << n % 64;
}
bool get(const Bits& bits, std::uint32_t n) {
    return bits[n / 64] >> n % 64 & 1;
}

/// Calls f(register, is_use) for each register operand, uses first.
template <class F>
void for_operands(const Node& node, F f) {
    for (int n = 0; n < 6; ++n)
        if ((node.uses >> n & 1) && !(node.insn.op[n] & 1)) f(node.insn.op[n] / 2, true);
    for (int n = 0; n < 6; ++n)
        if ((node.defs >> n & 1) && !(node.insn.op[n] & 1)) f(node.insn.op[n] / 2, false);
}

std::vector<BasicBlock> find_blocks(const std::vector<Node>& nodes, std::size_t words,
                                    const std::vector<std::uint32_t>& branch_targets) {
    std::vector<BasicBlock> blocks;
    std::vector<std::uint32_t> block_of(nodes.size() + 1);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const bool starts =
            i == 0 || nodes[i].insn.control == Control::ReconvergencePoint || ends_block(nodes[i - 1].insn.control);
        if (starts) blocks.push_back({i, i, {}, {}, Bits(words), Bits(words), Bits(words)});
        block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
        blocks.back().end = i + 1;
    }
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        const Node& last = nodes[blocks[b].end - 1];
        if (falls_through(last.insn.control) && b + 1 < blocks.size()) blocks[b].successors.push_back(b + 1);
        if (last.insn.control == Control::Branch || last.insn.control == Control::BranchIf)
            blocks[b].successors.push_back(block_of[last.insn.target_pc]);
        if (last.insn.control == Control::BranchIndexed)
            for (std::uint32_t n = 0; n < last.insn.table_size; ++n)
                blocks[b].successors.push_back(block_of[branch_targets[last.insn.branch_table + n]]);
        for (const std::uint32_t s : blocks[b].successors) blocks[s].predecessors.push_back(b);
    }
    return blocks;
}

void collect_uses(BasicBlock& block, const std::vector<Node>& nodes) {
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
        for_operands(nodes[i], [&](std::uint32_t r, bool use) {
            if (use || nodes[i].partial) {
                if (!get(block.defined, r)) set(block.used, r);
            }
            if (!use && !nodes[i].partial) set(block.defined, r);
        });
    }
}

std::uint64_t live_out(const std::vector<BasicBlock>& blocks, const BasicBlock& block, std::size_t word) {
    std::uint64_t out = 0;
    for (const std::uint32_t s : block.successors) out |= blocks[s].live_in[word];
    return out;
}

/// Sweeps backwards over the blocks whose successors have changed.
void solve(std::vector<BasicBlock>& blocks) {
    std::vector<bool> changed(blocks.size(), true);
    for (bool any = true; any;) {
        any = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            if (!changed[b]) continue;
            changed[b] = false;
            BasicBlock& block = blocks[b];
            bool grown = false;
            for (std::size_t w = 0; w < block.live_in.size(); ++w) {
                const std::uint64_t in = block.used[w] | (live_out(blocks, block, w) & ~block.defined[w]);
                grown |= in != block.live_in[w];
                block.live_in[w] = in;
            }
            if (!grown) continue;
            for (const std::uint32_t p : block.predecessors) changed[p] = any = true;
        }
    }
}

/// Calls f(register) for the bits that are not in `seen` yet, and puts them there.
template <class F>
void for_new_bits(std::uint64_t bits, std::uint64_t& seen, std::size_t word, F f) {
    for (std::uint64_t fresh = bits & ~seen; fresh; fresh &= fresh - 1)
        f(static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(fresh)));
    seen |= bits;
}

}  // namespace

std::vector<Interval> live_intervals(const std::vector<Node>& nodes, std::size_t register_count,
                                     const std::vector<std::uint32_t>& branch_targets) {
    std::vector<Interval> intervals(register_count);
    std::vector<BasicBlock> blocks = find_blocks(nodes, (register_count + 63) / 64, branch_targets);
    for (BasicBlock& block : blocks) collect_uses(block, nodes);
    solve(blocks);
    const auto extend = [&](std::uint32_t r, std::uint32_t at) {
        intervals[r].first = std::min(intervals[r].first, at);
        intervals[r].last = std::max(intervals[r].last, at);
    };
    // The first block that a register is live in, and the last: each register is looked at twice, not in each block.
    const std::size_t words = (register_count + 63) / 64;
    Bits first(words), last(words);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const BasicBlock &early = blocks[b], &late = blocks[blocks.size() - 1 - b];
        for (std::size_t w = 0; w < words; ++w) {
            for_new_bits(early.live_in[w], first[w], w, [&](std::uint32_t r) { extend(r, early.begin); });
            for_new_bits(live_out(blocks, late, w), last[w], w, [&](std::uint32_t r) { extend(r, late.end); });
        }
    }
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        for_operands(nodes[i], [&](std::uint32_t r, bool) { extend(r, i); });
    return intervals;
}

}  // namespace cpu::exec
