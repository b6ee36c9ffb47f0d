package org.pycuda.arguments;

import static org.pycuda.arguments.Row.SIZE;
import static org.pycuda.arguments.Row.reads;
import static org.pycuda.arguments.Row.writes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.pycuda.Array;
import org.pycuda.ArrayDescriptor;
import org.pycuda.ArrayFormat;
import org.pycuda.Context;
import org.pycuda.Copies;
import org.pycuda.CopyBatch;
import org.pycuda.Device;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.Fills;
import org.pycuda.HostData;
import org.pycuda.MemAdvice;
import org.pycuda.MemRangeAttribute;
import org.pycuda.Memcpy2D;
import org.pycuda.Memcpy3D;
import org.pycuda.Memcpy3DPeer;
import org.pycuda.MemcpyFlags;
import org.pycuda.MemcpySrcAccessOrder;
import org.pycuda.MemoryOperations;
import org.pycuda.MemoryRanges;
import org.pycuda.PhysicalMemory;
import org.pycuda.Stream;
import org.pycuda.StreamWaitValueFlags;
import org.pycuda.StreamWriteValueFlags;
import org.pycuda.StructuredCopy;
import org.pycuda.StructuredCopy3D;

/** Copies, fills, structured copies, and other calls with memory. */
final class CopyRows {
    private CopyRows() {}

    private static final Supplier<Stream> STREAM = Stream::new;
    private static final Supplier<Context> CURRENT = Context::current;
    static final String[] HEAP = {"heap ByteBuffer", "heap ByteBuffer of another byte order", "part of a heap ByteBuffer",
        "slice of a heap ByteBuffer", "wrapped IntBuffer", "part of a wrapped FloatBuffer", "read-only heap ByteBuffer", "CharBuffer of a String",
        "byte[]", "short[]", "char[]", "int[]", "long[]", "float[]", "double[]", "int[][]", "byte[][][]", "segment of a byte[]", "segment of an int[]",
        "part of a segment of an int[]"};

    /** Memory of an arena that can be closed while the object still refers to it. */
    static final String[] CLOSABLE = {"buffer of a shared arena", "IntBuffer of a shared arena", "segment of a shared arena",
        "segment of a confined arena", "slice of a segment", "read-only segment"};

