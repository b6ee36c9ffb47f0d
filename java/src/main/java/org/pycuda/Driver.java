package org.pycuda;

import java.io.Serial;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The functions of the CUDA driver, and its errors.
 *
 * <p>Host data ({@code Object host}) is a {@code boolean[] byte[] short[] char[] int[] long[] float[] double[]}, an array of such arrays
 * whose rows have one length ({@code float[][]}), what remains of an NIO buffer, whose position and limit stay as they are, or, from Java 22
 * on, a MemorySegment. A device pointer is a {@link PointerHolderBase};
 * {@link PointerHolderBase#of} makes one of an address. Sizes are
 * bytes, counts are elements. A missing stream is the default stream. All but {@link #init} need a current context.
 */
public final class Driver extends DriverProxy {
    private Driver() {}

    // Errors --------------------------------------------------------------------------------------------------------------

    /** Base of all failures of the driver, the compiler and this package. */
    public static class Error extends java.lang.RuntimeException {
        @Serial private static final long serialVersionUID = 1;

        /** Name of the driver call that failed, or of the function that rejected its arguments. */
        private final String routine;

        /** The driver's result. */
        private final int code;

        Error(String message, String routine, int code) {
            super(message);
            this.routine = routine;
            this.code = code;
        }

        /** The driver's CUresult; 0 if no driver call failed. */
        public int getCode() {
            return code;
        }

        /** Name of the driver call that failed, or of the function that rejected its arguments. */
        public String getRoutine() {
            return routine;
        }
    }

    /** The program made a mistake: it would fail on every machine. */
    public static class LogicError extends Error {
        @Serial private static final long serialVersionUID = 1;

        LogicError(String message, String routine, int code) {
            super(message, routine, code);
        }
    }

    /** An executable graph cannot become another graph, because they differ in more than parameters. The message names the node. */
    public static class GraphUpdateError extends LogicError {
        @Serial private static final long serialVersionUID = 1;

        GraphUpdateError(String message, String routine, int code) {
            super(message, routine, code);
        }
    }

    /** Device memory, or page-locked host memory, ran out. */
    public static class MemoryError extends Error {
        @Serial private static final long serialVersionUID = 1;

        MemoryError(String message, String routine, int code) {
            super(message, routine, code);
        }
    }

    /** A kernel failed; often reported by a later call. */
    public static class LaunchError extends Error {
        @Serial private static final long serialVersionUID = 1;

        LaunchError(String message, String routine, int code) {
            super(message, routine, code);
        }
    }

    /** Something outside the program failed: no device, a missing file, a driver too old. */
    public static class RuntimeError extends Error {
        @Serial private static final long serialVersionUID = 1;

        RuntimeError(String message, String routine, int code) {
            super(message, routine, code);
        }
    }

    /** A compiler rejected a source, or none was found. */
    public static class CompileError extends Error {
        @Serial private static final long serialVersionUID = 1;

        /** What failed. */
        private final String msg;
        /** The compiler's output. */
        private final String stdout;
        /** The compiler's messages. */
        private final String stderr;
        /** How the compiler was called. */
        private final String[] commandLine;

        CompileError(String message, String msg, String stdout, String stderr, String[] commandLine) {
            super(message, "compile", 0);
            this.msg = msg;
            this.stdout = stdout;
            this.stderr = stderr;
            this.commandLine = commandLine;
        }

        /** A short description of the failure. */
        public String getMsg() {
            return msg;
        }

        /** What the compiler wrote to its standard output. */
        public String getStdout() {
            return stdout;
        }

        /** What the compiler wrote to its standard error. */
        public String getStderr() {
            return stderr;
        }

        /** How the compiler was called. */
        public List<String> getCommandLine() {
            return List.of(commandLine);
        }
    }

    // Results with several parts ------------------------------------------------------------------------------------------

    /** Version of the CUDA headers that this package was compiled against. */
    public record Version(int major, int minor, int revision) {
        static Version of(int[] parts) {
            return new Version(parts[0], parts[1], parts[2]);
        }
    }

    /** Compute capability of a device. */
    public record ComputeCapability(int major, int minor) {}

    /** Free and total bytes of device memory. */
    public record MemInfo(long free, long total) {
        static MemInfo of(long[] parts) {
            return new MemInfo(parts[0], parts[1]);
        }
    }

    /** The range of a driver allocation: its first address and its size in bytes. */
    public record AddressRange(long base, long size) {
        static AddressRange of(long[] parts) {
            return new AddressRange(parts[0], parts[1]);
        }
    }

    /** A variable of a module: its address and size. */
    public record GlobalSymbol(long devicePtr, long sizeInBytes) implements PointerHolderBase {
        static GlobalSymbol of(long[] parts) {
            return new GlobalSymbol(parts[0], parts[1]);
        }

        @Override
        public long getPointer() {
            return devicePtr;
        }
    }

    /** A mapped OpenGL buffer: its address, valid until it is unmapped, and its size. */
    public record MappedMemory(long devicePtr, long sizeInBytes) implements PointerHolderBase {
        static MappedMemory of(long[] parts) {
            return new MappedMemory(parts[0], parts[1]);
        }

        @Override
        public long getPointer() {
            return devicePtr;
        }
    }

    /** The launch with the highest occupancy: the fewest blocks that fill the device, and the threads per block. */
    public record PotentialBlockSize(int minGridSize, int blockSize) {}

    /** Priorities of streams, from the least to the most urgent, which is the smaller number. */
    public record StreamPriorityRange(int least, int greatest) {}

    // Arguments of launches -----------------------------------------------------------------------------------------------

    /** A launch of one block of {@code x} threads; see {@link LaunchConfig}. */
    public static LaunchConfig block(int x) {
        return LaunchConfig.ofBlock(x, 1, 1);
    }

    /** A launch of one block of {@code x * y} threads. */
    public static LaunchConfig block(int x, int y) {
        return LaunchConfig.ofBlock(x, y, 1);
    }

    /** A launch of one block of {@code x * y * z} threads. */
    public static LaunchConfig block(int x, int y, int z) {
        return LaunchConfig.ofBlock(x, y, z);
    }

    /** What remains of {@code data} as a kernel argument passed by value: a struct. Read at the launch. */
    public static Object bytes(ByteBuffer data) {
        return bytes(data, 8);
    }

    /** The same as {@link #bytes(ByteBuffer)} with this alignment, which drivers since CUDA 12.4 know. */
    public static Object bytes(ByteBuffer data, int align) {
        return new StructArgument(Objects.requireNonNull(data, "data"), align);
    }

    // Device memory -------------------------------------------------------------------------------------------------------

    /** Allocates at least {@code bytes} bytes (cuMemAlloc). MemoryError if memory runs out, even after a garbage collection. */
    public static DeviceAllocation memAlloc(long bytes) {
        return new DeviceAllocation(bytes);
    }

    /**
     * Page-locks what remains of {@code memory}, a direct buffer, until the result is closed or neither it nor a buffer of it is
     * reachable; {@code flags} of {@link MemHostRegisterFlags} (cuMemHostRegister).
     */
    public static RegisteredHostMemory registerHostMemory(ByteBuffer memory, int flags) {
        if (!Objects.requireNonNull(memory, "memory").isDirect()) {
            throw new IllegalArgumentException("only a direct buffer can be registered: the JVM may move arrays");
        }
        return new RegisteredHostMemory(memory, flags);
    }

    /** The same as {@link #registerHostMemory(ByteBuffer, int)} without flags. */
    public static RegisteredHostMemory registerHostMemory(ByteBuffer memory) {
        return registerHostMemory(memory, 0);
    }

    /** Rows of device memory, and the bytes from one row to the next. */
    public record PitchedAllocation(DeviceAllocation allocation, long pitch) {}

    /** A new array of {@code length} elements copied from the device; {@code arrayType} as {@code float[].class}. */
    public static <T> T fromDevice(PointerHolderBase src, int length, Class<T> arrayType) {
        if (length < 0) {
            throw new IllegalArgumentException("an array cannot have " + length + " elements");
        }
        Objects.requireNonNull(src, "src");
        if (!Objects.requireNonNull(arrayType, "arrayType").isArray() || !arrayType.getComponentType().isPrimitive()) {
            throw new IllegalArgumentException(arrayType.getTypeName() + " is not the class of a primitive array, such as float[].class");
        }
        T array = arrayType.cast(Array.newInstance(arrayType.getComponentType(), length));
        memcpyDtoh(array, src);
        return array;
    }

    /** A new array of the type and length of {@code other}, a primitive array, copied from the device. */
    @SuppressWarnings("unchecked")  // getClass of a T is a Class<T> for arrays of primitives
    public static <T> T fromDeviceLike(PointerHolderBase src, T other) {
        if (!Objects.requireNonNull(other, "other").getClass().isArray()) {
            throw new IllegalArgumentException(other.getClass().getTypeName() + " is not a primitive array");
        }
        return fromDevice(src, Array.getLength(other), (Class<T>) other.getClass());
    }

    // Arrays --------------------------------------------------------------------------------------------------------------

    /** The texel format of a texture reference: type and number of components. */
    public record TextureFormat(ArrayFormat format, int numComponents) {}

    /**
     * A two-dimensional array with the elements of a matrix, given row by row with order {@code 'C'}, column by column with
     * {@code 'F'}: {@code tex2D(x, y)} is the element of row y and column x with 'C', of row x and column y with 'F'.
     */
    public static org.pycuda.Array matrixToArray(Object host, int height, int width, char order) {
        return matrixToArray(host, HostElements.typeOf(host), height, width, order);
    }

    /** The same as {@link #matrixToArray(Object, int, int, char)} with this type: UINT8 for a {@code byte[]}, FLOAT16 for a {@code short[]}. */
    public static org.pycuda.Array matrixToArray(Object host, CType type, int height, int width, char order) {
        return HostArrays.matrix(host, Objects.requireNonNull(type, "type"), height, width, order);
    }

    /** The same as {@link #toArray(Object, int[], char, boolean)}, without support for surfaces. */
    public static org.pycuda.Array toArray(Object host, int[] shape, char order) {
        return toArray(host, shape, order, false);
    }

    /**
     * An array of two or three dimensions with the elements of {@code host}, whose shape is as in NumPy: {@code tex3D(x, y, z)} is
     * element [z][y][x] with order {@code 'C'}. A double becomes two integers, for fp_tex_double of pycuda-helpers.hpp. With
     * {@code allowSurfaceBind} a {@link SurfaceReference} can be bound to it; one of two dimensions is then one layer, for the
     * 2DLayered functions.
     */
    public static org.pycuda.Array toArray(Object host, int[] shape, char order, boolean allowSurfaceBind) {
        return toArray(host, HostElements.typeOf(host), shape, order, allowSurfaceBind);
    }

    /** The same as {@link #toArray(Object, int[], char, boolean)} with elements of this type. */
    public static org.pycuda.Array toArray(Object host, CType type, int[] shape, char order, boolean allowSurfaceBind) {
        return HostArrays.box(host, Objects.requireNonNull(type, "type"), shape, order, allowSurfaceBind);
    }

    /** The same as {@link #gpuarrayToArray(GPUArray, char, boolean)}, without support for surfaces. */
    public static org.pycuda.Array gpuarrayToArray(GPUArray gpuarray, char order) {
        return gpuarrayToArray(gpuarray, order, false);
    }

    /** The same as {@link #toArray(Object, int[], char, boolean)} for an array on the device, stored in this order. */
    public static org.pycuda.Array gpuarrayToArray(GPUArray gpuarray, char order, boolean allowSurfaceBind) {
        return HostArrays.ofDevice(Objects.requireNonNull(gpuarray, "gpuarray"), order, allowSurfaceBind);
    }

    /** A two-dimensional array of several channels: of (height, width, channels), or (channels, width, height) with {@code 'F'}. */
    public static org.pycuda.Array makeMultichannel2dArray(Object host, int[] shape, char order) {
        return makeMultichannel2dArray(host, HostElements.typeOf(host), shape, order);
    }

    /** The same as {@link #makeMultichannel2dArray(Object, int[], char)} with elements of this type. */
    public static org.pycuda.Array makeMultichannel2dArray(Object host, CType type, int[] shape, char order) {
        return HostArrays.multichannel(host, Objects.requireNonNull(type, "type"), shape, order);
    }

    /** Copies host data to a one-dimensional array, starting at byte {@code index}. */
    public static void memcpyHtoa(org.pycuda.Array ary, long index, Object host) {
        HostArrays.htoa(ary, index, host);
    }

    /** Copies from a one-dimensional array, starting at byte {@code index}, as many bytes as {@code host} has. */
    public static void memcpyAtoh(Object host, org.pycuda.Array ary, long index) {
        HostArrays.atoh(host, ary, index);
    }

    // Copies of host data -------------------------------------------------------------------------------------------------

    /** Copies host data to the device (cuMemcpyHtoD). */
    public static void memcpyHtod(PointerHolderBase dest, Object host) {
        HostData.htod(Objects.requireNonNull(dest, "dest").pointerFor(null), host, null);
        Reference.reachabilityFence(dest);
    }

    /** Copies from the device; as many bytes as {@code host} has (cuMemcpyDtoH). */
    public static void memcpyDtoh(Object host, PointerHolderBase src) {
        HostData.dtoh(host, Objects.requireNonNull(src, "src").pointerFor(null), null);
        Reference.reachabilityFence(src);
    }

    /** The same as {@link #memcpyHtodAsync(PointerHolderBase, Buffer, Stream)} on the default stream. */
    public static void memcpyHtodAsync(PointerHolderBase dest, Buffer src) {
        memcpyHtodAsync(dest, src, null);
    }

    /**
     * Queues a copy of a direct buffer to the device (cuMemcpyHtoDAsync). The buffer stays alive until the copy is done, and must
     * not be changed before.
     */
    public static void memcpyHtodAsync(PointerHolderBase dest, Buffer src, Stream stream) {
        HostData.htodAsync(dest, src, stream);
    }

    /** The same as {@link #memcpyDtohAsync(Buffer, PointerHolderBase, Stream)} on the default stream. */
    public static void memcpyDtohAsync(Buffer dest, PointerHolderBase src) {
        memcpyDtohAsync(dest, src, null);
    }

    /** Queues a copy into a direct buffer (cuMemcpyDtoHAsync), which stays alive until the copy is done. */
    public static void memcpyDtohAsync(Buffer dest, PointerHolderBase src, Stream stream) {
        HostData.dtohAsync(dest, src, stream);
    }

    // Modules -------------------------------------------------------------------------------------------------------------

    /** Loads PTX, a cubin or a fatbin. RuntimeError if the file cannot be read. */
    public static Module moduleFromFile(String filename) {
        return Module.fromFile(filename);
    }

    /** Loads PTX, a cubin or a fatbin. RuntimeError if the file cannot be read. */
    public static Module moduleFromFile(Path filename) {
        return moduleFromFile(Objects.requireNonNull(filename, "filename").toString());
    }

    /** Loads PTX, a cubin or a fatbin (cuModuleLoadDataEx). */
    public static Module moduleFromBuffer(byte[] image) {
        return moduleFromBuffer(image, Map.of(), null);
    }

    /** Loads PTX, a cubin or a fatbin (cuModuleLoadDataEx). */
    public static Module moduleFromBuffer(ByteBuffer image) {
        return moduleFromBuffer(image, Map.of(), null);
    }

    /** Loads PTX (cuModuleLoadDataEx). */
    public static Module moduleFromBuffer(String ptx) {
        return moduleFromBuffer(ptx, Map.of(), null);
    }

    /** Loads PTX, a cubin or a fatbin with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Module moduleFromBuffer(byte[] image, Map<JitOption, Integer> options, MessageHandler handler) {
        return moduleFromBuffer(ByteBuffer.wrap(Objects.requireNonNull(image, "image")), options, handler);
    }

    /** Loads PTX with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Module moduleFromBuffer(String ptx, Map<JitOption, Integer> options, MessageHandler handler) {
        return moduleFromBuffer(Objects.requireNonNull(ptx, "ptx").getBytes(StandardCharsets.UTF_8), options, handler);
    }

    /** Loads PTX, a cubin or a fatbin with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Module moduleFromBuffer(ByteBuffer image, Map<JitOption, Integer> options, MessageHandler handler) {
        ByteBuffer direct = ByteBuffer.allocateDirect(Objects.requireNonNull(image, "image").remaining()).order(ByteOrder.nativeOrder());
        direct.put(0, image, image.position(), image.remaining());
        int[] settings = Objects.requireNonNull(options, "options").entrySet().stream()
            .flatMapToInt(entry -> java.util.stream.IntStream.of(entry.getKey().value(), entry.getValue())).toArray();
        if (handler == null) {
            return load(direct, settings, null);
        }
        String[] log = {"", ""};
        boolean success = false;
        try {
            Module module = load(direct, settings, log);
            success = true;
            return module;
        } finally {
            handler.message(success, log[0], log[1]);
        }
    }

    private static Module load(ByteBuffer direct, int[] settings, String[] log) {
        Module module = moduleFromBuffer(DriverProxy.bufferAddress(direct), direct.capacity(), settings, log);
        Reference.reachabilityFence(direct);
        return module;
    }
}
