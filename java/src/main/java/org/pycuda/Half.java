package org.pycuda;

/** IEEE 754 half precision, for which Java has no type. */
final class Half {
    /** Halfway between the largest half and the next power of two: from here on, numbers round to infinity. */
    private static final double LIMIT = 65520;
    private static final int MANTISSA_BITS = 10;
    private static final int SMALLEST_EXPONENT = -14;
    private static final int BIAS = 15;
    private static final int INFINITY = 0x7c00;
    private static final int NAN = 0x7e00;

    private Half() {}

    /** Whether {@code value} can be a half: false for finite numbers beyond 65504. */
    static boolean fits(double value) {
        return Math.abs(value) < LIMIT || Double.isInfinite(value) || Double.isNaN(value);
    }

    /** The bits of the half nearest to {@code value}, which is in range; ties go to even. */
    static short bits(double value) {
        int sign = Double.doubleToRawLongBits(value) < 0 ? 0x8000 : 0;
        double magnitude = Math.abs(value);
        if (Double.isNaN(value)) {
            return (short) (sign | NAN);
        } else if (Double.isInfinite(value)) {
            return (short) (sign | INFINITY);
        }
        int exponent = Math.max(Math.getExponent(magnitude), SMALLEST_EXPONENT);
        // Exact: a power of two. rint takes the even one of two nearest.
        long units = (long) Math.rint(Math.scalb(magnitude, MANTISSA_BITS - exponent));
        // A full mantissa has the bit that the exponent field counts from; a carry out of it moves to the next exponent by itself.
        return (short) (sign | (int) (((long) (exponent + BIAS - 1) << MANTISSA_BITS) + units));
    }

    /** The value of a half, given its bits. */
    static double value(short bits) {
        int exponent = bits >> MANTISSA_BITS & 31;
        int mantissa = bits & 0x3ff;
        double magnitude = exponent == 31 ? (mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN)
            : exponent == 0 ? Math.scalb((double) mantissa, SMALLEST_EXPONENT - MANTISSA_BITS)
            : Math.scalb((double) ((1 << MANTISSA_BITS) + mantissa), exponent - BIAS - MANTISSA_BITS);
        return bits < 0 ? -magnitude : magnitude;
    }
}
