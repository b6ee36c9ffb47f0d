#include "exec/checks/check_race.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/checks/checks.hpp"
#include "exec/operands.hpp"
#include "exec/running/block.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

constexpr std::uint32_t word_bytes = 4;

std::uint32_t elements_of(const Insn& insn) {
    std::uint32_t count = 1;
    while (count < 4 && insn.op[count + 1] != no_operand) ++count;
    return count;
}

/// The bytes that a lane stores, taken from its registers: if several lanes write to one address, memory holds only the
/// last lane's value.
void stored_bytes(const Warp& w, const Insn& insn, int lane, std::uint8_t* to) {
    const std::uint32_t count = elements_of(insn), bytes = insn.access_bytes / count, slot = std::max(4u, bytes);
    for (std::uint32_t n = 0; n < count; ++n) {
        const std::uint32_t operand = n == 0 ? insn.op[0] : insn.op[n + 1];
        std::memcpy(to + n * bytes, w.bank[operand & 1] + operand + static_cast<std::uint32_t>(lane) * slot, bytes);
    }
}

std::string describe(const char* verb, std::uint32_t bytes, const Block& block, std::uint32_t thread,
                     std::uint32_t pc) {
    const std::string code = code_location(block.grid.kernel, pc);
    return std::string(verb) + " of " + byte_count(bytes) + " by thread " + thread_name(block, thread) +
           (code.empty() ? "" : ", " + code);
}

}  // namespace

RaceCheck::RaceCheck(const Block& block)
    : order(block.grid.threads_per_block, block.grid.warps_per_block),
      block_(block),
      words_((block.grid.shared_bytes + word_bytes - 1) / word_bytes) {}

void RaceCheck::start_epoch() {
    ++epoch_;
    order.clear();
}

bool RaceCheck::ordered(const Touch& earlier, int lane, std::uint32_t thread) const {
    return order.knows(thread, earlier.warp * warp_size + static_cast<std::uint32_t>(lane), earlier.clock);
}

int RaceCheck::conflict(const Touch& earlier, const Touch& now, std::uint32_t thread) const {
    using Order = Access::Order;
    const std::uint8_t shared_bytes = earlier.bytes & now.bytes;
    if (!shared_bytes || !(earlier.writes || now.writes)) return -1;
    // Atomic accesses may conflict; volatile ones are treated the same way.
    if (earlier.order != Order::Weak && now.order != Order::Weak &&
        (earlier.order == Order::Strong || now.order == Order::Strong))
        return -1;
    // Warps run in lockstep here, and code with volatile accesses has always relied on that within a warp.
    if (earlier.order == Order::Volatile && now.order == Order::Volatile && earlier.warp == now.warp &&
        earlier.instance != now.instance)
        return -1;
    if (earlier.writes && now.writes && !earlier.reads && !now.reads) {
        std::uint32_t differ = earlier.value ^ now.value;
        for (std::uint32_t n = 0; n < word_bytes; ++n)
            if (!(shared_bytes >> n & 1)) differ &= ~(0xffu << 8 * n);
        if (differ == 0) return -1;  // both write the same value
    }
    int found = -1;
    each_lane(earlier.lanes, [&](int lane) {
        if (found < 0 && !ordered(earlier, lane, thread)) found = lane;
    });
    return found;
}

void RaceCheck::report(const Warp& w, const Insn& insn, std::uint32_t word, const Touch& earlier, int earlier_lane,
                       const Touch& now, int lane) const {
    const auto verb = [](const Touch& t) {
        return t.reads && t.writes ? "atomic access" : t.writes ? "write" : "read";
    };
    const Kernel& kernel = block_.grid.kernel;
    const auto both = static_cast<unsigned>(earlier.bytes & now.bytes);
    const std::uint32_t offset = word * word_bytes + static_cast<std::uint32_t>(std::countr_zero(both));
    const std::uint32_t other = earlier.warp * warp_size + static_cast<std::uint32_t>(earlier_lane);
    throw FaultSignal{CUDA_ERROR_LAUNCH_FAILED,
                      "race at byte " + std::to_string(offset) + " of shared memory, " +
                          shared_location(kernel, offset) + ": " +
                          describe(verb(now), insn.access_bytes, block_, thread_number(w, lane), pc_of(kernel, insn)) +
                          ", with no barrier since the earlier " +
                          describe(verb(earlier), kernel.insns[earlier.pc].access_bytes, block_, other, earlier.pc) +
                          "; block " + block_name(block_),
                      0};
}

