package org.pycuda;

import java.util.function.IntFunction;

/**
 * Pseudo-random numbers of cuRAND's XORWOW generators.
 * <pre>{@code
 * try (var generator = new XORWOWRandomNumberGenerator(7)) {
 *     var a = generator.genUniform(DType.FLOAT32, 1000);
 *     System.out.println(Math.abs(a.mean().getFloat() - 0.5) < 0.1);  // true
 * }
 * }</pre>
 */
public final class XORWOWRandomNumberGenerator extends PseudoRandomNumberGenerator {
    private static final int KIND = 0;  // as the core's RandomKind

    /** Creates generators with different random seeds. */
    public XORWOWRandomNumberGenerator() {
        this(CuRandom::seedGetterUnique);
    }

    /** Creates generators with one seed; each uses another part of the sequence. */
    public XORWOWRandomNumberGenerator(long seed) {
        this(one(seed));
    }

    /** Creates generators with the seeds that the function returns for their number (INT32). */
    public XORWOWRandomNumberGenerator(IntFunction<GPUArray> seedGetter) {
        this(seedGetter, 0);
    }

    /** Creates generators with the seeds that the function returns for their number (INT32); each skips {@code offset} numbers. */
    public XORWOWRandomNumberGenerator(IntFunction<GPUArray> seedGetter, long offset) {
        super(KIND, seedGetter, offset);
    }

    private XORWOWRandomNumberGenerator(XORWOWRandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public XORWOWRandomNumberGenerator on(Stream newStream) {
        return new XORWOWRandomNumberGenerator(this, newStream);
    }
}
