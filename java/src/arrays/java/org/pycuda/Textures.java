package org.pycuda;

import java.util.Objects;

/**
 * Creates arrays that textures and surfaces read: of host data, and of arrays on the device.
 *
 * <pre>{@code
 * try (var image = Textures.matrixToArray(HostData.of(new float[][] {{1, 2, 3}, {4, 5, 6}}), Order.C)) {
 *     assert image.descriptor().width() == 3;
 * }
 * }</pre>
 */
public final class Textures {
    private Textures() {}

    /**
     * A two-dimensional array with the elements of a matrix, given row by row with order C, column by column with F: {@code tex2D(x, y)} is the
     * element of row y and column x with C, of row x and column y with F.
     */
    public static Array matrixToArray(HostData host, Order order) {
        return HostArrays.matrix(host, order);
    }

    /** {@link #toArray(HostData, Order, boolean)} for an array that no surface is bound to. */
    public static Array toArray(HostData host, Order order) {
        return HostArrays.box(host, order, false);
    }

    /**
     * An array of two or three dimensions with the elements of {@code host}, whose shape is as in NumPy: {@code tex3D(x, y, z)} is element
     * [z][y][x] with order C. A double becomes two integers, for fp_tex_double of pycuda-helpers.hpp. With {@code allowSurfaceBind} a
     * {@link SurfaceReference} can be bound to it; one of two dimensions is then one layer, for the 2DLayered functions.
     */
    public static Array toArray(HostData host, Order order, boolean allowSurfaceBind) {
        return HostArrays.box(host, order, allowSurfaceBind);
    }

    /** A two-dimensional array of several channels: of (height, width, channels), or (channels, width, height) with F. */
    public static Array makeMultichannel2dArray(HostData host, Order order) {
        return HostArrays.multichannel(host, order);
    }

    /** {@link #gpuarrayToArray(GPUArray, Order, boolean)} for an array that is not bound to a surface. */
    public static Array gpuarrayToArray(GPUArray gpuarray, Order order) {
        return gpuarrayToArray(gpuarray, order, false);
    }

    /** An array of two or three dimensions with the elements of an array on the device, whose order in memory is {@code order}. */
    public static Array gpuarrayToArray(GPUArray gpuarray, Order order, boolean allowSurfaceBind) {
        return HostArrays.ofDevice(Objects.requireNonNull(gpuarray, "gpuarray"), order, allowSurfaceBind);
    }
}
