package org.pycuda;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Describes a tensor for bulk copies between device and shared memory ({@code cp.async.bulk.tensor}): an argument for a kernel's
 * parameter {@code const __grid_constant__ CUtensorMap}. It keeps the memory alive; a launch fails if the memory was freed or has moved.
 * Needs compute capability 9.0.
 *
 * <p>Axes are in the order of the array's shape: the elements of the last axis are adjacent. Kernels name coordinates in the opposite order.
 * A map is checked against the driver's rules: the IllegalArgumentException names what was expected and what was given.
 *
 * <pre>{@code
 * var x = GPUArray.zeros(DType.FLOAT32, 64, 128);
 * var tiles = TensorMap.of(x).swizzle(TensorMapSwizzle.BYTES_64).tiled(8, 16);
 * assert tiles.address() == x.pointer();
 * }</pre>
 */
public final class TensorMap extends TensorMapProxy {
    static final int BYTES = 128;
    /** The alignment of a parameter of this type; newer compilers use 128, but then the kernel's layout is known. */
    static final int ALIGNMENT = 64;
    private static final int TILED = 0;
    private static final int WIDE = 2;
    private static final int IM2COL = 10;

    private final long[] words;
    private DevicePointer memory;

    TensorMap(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
        words = DriverProxy.tensorMapWords(this);
    }

    /**
     * Describes an array for copies of boxes of {@code box} elements along each axis.
     *
     * @param array the array; the map keeps it
     * @param box 1 to 256 elements along each axis, along the last one a multiple of 16 bytes
     * @return the map
     */
    public static TensorMap tiled(GPUArray array, long... box) {
        return of(array).tiled(box);
    }

    /**
     * Describes an array for copies of boxes of {@code box} elements along each axis.
     *
     * @param array the array; the map keeps it
     * @param box 1 to 256 elements along each axis, along the last one a multiple of 16 bytes
     * @return the map
     */
    public static TensorMap tiled(GPUArray array, int... box) {
        return of(array).tiled(box);
    }

    /**
     * Begins the description of an array, which gives dtype, shape and strides.
     *
     * @param array the array; the map keeps it
     * @return a builder of maps
     */
    public static Tensor of(GPUArray array) {
        CType type = Objects.requireNonNull(array, "array").dtype();
        if (!(type instanceof DType dtype)) {
            throw new IllegalArgumentException("TensorMap: expected an array of numbers, given " + type + "; describe its memory instead");
        }
        long[] shape = array.shape();
        long[] strides = array.strides();
        int last = shape.length - 1;
        if (last >= 0 && strides[last] != dtype.itemsize() && shape[last] > 1) {
            throw new IllegalArgumentException("TensorMap: expected an array whose elements are adjacent along the last axis, given strides "
                + Arrays.toString(strides) + "; transpose or copy it");
        }
        return new Tensor(array).dtype(typeOf(dtype)).shape(shape).strides(Arrays.copyOf(strides, Math.max(last, 0)));
    }

    /**
     * Begins the description of memory; add dtype and shape.
     *
     * @param memory the memory; the map keeps it
     * @return a builder of maps
     */
    public static Tensor of(DevicePointer memory) {
        Objects.requireNonNull(memory, "memory").pointer();  // rejects freed memory at once
        return new Tensor(memory);
    }

    private static TensorMapDataType typeOf(DType dtype) {
        return switch (dtype) {
            case BOOL, INT8, UINT8 -> TensorMapDataType.UINT8;
            case INT16, UINT16 -> TensorMapDataType.UINT16;
            case INT32 -> TensorMapDataType.INT32;
            case UINT32 -> TensorMapDataType.UINT32;
            case INT64 -> TensorMapDataType.INT64;
            case UINT64 -> TensorMapDataType.UINT64;
            case FLOAT16 -> TensorMapDataType.FLOAT16;
            case BFLOAT16 -> TensorMapDataType.BFLOAT16;
            case FLOAT32 -> TensorMapDataType.FLOAT32;
            case FLOAT64 -> TensorMapDataType.FLOAT64;
            default -> throw new IllegalArgumentException(
                "TensorMap: expected a dtype that tensor maps have, given " + dtype + "; view complex numbers as floats");
        };
    }

