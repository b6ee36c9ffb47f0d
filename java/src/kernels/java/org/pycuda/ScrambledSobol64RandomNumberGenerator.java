package org.pycuda;

/**
 * Quasi-random numbers of cuRAND's 64-bit scrambled Sobol generators.
 * <pre>{@code
 * try (var generator = new ScrambledSobol64RandomNumberGenerator()) {
 *     var a = generator.genUniform(DType.FLOAT64, 1000);
 *     System.out.println(Math.abs(a.mean().getDouble() - 0.5) < 0.1);  // true
 * }
 * }</pre>
 */
public final class ScrambledSobol64RandomNumberGenerator extends RandomNumberGenerator {
    /** Creates generators with cuRAND's direction vectors and scramble constants. RuntimeError if its library is not installed. */
    public ScrambledSobol64RandomNumberGenerator() {
        super(6);
        ownDirections(CuRandom.DirectionVectorSet.SCRAMBLED_VECTOR_64, CuRandom::generateScrambleConstants64);
    }

    /** Creates generators with these direction vectors and scramble constants, 64 numbers of 64 bits per generator. */
    public ScrambledSobol64RandomNumberGenerator(GPUArray dirVector, GPUArray scrambleVector) {
        this(dirVector, scrambleVector, 0);
    }

    /** Creates generators with these direction vectors and scramble constants; each skips {@code offset} numbers. */
    public ScrambledSobol64RandomNumberGenerator(GPUArray dirVector, GPUArray scrambleVector, long offset) {
        super(given(given(6, scrambleVector, "scrambleVector"), dirVector, "dirVector"));
        directions(dirVector, scrambleVector, offset);
    }

    private ScrambledSobol64RandomNumberGenerator(ScrambledSobol64RandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public ScrambledSobol64RandomNumberGenerator on(Stream newStream) {
        return new ScrambledSobol64RandomNumberGenerator(this, newStream);
    }
}
