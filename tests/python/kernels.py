"""PTX for tests that need no compiler, and the compilers that others try: on Windows nvcc needs Visual Studio's, which wine cannot run."""

import sys

import pytest

HAS_NVCC = sys.platform != "win32"
COMPILERS = ["nvcc", "nvrtc"] if HAS_NVCC else ["nvrtc"]
NEEDS_NVCC = pytest.mark.skipif(not HAS_NVCC, reason="nvcc needs Visual Studio")

#: scale(float *y, float a, int n): y[i] *= a for i < n
SCALE = """
.version 8.0
.target sm_50
.address_size 64
.visible .global .align 4 .f32 table[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
.visible .entry scale(.param .u64 y, .param .f32 a, .param .u32 n)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [y];
    ld.param.f32 %f1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p, %r5, %r1;
    @%p ret;
    cvta.to.global.u64 %rd1, %rd1;
    mul.wide.s32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
    ret;
}
.visible .entry nothing()
{
    ret;
}
"""
