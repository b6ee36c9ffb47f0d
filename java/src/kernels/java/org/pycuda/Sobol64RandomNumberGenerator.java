package org.pycuda;

/**
 * Quasi-random numbers of cuRAND's 64-bit Sobol generators.
 * <pre>{@code
 * try (var generator = new Sobol64RandomNumberGenerator()) {
 *     var a = generator.genUniform(DType.FLOAT64, 100_000);
 *     System.out.println(Math.abs(a.mean().getDouble() - 0.5) < 0.1);  // true
 * }
 * }</pre>
 */
public final class Sobol64RandomNumberGenerator extends RandomNumberGenerator {
    /** Creates generators with cuRAND's direction vectors. RuntimeError if its library is not installed. */
    public Sobol64RandomNumberGenerator() {
        super(5);
        ownDirections(CuRandom.DirectionVectorSet.VECTOR_64, null);
    }

    /** Creates generators with these direction vectors, 64 numbers of 64 bits per generator. */
    public Sobol64RandomNumberGenerator(GPUArray dirVector) {
        this(dirVector, 0);
    }

    /** Creates generators with these direction vectors; each skips {@code offset} numbers. */
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
