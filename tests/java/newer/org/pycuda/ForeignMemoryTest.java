package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Memory of java.lang.foreign: an arena cannot be closed while its memory is in use. */
class ForeignMemoryTest implements WithContext {
    private static final int N = 1 << 16;

    private static Function increment() {
        return new SourceModule("extern \"C\" __global__ void f(int *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] += i; }",
            new SourceModule.Options()).function("f");
    }

    /** Checks that the arena cannot be closed while a copy is queued, and can be once the gate is open. */
    private static void assertHeldUntilOpen(Gate gate, Arena arena, boolean isHeld) {
        if (isHeld) {
            assertThrows(IllegalStateException.class, arena::close);
        }
        gate.open();
        arena.close();
    }

    @Test
    void segmentsAreAcceptedLikeBuffers() {
        var f = increment();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(ValueLayout.JAVA_INT, 4);
            numbers.setAtIndex(ValueLayout.JAVA_INT, 3, 5);
            f.launch(Driver.block(4), new InOut(numbers), 4);
            assertArrayEquals(new int[] {0, 1, 2, 8}, numbers.toArray(ValueLayout.JAVA_INT));
            var array = GPUArray.zeros(DType.INT32, 4).set(numbers).add(1);
            assertArrayEquals(new int[] {1, 2, 3, 9}, array.getInto(numbers).toArray(ValueLayout.JAVA_INT));
            int[] heap = new int[4];
            array.getInto(MemorySegment.ofArray(heap));
            assertArrayEquals(new int[] {1, 2, 3, 9}, heap);
        }
    }

    @Test
    void queuedCopiesKeepTheArenaOpen() {
        var f = increment();
        f.launch(Driver.block(32), Driver.out(new int[N]), N);
        for (int kind = 0; kind < 3; kind++) {
            Arena arena = kind == 2 ? Arena.ofShared() : Arena.ofConfined();
            try (Stream stream = new Stream(); Gate gate = new Gate(stream)) {
                MemorySegment memory = arena.allocate(4 * N, 4096);
                ByteBuffer buffer = memory.asByteBuffer().order(ByteOrder.nativeOrder());
                RegisteredHostMemory registered = kind == 1 ? Memory.registerHostMemory(buffer) : null;
                if (kind == 1) {
                    f.launch(Driver.block(32).stream(stream), Driver.inOut(buffer), N);  // page-locked, so both copies are queued in the stream
                } else {
                    f.launch(Driver.block(32).stream(stream), Driver.out(buffer), N);
                }
                if (registered != null) {
                    assertThrows(IllegalStateException.class, arena::close);
                    gate.open();
                    assertThrows(IllegalStateException.class, arena::close);
                    registered.close();
                    assertTrue(memory.getAtIndex(ValueLayout.JAVA_INT, 5) == 5);
                }
                assertHeldUntilOpen(gate, arena, registered == null);
            }
        }
    }

    @Test
    void registeredMemoryKeepsItsArenaOpen() {
        Arena arena = Arena.ofShared();
        try (var registered = Memory.registerHostMemory(arena.allocate(1 << 16, 4096).asByteBuffer())) {
            assertEquals(1 << 16, registered.size());
            assertThrows(IllegalStateException.class, arena::close);
        }
        arena.close();
        assertThrows(IllegalStateException.class, () -> Memory.registerHostMemory(closedBuffer()));
    }

    private static ByteBuffer closedBuffer() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(4096, 4096).asByteBuffer();
        }
    }

    @Test
    void asynchronousCopiesOnTheDefaultStreamReleaseArenas() {
        try (var memory = Driver.memAlloc(4096)) {
            Arena arena = Arena.ofShared();
            ByteBuffer buffer = arena.allocate(4096).asByteBuffer();
            Driver.memcpyHtodAsync(memory, buffer);
            Driver.memcpyDtohAsync(buffer, memory);
            Context.synchronize();
            arena.close();
        }
    }

    /** A shared arena that another thread closes during copies: either side may get an exception, but never a fault. */
    @Test
    void sharedArenasMayBeClosedDuringCopies() throws InterruptedException {
        try (var memory = Driver.memAlloc(1 << 20)) {
            for (int round = 0; round < 200; round++) {
                Arena arena = Arena.ofShared();
                MemorySegment segment = arena.allocate(1 << 20);
                var wrong = new AtomicReference<Throwable>();
                var closer = new Thread(() -> {
                    while (arena.scope().isAlive()) {
                        try {
                            arena.close();
                        } catch (IllegalStateException held) {
                            Thread.onSpinWait();
                        } catch (Throwable other) {
                            wrong.set(other);
                            return;
                        }
                    }
                });
                closer.start();
                try {
                    for (int i = 0; i < 50; i++) {
                        if (round % 2 == 0) {
                            Driver.memcpyHtod(memory, segment);
                        } else {
                            Driver.memcpyDtoh(segment.asByteBuffer(), memory);
                        }
                    }
                } catch (IllegalStateException closed) {
                    assertTrue(closed.getMessage().contains("closed"), closed.getMessage());
                }
                closer.join();
                assertEquals(null, wrong.get());
            }
        }
    }

    /** A read after close() is an exception, not a crash, of the object and of a slice of it. */
    @Test
    void segmentsAreClosedWithTheirMemory() {
        for (HostBuffers memory : new HostBuffers[] {Driver.pagelockedZeros(DType.INT32, 1000), Driver.managedZeros(DType.INT32, 1000),
                AlignedMemory.of(DType.INT32, 1000).zeros(), new PageLockedMemoryPool().allocate(DType.INT32, 1000)}) {
            MemorySegment segment = memory.segment(), slice = segment.asSlice(400, 40);
            assertEquals(4000, segment.byteSize());
            try (var device = Driver.memAlloc(4000); var stream = new Stream(); var gate = new Gate(stream)) {
                Driver.memcpyHtodAsync(device, segment, stream);
                assertThrows(IllegalStateException.class, ((AutoCloseable) memory)::close);  // the copy uses it
                assertEquals(0, slice.get(ValueLayout.JAVA_INT, 0));
                gate.release();
                stream.synchronize();
            }
            assertDoesNotThrow(((AutoCloseable) memory)::close);
            assertThrows(IllegalStateException.class, () -> slice.get(ValueLayout.JAVA_INT, 0));
            assertThrows(IllegalStateException.class, () -> Driver.toDevice(segment));
            assertThrows(Driver.LogicError.class, () -> memory.segment());
            assertDoesNotThrow(((AutoCloseable) memory)::close);
        }
    }

    @Test
    void memoryIsAccessibleAsSegments() throws InterruptedException {
        MemorySegment left;
        try (var pinned = Driver.pagelockedZeros(DType.INT32, 1000); var managed = Driver.managedZeros(DType.INT32, 1000)) {
            for (HostBuffers memory : new HostBuffers[] {pinned, managed}) {
                MemorySegment segment = memory.segment(MemorySegment.class);
                assertEquals(4000, segment.byteSize());
                segment.setAtIndex(ValueLayout.JAVA_INT, 7, 42);
                assertEquals(42, memory.asIntBuffer().get(7));
                assertEquals(42, memory.segment().getAtIndex(ValueLayout.JAVA_INT, 7));
                assertThrows(IndexOutOfBoundsException.class, () -> segment.getAtIndex(ValueLayout.JAVA_INT, 1000));
                assertThrows(IllegalArgumentException.class, () -> memory.segment(ByteBuffer.class));
                try (var device = Driver.memAlloc(4000); var stream = new Stream()) {
                    Driver.memcpyHtod(device, segment);
                    assertEquals(42, Driver.fromDevice(device, 1000, int[].class)[7]);
                    increment().launch(Driver.block(32).stream(stream), new InOut(segment), 1000);
                    stream.synchronize();
                    assertEquals(49, segment.getAtIndex(ValueLayout.JAVA_INT, 7));
                }
            }
        }
        left = Driver.pagelockedZeros(DType.INT32, 1000).segment(MemorySegment.class).asSlice(16);
        Cleanup.collectGarbage();
        left.set(ValueLayout.JAVA_INT, 0, 3);  // the segment keeps the memory alive
        assertEquals(3, left.get(ValueLayout.JAVA_INT, 0));
    }

    @Test
    void whatTakesABufferAcceptsASegment() {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (Class<?> type : Samples.publicClasses()) {
            for (var member : java.util.stream.Stream.<Executable>concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getMethods())).toList()) {
                Class<?>[] types = member.getParameterTypes();
                int at = Arrays.asList(types).indexOf(HostData.class);
                if (at < 0 || member.isSynthetic() || !(exists(type, member, at, Buffer.class) || exists(type, member, at, ByteBuffer.class))) {
                    continue;
                }
                found++;
                if (!exists(type, member, at, MemorySegment.class)) {
                    missing.add(member.toString());
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(found > 40, found + " methods");
    }

    /** Whether the member has an overload with this type in place of a HostData. */
    private static boolean exists(Class<?> owner, Executable member, int at, Class<?> instead) {
        Class<?>[] types = member.getParameterTypes();
        types[at] = instead;
        try {
            assertNotNull(member instanceof Method ? owner.getMethod(member.getName(), types) : owner.getConstructor(types));
            return true;
        } catch (NoSuchMethodException none) {
            return false;
        }
    }

    @Test
    void segmentsHaveOverloads() {
        try (Arena arena = Arena.ofConfined(); var device = Driver.memAlloc(32); var stream = new Stream()) {
            MemorySegment one = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4);
            MemorySegment two = arena.allocate(16, 4);
            Driver.memcpyHtod(device, one);
            Driver.memcpyDtoh(two, device);
            assertEquals(-1, one.mismatch(two));
            Driver.memcpyHtodAsync(device, two.fill((byte) 1), stream);
            Driver.memcpyDtohAsync(one, device, stream);
            stream.synchronize();
            assertEquals(-1, one.mismatch(two));
            try (var array = GPUArray.toGpu(HostData.of(one).as(DType.FLOAT32).shape(2, 2)); var same = GPUArray.toGpuAsync(HostData.of(two).as(DType.FLOAT32).shape(4))) {
                assertEquals(one, array.fill(5).getInto(one));
                assertEquals(5, one.getAtIndex(ValueLayout.JAVA_FLOAT, 3));
                array.set(two).getAsync(one);
                Context.synchronize();
                assertEquals(-1, one.mismatch(two));
                assertEquals(array.getFloats()[0], same.getFloats()[0]);
            }
        }
        MemorySegment lasting = Arena.ofAuto().allocate(64);
        MemorySegment back = Arena.ofAuto().allocate(64);
        lasting.setAtIndex(ValueLayout.JAVA_BYTE, 63, (byte) 9);
        new Memcpy2D().setSrcHost(lasting).setDstHost(back).setSrcPitch(16).setDstPitch(16).setWidthInBytes(16).setHeight(4).copy();
        assertEquals(9, back.getAtIndex(ValueLayout.JAVA_BYTE, 63));
        try (var device = Driver.memAlloc(64); var graph = new Graph()) {
            graph.memcpyHtod(device, lasting.fill((byte) 3)).memcpyDtoh(back, device);
            try (var run = graph.instantiate()) {
                run.launch();
                Context.synchronize();
            }
        }
        assertEquals(-1, lasting.mismatch(back));
    }

    /** Immediately, not at a later garbage collection. */
    @Test
    void waitingCallsReleaseArenas() throws Exception {
        for (int wait = 0; wait < 4; wait++) {
            for (int round = 0; round < 20; round++) {
                try (var stream = new Stream(); var device = Driver.memAlloc(64); Arena arena = Arena.ofConfined()) {
                    MemorySegment host = arena.allocate(64, 8);
                    Stream queue = wait == 3 ? Stream.DEFAULT : stream;
                    Driver.memcpyHtodAsync(device, host, queue);
                    increment().launch(Driver.block(1).stream(queue), Driver.inOut(host), 16);
                    Driver.memcpyDtohAsync(host, device, queue);
                    if (wait == 0) {
                        stream.synchronize();
                    } else if (wait == 1) {
                        stream.whenDone().get();
                    } else if (wait == 2) {
                        while (!stream.isDone()) {
                            Thread.onSpinWait();
                        }
                    } else {
                        Context.synchronize();
                    }
                }
            }
        }
    }

    /** A graph copies only page-locked host memory, and a copy that is refused keeps no arena open. */
    @Test
    void capturesRefusePageableSegments() {
        Arena arena = Arena.ofShared();
        try (var stream = new Stream(); var device = Driver.memAlloc(64)) {
            MemorySegment host = arena.allocate(64, 8);
            try (var capture = stream.capture(CaptureMode.GLOBAL)) {
                assertThrows(Driver.LogicError.class, () -> Driver.memcpyHtodAsync(device, host, stream));
                capture.end().close();
            }
            arena.close();
        }
    }

    @Test
    void registeredSegments() {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(8192, 4096);
        try (var registered = Memory.registerHostMemory(segment)) {
            assertEquals(8192, registered.size());
            assertEquals(8192, registered.base().capacity());
            assertThrows(IllegalStateException.class, arena::close);
            assertThrows(Driver.LogicError.class, () -> Memory.registerHostMemory(segment));
        }
        arena.close();
        assertThrows(IllegalStateException.class, () -> Memory.registerHostMemory(segment));
        assertThrows(IllegalArgumentException.class, () -> Memory.registerHostMemory(MemorySegment.ofArray(new byte[4096])));
    }

    @Test
    void structuredCopiesRejectMemoryOfClosableArenas() {
        try (Arena arena = Arena.ofConfined()) {
            var error = assertThrows(IllegalArgumentException.class, () -> new Memcpy2D().setSrcHost(arena.allocate(64).asByteBuffer()));
            assertTrue(error.getMessage().contains("Arena.ofAuto()"), error.getMessage());
        }
        new Memcpy2D().setSrcHost(Arena.ofAuto().allocate(64).asByteBuffer());
    }
}
