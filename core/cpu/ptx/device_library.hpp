#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace cpu::ptx {

/// True if the library below defines the function.
constexpr bool device_library_defines(std::string_view name) {
    constexpr std::array<std::string_view, 4> names = {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize",
                                                       "cudaCGSynchronizeGrid", "cudaGraphSetConditional"};
    return std::ranges::find(names, name) != names.end();
}

/// The functions of cudadevrt for grid groups. The handle of a group is the address of its workspace, whose second word
/// counts the blocks that have arrived, as in the toolkit's header. It is 0 unless the launch was cooperative; given 0,
/// the functions return 1, cudaErrorInvalidValue. The handle of a graph's condition is the address of its value.
constexpr std::string_view device_library = R"(
.version 6.3
.target sm_30
.address_size 64
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %other;
    .reg .b32 %scope, %low, %high;
    .reg .b64 %handle;
    ld.param.u32 %scope, [scope];
    setp.ne.u32 %other, %scope, 1;
    mov.u32 %low, %envreg2;
    mov.u32 %high, %envreg1;
    mov.b64 %handle, {%low, %high};
    selp.b64 %handle, 0, %handle, %other;
    st.param.b64 [handle], %handle;
    ret;
}
.visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %invalid, %waits, %first;
    .reg .b32 %error, %blocks, %place, %n, %m, %mine, %before, %now;
    .reg .b64 %counter;
    mov.u32 %error, 1;
    ld.param.u64 %counter, [handle];
    setp.eq.u64 %invalid, %counter, 0;
    @%invalid bra done;
    bar.sync 0;
    mov.u32 %place, %tid.x;
    mov.u32 %n, %tid.y;
    mov.u32 %m, %tid.z;
    or.b32 %place, %place, %n;
    or.b32 %place, %place, %m;
    setp.ne.u32 %waits, %place, 0;
    @%waits bra together;
    mov.u32 %blocks, %nctaid.x;
    mov.u32 %n, %nctaid.y;
    mov.u32 %m, %nctaid.z;
    mul.lo.u32 %blocks, %blocks, %n;
    mul.lo.u32 %blocks, %blocks, %m;
    mov.u32 %place, %ctaid.x;
    mov.u32 %n, %ctaid.y;
    mov.u32 %m, %ctaid.z;
    or.b32 %place, %place, %n;
    or.b32 %place, %place, %m;
    setp.eq.u32 %first, %place, 0;
    sub.u32 %mine, 0x80000001, %blocks;
    selp.b32 %mine, %mine, 1, %first;
    atom.add.release.gpu.u32 %before, [%counter+4], %mine;
arrived:
    ld.acquire.gpu.u32 %now, [%counter+4];
    xor.b32 %now, %now, %before;
    setp.ge.s32 %waits, %now, 0;
    @%waits bra arrived;
together:
    bar.sync 0;
    mov.u32 %error, 0;
done:
    st.param.b32 [error], %error;
    ret;
}
.visible .func (.param .b32 error) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags);
.alias cudaCGSynchronizeGrid, cudaCGSynchronize;
.visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)
{
    .reg .b32 %value;
    .reg .b64 %handle;
    ld.param.u64 %handle, [handle];
    ld.param.u32 %value, [value];
    st.relaxed.gpu.global.u32 [%handle], %value;
    ret;
}
)";

}  // namespace cpu::ptx
