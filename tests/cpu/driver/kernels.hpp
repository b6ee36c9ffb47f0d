#pragma once

/// Kernels of the launch tests, as PTX text.
namespace kernels {

constexpr const char* all = R"(
.version 8.0
.target sm_50
.address_size 64

.visible .global .align 4 .u32 counter = 41;
.visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};

// out[i] = a * in[i] + i
.visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 a, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<10>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u32 %r1, [a];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r6, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r6, %r2;
    @%p1 bra done;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.u32 %rd5, %r6, 4;
    add.s64 %rd6, %rd4, %rd5;
    ld.global.u32 %r7, [%rd6];
    mad.lo.s32 %r8, %r7, %r1, %r6;
    add.s64 %rd7, %rd3, %rd5;
    st.global.u32 [%rd7], %r8;
done:
    ret;
}

.visible .entry nothing()
{
    ret;
}

// *where = value, for any address
.visible .entry poke(.param .u64 where, .param .u32 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [where];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r1;
    ret;
}

// Writes the first word of dynamic shared memory after storing value there.
.extern .shared .align 16 .b8 dynamic[];
.visible .entry through_shared(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<3>;
    .reg .b64 %rd<3>;
    .shared .align 4 .b8 fixed[400];
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    st.shared.u32 [dynamic], %r1;
    st.shared.u32 [fixed], %r1;
    ld.shared.u32 %r2, [dynamic];
    cvta.to.global.u64 %rd2, %rd1;
    st.global.u32 [%rd2], %r2;
    ret;
}

.visible .entry at_most_64(.param .align 8 .b8 pair[16], .param .u8 small)
.maxntid 64, 1, 1
{
    ret;
}
)";

}  // namespace kernels
