package org.pycuda;

/** Quasi-random numbers of cuRAND's 64-bit Sobol generators. */
public final class Sobol64RandomNumberGenerator extends RandomNumberGenerator {
    /** With cuRAND's own direction vectors. RuntimeError when its library is not installed. */
    public Sobol64RandomNumberGenerator() {
        super(5);
        ownDirections(CuRandom.DirectionVectorSet.VECTOR_64, null);
    }

    /** With these direction vectors, 64 numbers of 64 bits a generator. */
    public Sobol64RandomNumberGenerator(GPUArray dirVector) {
        this(dirVector, 0);
    }

    /** With these direction vectors; each generator skips {@code offset} numbers. */
    public Sobol64RandomNumberGenerator(GPUArray dirVector, long offset) {
        super(given(5, dirVector, "dirVector"));
        directions(dirVector, null, offset);
    }

    private Sobol64RandomNumberGenerator(Sobol64RandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public Sobol64RandomNumberGenerator on(Stream newStream) {
        return new Sobol64RandomNumberGenerator(this, newStream);
    }
}
