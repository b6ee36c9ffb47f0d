package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT16;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.UINT8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class StructTypeTest implements WithContext {
    private static final StructType PARTICLE = StructType.of("Particle", StructType.field("tag", UINT8), StructType.field("mass", FLOAT64),
        StructType.field("place", FLOAT32, 3));
    private static final String DECLARATION = "struct Particle { unsigned char tag; double mass; float place[3]; };";

    private static ByteBuffer bytes(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }

    @Test
    void fieldsHaveTheLayoutOfC() {
        assertEquals(32, PARTICLE.itemsize());
        assertEquals(8, PARTICLE.alignment());
        assertEquals(8, PARTICLE.offset("mass"));
        assertEquals(16, PARTICLE.offset("place"));
        assertEquals("32s", PARTICLE.structChar());
        assertThrows(IllegalArgumentException.class, () -> PARTICLE.offset("colour"));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("Empty"));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("not a name;", StructType.field("x", INT32)));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("Twice", StructType.field("x", INT32), StructType.field("x", INT32)));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("Huge", StructType.field("x", FLOAT64, 1 << 30)));
        assertThrows(IllegalArgumentException.class, () -> StructType.field("x", INT32, 0));
    }

    @Test
    void namesAreRegistered() {
        assertSame(PARTICLE, StructType.of("Particle", PARTICLE.fields().toArray(new StructType.Field[0])));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("Particle", StructType.field("x", INT32)));
        assertThrows(IllegalArgumentException.class, () -> StructType.of("float", StructType.field("x", FLOAT32)));
        assertSame(PARTICLE, Tools.getOrRegisterDtype("Particle"));
        assertSame(FLOAT32, Tools.getOrRegisterDtype("float"));
        assertSame(Vec.FLOAT4, Tools.getOrRegisterDtype("float4"));
        assertSame(INT16, Tools.getOrRegisterDtype(INT16, "sample_t"));
        assertSame(INT16, Tools.getOrRegisterDtype("sample_t"));
        assertThrows(IllegalArgumentException.class, () -> Tools.getOrRegisterDtype(INT32, "sample_t"));
        assertThrows(IllegalArgumentException.class, () -> Tools.getOrRegisterDtype("nobody_knows"));
        assertEquals(new VectorArg(PARTICLE, "p"), Tools.parseCArg("const Particle *p"));
        assertEquals(new ScalarArg(FLOAT32, "a"), Tools.parseCArg("float a"));
        assertEquals("float *x", new VectorArg(FLOAT32, "x").declarator());
        assertThrows(IllegalArgumentException.class, () -> Tools.parseCArg("float a, float b"));
    }

    @Test
    void vectorTypesMatchCuda() {
        assertEquals(16, Vec.FLOAT4.alignment());
        assertEquals(12, Vec.FLOAT3.itemsize());
        assertEquals(4, Vec.FLOAT3.alignment());
        assertEquals(42, Vec.ALL.size());
        var points = GPUArray.toGpu(HostData.of(new float[] {1, 2, 3, 4, 5, 6}).as(Vec.FLOAT3));
        assertArrayEquals(new long[] {2}, points.shape());
        assertSame(Vec.FLOAT3, points.dtype());
        var sizes = GPUArray.zeros(FLOAT32, 2);
        new ElementwiseKernel("const float3 *p, float3 by, float *out", "out[i] = p[i].x * by.x + p[i].y * by.y + p[i].z * by.z")
            .call(points, Vec.FLOAT3.value(1, 10, 100), sizes);
        assertArrayEquals(new float[] {321, 654}, sizes.getFloats());
        assertArrayEquals(new float[] {4, 5, 6, 1, 2, 3}, points.reverse().getFloats());
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(HostData.of(new double[3]).as(Vec.FLOAT3)));
    }

    @Test
    void arraysOfStructuresAreCopied() {
        var data = bytes(3 * 32);
        for (int i = 0; i < 3; i++) {
            data.put(32 * i, (byte) i).putDouble(32 * i + 8, 0.5 * i).putFloat(32 * i + 16, i);
        }
        var particles = GPUArray.toGpu(HostData.of(data).as(PARTICLE));
        assertSame(PARTICLE, particles.dtype());
        assertEquals(3, particles.size());
        assertEquals(data, particles.getInto(bytes(96)));
        var taken = particles.take(GPUArray.toGpu(new int[] {2, 0}));
        assertSame(PARTICLE, taken.dtype());
        assertEquals(1.0, taken.getInto(bytes(64)).getDouble(8));
        assertEquals(0.5, particles.slice(1, 2).copy().getInto(bytes(32)).getDouble(8));
        assertEquals(1.0, GPUArray.concatenate(taken, particles).getInto(bytes(160)).getDouble(8));
        assertEquals(64, particles.select(GPUArray.toGpu(new boolean[] {true, false, true})).nbytes());
        assertArrayEquals(new byte[] {1}, particles.view(UINT8).slice(32, 33).getBytes());
        assertArrayEquals(new byte[32], GPUArray.zeros(PARTICLE, 1).view(UINT8).getBytes());
        assertSame(PARTICLE, GPUArray.zerosLike(particles.view(UINT8).view(PARTICLE)).dtype());
        for (var wrong : List.<org.junit.jupiter.api.function.Executable>of(() -> particles.add(particles), () -> particles.fill(0),
                () -> particles.sum(), () -> particles.astype(FLOAT32), () -> GPUArray.zeros(FLOAT32, 3).astype(PARTICLE),
                () -> particles.sort(), () -> GPUArray.ones(FLOAT32, 3).set(particles), () -> GPUArray.concatenate(particles, GPUArray.zeros(FLOAT32, 3)),
                () -> particles.getFloats(), () -> particles.at(0).getDouble(), () -> CuMath.sin(particles))) {
            assertThrows(IllegalArgumentException.class, wrong);
        }
    }

    @Test
    void valuesArePassedByValue() {
        var value = PARTICLE.value(7, 1.5, new float[] {1, 2, 3});
        assertEquals(value, PARTICLE.value((byte) 7, 1.5f, List.of(1, 2, 3)));
        assertNotEquals(value, PARTICLE.value(8, 1.5, new float[] {1, 2, 3}));
        assertEquals(2, value.toBuffer().getFloat(20));
        var filled = GPUArray.empty(PARTICLE, 2, 2).fill(value);
        assertEquals(1.5, filled.getInto(bytes(128)).getDouble(104));
        var out = GPUArray.zeros(FLOAT64, 2);
        var kernel = new ElementwiseKernel("double *out, Particle p", "out[i] = p.tag + p.mass + p.place[2]", new KernelOptions().preamble(DECLARATION));
        kernel.call(out, value);
        assertEquals(11.5, out.at(1).getDouble());
        kernel.call(out, value.toBuffer());
        assertEquals(11.5, out.at(1).getDouble());
        assertThrows(IllegalArgumentException.class, () -> kernel.call(out, Vec.FLOAT2.value(1, 2)));
        assertThrows(IllegalArgumentException.class, () -> kernel.call(out, 1));
        assertThrows(IllegalArgumentException.class, () -> filled.fill(Vec.FLOAT2.value(1, 2)));
        var wrong = assertThrows(IllegalArgumentException.class, () -> PARTICLE.value(7, "heavy", new float[3]));
        assertTrue(wrong.getMessage().startsWith("Particle.mass: expected a number"), wrong.getMessage());
        assertThrows(IllegalArgumentException.class, () -> PARTICLE.value(7, 1));
        assertThrows(IllegalArgumentException.class, () -> PARTICLE.value(300, 1, new float[3]));
        assertThrows(IllegalArgumentException.class, () -> PARTICLE.value(3, 1, new float[2]));
        var plain = new org.pycuda.compiler.SourceModule(DECLARATION + "__global__ void get(double *out, Particle p) { *out = p.mass; }");
        plain.function("get").launch(Driver.block(1), out, value);
        assertEquals(1.5, out.at(0).getDouble());
    }

    @Test
    void fieldsOfArraysAreViews() {
        var a = GPUArray.zeros(PARTICLE, 2, 3);
        a.field("mass").slice(1, 2).fill(2.5);
        a.field("tag").fill(7);
        assertArrayEquals(new double[] {0, 0, 0, 2.5, 2.5, 2.5}, a.field("mass").getDoubles());
        assertArrayEquals(new byte[] {7, 7, 7, 7, 7, 7}, a.field("tag").getBytes());
        assertArrayEquals(new long[] {3 * PARTICLE.itemsize(), PARTICLE.itemsize()}, a.field("mass").strides());
        assertArrayEquals(new double[] {0, 2.5, 0, 2.5, 0, 2.5}, a.field("mass").transpose().flatten().getDoubles());
        for (String wrong : List.of("place", "colour")) {
            assertThrows(IllegalArgumentException.class, () -> a.field(wrong));
        }
        assertThrows(IllegalArgumentException.class, () -> a.field("mass").field("tag"));
    }

    @Test
    void kernelsReduceStructures() {
        var pairs = GPUArray.toGpu(HostData.of(new float[] {1, 9, 5, 2, 3, 4}).as(Vec.FLOAT2));
        var max = new ReductionKernel(Vec.FLOAT2, "make_float2(-1, -1)", "make_float2(fmaxf(a.x, b.x), fmaxf(a.y, b.y))");
        assertArrayEquals(new float[] {5, 9}, max.call(pairs).getFloats());
        var running = new InclusiveScanKernel(Vec.FLOAT2, "make_float2(a.x + b.x, a.y + b.y)");
        assertArrayEquals(new float[] {1, 9, 6, 11, 9, 15}, running.call(pairs).getFloats());
    }
}
