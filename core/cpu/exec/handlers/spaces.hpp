#pragma once
// Addresses in windows, generic addresses, and allocation on a thread's stack. Included by each instruction set's file.

#include "exec/handlers/access.hpp"

namespace cpu::exec {
namespace {

template <bool All, Window W>
void window_to_generic(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, u64>(d, w.mask, l, a[l] + window_base(w, W, l));
}
template <bool All, Window W>
void generic_to_window(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    for (int l = 0; l < 32; ++l) put<All, u64>(d, w.mask, l, a[l] - window_base(w, W, l));
}

enum class InSpace { Shared, Local, Global, Const, Param };
template <bool All, InSpace S>
void in_space(Warp& w, const Insn& i) {
    const u64* a = reg<u64>(w, i.op[1]);
    u32 bits = 0;
    for (int l = 0; l < 32; ++l) {
        const bool shared = a[l] - window_base(w, Window::Shared, 0) < w.shared_size;
        const bool local = a[l] - window_base(w, Window::Local, l) < w.local_size;
        const bool param = a[l] - reinterpret_cast<u64>(w.parameters) < w.parameter_size;
        const bool in = S == InSpace::Shared  ? shared
                        : S == InSpace::Local ? local
                        : S == InSpace::Param ? param
                        : S == InSpace::Const ? active<u32>(w.mask, l) && is_constant(w, a[l])
                                              : !shared && !local && !param && !is_constant(w, a[l]);
        bits |= in ? lane_bit[l] : 0;
    }
    set_pred<All>(w, i.op[0], bits);
}

/// alloca: op[0] = address, op[1] = bytes, op[2] = the top of the stack.
template <bool All>
void allocate_local(Warp& w, const Insn& i) {
    const u64* bytes = reg<u64>(w, i.op[1]);
    u64* d = reg<u64>(w, i.op[0]);
    u32* top = reg<u32>(w, i.op[2]);
    each_active(w.mask, [&](int l) {
        const u64 start = (u64{top[l]} + i.alignment - 1) & ~(u64{i.alignment} - 1);
        if (bytes[l] > w.local_size || start + bytes[l] > w.local_size)
            raise_fault(w, i, CUDA_ERROR_ILLEGAL_ADDRESS, l, bytes[l], "alloca beyond the thread's stack, of bytes:");
        d[l] = start;
        top[l] = static_cast<u32>(start + bytes[l]);
    });
}

}  // namespace
}  // namespace cpu::exec
