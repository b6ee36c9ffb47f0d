package org.pycuda;

import java.util.Arrays;
import java.util.Objects;

/** Copies host data to and from {@link Array}, through device memory, because heap arrays have no address to copy boxes from. */
final class HostArrays {
    private HostArrays() {}

    /** The format of a channel with elements of this type. */
    private static ArrayFormat formatOf(CType type) {
        if (type == DType.FLOAT64) {
            throw new IllegalArgumentException("no array format can hold doubles; toArray stores each as two integers");
        }
        return ArrayTextures.texelOf(type, 1, false, false).format();
    }

    /** The shape with the fastest axis first. */
    private static int[] fastestFirst(int[] shape, char order, int dimensions) {
        if (order != 'C' && order != 'F') {
            throw new IllegalArgumentException("order must be 'C' or 'F', not '" + order + "'");
        }
        if (Objects.requireNonNull(shape, "shape").length != dimensions) {
            throw new IllegalArgumentException("expected a shape of " + dimensions + " dimensions, given " + shape.length);
        }
        int[] result = shape.clone();
        for (int i = 0; order == 'C' && i < shape.length; i++) {
            result[i] = shape[shape.length - 1 - i];
        }
        return result;
    }

    /** The shape of an array of arrays. */
    private static int[] shapeOf(Object[] nested) {
        HostData.require(Objects.requireNonNull(nested, "host"));
        return Arrays.stream(NestedArrays.shape(nested)).mapToInt(Math::toIntExact).toArray();
    }

    static Array matrix(Object[] nested, char order) {
        int[] shape = shapeOf(nested);
        if (shape.length != 2) {
            throw new IllegalArgumentException("a matrix has 2 dimensions, not " + shape.length + "; toArray and makeMultichannel2dArray take 3");
        }
        return matrix(nested, HostElements.typeOf(nested), shape[0], shape[1], order);
    }

    static Array box(Object[] nested, char order, boolean surface) {
        return box(nested, HostElements.typeOf(nested), shapeOf(nested), order, surface);
    }

    static Array multichannel(Object[] nested, char order) {
        return multichannel(nested, HostElements.typeOf(nested), shapeOf(nested), order);
    }

    static Array matrix(Object host, CType type, int height, int width, char order) {
        HostElements.require(host, Objects.requireNonNull(type, "type"));
        int[] shape = fastestFirst(new int[] {height, width}, order, 2);
        return filled(host, new ArrayDescriptor3D(shape[0], shape[1], 0, formatOf(type), 1, 0), type.itemsize());
    }

    static Array multichannel(Object host, CType type, int[] shape, char order) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(shape, "shape");
        HostElements.require(host, type);
        int[] box = fastestFirst(shape, order, 3);
        return filled(host, new ArrayDescriptor3D(box[1], box[2], 0, formatOf(type), box[0], 0), (long) box[0] * type.itemsize());
    }

    static Array box(Object host, CType type, int[] shape, char order, boolean surface) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(shape, "shape");
        HostElements.require(host, type);
        ArrayTextures.Texel texel = ArrayTextures.texelOf(type, 1, true, true);
        return filled(host, boxOf(texel.format(), texel.channels(), shape, order, surface), type.itemsize());
    }

    private static ArrayDescriptor3D boxOf(ArrayFormat format, int channels, int[] shape, char order, boolean surface) {
        int dimensions = Objects.requireNonNull(shape, "shape").length == 2 ? 2 : 3;
        int[] box = fastestFirst(shape, order, dimensions);
        boolean layer = surface && dimensions == 2;
        int depth = dimensions == 3 ? box[2] : layer ? 1 : 0;
        int flags = (surface ? Array3dFlags.SURFACE_LDST : 0) | (layer ? Array3dFlags.LAYERED : 0);
        return new ArrayDescriptor3D(box[0], box[1], depth, format, channels, flags);
    }

    /** The elements of an array on the device, stored in this order. */
    static Array ofDevice(GPUArray array, char order, boolean surface) {
        int[] shape = Arrays.stream(array.shape()).mapToInt(Math::toIntExact).toArray();
        if (shape.length < 2 || shape.length > 3) {
            throw new IllegalArgumentException("expected an array of 2 or 3 dimensions, given " + shape.length);
        }
        ArrayTextures.Texel texel = ArrayTextures.texelOf(array.dtype(), 1, true, true);
        ArrayDescriptor3D descriptor = boxOf(texel.format(), texel.channels(), shape, order, surface);
        if (!(order == 'C' ? array.isCContiguous() : array.isFContiguous())) {
            throw new IllegalArgumentException("the array's elements are not in memory in order '" + order + "'");
        }
        return filled(array, descriptor, array.itemsize(), array.stream());
    }

    private static Array filled(Object host, ArrayDescriptor3D descriptor, long texelBytes) {
        long wanted = HostMemory.bytes(DType.INT8, descriptor.getWidth() * texelBytes, descriptor.getHeight(), Math.max(descriptor.getDepth(), 1));
        if (wanted <= 0) {
            throw new IllegalArgumentException("an Array needs at least one element, given width " + descriptor.getWidth() + ", height "
                + descriptor.getHeight() + (descriptor.getDepth() == 0 ? "" : ", depth " + descriptor.getDepth()));
        }
        if (wanted != HostData.nbytes(host)) {
            throw new IllegalArgumentException("expected host data of " + wanted + " bytes, as many as the shape has, given " + HostData.nbytes(host) + " bytes");
        }
        try (var memory = HostData.toDevice(host)) {
            return filled(memory, descriptor, texelBytes, null);
        }
    }

    /** A new array with the contents of {@code memory}, copied after the work queued on {@code stream}. */
    private static Array filled(PointerHolderBase memory, ArrayDescriptor3D descriptor, long texelBytes, Stream stream) {
        long row = descriptor.getWidth() * texelBytes;
        var array = new Array(descriptor);
        try {
            var copy = new Memcpy3D();
            copy.setSrcDevice(memory);
            copy.setDstArray(array);
            copy.setSrcPitch(row);
            copy.setSrcHeight(descriptor.getHeight());
            copy.setWidthInBytes(row);
            copy.setHeight(descriptor.getHeight());
            copy.setDepth(Math.max(descriptor.getDepth(), 1));
            if (stream == null) {
                copy.copy();
            } else {
                copy.copy(stream);
                stream.synchronize();
            }
            return array;
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    static void htoa(Array array, long index, Object host) {
        long nbytes = HostData.nbytes(host);
        if (nbytes == 0) {
            return;
        }
        try (var memory = HostData.toDevice(host)) {
            DriverProxy.memcpyDtoa(array, index, memory, nbytes);
        }
    }

    static void atoh(Object host, Array array, long index) {
        HostData.requireWritable(host);
        long nbytes = HostData.nbytes(host);
        if (nbytes == 0) {
            return;
        }
        try (var memory = new DeviceAllocation(nbytes)) {
            DriverProxy.memcpyAtod(memory, array, index, nbytes);
            HostData.dtoh(host, memory.getPointer(), null);
        }
    }
}