    /** The array or memory of the map. */
    public DevicePointer memory() {
        return memory;
    }

    /** The address where the tensor begins. */
    public long address() {
        return words[words.length - 1];
    }

    /**
     * A map of other memory with the same layout.
     *
     * @param memory the memory; the new map keeps it
     * @return the new map; this one does not change
     */
    public TensorMap replaceAddress(DevicePointer memory) {
        Objects.requireNonNull(memory, "memory");
        return DriverProxy.moveTensorMap(this, memory.pointer()).keep(memory);
    }

    /**
     * The same map with another window for accesses outside the tensor (cuTensorMapSetAllocationClass). Needs a driver of CUDA 13.5.
     *
     * @param allocationClass LARGE: the memory must be as large as the window
     * @return the new map, whose {@link #allocationClass} is in effect; this one does not change
     */
    public TensorMap withAllocationClass(TensorMapAllocationClass allocationClass) {
        return withClass(allocationClass).keep(memory);
    }

    /** Whether asking for the address of the memory runs code of the program. */
    boolean runsProgramCode() {
        return Holders.runProgramCode(memory);
    }

    /** The same map of the address that the program's code gives for work on {@code stream}, now. LogicError if it has changed. */
    TensorMap settled(Stream stream) {
        DevicePointer now = Holders.settled(memory, "memory", stream);
        checkAddress(now.pointer());
        return DriverProxy.moveTensorMap(this, now.pointer()).keep(now);
    }

    private TensorMap keep(DevicePointer holder) {
        memory = holder;
        return this;
    }

    /** Checks the address of the memory, for work on {@code stream}. LogicError if it has changed, or if the memory is freed. */
    void checkMemory(Stream stream) {
        checkAddress(Holders.ask(memory, stream));
        Reference.reachabilityFence(this);
    }

    /** Writes the argument of a launch on {@code stream}. */
    void write(ByteBuffer block, int offset, Stream stream) {
        checkMemory(stream);
        for (int i = 0; i < BYTES / Long.BYTES; i++) {
            block.putLong(offset + i * Long.BYTES, words[i]);
        }
    }

    /** A builder of maps for a tensor in device memory. Each method changes the builder and returns it. */
    public static final class Tensor {
        private final DevicePointer memory;
        private final long[] options = new long[5];
        private long[] shape = {};
        private long[] strides = {};
        private long[] steps = {};

        private Tensor(DevicePointer memory) {
            this.memory = memory;
        }

        private Tensor option(int index, int value) {
            options[index] = value;
            return this;
        }

        /** Type of the elements; UINT8 if none is given. */
        public Tensor dtype(TensorMapDataType dtype) {
            return option(0, Objects.requireNonNull(dtype, "dtype").value());
        }

        /** Elements along each of 1 to 5 axes. */
        public Tensor shape(long... lengths) {
            shape = Objects.requireNonNull(lengths, "lengths").clone();
            return this;
        }

        /** Elements along each of 1 to 5 axes. */
        public Tensor shape(int... lengths) {
            return shape(Shapes.of(lengths, "lengths"));
        }

        /** Bytes from one element to the next along each axis but the last, multiples of 16; without them, C order. */
        public Tensor strides(long... bytes) {
            strides = Objects.requireNonNull(bytes, "bytes").clone();
            return this;
        }

        /** Bytes from one element to the next along each axis but the last, multiples of 16; without them, C order. */
        public Tensor strides(int... bytes) {
            return strides(Shapes.of(bytes, "bytes"));
        }

        /** Step between copied elements along each axis, from 1 to 8. */
        public Tensor elementStrides(long... elements) {
            steps = Objects.requireNonNull(elements, "elements").clone();
            return this;
        }

