package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT32;
import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class CuRandomTest implements WithContext {
    @Test
    void randIsReproducibleAndUniform() {
        CuRandom.seed(1);
        float[] first = CuRandom.rand(20_000).getFloats();
        float[] other = CuRandom.rand(20_000).getFloats();
        CuRandom.seed(1);
        assertArrayEquals(first, CuRandom.rand(20_000).getFloats());
        assertFalse(Arrays.equals(first, other));
        double sum = 0;
        for (float value : first) {
            assertTrue(value >= 0 && value <= 1);
            sum += value;
        }
        assertEquals(0.5, sum / first.length, 0.02);
        assertArrayEquals(new long[] {2, 3}, CuRandom.rand(FLOAT64, 2, 3).shape());
        assertThrows(IllegalArgumentException.class, () -> CuRandom.rand(DType.COMPLEX64, 2));
    }

    @Test
    void generatorsContinueAndRepeat() {
        try (var one = new XORWOWRandomNumberGenerator(42); var same = new XORWOWRandomNumberGenerator(42)) {
            float[] numbers = one.genUniform(FLOAT32, 1000).getFloats();
            assertArrayEquals(numbers, same.genUniform(FLOAT32, 1000).getFloats());
            assertFalse(Arrays.equals(numbers, one.genUniform(FLOAT32, 1000).getFloats()));
            var normal = one.genNormal(FLOAT64, 10_000);
            assertEquals(0, normal.mean().getDouble(), 0.05);
            assertEquals(1, normal.mul(normal).mean().getDouble(), 0.1);
            assertThrows(IllegalArgumentException.class, () -> one.genNormal(INT32, 4));
            assertEquals(32, one.generatorBits());
            one.close();
            assertThrows(Driver.LogicError.class, () -> one.genUniform(FLOAT32, 1));
        }
        try (var mrg = new MRG32k3aRandomNumberGenerator(7)) {
            mrg.callSkipAhead(3);
            mrg.callSkipAheadSequence(1);
            mrg.callSkipAheadSubsequence(1);
            assertThrows(IllegalArgumentException.class, () -> mrg.callSkipAhead(-1));
            var poisson = mrg.genPoisson(DType.UINT32, 4, 1000);
            assertEquals(4, poisson.astype(FLOAT64).mean().getDouble(), 0.5);
        }
    }

    @Test
    void directionVectorsAreTwoDimensional() {
        assertArrayEquals(new long[] {5, 32}, CuRandom.generateDirectionVectors(5).shape());
        assertArrayEquals(new long[] {5, 64}, CuRandom.generateDirectionVectors(5, CuRandom.DirectionVectorSet.SCRAMBLED_VECTOR_64).shape());
        assertArrayEquals(new long[] {5}, CuRandom.generateScrambleConstants64(5).shape());
        try (var sobol = new Sobol32RandomNumberGenerator(); var same = new Sobol32RandomNumberGenerator(
                 CuRandom.generateDirectionVectors(sobol.blockCount() * sobol.generatorsPerBlock()))) {
            assertArrayEquals(sobol.genUniform(FLOAT32, 500).getFloats(), same.genUniform(FLOAT32, 500).getFloats());
        }
    }

    private static void assertTakesOnly(DType type, int length, Consumer<GPUArray> call) {
        for (DType given : DType.values()) {
            for (int n : new int[] {0, length - 1, length}) {
                try (var numbers = GPUArray.zeros(given, n)) {
                    if (given == type && n == length) {
                        call.accept(numbers);
                    } else {
                        assertThrows(IllegalArgumentException.class, () -> call.accept(numbers), n + " of " + given);
                    }
                }
            }
        }
        Context.synchronize();
    }

    /** Kernels read one value of their own type for each generator. */
    @Test
    void generatorArraysMustHaveTheirTypeAndLength() {
        try (var xorwow = new XORWOWRandomNumberGenerator(1); var mrg = new MRG32k3aRandomNumberGenerator(1);
             var sobol = new Sobol32RandomNumberGenerator(); var sobol64 = new Sobol64RandomNumberGenerator()) {
            int n = xorwow.generators();
            assertTakesOnly(INT32, n, seeds -> new XORWOWRandomNumberGenerator(count -> seeds).close());
            assertTakesOnly(DType.UINT64, n, xorwow::callSkipAheadArray);
            assertTakesOnly(DType.UINT64, n, xorwow::callSkipAheadSequenceArray);
            assertTakesOnly(DType.UINT64, mrg.generators(), mrg::callSkipAheadSubsequenceArray);
            assertTakesOnly(DType.UINT32, sobol.generators(), sobol::callSkipAheadArray);
            assertTakesOnly(DType.UINT64, sobol64.generators(), sobol64::callSkipAheadArray);
            assertTakesOnly(DType.UINT32, 32 * sobol.generators(), vectors -> new Sobol32RandomNumberGenerator(vectors).close());
            assertTakesOnly(DType.UINT64, 64 * sobol64.generators(), vectors -> new Sobol64RandomNumberGenerator(vectors).close());
            var directions = CuRandom.generateDirectionVectors(sobol.generators());
            assertTakesOnly(DType.UINT32, sobol.generators(), constants -> new ScrambledSobol32RandomNumberGenerator(directions, constants).close());
        }
    }

    @Test
    void generatorsRunOnStreams() {
        List<float[]> expected;
        try (var plain = new XORWOWRandomNumberGenerator(3)) {
            expected = List.of(plain.genUniform(FLOAT32, 3000).getFloats(), plain.genUniform(FLOAT32, 3000).getFloats());
            plain.callSkipAhead(5);
            expected = List.of(expected.get(0), expected.get(1), plain.genUniform(FLOAT32, 3000).getFloats());
        }
        try (var random = new XORWOWRandomNumberGenerator(3); var one = new Stream(StreamFlags.NON_BLOCKING);
             var two = new Stream(StreamFlags.NON_BLOCKING)) {
            var onOne = random.on(one);
            var first = onOne.genUniform(FLOAT32, 3000);
            assertEquals(one, first.stream());
            assertArrayEquals(expected.get(0), first.getFloats());
            assertArrayEquals(expected.get(1), random.on(two).genUniform(FLOAT32, 3000).getFloats());
            random.callSkipAhead(5);
            assertArrayEquals(expected.get(2), random.fillUniform(GPUArray.empty(FLOAT32, 3000).on(one)).getFloats());
            assertTrue(random.state().pointer() != 0);
            onOne.close();
            assertThrows(Driver.LogicError.class, () -> random.genUniform(FLOAT32, 1));
            assertThrows(Driver.LogicError.class, random::state);
        }
    }

    @Test
    void aNanMeanGivesNan() {
        try (var random = new XORWOWRandomNumberGenerator()) {
            var means = GPUArray.toGpu(new double[] {Double.NaN, 0, 5, -1, 100, 1e9, Double.POSITIVE_INFINITY, Double.NaN});
            double[] drawn = random.fillPoisson(means).getDoubles();
            assertTrue(Double.isNaN(drawn[0]) && drawn[1] == 0 && Double.isNaN(drawn[7]), java.util.Arrays.toString(drawn));
            random.fillPoisson(GPUArray.zeros(DType.UINT32, 8), Double.NaN);
            Context.synchronize();
        }
    }
}
