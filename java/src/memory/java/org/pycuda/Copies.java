package org.pycuda;

/**
 * Copies beside those of {@link Driver}: to and from {@link Array}, and between devices. {@link Memcpy2D}, {@link Memcpy3D} and
 * {@link CopyBatch} copy boxes, and many ranges at once.
 *
 * <pre>{@code
 * try (var line = new Array(new ArrayDescriptor(4, 0, ArrayFormat.FLOAT, 1))) {
 *     Copies.memcpyHtoa(line, 0, HostData.of(new float[] {1, 2, 3, 4}));
 *     float[] tail = new float[2];
 *     Copies.memcpyAtoh(HostData.of(tail), line, 8);
 *     assert tail[1] == 4;
 * }
 * }</pre>
 */
public final class Copies extends CopiesProxy {
    private Copies() {}

    /** Copies host data to a one-dimensional array from byte {@code index} on. */
    public static void memcpyHtoa(Array ary, long index, HostData host) {
        HostArrays.htoa(ary, index, HostData.dataOf(host));
    }

    /** Copies from a one-dimensional array, from byte {@code index} on, as many bytes as {@code host} has. */
    public static void memcpyAtoh(HostData host, Array ary, long index) {
        HostArrays.atoh(HostData.dataOf(host), ary, index);
    }
}
