package org.pycuda;

/**
 * Memory in the device's texture layout, which textures and surfaces read. Belongs to the context current at its creation; the
 * references that it is bound to keep it alive.
 */
public final class Array extends ArrayProxy {
    Array(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** An array of one or two dimensions (cuArrayCreate). LogicError for an invalid shape. */
    public Array(ArrayDescriptor descriptor) {
        super(descriptor);
    }

    /** An array of up to three dimensions, of layers or of the faces of cubes (cuArray3DCreate). */
    public Array(ArrayDescriptor3D descriptor) {
        super(descriptor);
    }

    /** Same as {@link #close}. */
    public void free() {
        close();
    }
}
