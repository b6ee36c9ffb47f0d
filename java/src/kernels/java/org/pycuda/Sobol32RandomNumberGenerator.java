package org.pycuda;

/**
 * Quasi-random numbers of cuRAND's 32-bit Sobol generators.
 * <pre>{@code
 * try (var generator = new Sobol32RandomNumberGenerator()) {
 *     var a = generator.genUniform(DType.FLOAT32, 100_000);
 *     System.out.println(Math.abs(a.mean().getFloat() - 0.5) < 0.1);  // true
 * }
 * }</pre>
 */
public final class Sobol32RandomNumberGenerator extends RandomNumberGenerator {
    /** Creates generators with cuRAND's direction vectors. RuntimeError if its library is not installed. */
    public Sobol32RandomNumberGenerator() {
        super(3);
        ownDirections(CuRandom.DirectionVectorSet.VECTOR_32, null);
    }

    /** Creates generators with these direction vectors, 32 numbers of 32 bits per generator. */
    public Sobol32RandomNumberGenerator(GPUArray dirVector) {
        this(dirVector, 0);
    }

    /** Creates generators with these direction vectors; each skips {@code offset} numbers. */
    public Sobol32RandomNumberGenerator(GPUArray dirVector, long offset) {
        super(given(3, dirVector, "dirVector"));
        directions(dirVector, null, offset);
    }

    private Sobol32RandomNumberGenerator(Sobol32RandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public Sobol32RandomNumberGenerator on(Stream newStream) {
        return new Sobol32RandomNumberGenerator(this, newStream);
    }
}
