package org.pycuda;

/**
 * A complex number.
 * <pre>{@code
 * var a = GPUArray.zeros(DType.COMPLEX64, 2).fill(new Complex(3, 4));
 * System.out.println(a.abs().getFloats()[1]);  // 5.0
 * }</pre>
 */
public record Complex(double re, double im) {
    /** The distance from 0. */
    public double abs() {
        return Math.hypot(re, im);
    }

    /** The angle, from -π to π. */
    public double arg() {
        return Math.atan2(im, re);
    }

    /** The number with the opposite imaginary part. */
    public Complex conj() {
        return new Complex(re, -im);
    }

    @Override
    public String toString() {
        return re + (im < 0 || 1 / im < 0 ? "-" : "+") + Math.abs(im) + "i";
    }
}
