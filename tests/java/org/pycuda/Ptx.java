package org.pycuda;

/** PTX for tests that need no compiler. */
public final class Ptx {
    /** {@code scale(float *y, float a)}: y[threadIdx.x] *= a; a table; and a kernel that does nothing. */
    public static final String SCALE = """
        .version 8.0
        .target sm_50
        .address_size 64
        .visible .global .align 4 .f32 table[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
        .visible .entry scale(.param .u64 y, .param .f32 a)
        {
            .reg .b32 %r<2>;
            .reg .b64 %rd<4>;
            .reg .f32 %f<4>;
            ld.param.u64 %rd1, [y];
            ld.param.f32 %f1, [a];
            mov.u32 %r1, %tid.x;
            mul.wide.s32 %rd2, %r1, 4;
            add.s64 %rd3, %rd1, %rd2;
            ld.global.f32 %f2, [%rd3];
            mul.f32 %f3, %f2, %f1;
            st.global.f32 [%rd3], %f3;
            ret;
        }
        .visible .entry nothing() { ret; }
        """;

    private Ptx() {}
}
