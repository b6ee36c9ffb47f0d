package org.pycuda;

/**
 * Quasi-random numbers of cuRAND's 32-bit scrambled Sobol generators.
 * <pre>{@code
 * try (var generator = new ScrambledSobol32RandomNumberGenerator()) {
 *     var a = generator.genUniform(DType.FLOAT32, 1000);
 *     System.out.println(Math.abs(a.mean().getFloat() - 0.5) < 0.1);  // true
 * }
 * }</pre>
 */
public final class ScrambledSobol32RandomNumberGenerator extends RandomNumberGenerator {
    /** Creates generators with cuRAND's direction vectors and scramble constants. RuntimeError if its library is not installed. */
    public ScrambledSobol32RandomNumberGenerator() {
        super(4);
        ownDirections(CuRandom.DirectionVectorSet.SCRAMBLED_VECTOR_32, CuRandom::generateScrambleConstants32);
    }

    /** Creates generators with these direction vectors and scramble constants, 32 numbers of 32 bits per generator. */
    public ScrambledSobol32RandomNumberGenerator(GPUArray dirVector, GPUArray scrambleVector) {
        this(dirVector, scrambleVector, 0);
    }

    /** Creates generators with these direction vectors and scramble constants; each skips {@code offset} numbers. */
    public ScrambledSobol32RandomNumberGenerator(GPUArray dirVector, GPUArray scrambleVector, long offset) {
        super(given(given(4, scrambleVector, "scrambleVector"), dirVector, "dirVector"));
        directions(dirVector, scrambleVector, offset);
    }

    private ScrambledSobol32RandomNumberGenerator(ScrambledSobol32RandomNumberGenerator other, Stream stream) {
        super(other, stream);
    }

    @Override
    public ScrambledSobol32RandomNumberGenerator on(Stream newStream) {
        return new ScrambledSobol32RandomNumberGenerator(this, newStream);
    }
}