/// Removes accesses that need not be compared with later ones, because everything ordered after `now` is also ordered
/// after them.
void RaceCheck::supersede(std::vector<Touch>& touches, const Touch& now, int lane) const {
    const std::uint32_t thread = now.warp * warp_size + static_cast<std::uint32_t>(lane);
    std::erase_if(touches, [&](Touch& earlier) {
        if (earlier.bytes & ~now.bytes || (earlier.writes && !now.writes)) return false;
        if (earlier.order == now.order && earlier.warp == now.warp) earlier.lanes &= ~(1u << lane);
        if (now.writes && now.order == Access::Order::Weak)
            each_lane(earlier.lanes, [&](int l) {
                if (ordered(earlier, l, thread)) earlier.lanes &= ~(1u << l);
            });
        return earlier.lanes == 0;
    });
}

void RaceCheck::touch(Warp& w, const Insn& insn, std::uint32_t word, Touch now, int lane) {
    const std::uint32_t thread = thread_number(w, lane);
    Word& here = words_[word];
    if (here.epoch != epoch_) {
        here.epoch = epoch_;
        here.touches.clear();
    }
    for (const Touch& earlier : here.touches) {
        const int other = conflict(earlier, now, thread);
        if (other >= 0) report(w, insn, word, earlier, other, now, lane);
    }
    supersede(here.touches, now, lane);
    const auto alike = std::ranges::find_if(here.touches, [&](const Touch& t) {
        return t.pc == now.pc && t.warp == now.warp && t.clock == now.clock && t.bytes == now.bytes &&
               t.value == now.value;
    });
    if (alike == here.touches.end()) {
        now.lanes = 1u << lane;
        here.touches.push_back(now);
    } else {
        alike->lanes |= 1u << lane;
        alike->instance = now.instance;
    }
}

void RaceCheck::accessed(Warp& w, const Insn& insn, const Access& access, const LaneAddresses& lanes) {
    const std::uint64_t base = reinterpret_cast<std::uint64_t>(w.shared);
    ++instance_;
    each_lane(lanes.mask, [&](int lane) {
        const std::uint64_t offset = lanes.address[lane] - base;
        if (offset >= w.shared_size) return;
        // In the system's reserved part, which follows the kernel's, tiles of several warps synchronise by polling.
        const bool systems = offset + insn.access_bytes > block_.grid.shared_bytes;
        if (!systems) touch_words(w, insn, access, static_cast<std::uint32_t>(offset), lane);
        if (!systems && access.order == Access::Order::Weak) return;
        if (access.reads) order.read(w, lane, offset / word_bytes);
        if (access.writes) order.wrote(w, lane, offset / word_bytes, systems || access.releases);
    });
}

void RaceCheck::touch_words(Warp& w, const Insn& insn, const Access& access, std::uint32_t offset, int lane) {
    std::uint8_t value[64] = {};  // four elements of 16 bytes
    const bool plain_store = access.writes && !access.reads;
    if (plain_store && access.order != Access::Order::Strong)
        stored_bytes(w, insn, lane, value);
    else
        std::memcpy(value, w.shared + offset, std::min<std::size_t>(insn.access_bytes, sizeof value));
    for (std::uint32_t done = 0; done < insn.access_bytes;) {
        const std::uint32_t at = offset + done, first = at % word_bytes;
        const std::uint32_t count = std::min(insn.access_bytes - done, word_bytes - first);
        Touch now;
        now.pc = pc_of(block_.grid.kernel, insn);
        now.instance = instance_;
        now.clock = order.now(w.index);
        now.warp = static_cast<std::uint8_t>(w.index);
        now.bytes = static_cast<std::uint8_t>(((1u << count) - 1) << first);
        now.reads = access.reads && !access.copies;
        now.writes = access.writes;
        now.order = access.order;
        if (now.writes) std::memcpy(reinterpret_cast<std::byte*>(&now.value) + first, value + done, count);
        touch(w, insn, at / word_bytes, now, lane);
        done += count;
    }
}

}  // namespace cpu::exec
