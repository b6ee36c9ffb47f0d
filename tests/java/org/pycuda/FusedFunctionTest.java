package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT16;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;
import static org.pycuda.DType.UINT8;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

/** Fused functions: results equal those of the separate operations, bit for bit. */
class FusedFunctionTest implements WithContext {
    private static GPUArray numbers(DType type, long... shape) {
        long size = 1;
        for (long length : shape) {
            size *= length;
        }
        return GPUArray.arange(FLOAT64, size).mul(0.37).sub(3).mod(2.3).sub(1).astype(type).reshape(shape);
    }

    private static void same(GPUArray expected, GPUArray given) {
        assertSame(expected.dtype(), given.dtype());
        assertArrayEquals(expected.shape(), given.shape());
        assertArrayEquals(expected.strides(), given.strides());
        assertArrayEquals(bytes(expected), bytes(given));
    }

    private static byte[] bytes(GPUArray array) {
        return array.flatten().view(UINT8).get(byte[].class);
    }

    private static void check(int count, Function<GPUArray[], GPUArray> body, GPUArray... arguments) {
        FusedFunction fused = GPUArray.fuse(count, body);
        GPUArray expected = body.apply(arguments);
        same(expected, fused.apply(arguments));
        same(expected, fused.apply(arguments));
    }

    @Test
    void oneKernelForAFormula() {
        var a = numbers(FLOAT32, 1000);
        var b = numbers(FLOAT32, 1000).add(0.5);
        check(2, x -> CuMath.tanh(x[0].mul(x[1]).add(x[0])), a, b);
        check(2, x -> x[0].sub(x[1]).square().mean(), a, b);
        check(2, x -> GPUArray.where(x[0].gt(x[1]), x[0].mul(2), x[1]).clip(-1, 1), a, b);
        check(1, x -> x[0].astype(FLOAT16).mul(x[0].astype(FLOAT16)).add(1), a);
        check(2, x -> x[0].div(x[1]).astype(INT32).mod(7), a, b);
    }

    @Test
    void layoutsAndBroadcasting() {
        var a = numbers(FLOAT32, 30, 40);
        var row = numbers(FLOAT32, 40);
        check(2, x -> x[0].mul(x[1]).sub(1), a, row);
        check(2, x -> x[0].add(x[1]).transpose().mul(2), a, row);
        check(1, x -> x[0].mul(3).sum(Axis.of(0)), a.transpose());
        check(1, x -> x[0].slice(Slice.ALL, Slice.from(3)).mul(2), a);
        check(1, x -> x[0].sub(x[0].mean()), a);
        check(1, x -> x[0].mul(2).var(), a);
    }

    @Test
    void oneTraceForArraysOfOneForm() {
        AtomicInteger traces = new AtomicInteger();
        FusedFunction twice = GPUArray.fuse(a -> {
            traces.incrementAndGet();
            return a.mul(2).add(1);
        });
        for (int i = 0; i < 3; i++) {
            var a = numbers(FLOAT32, 100).add(i);
            same(a.mul(2).add(1), twice.apply(a));
        }
        assertEquals(1, traces.get());
        twice.apply(numbers(FLOAT64, 100));
        assertEquals(2, traces.get());
    }

    @Test
    void severalResults() {
        var a = numbers(FLOAT32, 100);
        GPUArray[] results = FusedFunction.of(1, x -> new GPUArray[] {x[0].add(1), x[0].sum(), x[0]}).applyAll(a);
        same(a.add(1), results[0]);
        same(a.sum(), results[1]);
        assertEquals(a.pointer(), results[2].pointer());
        FusedFunction two = FusedFunction.of(1, x -> new GPUArray[] {x[0], x[0]});
        assertThrows(IllegalStateException.class, () -> two.apply(a));
    }

    @Test
    void aFusedFunctionWithinAnother() {
        FusedFunction square = GPUArray.fuse(a -> a.mul(a));
        var a = numbers(FLOAT32, 100);
        var b = a.add(1);
        same(a.mul(a).add(b.mul(b)), GPUArray.fuse((x, y) -> square.apply(x).add(square.apply(y))).apply(a, b));
    }

    @Test
    void fastFunctions() {
        var a = numbers(FLOAT32, 100);
        float[] expected = a.mul(a).add(a).getFloats();
        assertArrayEquals(expected, GPUArray.fuse(x -> x.mul(x).add(x)).fast().apply(a).getFloats(), 1e-5f);
    }

    @Test
    void whatCannotBeFused() {
        var a = numbers(FLOAT32, 100);
        var other = a.copy();
        List<GPUArray> kept = new ArrayList<>();
        for (FusedFunction refused : List.of(
                GPUArray.fuse(x -> x.sum().getFloat() > 0 ? x : x.neg()),
                GPUArray.fuse(x -> x.addInPlace(1)),
                GPUArray.fuse(x -> x.add(other)),
                GPUArray.fuse(x -> x.mul(2).sort()),
                GPUArray.fuse(x -> other),
                GPUArray.fuse(x -> {
                    kept.add(x.add(1));
                    return x.fill(1);
                }))) {
            var failure = assertThrows(IllegalArgumentException.class, () -> refused.apply(a));
            assertTrue(failure.getMessage().contains("cannot be fused"), failure.getMessage());
        }
        var over = assertThrows(IllegalArgumentException.class, () -> kept.get(0).getFloats());
        assertTrue(over.getMessage().contains("cannot be fused"), over.getMessage());
        same(other, a);
        assertThrows(IllegalArgumentException.class, () -> GPUArray.fuse(x -> x).apply(a, a));
        assertThrows(NullPointerException.class, () -> GPUArray.fuse(x -> x).apply((GPUArray) null));
        assertThrows(NullPointerException.class, () -> GPUArray.fuse(x -> null).apply(a));
        assertThrows(IllegalArgumentException.class, () -> FusedFunction.of(0, x -> x));
    }

    @Test
    void anExceptionHalfWay() {
        var a = numbers(FLOAT32, 100);
        boolean[] fails = {true};
        FusedFunction function = GPUArray.fuse(x -> {
            GPUArray b = x.mul(2);
            if (fails[0]) {
                throw new UnsupportedOperationException("half way");
            }
            return b.add(1);
        });
        assertThrows(UnsupportedOperationException.class, () -> function.apply(a));
        same(a.add(1), a.add(1.0));
        fails[0] = false;
        same(a.mul(2).add(1), function.apply(a));
    }

    @Test
    void closedArraysAndOtherStreams() {
        var a = numbers(FLOAT32, 100);
        FusedFunction twice = GPUArray.fuse((x, y) -> x.mul(2).add(y));
        try (var stream = new Stream()) {
            var b = a.on(stream);
            assertSame(stream, twice.apply(b, a).stream());
            same(a.mul(3), twice.apply(b, a).on(Stream.DEFAULT));
            same(a.mul(2).add(a), twice.apply(a, b));
        }
        var closed = a.copy();
        closed.close();
        assertThrows(Driver.LogicError.class, () -> twice.apply(a, closed));
    }
}
