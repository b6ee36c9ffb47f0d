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
    private static int[] fastestFirst(int[] shape, Order order) {
        int[] result = shape.clone();
        for (int i = 0; order == Order.C && i < shape.length; i++) {
            result[i] = shape[shape.length - 1 - i];
        }
        return result;
    }

    private static void requireOrder(Order order) {
        if (Objects.requireNonNull(order, "order") != Order.C && order != Order.F) {
            throw new IllegalArgumentException("order must be C or F, not " + order);
        }
    }

    /** The shape of host data for an array of that many dimensions. */
    private static int[] shapeOf(HostData host, int min, int max, String advice) {
        long[] shape = Objects.requireNonNull(host, "host").shape();
        if (shape.length < min || shape.length > max) {
            throw new IllegalArgumentException("expected host data of " + (min == max ? min : min + " or " + max) + " dimensions, given " + shape.length
                + advice);
        }
        return Arrays.stream(shape).mapToInt(Math::toIntExact).toArray();
    }

    static Array matrix(HostData host, Order order) {
        requireOrder(order);
        int[] shape = fastestFirst(shapeOf(host, 2, 2, ": HostData.of(elements).shape(height, width); toArray and makeMultichannel2dArray take 3"), order);
        return filled(host.data(), new ArrayDescriptor3D(shape[0], shape[1], 0, formatOf(host.type()), 1), host.type().itemsize());
    }

    static Array multichannel(HostData host, Order order) {
        requireOrder(order);
        int[] box = fastestFirst(shapeOf(host, 3, 3, ": HostData.of(elements).shape(height, width, channels)"), order);
        return filled(host.data(), new ArrayDescriptor3D(box[1], box[2], 0, formatOf(host.type()), box[0]), (long) box[0] * host.type().itemsize());
    }

    static Array box(HostData host, Order order, boolean surface) {
        requireOrder(order);
        int[] shape = shapeOf(host, 2, 3, ": HostData.of(elements).shape(depth, height, width)");
        ArrayTextures.Texel texel = ArrayTextures.texelOf(host.type(), 1, true, true);
        return filled(host.data(), boxOf(texel.format(), texel.channels(), shape, order, surface), host.type().itemsize());
    }

    private static ArrayDescriptor3D boxOf(ArrayFormat format, int channels, int[] shape, Order order, boolean surface) {
        int dimensions = shape.length;
        int[] box = fastestFirst(shape, order);
        boolean layer = surface && dimensions == 2;
        int depth = dimensions == 3 ? box[2] : layer ? 1 : 0;
        var descriptor = new ArrayDescriptor3D(box[0], box[1], depth, format, channels);
        if (layer) {
            descriptor.setFlags(Array3dFlags.SURFACE_LDST, Array3dFlags.LAYERED);
        } else if (surface) {
            descriptor.setFlags(Array3dFlags.SURFACE_LDST);
        }
        return descriptor;
    }

    /** The elements of an array on the device, stored in this order. */
    static Array ofDevice(GPUArray array, Order order, boolean surface) {
        requireOrder(order);
        int[] shape = Arrays.stream(array.shape()).mapToInt(Math::toIntExact).toArray();
        if (shape.length < 2 || shape.length > 3) {
            throw new IllegalArgumentException("expected an array of 2 or 3 dimensions, given " + shape.length);
        }
        ArrayTextures.Texel texel = ArrayTextures.texelOf(array.dtype(), 1, true, true);
        ArrayDescriptor3D descriptor = boxOf(texel.format(), texel.channels(), shape, order, surface);
        if (!(order == Order.C ? array.isCContiguous() : array.isFContiguous())) {
            throw new IllegalArgumentException("the array's elements are not in memory in order " + order);
        }
        return filled(array, descriptor, array.itemsize(), array.stream());
    }

    private static Array filled(Object host, ArrayDescriptor3D descriptor, long texelBytes) {
        long wanted = HostMemory.bytes(DType.INT8, descriptor.width() * texelBytes, descriptor.height(), Math.max(descriptor.depth(), 1));
        if (wanted <= 0) {
            throw new IllegalArgumentException("an Array needs at least one element, given width " + descriptor.width() + ", height "
                + descriptor.height() + (descriptor.depth() == 0 ? "" : ", depth " + descriptor.depth()));
        }
        if (wanted != HostCopies.nbytes(host)) {
            throw new IllegalArgumentException("expected host data of " + wanted + " bytes, as many as the shape has, given " + HostCopies.nbytes(host) + " bytes");
        }
        try (var memory = HostCopies.toDevice(host)) {
            return filled(memory, descriptor, texelBytes, Stream.DEFAULT);
        }
    }

    /** A new array with the contents of {@code memory}, copied after the work queued on {@code stream}. */
    private static Array filled(DevicePointer memory, ArrayDescriptor3D descriptor, long texelBytes, Stream stream) {
        long row = descriptor.width() * texelBytes;
        var array = new Array(descriptor);
        try {
            var copy = new Memcpy3D();
            copy.setSrcDevice(memory);
            copy.setDstArray(array);
            copy.setSrcPitch(row);
            copy.setSrcHeight(descriptor.height());
            copy.setWidthInBytes(row);
            copy.setHeight(descriptor.height());
            copy.setDepth(Math.max(descriptor.depth(), 1));
            if (stream == Stream.DEFAULT) {
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
        long nbytes = HostCopies.nbytes(host);
        if (nbytes == 0) {
            return;
        }
        try (var memory = HostCopies.toDevice(host)) {
            Copies.memcpyDtoa(array, index, memory, nbytes);
        }
    }

    static void atoh(Object host, Array array, long index) {
        HostCopies.requireWritable(host);
        long nbytes = HostCopies.nbytes(host);
        if (nbytes == 0) {
            return;
        }
        try (var memory = new DeviceAllocation(nbytes)) {
            Copies.memcpyAtod(memory, array, index, nbytes);
            HostCopies.dtoh(host, memory.pointer(), Stream.DEFAULT);
        }
    }
}
