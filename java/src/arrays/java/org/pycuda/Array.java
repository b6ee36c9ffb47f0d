package org.pycuda;

/**
 * Memory in the device's texture layout, which textures and surfaces read. Belongs to the context current at its creation; the
 * references that it is bound to keep it alive.
 * <pre>{@code
 * var read = new SourceModule("__global__ void read(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1); }")
 *     .function("read");
 * var out = new float[3];
 * try (Array array = Textures.matrixToArray(HostData.of(new float[][] {{1, 2, 3}, {4, 5, 6}}), Order.C); var texture = new TextureObject(array)) {
 *     read.launch(Driver.block(3), texture, Driver.out(out));
 * }
 * System.out.println(out[2]);  // 6.0
 * }</pre>
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
