package org.pycuda;

import java.util.Objects;
import java.util.Random;

/**
 * Random numbers in arrays, seeds, and the direction vectors of quasi-random generators.
 *
 * <pre>{@code
 * CuRandom.seed(2026);
 * var uniform = CuRandom.rand(100, 100);
 * assert uniform.max().getFloat() < 1;
 * }</pre>
 */
public final class CuRandom {
    private static final Random SEEDS = new Random();

    private CuRandom() {}

    /** Seeds {@link #rand} and all later random seeds of the process, so that results are repeatable. */
    public static void seed(long seed) {
        SEEDS.setSeed(seed);
    }

    static long nextSeed() {
        return SEEDS.nextLong();
    }

    /** A new array of FLOAT32 numbers from 0 to 1. */
    public static GPUArray rand(long... shape) {
        return rand(DType.FLOAT32, shape);
    }

    /** A new array of FLOAT32 numbers from 0 to 1. */
    public static GPUArray rand(int... shape) {
        return rand(DType.FLOAT32, shape);
    }

    /** A new array of numbers from 0 to 1 (FLOAT32, FLOAT64), or of integers of 32 or 64 random bits. */
    public static GPUArray rand(DType type, int... shape) {
        return rand(type, Shapes.of(shape, "shape"));
    }

    /** A new array of numbers from 0 to 1 (FLOAT32, FLOAT64), or of integers of 32 or 64 random bits. */
    public static GPUArray rand(DType type, long... shape) {
        return filled("random_into", GPUArray.empty(type, shape), nextSeed());
    }

    /** Lets a function of the core fill a new array. */
    private static GPUArray filled(String name, GPUArray array, long... numbers) {
        try {
            CoreCalls.handles(name, numbers, Stream.DEFAULT, array);
            return array;
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    /** An array of {@code n} copies of one random seed (INT32). */
    public static GPUArray seedGetterUniform(int n) {
        return GPUArray.empty(DType.INT32, n).fill((int) nextSeed());
    }

    /** An array of {@code n} random seeds (INT32). */
    public static GPUArray seedGetterUnique(int n) {
        return rand(DType.INT32, n);
    }

    /** Which direction vectors quasi-random generators use. */
    public enum DirectionVectorSet {
        /** 32 bits, for {@link Sobol32RandomNumberGenerator}. */
        VECTOR_32(32, false),
        /** 32 bits, for {@link ScrambledSobol32RandomNumberGenerator}. */
        SCRAMBLED_VECTOR_32(32, true),
        /** 64 bits, for {@link Sobol64RandomNumberGenerator}. */
        VECTOR_64(64, false),
        /** 64 bits, for {@link ScrambledSobol64RandomNumberGenerator}. */
        SCRAMBLED_VECTOR_64(64, true);

        final int bits;
        final boolean scrambled;

        DirectionVectorSet(int bits, boolean scrambled) {
            this.bits = bits;
            this.scrambled = scrambled;
        }
    }

    /** The same as {@link #generateDirectionVectors(int, DirectionVectorSet)} with 32 bits. */
    public static GPUArray generateDirectionVectors(int count) {
        return generateDirectionVectors(count, DirectionVectorSet.VECTOR_32);
    }

    /** Direction vectors for {@code count} generators, from cuRAND's library. RuntimeError if it is not installed. */
    public static GPUArray generateDirectionVectors(int count, DirectionVectorSet direction) {
        Objects.requireNonNull(direction, "direction");
        DType word = direction.bits == Integer.SIZE ? DType.UINT32 : DType.UINT64;
        return filled("direction_vectors_into", GPUArray.empty(word, count, direction.bits), CoreCalls.flag(direction.scrambled));
    }

    /** Scramble constants for {@code count} generators of 32 bits. */
    public static GPUArray generateScrambleConstants32(int count) {
        return filled("scramble_constants_into", GPUArray.empty(DType.UINT32, count));
    }

    /** Scramble constants for {@code count} generators of 64 bits. */
    public static GPUArray generateScrambleConstants64(int count) {
        return filled("scramble_constants_into", GPUArray.empty(DType.UINT64, count));
    }

    /** Version of cuRAND's library. RuntimeError if it is not installed. */
    public static Driver.Version curandVersion() {
        int version = ArrayCalls.curandVersion();
        return new Driver.Version(version / 1000, version / 100 % 10, version % 100);
    }
}
