package org.pycuda;

import java.util.function.IntFunction;

/**
 * Generators that start from seeds, each with its own subsequence.
 * @see MRG32k3aRandomNumberGenerator
 */
public abstract class PseudoRandomNumberGenerator extends RandomNumberGenerator {
    /** @param seedGetter gives seeds (INT32) for a number of generators, each of which skips {@code offset} numbers */
    PseudoRandomNumberGenerator(int kind, IntFunction<GPUArray> seedGetter, long offset) {
        super(given(kind, seedGetter, "seedGetter"));
        try (GPUArray seeds = seedGetter.apply(generators())) {
            seed(seeds, offset);
            Context.synchronize();
        }
    }

    PseudoRandomNumberGenerator(PseudoRandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    /** One seed for all generators. */
    static IntFunction<GPUArray> one(long seed) {
        return n -> GPUArray.empty(DType.INT32, n).fill((int) (seed ^ seed >>> 32));
    }

    /** All generators skip {@code count} sequences of 2^67 numbers. */
    public void callSkipAheadSequence(long count) {
        skip(SKIP_SEQUENCE, count);
    }

    /** Each generator skips the number of sequences in its element of the array. */
    public void callSkipAheadSequenceArray(GPUArray counts) {
        skip(SKIP_SEQUENCE, counts);
    }
}
