package org.pycuda;

import java.util.function.IntFunction;

/** Pseudo-random numbers of cuRAND's MRG32k3a generators. */
public final class MRG32k3aRandomNumberGenerator extends RandomNumberGenerator {
    /** With a seed of its own for each generator. */
    public MRG32k3aRandomNumberGenerator() {
        this(CuRandom::seedGetterUnique);
    }

    /** With one seed for all generators, which run through different parts of the sequence. */
    public MRG32k3aRandomNumberGenerator(long seed) {
        this(n -> GPUArray.empty(DType.INT32, n).fill((int) (seed ^ seed >>> 32)));
    }

    /** With the seeds that the function gives for the number of generators (INT32). */
    public MRG32k3aRandomNumberGenerator(IntFunction<GPUArray> seedGetter) {
        this(seedGetter, 0);
    }

    /** With the seeds that the function gives for the number of generators (INT32); each skips {@code offset} numbers. */
    public MRG32k3aRandomNumberGenerator(IntFunction<GPUArray> seedGetter, long offset) {
        super(given(1, seedGetter, "seedGetter"));
        try (GPUArray seeds = seedGetter.apply(generators())) {
            seed(seeds, offset);
            Context.synchronize();
        }
    }

    /** All generators skip {@code count} sequences of 2^67 numbers. */
    public void callSkipAheadSequence(long count) {
        skip(SKIP_SEQUENCE, count);
    }

    /** Each generator skips as many sequences as the array says. */
    public void callSkipAheadSequenceArray(GPUArray counts) {
        skip(SKIP_SEQUENCE, counts);
    }

    /** All generators skip {@code count} subsequences. */
    public void callSkipAheadSubsequence(long count) {
        skip(SKIP_SUBSEQUENCE, count);
    }

    /** Each generator skips as many subsequences as the array says. */
    public void callSkipAheadSubsequenceArray(GPUArray counts) {
        skip(SKIP_SUBSEQUENCE, counts);
    }
}
