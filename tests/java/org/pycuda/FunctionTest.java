package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class FunctionTest implements WithContext {
    private static final LaunchConfig ONE = Driver.block(1);

    private static String refused(String kernel, Object... arguments) {
        return assertThrows(IllegalArgumentException.class, () -> Kernels.get(kernel).launch(ONE, arguments)).getMessage();
    }

    @Test
    void everyValueTypeReachesTheKernel() {
        var out = new double[8];
        Kernels.get("mixed").launch(ONE, Driver.out(out), (byte) -1, (short) -2, -3, -4L, 5.5f, 6.5, true, '\uffff');
        assertArrayEquals(new double[] {-1, -2, -3, -4, 5.5, 6.5, 1, 65535}, out);
    }

    @Test
    void textShowsTheSignature() {
        String head = ".version 8.0\n.target sm_50\n.address_size 64\n.visible .entry ";
        var mangled = Driver.moduleFromBuffer(head + "_Z5scalePffi(.param .u64 y, .param .f32 a, .param .u32 n) { ret; }\n");
        String text = mangled.function("_Z5scalePffi").toString();
        assertTrue(text.contains("'scale(float*, float, int)'"), text);
        assertTrue(Kernels.get("take_pair").toString().contains("'take_pair'"), Kernels.get("take_pair").toString());
    }

    @Test
    void structsArePassedByValue() {
        var pair = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putInt(0, 3).putDouble(8, 2.5);
        var out = new double[2];
        Kernels.get("take_pair").launch(ONE, Driver.out(out), Driver.bytes(pair), 4);
        assertArrayEquals(new double[] {12, 10}, out);
        assertEquals(0, pair.position());
        assertThrows(IllegalArgumentException.class, () -> Driver.bytes(pair, 3));
    }

    @Test
    void geometryAndSharedMemory() {
        var out = new int[2 * 3 * 2];
        Kernels.get("geometry").launch(Driver.block(4, 2, 3).grid(2, 3, 2).shared(24 * 4), Driver.out(out));
        assertTrue(IntStream.of(out).allMatch(sum -> sum == 24), java.util.Arrays.toString(out));
    }

    /** Blocks that wait for each other: they finish only if all run concurrently. */
    @Test
    void cooperativeBlocksRunConcurrently() {
        var meet = Kernels.module("""
            __global__ void meet(int *arrived)
            {
                atomicAdd(arrived, 1);
                while (atomicAdd(arrived, 0) < gridDim.x);
            }
            """).function("meet");
        assumeTrue(new Device(0).attribute(DeviceAttribute.COOPERATIVE_LAUNCH) != 0, "no cooperative launches");
        try (var arrived = Driver.toDevice(new int[1])) {
            meet.launch(Driver.block(1).grid(3).cooperative(), arrived);
            assertArrayEquals(new int[] {3}, Driver.fromDevice(arrived, 1, int[].class));
        }
    }

    @Test
    void clustersReportTheirSizeOrAreRejected() {
        var config = Driver.block(1).grid(4).cluster(2);
        assertTrue(config.toString().contains("CLUSTER_DIMENSION=(2, 1, 1)"), config.toString());
        try (var out = Driver.toDevice(new int[4])) {
            Kernels.get("fill").launch(config, out, 3, 4);
            Context.synchronize();
        } catch (Driver.Error refused) {
            assertTrue(new Device(0).computeCapability().major() < 9, refused.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> config.cluster(-1));
    }

    @Test
    void configsAreImmutable() {
        var block = Driver.block(8);
        var changed = block.grid(5).shared(16);
        assertEquals("block=(8, 1, 1), grid=(1, 1, 1), shared=0", block.toString());
        assertEquals("block=(8, 1, 1), grid=(5, 1, 1), shared=16", changed.toString());
        assertRefused("block must not be negative, given (-1, 1, 1)", () -> Driver.block(-1));
        assertRefused("grid must not be negative, given (2, -3, 1)", () -> block.grid(2, -3));
        assertRefused("shared must not be negative, given -1", () -> block.shared(-1));
    }

    private static void assertRefused(String message, Executable call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    @Test
    void wrongArgumentCountsAreRejected() {
        assertTrue(refused("fill", 0L).contains("'fill' takes 3 arguments, given 1"));
        assertTrue(refused("fill", 0L, 1, 2, 3).contains("argument 3 of 'fill', counted from 0: given Integer (4 bytes), the kernel takes 3"));
        assertTrue(refused("nothing", 1).contains("takes 0 arguments"));
    }

    @Test
    void wrongArgumentSizesAreRejectedWithTheirPosition() {
        String message = refused("axpy", 0L, 0L, 1.0, 4);
        assertEquals("argument 2 of 'axpy', counted from 0: given Double (8 bytes), the kernel expects 4 bytes; a C float is written as 3f", message);
        assertTrue(refused("axpy", 0L, 0L, 1f, 4L).endsWith("a C int is a Java int"));
        assertTrue(refused("axpy", 0, 0L, 1f, 4).endsWith("a 64-bit integer is written as 3L, a double as 3.0"));
        assertTrue(refused("axpy", 0, 0L, 1f, 4).startsWith("argument 0 of 'axpy'"));
        assertTrue(refused("take_pair", 0L, Driver.bytes(ByteBuffer.allocate(12)), 1).contains("given bytes (12 bytes)"));
        record Triple(float x, float y, float z) {}
        var triple = new Triple(1, 2, 3);
        assertTrue(refused("take_pair", 0L, triple, 1).contains("given Triple (12 bytes)"));
        assertTrue(refused("take_pair", 0L, StructType.of(Triple.class).value(triple), 1).contains("given Triple (12 bytes)"));
        assertThrows(IllegalArgumentException.class, () -> Driver.bytes(ByteBuffer.allocate(12), Integer.MIN_VALUE));
    }

    @Test
    void unsupportedArgumentTypesAreRejected() {
        assertTrue(refused("fill", new int[4], 1, 4).contains("Driver.inOut"));
        assertTrue(refused("fill", ByteBuffer.allocate(4), 1, 4).contains("Driver.bytes"));
        assertTrue(refused("fill", "text", 1, 4).contains("java.lang.String"));
        assertTrue(refused("fill", null, 1, 4).contains("null"));
    }

    @Test
    void failedLaunchErrorsNameKernelAndGeometry() {
        var error = assertThrows(Driver.LogicError.class, () -> Kernels.get("nothing").launch(Driver.block(4096)));
        assertEquals("cuLaunchKernel", error.routine());
        assertTrue(error.getMessage().contains("nothing") && error.getMessage().contains("4096"), error.getMessage());
    }

    @Test
    void launchTimedReturnsSeconds() {
        try (var memory = Driver.memAlloc(4096); var stream = new Stream()) {
            double seconds = Kernels.get("fill").launchTimed(Driver.block(128).grid(8), memory, 1, 1024);
            assertTrue(seconds > 0 && seconds < 60, seconds + " s");
            assertThrows(IllegalArgumentException.class,
                () -> Kernels.get("nothing").launchTimed(ONE.stream(stream)));
        }
    }

    @Test
    void attributes() {
        var function = Kernels.get("geometry");
        assertTrue(function.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK) >= 128);
        assertEquals(function.attribute(FunctionAttribute.NUM_REGS), function.numRegs());
        assertTrue(function.numRegs() > 0);
        assertEquals(0, function.sharedSizeBytes());
        assertTrue(function.localSizeBytes() >= 0);
        function.setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 32768);
        assertEquals(32768, function.attribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES));
        function.setCacheConfig(FuncCache.PREFER_SHARED);
        function.setSharedConfig(SharedConfig.FOUR_BYTE_BANK_SIZE);
        assertThrows(Driver.Error.class, () -> function.setAttribute(FunctionAttribute.NUM_REGS, 1));
    }

    @Test
    void occupancy() {
        var function = Kernels.get("axpy");
        int blocks = function.maxActiveBlocksPerMultiprocessor(128);
        assertTrue(blocks > 0);
        assertTrue(function.maxActiveBlocksPerMultiprocessor(128, 32 << 10) <= blocks);
        assertThrows(Driver.LogicError.class, () -> function.maxActiveBlocksPerMultiprocessor(-1));
        assertThrows(IllegalArgumentException.class, () -> function.maxActiveBlocksPerMultiprocessor(128, -1));
        var best = function.maxPotentialBlockSize();
        assertTrue(best.blockSize() > 0 && best.minGridSize() > 0);
        assertTrue(function.maxPotentialBlockSize(0, 64).blockSize() <= 64);
    }

    @Test
    void pooledMemoryIsOrderedAfterALaunchOnAnotherStream() {
        try (var pool = new DeviceMemoryPool(); var user = new Stream(StreamFlags.NON_BLOCKING); var next = new Stream(StreamFlags.NON_BLOCKING)) {
            var fill = Kernels.get("fill");
            var memory = pool.allocate(16);
            fill.launch(ONE.stream(user), memory, 1, 1);
            PooledDeviceAllocation again;
            try (var gate = new Gate(user)) {
                fill.launch(ONE.stream(user), memory, 3, 1);
                long address = memory.pointer();
                memory.close();
                again = pool.allocate(16, next);
                assertEquals(address, again.pointer());
                fill.launch(ONE.stream(next), again, 4, 1);
                assertTrue(!next.isDone(), "it must wait for the launch that used the memory before");
            }
            next.synchronize();
            assertEquals(4, Driver.fromDevice(again, 1, int[].class)[0]);
        }
    }

    @Test
    void arraysAndOffsetsAreOrderedAfterALaunchOnAnotherStream() {
        try (var user = new Stream(StreamFlags.NON_BLOCKING); var array = GPUArray.zeros(DType.INT32, 4)) {
            Kernels.get("fill").launch(Driver.block(4).stream(user), array, 3, 4);
            Kernels.get("fill").launch(Driver.block(1).stream(user), array.plus(4), 5, 1);
            user.synchronize();
            assertArrayEquals(new int[] {3, 5, 3, 3}, array.getInts());
        }
    }

    @Test
    void launchInAnotherContextIsRejected() {
        var nothing = Kernels.get("nothing");
        try (var other = new Device(0).makeContext()) {
            assertTrue(other.isCurrent());
            assertThrows(Driver.Error.class, () -> nothing.launch(ONE));
        }
    }

    @Test
    void aNestedLaunchDoesNotCorruptTheOuterOne() {
        var inner = new int[1];
        var out = new int[2];
        // When the outer launch asks for its address while packing arguments, it launches a kernel itself.
        try (var memory = Driver.toDevice(out)) {
            DevicePointer nested = () -> {
                Kernels.get("fill").launch(ONE, Driver.out(inner), 77, 1);
                return memory.pointer();
            };
            Kernels.get("fill").launch(Driver.block(2), nested, 5, 2);
            assertArrayEquals(new int[] {5, 5}, Driver.fromDevice(memory, 2, int[].class));
        }
        assertEquals(77, inner[0]);
    }

    private static void launchOnADroppedStream() {
        try (var memory = Driver.memAlloc(4)) {
            Kernels.get("fill").launch(ONE.stream(new Stream()), memory, 1, 1);
            Context.synchronize();
        }
    }

    @Test
    void theLastLaunchOfAThreadDoesNotKeepItsStream() {
        long before = Devices.liveWithoutGarbage("stream");
        launchOnADroppedStream();
        assertTrue(Devices.liveWithoutGarbage("stream") <= before);
    }

    @Test
    void occupancyOfClustersAndSharedMemory() {
        var function = Kernels.get("axpy");
        assertEquals(function.maxActiveBlocksPerMultiprocessor(128),
            function.maxActiveBlocksPerMultiprocessor(128, 0, OccupancyFlags.DISABLE_CACHING_OVERRIDE));
        assertTrue(function.maxPotentialBlockSize(0, 0, OccupancyFlags.DEFAULT).blockSize() > 0);
        long one = function.availableDynamicShared(1, 256);
        assertTrue(function.availableDynamicShared(2, 256) <= one && one > 0);
        assertThrows(Driver.LogicError.class, () -> function.availableDynamicShared(0, 256));
        if (new Device(0).attribute(DeviceAttribute.CLUSTER_LAUNCH) != 0) {
            assertTrue(function.maxPotentialClusterSize(Driver.block(128)) >= 8);
            assertTrue(function.maxActiveClusters(Driver.block(128).grid(2).cluster(2)) >= 1);
            assertThrows(Driver.Error.class, () -> function.maxActiveClusters(Driver.block(128).grid(4).cluster(3)));
        }
        function.load();
        assertTrue(function.isLoaded());
        assertNotNull(Module.loadingMode());
    }
}
