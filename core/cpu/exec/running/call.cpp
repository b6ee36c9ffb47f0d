// Calls and returns: each lane has its own frame in its local memory, so that lanes may be at different depths.
#include <algorithm>
#include <cstring>

#include "exec/operands.hpp"
#include "exec/running/block.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

std::uint32_t* frames(const Warp& w) {
    return reinterpret_cast<std::uint32_t*>(w.bank[0] + w.block->grid.kernel.fixed.frame);
}

void copy_register(Warp& w, const SavedRegister& r, int lane, std::byte* frame, bool save) {
    std::byte* at = w.bank[0] + r.offset;
    if (r.width == 1) {
        std::uint32_t& bits = *reinterpret_cast<std::uint32_t*>(at);
        std::uint32_t value = bits >> lane & 1;
        if (save)
            std::memcpy(frame + r.frame, &value, sizeof value);
        else {
            std::memcpy(&value, frame + r.frame, sizeof value);
            bits = (bits & ~(1u << lane)) | value << lane;
        }
        return;
    }
    at += static_cast<std::size_t>(lane) * r.width;
    if (save)
        std::memcpy(frame + r.frame, at, r.width);
    else
        std::memcpy(at, frame + r.frame, r.width);
}

/// Splits off the running lanes for which same(lane) is false; they run from `pc` later.
template <class F>
void keep(Warp& w, std::uint32_t pc, F same) {
    std::uint32_t kept = 0;
    each_lane(w.mask, [&](int lane) {
        if (same(lane)) kept |= 1u << lane;
    });
    if (kept != w.mask) park(w, pc, w.mask & ~kept, SplitState::Ready);
    w.mask = kept;
}

/// In the frame of an entered function, only its parameters are initialised.
void note_entered(const Warp& w, int lane, std::uint32_t frame, const CallSite& site) {
    WrittenLocals& locals = *w.block->checks.locals;
    const std::uint32_t thread = thread_number(w, lane);
    locals.forget_from(thread, frame);
    for (const FrameCopy& c : site.arguments) locals.set(thread, frame + c.callee, c.size);
}

/// A lane's frame holds the number of its call site, which the kernel may have overwritten: it must at least be a call
/// site that fits the frame.
void check_return(Warp& w, const Insn& insn, int lane, const CallSite* site) {
    const std::uint32_t frame = frames(w)[lane];
    bool good = site && frame >= site->frame_bytes;
    for (std::size_t n = 0; good && n < site->results.size(); ++n)
        good = std::uint64_t{frame} + site->results[n].callee + site->results[n].size <= w.local_size;
    if (!good) raise_fault(w, insn, CUDA_ERROR_INVALID_PC, lane, 0, "return from a call whose frame was overwritten");
}

}  // namespace

void enter_call(Warp& w, const Insn& insn, std::uint32_t pc) {
    const Kernel& kernel = w.block->grid.kernel;
    const CallSite& site = kernel.calls[insn.call_site];
    EntryPoint target = site.callee;
    if (insn.control == Control::CallIndirect) {
        const std::uint64_t* callees = reinterpret_cast<const std::uint64_t*>(w.bank[insn.op[0] & 1] + insn.op[0]);
        const int first = std::countr_zero(w.mask);
        const std::uint64_t callee = callees[first];
        keep(w, pc, [&](int lane) { return callees[lane] == callee; });
        const auto entry = kernel.entry_points.find(callee);
        if (entry == kernel.entry_points.end())
            raise_fault(w, insn, CUDA_ERROR_INVALID_PC, first, callee, "call of an address that is not a function");
        target = entry->second;
    }
    std::uint32_t* frame = frames(w);
    each_lane(w.mask, [&](int lane) {
        std::byte* caller = w.local[lane] + frame[lane];
        std::uint64_t end = std::uint64_t{frame[lane]} + site.frame_bytes + target.frame_bytes;
        for (const FrameCopy& c : site.arguments)
            end = std::max(end, std::uint64_t{frame[lane]} + site.frame_bytes + c.callee + c.size);
        if (end > w.local_size) raise_fault(w, insn, CUDA_ERROR_LAUNCH_FAILED, lane, 0, "stack overflow");
        for (const SavedRegister& r : site.saved) copy_register(w, r, lane, caller, true);
        std::byte* callee = caller + site.frame_bytes;
        for (const FrameCopy& c : site.arguments) std::memcpy(callee + c.callee, caller + c.caller, c.size);
        std::memcpy(callee, &insn.call_site, sizeof insn.call_site);
        frame[lane] += site.frame_bytes;
    });
    if (w.block->checks.locals) each_lane(w.mask, [&](int lane) { note_entered(w, lane, frame[lane], site); });
    w.pc = target.pc;
}

void return_from_call(Warp& w, const Insn& insn, std::uint32_t pc) {
    std::uint32_t* frame = frames(w);
    const auto site_of = [&](int lane) {
        std::uint32_t site;
        std::memcpy(&site, w.local[lane] + frame[lane], sizeof site);
        return site;
    };
    const std::uint32_t number = site_of(std::countr_zero(w.mask));
    keep(w, pc, [&](int lane) { return site_of(lane) == number; });
    const std::vector<CallSite>& calls = w.block->grid.kernel.calls;
    const CallSite* site = number < calls.size() ? &calls[number] : nullptr;
    each_lane(w.mask, [&](int lane) {
        check_return(w, insn, lane, site);
        std::byte* callee = w.local[lane] + frame[lane];
        std::byte* caller = callee - site->frame_bytes;
        for (const SavedRegister& r : site->saved) copy_register(w, r, lane, caller, false);
        for (const FrameCopy& c : site->results) std::memcpy(caller + c.caller, callee + c.callee, c.size);
        frame[lane] -= site->frame_bytes;
    });
    w.pc = site->return_pc;
}

}  // namespace cpu::exec
