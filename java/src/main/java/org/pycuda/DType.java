package org.pycuda;

/** Types of the elements of host memory. */
public enum DType {
    INT8(1), INT16(2), INT32(4), INT64(8), UINT8(1), UINT16(2), UINT32(4), UINT64(8), FLOAT32(4), FLOAT64(8);

    private final int itemsize;

    DType(int itemsize) {
        this.itemsize = itemsize;
    }

    /** Bytes of one element. */
    public int itemsize() {
        return itemsize;
    }

    /** Bytes of {@code n} elements. IllegalArgumentException when there are fewer than none, or more than a long can count. */
    long bytes(long n) {
        if (n < 0 || n > Long.MAX_VALUE / itemsize) {
            throw new IllegalArgumentException(n + " elements of " + this + " are not a size of memory");
        }
        return n * itemsize;
    }
}
