package org.pycuda.arguments;

import static org.pycuda.arguments.Row.SIZE;
import static org.pycuda.arguments.Row.reads;
import static org.pycuda.arguments.Row.writes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pycuda.ArrayDescriptor;
import org.pycuda.ArrayFormat;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.HostData;
import org.pycuda.In;
import org.pycuda.InOut;
import org.pycuda.Out;
import org.pycuda.DevicePointer;
import org.pycuda.Stream;
import org.pycuda.TextureDescriptor;
import org.pycuda.TextureObject;
import org.pycuda.TextureReference;
import org.pycuda.compiler.SourceModule;

/** Arrays, kernel arguments and textures. */
final class ObjectRows {
    private ObjectRows() {}

    private static final String SOURCE = """
        __global__ void copy(unsigned char *to, const unsigned char *from) { to[threadIdx.x] = from[threadIdx.x]; }
        __global__ void set(unsigned char *to, int value) { to[threadIdx.x] = value; }
        __global__ void read(unsigned char *to, unsigned long long t) { to[threadIdx.x] = tex1Dfetch<unsigned char>(t, threadIdx.x); }
        __global__ void readPitched(unsigned char *to, unsigned long long t) {
            to[threadIdx.x] = tex2D<unsigned char>(t, threadIdx.x % 32 + 0.5f, threadIdx.x / 32 + 0.5f);
        }
        """;
    private static SourceModule module;

    private static synchronized Function kernel(String name) {
        if (module == null) {
            module = new SourceModule(SOURCE);
        }
        return module.function(name);
    }

    private static final Supplier<Stream> STREAM = Stream::new;
    private static final byte[] SEVENS = new byte[SIZE];

    static {
        Arrays.fill(SEVENS, (byte) 7);
    }

