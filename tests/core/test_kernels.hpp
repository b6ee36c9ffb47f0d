#pragma once

namespace pycuda::test {

/// Kernels of the tests, as PTX: no compiler is needed, and any driver takes it.
inline constexpr const char* kernels = R"ptx(
.version 7.8
.target sm_75
.address_size 64

.visible .global .align 4 .u32 table[4] = {10, 20, 30, 40};

// c[i] = a[i] + b[i] for i < n
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .f32 %f<4>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd4, %rd1;
    cvta.to.global.u64 %rd5, %rd2;
    cvta.to.global.u64 %rd6, %rd3;
    mul.wide.u32 %rd7, %r5, 4;
    add.s64 %rd8, %rd4, %rd7;
    add.s64 %rd9, %rd5, %rd7;
    add.s64 %rd10, %rd6, %rd7;
    ld.global.f32 %f1, [%rd8];
    ld.global.f32 %f2, [%rd9];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd10], %f3;
DONE:
    ret;
}

// *out = first + second; `first` is one byte, which leaves a gap before `second`
.visible .entry gap(.param .u8 first, .param .f64 second, .param .u64 out)
{
    .reg .b16 %rs<2>;
    .reg .f64 %fd<4>;
    .reg .b64 %rd<3>;
    ld.param.s8 %rs1, [first];
    ld.param.f64 %fd1, [second];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    cvt.rn.f64.s16 %fd2, %rs1;
    add.f64 %fd3, %fd1, %fd2;
    st.global.f64 [%rd2], %fd3;
    ret;
}

// a structure of 12 bytes by value: *out = s[0] + s[1] + s[2]
.visible .entry by_value(.param .align 4 .b8 s[12], .param .u64 out)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u32 %r1, [s];
    ld.param.u32 %r2, [s+4];
    ld.param.u32 %r3, [s+8];
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    add.s32 %r4, %r1, %r2;
    add.s32 %r5, %r4, %r3;
    st.global.u32 [%rd2], %r5;
    ret;
}

.visible .entry nothing()
{
    ret;
}

// writes outside of all allocations
.visible .entry fault()
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 16;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
)ptx";

}  // namespace pycuda::test