    static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        rows.add(new Row(Driver.class, "memcpyHtod", writes(1), reads()));
        rows.add(new Row(Driver.class, "memcpyHtod", writes(new byte[SIZE]), new boolean[SIZE]));
        rows.add(new Row(Driver.class, "memcpyDtoh", new boolean[SIZE], reads()));
        rows.add(new Row(Driver.class, "memcpyHtodAsync", writes(1), reads(), STREAM).but(IllegalArgumentException.class, HEAP));
        rows.add(new Row(Driver.class, "memcpyDtoh", writes(1), reads()));
        rows.add(new Row(Driver.class, "memcpyDtohAsync", writes(1), reads(), STREAM).but(IllegalArgumentException.class, HEAP));
        rows.add(new Row(Driver.class, "memcpyDtod", writes(1), reads(), (long) SIZE));
        rows.add(new Row(Driver.class, "memcpyDtodAsync", writes(1), reads(), (long) SIZE, STREAM));
        rows.add(new Row(Copies.class, "memcpyPeer", writes(1), reads(), (long) SIZE, CURRENT, CURRENT));
        rows.add(new Row(Copies.class, "memcpyPeerAsync", writes(1), reads(), (long) SIZE, CURRENT, CURRENT, STREAM));
        rows.add(new Row(Driver.class, "toDevice", reads()).gives(0));
        rows.add(new Row(HostData.class, "of", reads()).then((result, self, values) -> Driver.toDevice((HostData) result).close()));
        rows.add(new Row(HostData.class, "ofObject", reads()).then((result, self, values) -> Driver.toDevice((HostData) result).close()));
        rows.add(new Row(Driver.class, "fromDevice", reads(), SIZE, byte[].class).gives(0));
        for (Object like : new Object[] {new boolean[SIZE], new byte[SIZE], new short[SIZE / 2], new char[SIZE / 2], new int[SIZE / 4], new long[SIZE / 8],
            new float[SIZE / 4], new double[SIZE / 8]}) {
            rows.add(new Row(Driver.class, "fromDeviceLike", reads(), like).gives(like instanceof boolean[] ? -1 : 0));
        }
        fills(rows);
        arrays(rows);
        ends(rows, Memcpy2D.class, Memcpy2D::new);
        ends(rows, Memcpy3D.class, Memcpy3D::new);
        ends(rows, Memcpy3DPeer.class, Memcpy3DPeer::new);
        asked(rows);
        words(rows);
        batches(rows);
        return rows;
    }

    private static byte[] filled(long value, int bytes) {
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        for (int at = 0; at < SIZE; at++) {
            all.put(at, (byte) (value >> 8 * (at % bytes)));
        }
        return all.array();
    }

    private static void fills(List<Row> rows) {
        int[] values = {0x12, 0x1234, 0x12345678};
        for (int i = 0; i < values.length; i++) {
            int bytes = 1 << i;
            var all = writes(filled(values[i], bytes));
            rows.add(new Row(bytes == 2 ? Fills.class : Driver.class, "memsetD" + 8 * bytes, all, values[i], (long) SIZE / bytes));
            rows.add(new Row(bytes == 2 ? Fills.class : Driver.class, "memsetD" + 8 * bytes + "Async", all, values[i], (long) SIZE / bytes, STREAM));
            rows.add(new Row(Fills.class, "memsetD2d" + 8 * bytes, all, SIZE / 2L, values[i], SIZE / 2L / bytes, 2L));
            rows.add(new Row(Fills.class, "memsetD2d" + 8 * bytes + "Async", all, SIZE / 2L, values[i], SIZE / 2L / bytes, 2L, STREAM));
        }
    }

    private static byte[] counted() {
        byte[] bytes = new byte[SIZE];
        for (int i = 0; i < SIZE; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static Array line() {
        var array = new Array(new ArrayDescriptor(SIZE, 0, ArrayFormat.UNSIGNED_INT8, 1));
        Copies.memcpyHtoa(array, 0, HostData.of(counted()));
        return array;
    }

    private static void arrays(List<Row> rows) {
        Supplier<Array> line = CopyRows::line;
        Row.Then back = (result, self, values) -> Copies.memcpyAtoh(HostData.ofObject(values[values.length - 1]), (Array) values[0], 0);
        rows.add(new Row(Copies.class, "memcpyDtoa", line, 0L, reads(), (long) SIZE, writes(2)).then(back));
        rows.add(new Row(Copies.class, "memcpyHtoa", line, 0L, reads(), writes(2)).then(back));
        rows.add(new Row(Copies.class, "memcpyAtod", writes(counted()), line, 0L, (long) SIZE));
        rows.add(new Row(Copies.class, "memcpyAtoh", writes(counted()), line, 0L));
    }

    private static void execute(StructuredCopy copy) {
        copy.setSrcPitch(SIZE / 4).setDstPitch(SIZE / 4).setWidthInBytes(SIZE / 4).setHeight(4);
        if (copy instanceof StructuredCopy3D box) {
            box.setSrcHeight(4);
            box.setDstHeight(4);
            box.setDepth(1);
        }
        if (copy instanceof Memcpy2D plane) {
            plane.copy();
        } else if (copy instanceof Memcpy3D box) {
            box.copy();
        } else {
            ((Memcpy3DPeer) copy).copy();
        }
    }

    /** The method under test sets one end; the other end is host memory. */
    private static void ends(List<Row> rows, Class<?> type, Supplier<? extends StructuredCopy> make) {
        Row.Then toBack = (result, self, values) -> {
            var copy = (StructuredCopy) self;
            copy.setDstHost((ByteBuffer) values[1]);
            execute(copy);
        };
        Row.Then fromFront = (result, self, values) -> {
            var copy = (StructuredCopy) self;
            copy.setSrcHost((ByteBuffer) values[1]);
            execute(copy);
        };
        for (String name : new String[] {"setSrcHost", "setSrcUnified", "setSrcDevice"}) {
            rows.add(new Row(type, name, reads(), writes(0)).on(make).then(toBack).but(IllegalArgumentException.class, HEAP)
                .but(IllegalArgumentException.class, CLOSABLE));
        }
        for (String name : new String[] {"setDstHost", "setDstUnified", "setDstDevice"}) {
            rows.add(new Row(type, name, writes(1), reads()).on(make).then(fromFront).but(IllegalArgumentException.class, HEAP)
                .but(IllegalArgumentException.class, CLOSABLE));
        }
    }

    private static final String[] UNMANAGED = {"DeviceAllocation", "PooledDeviceAllocation", "StreamOrderedAllocation", "VirtualMemory", "pitched allocation",
        "GPUArray", "view of a GPUArray", "allocation plus bytes", "GPUArray plus bytes", "DevicePointer.of", "lambda",
        "class that the program defines", "GlobalSymbol", "mapped page-locked memory", "mapped registered memory"};

    private static void asked(List<Row> rows) {
        rows.add(new Row(org.pycuda.Memory.class, "memGetAddressRange", reads()));
        rows.add(new Row(org.pycuda.Memory.class, "memAdvise", reads(), (long) SIZE, MemAdvice.SET_READ_MOSTLY, 0).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memRangeIsAccessedBy", reads(), (long) SIZE, 0).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memRangeIsAccessedBy", reads(), (long) SIZE, new Device(0)).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memRangeGetAttribute", reads(), (long) SIZE, MemRangeAttribute.READ_MOSTLY).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memPrefetchAsync", reads(), (long) SIZE, 0, STREAM).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memAdvise", reads(), (long) SIZE, MemAdvice.SET_READ_MOSTLY, new Device(0)).but(Driver.LogicError.class, UNMANAGED));
        rows.add(new Row(org.pycuda.Memory.class, "memPrefetchAsync", reads(), (long) SIZE, new Device(0), STREAM).but(Driver.LogicError.class, UNMANAGED));
        var handle = new Row(org.pycuda.Memory.class, "memGetIpcHandle", reads());
        // Under wine the CPU device has neither.
        rows.add(Devices.hasVirtualMemory() ? handle.but(Driver.LogicError.class, "StreamOrderedAllocation", "VirtualMemory", "ManagedAllocation",
            "ManagedAllocation plus bytes", "mapped page-locked memory", "mapped registered memory") : handle.fails(Driver.LogicError.class));
    }

    /** Batches of copies, and ranges of managed memory. */
    private static void batches(List<Row> rows) {
        Row.Then queue = (result, self, values) -> {
            try (var stream = new Stream()) {
                ((CopyBatch) result).queue(stream);
                stream.synchronize();
            }
        };
        Row.Then prefetch = (result, self, values) -> {
            try (var stream = new Stream()) {
                ((MemoryRanges) result).prefetch(0, stream);
                stream.synchronize();
            }
        };
        rows.add(new Row(CopyBatch.class, "add", writes(1), reads(), (long) SIZE, MemcpySrcAccessOrder.STREAM, new MemcpyFlags[0]).on(CopyBatch::new).then(queue));
        rows.add(new Row(MemoryRanges.class, "add", reads(), (long) SIZE).on(MemoryRanges::new).then(prefetch).but(Driver.LogicError.class, UNMANAGED));
        var locations = new Row(org.pycuda.Memory.class, "memRangeGetLocations", reads(), (long) SIZE, (long) SIZE, 1L);
        // No driver of CUDA 13.4 has been seen.
        rows.add(Devices.isCpu() ? locations.but(Driver.LogicError.class, UNMANAGED) : locations.but(Driver.RuntimeError.class, UNMANAGED).fails(Driver.RuntimeError.class));
        var attribute = new Row(org.pycuda.Memory.class, "memSetSyncMemops", reads(), true);
        rows.add(Devices.hasVirtualMemory() ? attribute.but(Driver.LogicError.class, "VirtualMemory") : attribute);
        rows.add(new Row(org.pycuda.Memory.class, "memExportDmaBuf", reads(), (long) SIZE).fails(Driver.LogicError.class));
        rows.add(new Row(PhysicalMemory.class, "ofAddress", reads(), (long) SIZE).then((result, self, values) -> ((PhysicalMemory) result).close())
            .fails(Driver.LogicError.class).except("VirtualMemory"));
    }

    /** Streams that write words and wait for them. */
    private static void words(List<Row> rows) {
        Row.Then synchronize = (result, self, values) -> ((Stream) self).synchronize();
        Row.Then queue = (result, self, values) -> {
            ((MemoryOperations) result).queue();
            Context.synchronize();
        };
        // As an H200's driver refuses them.
        String[] refused = {"ManagedAllocation", "ManagedAllocation plus bytes", "StreamOrderedAllocation"};
        for (int bits : new int[] {32, 64}) {
            Object writing = new StreamWriteValueFlags[0], waiting = new StreamWaitValueFlags[0];
            Object zero = bits == 32 ? (Object) 0 : (Object) 0L;
            // What others may have written meanwhile ends the wait, too: words from here to half of all words further on do.
            Object waited = bits == 32 ? (Object) 0xE0000000 : (Object) 0xE000000000000000L;
            byte[] word = new byte[bits / 8], written = new byte[Row.SIZE];
            Arrays.fill(written, bits / 8, written.length, Cell.FILLER);
            for (int parameters : new int[] {2, 3}) {
                rows.add(new Row(Stream.class, "writeValue" + bits, writes(written), zero, writing).of(parameters).on(Stream::new).then(synchronize)
                    .but(Driver.LogicError.class, refused));
                rows.add(new Row(Stream.class, "waitValue" + bits, reads(word), waited, waiting).of(parameters).on(Stream::new).then(synchronize)
                    .but(Driver.LogicError.class, refused));
                rows.add(new Row(MemoryOperations.class, "writeValue" + bits, writes(written), zero, writing).of(parameters).on(MemoryOperations::new).then(queue)
                    .but(Driver.LogicError.class, refused));
                rows.add(new Row(MemoryOperations.class, "waitValue" + bits, reads(word), waited, waiting).of(parameters).on(MemoryOperations::new).then(queue)
                    .but(Driver.LogicError.class, refused));
            }
        }
    }
}