    static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        arrays(rows);
        handlers(rows);
        launches(rows);
        textures(rows);
        return rows;
    }

    private static void arrays(List<Row> rows) {
        rows.add(new Row(GPUArray.class, "toGpu", reads()).gives(0));
        rows.add(new Row(GPUArray.class, "toGpuAsync", reads()).gives(0).but(IllegalArgumentException.class, CopyRows.HEAP));
        rows.add(new Row(GPUArray.class, "toGpu", reads()).as(host -> host.shape(1, host.nbytes() / host.type().itemsize())).gives(0));
        String[] typed = HostKinds.ALL.stream().map(Kind::name).filter(ObjectRows::isWider).toArray(String[]::new);
        Supplier<GPUArray> target = () -> GPUArray.zeros(DType.UINT8, SIZE);
        Row.Then readBack = (result, self, values) -> Driver.memcpyDtoh(HostData.ofObject(values[1]), (GPUArray) self);
        rows.add(new Row(GPUArray.class, "set", reads(), writes(0)).on(target).then(readBack)
            .but(IllegalArgumentException.class, typed));
        rows.add(new Row(GPUArray.class, "setAsync", reads(), writes(0)).on(target).then(readBack)
            .but(IllegalArgumentException.class, typed).but(IllegalArgumentException.class, CopyRows.HEAP));
        Supplier<GPUArray> sevens = () -> GPUArray.zeros(DType.UINT8, SIZE).fill(7);
        rows.add(new Row(GPUArray.class, "getAsync", writes(SEVENS)).on(sevens).but(IllegalArgumentException.class, typed)
            .but(IllegalArgumentException.class, CopyRows.HEAP));
        rows.add(new Row(GPUArray.class, "getInto", writes(SEVENS)).on(sevens).but(IllegalArgumentException.class, typed));
        Row.Then fill = (result, self, values) -> ((GPUArray) result).fill(7);
        rows.add(new Row(GPUArray.class, "wrap", writes(SEVENS), DType.UINT8, new long[] {SIZE}).then(fill));
        rows.add(new Row(GPUArray.class, "wrap", writes(SEVENS), DType.UINT8, new int[] {SIZE}).then(fill));
        rows.add(new Row(GPUArray.class, "wrap", writes(SEVENS), DType.UINT8, new long[] {SIZE}, new long[] {1}).then(fill));
    }

    /** Kinds of elements of several bytes. */
    static boolean isWider(String kind) {
        return kind.matches("(short|char|int|long|float|double).*|.*(Int|Short|Char|Long|Float|Double)Buffer.*");
    }

    /** Host memory that a launch copies to the device. */
    private static void handlers(List<Row> rows) {
        Row.Then copiedIn = (result, self, values) -> {
            try (var memory = Driver.memAlloc(SIZE)) {
                kernel("copy").launch(Driver.block(SIZE), memory, result);
                Driver.memcpyDtoh(HostData.ofObject(values[1]), memory);
            }
        };
        Row.Then filled = (result, self, values) -> kernel("set").launch(Driver.block(SIZE), result, 7);
        for (Class<?> type : new Class<?>[] {In.class, Driver.class}) {
            rows.add(new Row(type, type == In.class ? "new" : "in", reads(), writes(0)).then(copiedIn));
        }
        for (Class<?> type : new Class<?>[] {Out.class, InOut.class}) {
            rows.add(new Row(type, "new", writes(SEVENS)).then(filled));
        }
        for (String name : new String[] {"out", "inOut"}) {
            rows.add(new Row(Driver.class, name, writes(SEVENS)).then(filled));
        }
    }

    /** Device memory as an argument of each kind of launch, through a function object that passes it on. */
    private static void launches(List<Row> rows) {
        rows.add(new Row(Launches.class, "launch", writes(SEVENS)));
        rows.add(new Row(Launches.class, "launchTimed", writes(SEVENS)));
        rows.add(new Row(Launches.class, "preparedCall", writes(SEVENS)));
        rows.add(new Row(Launches.class, "preparedAsyncCall", writes(SEVENS)));
        rows.add(new Row(Launches.class, "preparedTimedCall", writes(SEVENS)));
        rows.add(new Row(Launches.class, "invocation", writes(SEVENS)));
    }

    /** Makes calls with an argument of any type look like calls with a device address. */
    public static final class Launches {
        private Launches() {}

        public static void launch(DevicePointer to) {
            kernel("set").launch(Driver.block(SIZE), to, 7);
        }

        public static void launchTimed(DevicePointer to) {
            kernel("set").launchTimed(Driver.block(SIZE), to, 7);
        }

        public static void preparedCall(DevicePointer to) {
            kernel("set").prepare("Pi").preparedCall(Driver.block(SIZE), to, 7);
        }

        public static void preparedAsyncCall(DevicePointer to) {
            try (var stream = STREAM.get()) {
                kernel("set").prepare("Pi").preparedAsyncCall(Driver.block(SIZE), stream, to, 7);
                stream.synchronize();
            }
        }

        public static void preparedTimedCall(DevicePointer to) {
            kernel("set").prepare("Pi").preparedTimedCall(Driver.block(SIZE), to, 7).getAsDouble();
        }

        public static void invocation(DevicePointer to) {
            kernel("set").prepare("Pi").invocation().set(0, to).set(1, 7).launch(Driver.block(SIZE));
        }
    }

    private static Supplier<TextureDescriptor> integers() {
        return () -> {
            var descriptor = new TextureDescriptor();
            descriptor.setFlags(Driver.TRSF_READ_AS_INTEGER);
            return descriptor;
        };
    }

    private static void textures(List<Row> rows) {
        String[] unaligned = {"view of a GPUArray", "allocation plus bytes", "GPUArray plus bytes", "ManagedAllocation plus bytes"};
        Supplier<ArrayDescriptor> rowsOf32 = () -> new ArrayDescriptor(32, 2, ArrayFormat.UNSIGNED_INT8, 1);
        rows.add(new Row(TextureObject.class, "ofLinear", reads(), (long) SIZE, ArrayFormat.UNSIGNED_INT8, 1, integers(), writes(0))
            .then(reading("read")).but(Driver.LogicError.class, unaligned));
        rows.add(new Row(TextureObject.class, "ofPitched", reads(), rowsOf32, 32L, integers(), writes(0))
            .then(reading("readPitched")).but(Driver.LogicError.class, unaligned));
        rows.add(new Row(TextureReference.class, "setAddress", reads(), (long) SIZE, true).of(3).on(TextureReference::new));
        rows.add(new Row(TextureReference.class, "setAddress", reads(), (long) SIZE).on(TextureReference::new)
            .but(Driver.LogicError.class, unaligned));
        rows.add(new Row(TextureReference.class, "setAddress2d", reads(), rowsOf32, 32L).on(TextureReference::new).except(unaligned));
    }

    private static Row.Then reading(String kernel) {
        return (result, self, values) -> {
            try (var texture = (TextureObject) result; var memory = Driver.memAlloc(SIZE)) {
                kernel(kernel).launch(Driver.block(SIZE), memory, texture.handle());
                Driver.memcpyDtoh((ByteBuffer) values[values.length - 1], memory);
            }
        };
    }
}