        /** Step between copied elements along each axis, from 1 to 8. */
        public Tensor elementStrides(int... elements) {
            return elementStrides(Shapes.of(elements, "elements"));
        }

        /** Layout of channels. */
        public Tensor interleave(TensorMapInterleave interleave) {
            return option(1, Objects.requireNonNull(interleave, "interleave").value());
        }

        /** Order of the bytes in shared memory. */
        public Tensor swizzle(TensorMapSwizzle swizzle) {
            return option(2, Objects.requireNonNull(swizzle, "swizzle").value());
        }

        /** How much a copy fetches into the L2 cache. */
        public Tensor l2Promotion(TensorMapL2Promotion promotion) {
            return option(3, Objects.requireNonNull(promotion, "promotion").value());
        }

        /** The value of elements out of bounds. */
        public Tensor fill(TensorMapFill fill) {
            return option(4, Objects.requireNonNull(fill, "fill").value());
        }

        /**
         * Makes a map for copies of boxes.
         *
         * @param box elements along each axis: 1 to 256, along the last one a multiple of 16 bytes
         * @return the map
         */
        public TensorMap tiled(long... box) {
            return make(TILED, Objects.requireNonNull(box, "box").clone());
        }

        /**
         * Makes a map for copies of boxes.
         *
         * @param box elements along each axis: 1 to 256, along the last one a multiple of 16 bytes
         * @return the map
         */
        public TensorMap tiled(int... box) {
            return tiled(Shapes.of(box, "box"));
        }

        /**
         * Makes a map for copies of pixels with their channels, as convolutions need them. The axes are N, D, H, W and C, without D or H if
         * there is none.
         *
         * @param lowerCorner offsets along D, H and W from the first pixel to where the box begins
         * @param upperCorner offsets along D, H and W from the last pixel to where the box ends
         * @param channelsPerPixel channels that a copy takes of each pixel, at most 256
         * @param pixelsPerColumn pixels that a copy takes, at most 1024
         * @return the map
         */
        public TensorMap im2col(int[] lowerCorner, int[] upperCorner, int channelsPerPixel, int pixelsPerColumn) {
            Objects.requireNonNull(lowerCorner, "lowerCorner");
            Objects.requireNonNull(upperCorner, "upperCorner");
            int corners = lowerCorner.length + upperCorner.length;
            long[] copy = new long[corners + 2];
            for (int i = 0; i < corners; i++) {
                copy[i] = i < lowerCorner.length ? lowerCorner[i] : upperCorner[i - lowerCorner.length];
            }
            copy[corners] = channelsPerPixel;
            copy[corners + 1] = pixelsPerColumn;
            return make(IM2COL + lowerCorner.length, copy);
        }

        /**
         * Makes a map for copies of pixels along W only, with swizzle BYTES_64, BYTES_128 or BYTES_128_ATOM_32B. For devices of compute
         * capability 10.0 and newer.
         *
         * @param lowerCorner offset along W from the first pixel to where the box begins
         * @param upperCorner offset along W from the last pixel to where the box ends
         * @param channelsPerPixel channels that a copy takes of each pixel, at most 256
         * @param pixelsPerColumn pixels that a copy takes, at most 1024; ignored with mode W128
         * @param mode how many pixels a copy takes
         * @return the map
         */
        public TensorMap im2colWide(int lowerCorner, int upperCorner, int channelsPerPixel, int pixelsPerColumn,
            TensorMapIm2colWideMode mode) {
            int number = Objects.requireNonNull(mode, "mode").value();
            return make(WIDE, new long[] {lowerCorner, upperCorner, channelsPerPixel, pixelsPerColumn, number});
        }

        private TensorMap make(int kind, long[] copy) {
            TensorMap map = DriverProxy.makeTensorMap(memory.pointer(), options, shape, strides, steps, kind, copy);
            return map.keep(memory);
        }
    }
}
