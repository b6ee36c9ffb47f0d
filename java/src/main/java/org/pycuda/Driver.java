package org.pycuda;

import java.io.Serial;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The functions of the CUDA driver, and its errors.
 *
 * <p>Host data is a {@code boolean[] byte[] short[] char[] int[] long[] float[] double[]}, an array of such arrays whose rows have one
 * length ({@code float[][]}), what remains of an NIO buffer, whose position and limit stay as they are, or, from Java 22 on, a MemorySegment;
 * the functions that copy have an overload for each. A {@link HostData} wraps any of these, with a type and a shape. A device pointer is a
 * {@link DevicePointer}; {@link DevicePointer#of} makes one from an address. Sizes are bytes, counts are elements. Without a stream,
 * the default stream is used. All functions except {@link #init} need a current context.
 * <pre>{@code
 * Autoinit.init();
 * var twice = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").function("twice");
 * try (var memory = Driver.toDevice(new float[] {1, 2, 3})) {
 *     twice.launch(Driver.block(3), memory);
 *     System.out.println(Driver.fromDevice(memory, 3, float[].class)[2]);  // 6.0
 * }
 * }</pre>
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
        public int code() {
            return code;
        }

        /** Name of the driver call that failed, or of the function that rejected its arguments. */
        public String routine() {
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
        public String msg() {
            return msg;
        }

        /** What the compiler wrote to its standard output. */
        public String stdout() {
            return stdout;
        }

        /** What the compiler wrote to its standard error. */
        public String stderr() {
            return stderr;
        }

        /** How the compiler was called. */
        public List<String> commandLine() {
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

    /** The memory that an array takes: its size in bytes, and the alignment of memory that it is mapped to. */
    public record ArrayMemory(long size, long alignment) {
        static ArrayMemory of(long[] parts) {
            return new ArrayMemory(parts[0], parts[1]);
        }
    }

    /** Where memory is: a device or a NUMA node, by its number, or the host. */
    public record MemoryLocation(MemLocationType type, int id) {
        static List<MemoryLocation> of(int[] parts) {
            var locations = new MemoryLocation[parts.length / 2];
            for (int i = 0; i < locations.length; i++) {
                locations[i] = new MemoryLocation(MemLocationType.fromValue(parts[2 * i]), parts[2 * i + 1]);
            }
            return List.of(locations);
        }
    }

    /** A variable of a module: its address and size. */
    public record GlobalSymbol(long devicePtr, long sizeInBytes) implements DevicePointer {
        static GlobalSymbol of(long[] parts) {
            return new GlobalSymbol(parts[0], parts[1]);
        }

        @Override
        public long pointer() {
            return devicePtr;
        }
    }

    /** A mapped OpenGL buffer: its address, valid until it is unmapped, and its size. */
    public record MappedMemory(long devicePtr, long sizeInBytes) implements DevicePointer {
        static MappedMemory of(long[] parts) {
            return new MappedMemory(parts[0], parts[1]);
        }

        @Override
        public long pointer() {
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

    /** The remaining bytes of {@code data} as a kernel argument passed by value: a struct. Read at the launch. */
    public static Object bytes(ByteBuffer data) {
        return bytes(data, 8);
    }

    /** The same as {@link #bytes(ByteBuffer)} with this alignment; drivers since CUDA 12.4 report it themselves. */
    public static Object bytes(ByteBuffer data, int align) {
        return new StructArgument(Objects.requireNonNull(data, "data"), align);
    }

    // Device memory -------------------------------------------------------------------------------------------------------

    /** Allocates at least {@code bytes} bytes (cuMemAlloc). MemoryError if memory runs out, even after a garbage collection. */
    public static DeviceAllocation memAlloc(long bytes) {
        return new DeviceAllocation(bytes);
    }

    /** Rows of device memory, and the bytes from one row to the next. */
    public record PitchedAllocation(DeviceAllocation allocation, long pitch) {}

    /** A new array of the type and length of {@code other}, an array of primitives, copied from the device. */
    @SuppressWarnings("unchecked")  // getClass of a T is a Class<T>
    public static <T> T fromDeviceLike(DevicePointer src, T other) {
        Class<T> type = (Class<T>) Objects.requireNonNull(other, "other").getClass();
        return fromDevice(src, type.isArray() ? Array.getLength(other) : 0, type);
    }

    /** A new array of {@code length} elements copied from the device; {@code arrayType} as {@code float[].class}. */
    public static <T> T fromDevice(DevicePointer src, int length, Class<T> arrayType) {
        if (length < 0) {
            throw new IllegalArgumentException("an array cannot have " + length + " elements");
        }
        Objects.requireNonNull(src, "src");
        if (!Objects.requireNonNull(arrayType, "arrayType").isArray() || !arrayType.getComponentType().isPrimitive()) {
            throw new IllegalArgumentException(arrayType.getTypeName() + " is not the class of a primitive array, such as float[].class");
        }
        T array = arrayType.cast(Array.newInstance(arrayType.getComponentType(), length));
        HostCopies.dtoh(array, src);
        return array;
    }

    // Host memory ---------------------------------------------------------------------------------------------------------

    /** Page-locked memory (cuMemHostAlloc) for an array of this type and shape. {@link PinnedMemory} has the options. */
    public static PagelockedHostAllocation pagelockedEmpty(CType type, long... shape) {
        return PinnedMemory.of(type, shape).empty();
    }

    /** Page-locked memory (cuMemHostAlloc) for an array of this type and shape. {@link PinnedMemory} has the options. */
    public static PagelockedHostAllocation pagelockedEmpty(CType type, int... shape) {
        return PinnedMemory.of(type, shape).empty();
    }

    /** Page-locked memory (cuMemHostAlloc) for an array of this type and shape, filled with zeros. {@link PinnedMemory} has the options. */
    public static PagelockedHostAllocation pagelockedZeros(CType type, long... shape) {
        return PinnedMemory.of(type, shape).zeros();
    }

    /** Page-locked memory (cuMemHostAlloc) for an array of this type and shape, filled with zeros. {@link PinnedMemory} has the options. */
    public static PagelockedHostAllocation pagelockedZeros(CType type, int... shape) {
        return PinnedMemory.of(type, shape).zeros();
    }

    /** Memory that the host and kernels access at the same address (cuMemAllocManaged) for an array of this type and shape. {@link ManagedMemory} has the options. */
    public static ManagedAllocation managedEmpty(CType type, long... shape) {
        return ManagedMemory.of(type, shape).empty();
    }

    /** Memory that the host and kernels access at the same address (cuMemAllocManaged) for an array of this type and shape. {@link ManagedMemory} has the options. */
    public static ManagedAllocation managedEmpty(CType type, int... shape) {
        return ManagedMemory.of(type, shape).empty();
    }

    /** Memory that the host and kernels access at the same address (cuMemAllocManaged) for an array of this type and shape, filled with zeros. {@link ManagedMemory} has the options. */
    public static ManagedAllocation managedZeros(CType type, long... shape) {
        return ManagedMemory.of(type, shape).zeros();
    }

    /** Memory that the host and kernels access at the same address (cuMemAllocManaged) for an array of this type and shape, filled with zeros. {@link ManagedMemory} has the options. */
    public static ManagedAllocation managedZeros(CType type, int... shape) {
        return ManagedMemory.of(type, shape).zeros();
    }

    /** The texel format of a texture reference: type and number of components. */
    public record TextureFormat(ArrayFormat format, int numComponents) {}

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
    public static Module moduleFromBuffer(byte[] image, Map<JitOption, Integer> options, @Nullable MessageHandler handler) {
        return moduleFromBuffer(ByteBuffer.wrap(Objects.requireNonNull(image, "image")), options, handler);
    }

    /** Loads PTX with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Module moduleFromBuffer(String ptx, Map<JitOption, Integer> options, @Nullable MessageHandler handler) {
        return moduleFromBuffer(Objects.requireNonNull(ptx, "ptx").getBytes(StandardCharsets.UTF_8), options, handler);
    }

    /** Loads PTX, a cubin or a fatbin with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Module moduleFromBuffer(ByteBuffer image, Map<JitOption, Integer> options, @Nullable MessageHandler handler) {
        return JitLoading.load(image, options, handler, DriverProxy::moduleFromBuffer);
    }
}
