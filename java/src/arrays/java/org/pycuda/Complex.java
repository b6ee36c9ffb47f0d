package org.pycuda;

/** A complex number. */
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
