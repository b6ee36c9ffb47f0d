package org.pycuda;

import java.util.function.IntFunction;

/**
 * Pseudo-random numbers of cuRAND's MRG32k3a generators.
 *
 * <pre>{@code
 * try (var generator = new MRG32k3aRandomNumberGenerator()) {
 *     var normal = generator.genNormal(DType.FLOAT32, 10_000);
 *     assert Math.abs(normal.mean().getFloat()) < 0.1;
 * }
 * }</pre>
 */
public final class MRG32k3aRandomNumberGenerator extends PseudoRandomNumberGenerator {
    private static final int KIND = 1;  // as the core's RandomKind

    /** Creates generators with different random seeds. */
    public MRG32k3aRandomNumberGenerator() {
        this(CuRandom::seedGetterUnique);
    }

    /** Creates generators with one seed; each uses another part of the sequence. */
    public MRG32k3aRandomNumberGenerator(long seed) {
        this(one(seed));
    }

    /** Creates generators with the seeds that the function returns for their number (INT32). */
    public MRG32k3aRandomNumberGenerator(IntFunction<GPUArray> seedGetter) {
        this(seedGetter, 0);
    }

    /** Creates generators with the seeds that the function returns for their number (INT32); each skips {@code offset} numbers. */
    public MRG32k3aRandomNumberGenerator(IntFunction<GPUArray> seedGetter, long offset) {
        super(KIND, seedGetter, offset);
    }

    private MRG32k3aRandomNumberGenerator(MRG32k3aRandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public MRG32k3aRandomNumberGenerator on(Stream newStream) {
        return new MRG32k3aRandomNumberGenerator(this, newStream);
    }

    /** All generators skip {@code count} subsequences. */
    public void callSkipAheadSubsequence(long count) {
        skip(SKIP_SUBSEQUENCE, count);
    }

    /** Each generator skips the number of subsequences in its element of the array. */
    public void callSkipAheadSubsequenceArray(GPUArray counts) {
        skip(SKIP_SUBSEQUENCE, counts);
    }
}
