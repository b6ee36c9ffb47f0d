#include "exec/checks/instrument.hpp"

#include <algorithm>
#include <bit>

#include "exec/checks/check_init.hpp"
#include "exec/checks/checks.hpp"
#include "exec/running/block.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

/// Checks what cp.async reads: each lane reads as many bytes as op[2] says.
void check_copied(Warp& w, const Insn& insn) {
    if (insn.op[2] == no_operand) return check_read(w, insn, {w.mask, w.address, insn.access_bytes});
    const auto* take = reinterpret_cast<const std::uint32_t*>(w.bank[insn.op[2] & 1] + insn.op[2]);
    for (std::uint32_t rest = w.mask; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        check_read(w, insn, {1u << lane, w.address, std::min<std::uint32_t>(take[lane], insn.access_bytes)});
    }
}

void check_accesses(Warp& w, const Insn& insn, const Access& access) {
    const LaneAddresses lanes{w.mask, w.address, insn.access_bytes};
    const LaneAddresses written = access.copies ? LaneAddresses{w.mask, w.copy_target, insn.access_bytes} : lanes;
    if (enabled_checks().init) {
        if (access.copies)
            check_copied(w, insn);
        else if (access.reads)
            check_read(w, insn, lanes);
        if (access.writes) note_write(w, written);
    }
    if (RaceCheck* race = w.block->checks.race.get()) {
        if (access.fences)
            race->order.fenced(w, w.mask);
        else
            race->accessed(w, insn, access, written);
    }
}

/// Runs the instruction, which checks its own addresses, then checks what it accessed. Uses the handler for partial
/// masks even if all lanes run, because the one for full masks does not record evenly spaced addresses.
void run_checked(Warp& w, const Insn& insn) {
    const Kernel& kernel = w.block->grid.kernel;
    const std::uint32_t pc = pc_of(kernel, insn);
    kernel.plain[pc](w, insn);
    check_accesses(w, insn, kernel.accesses[pc]);
}

}  // namespace

void instrument(Kernel& kernel) {
    const bool looks = enabled_checks().init || enabled_checks().race;
    kernel.plain.resize(kernel.insns.size());
    for (std::size_t pc = 0; pc < kernel.insns.size(); ++pc) {
        if (!kernel.accesses[pc].any()) continue;
        Insn& insn = kernel.insns[pc];
        kernel.plain[pc] = insn.run[0];
        // The handler for partial masks: each lane may be redirected on its own.
        insn.run[0] = insn.run[1] = looks ? run_checked : insn.run[0];
    }
}

}  // namespace cpu::exec
