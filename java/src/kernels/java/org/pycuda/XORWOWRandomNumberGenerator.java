package org.pycuda;

import java.util.function.IntFunction;

/** Pseudo-random numbers of cuRAND's XORWOW generators. */
public final class XORWOWRandomNumberGenerator extends PseudoRandomNumberGenerator {
    private static final int KIND = 0;  // as the core's RandomKind

    /** With a seed of its own for each generator. */
    public XORWOWRandomNumberGenerator() {
        this(CuRandom::seedGetterUnique);
    }

    /** With one seed for all generators, which run through different parts of the sequence. */
    public XORWOWRandomNumberGenerator(long seed) {
        this(one(seed));
    }

    /** With the seeds that the function gives for the number of generators (INT32). */
    public XORWOWRandomNumberGenerator(IntFunction<GPUArray> seedGetter) {
        this(seedGetter, 0);
    }

    /** With the seeds that the function gives for the number of generators (INT32); each skips {@code offset} numbers. */
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
