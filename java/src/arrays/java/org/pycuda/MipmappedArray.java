package org.pycuda;

/**
 * A pyramid of arrays, each half the size of the one before, for textures that are read at a level of detail.
 * <pre>{@code
 * var descriptor = new ArrayDescriptor3D(64, 64, 0, ArrayFormat.FLOAT, 1);
 * try (var pyramid = new MipmappedArray(descriptor, 3)) {
 *     System.out.println(pyramid.level(2).descriptor().width());  // 16
 * }
 * }</pre>
 */
public final class MipmappedArray extends MipmappedArrayProxy {
    MipmappedArray(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** A pyramid in the current context, with fewer levels if the size does not allow so many (cuMipmappedArrayCreate). */
    public MipmappedArray(ArrayDescriptor3D descriptor, int levels) {
        super(descriptor, levels);
    }

    /** Same as {@link #close}. */
    public void free() {
        close();
    }
}
