package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class HostMemoryTest implements WithContext {
    @Test
    void pagelockedMemoryIsReturnedAsBuffers() {
        try (var memory = Driver.pagelockedEmpty(DType.FLOAT32, 100)) {
            assertEquals(400, memory.size());
            FloatBuffer floats = memory.asFloatBuffer();
            assertEquals(100, floats.capacity());
            assertEquals(ByteOrder.nativeOrder(), floats.order());
            assertEquals(ByteOrder.nativeOrder(), memory.buffer().order());
            floats.put(99, 2.5f);
            assertEquals(2.5f, memory.buffer(396, 4).getFloat(0));
            assertEquals(50, memory.asDoubleBuffer().capacity());
            assertThrows(IllegalArgumentException.class, () -> memory.buffer(397, 4));
            assertThrows(IllegalArgumentException.class, () -> memory.buffer(-1, 4));
        }
    }

    @Test
    void pagelockedMemoryIsCopiedOnAStream() {
        try (var stream = new Stream(); var memory = Driver.pagelockedZeros(DType.INT32, 16); var device = Driver.memAlloc(64)) {
            assertEquals(0, memory.asIntBuffer().get(15));
            memory.asIntBuffer().put(3, 7);
            Driver.memcpyHtodAsync(device, memory.buffer(), stream);
            stream.synchronize();
            assertEquals(7, Driver.fromDevice(device, 16, int[].class)[3]);
        }
    }

    @Test
    void requestedFlagsAreSet() {
        var options = PinnedMemory.like(HostData.of(new float[4])).portable().mapped();
        try (var memory = options.zeros()) {
            assertEquals(16, memory.size());
            // Not PORTABLE: driver 580 sometimes omits it from the flags of small allocations, which are portable all the same.
            assertTrue(memory.flags().contains(HostAllocFlags.DEVICEMAP));
            Driver.memsetD8(DevicePointer.of(memory.devicePointer()), 5, 16);
            Autoinit.context();
            Context.synchronize();
            assertEquals(5, memory.buffer().get(15));
        }
        assertThrows(Driver.LogicError.class, () -> ManagedMemory.of(DType.INT8, 1).attach(MemAttachFlags.SINGLE).empty());
    }

    @Test
    void sizesAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> Driver.pagelockedEmpty(DType.INT8, -1));
        assertThrows(IllegalArgumentException.class, () -> AlignedMemory.of(DType.FLOAT64, Long.MAX_VALUE).empty());
        assertThrows(Driver.MemoryError.class, () -> Driver.pagelockedEmpty(DType.INT8, 1L << 60));
        assertThrows(IllegalArgumentException.class, () -> AlignedMemory.of(DType.INT8, 16).alignment(3).empty());
        assertThrows(IllegalArgumentException.class, () -> PinnedMemory.like(HostData.of(new String[] {"text"})).empty());
        try (var rows = AlignedMemory.like(HostData.of(new double[2][3])).empty(); var buffer = ManagedMemory.like(HostData.of(java.nio.IntBuffer.allocate(5))).zeros();
                var object = PinnedMemory.like(HostData.ofObject(new boolean[7])).zeros()) {
            assertEquals(48, rows.size());
            assertEquals(20, buffer.size());
            assertEquals(7, object.size());
        }
        try (var nothing = Driver.pagelockedEmpty(DType.INT8, 0)) {
            assertEquals(0, nothing.buffer().capacity());
        }
    }

    @Test
    void freedMemoryIsRejected() {
        var memory = AlignedMemory.of(DType.INT8, 16).zeros();
        assertTrue(memory.toString().startsWith("AlignedHostAllocation of 16 bytes at 0x"), memory.toString());
        memory.free();
        assertDoesNotThrow(memory::close);
        assertThrows(Driver.LogicError.class, memory::buffer);
        assertThrows(Driver.LogicError.class, memory::devicePointer);
        assertTrue(memory.toString().contains("was freed"), memory.toString());
    }

    @Test
    void buffersKeepTheMemory() {
        long before = Devices.liveWithoutGarbage("page-locked allocation");
        FloatBuffer view = Driver.pagelockedZeros(DType.FLOAT32, 64).asFloatBuffer().slice();
        assertEquals(before + 1, Devices.liveWithoutGarbage("page-locked allocation"));
        assertEquals(0, view.get(63));
        java.lang.ref.Reference.reachabilityFence(view);
        view = null;
        assertEquals(before, Devices.liveWithoutGarbage("page-locked allocation"));
    }

    @Test
    void registeredMemorySharesTheBuffersMemory() {
        try (var aligned = AlignedMemory.of(DType.INT8, 8192).zeros()) {
            ByteBuffer base = aligned.buffer();
            var registered = Memory.registerHostMemory(base, MemHostRegisterFlags.DEVICEMAP);
            assertSame(base, registered.base());
            assertEquals(8192, registered.size());
            Driver.memsetD8(DevicePointer.of(registered.devicePointer()), 3, 8192);
            Context.synchronize();
            assertEquals(3, base.get(8191));
            assertThrows(Driver.LogicError.class, () -> Memory.registerHostMemory(base));
            registered.unregister();
            assertThrows(Driver.LogicError.class, registered::buffer);
            Memory.registerHostMemory(base).close();
        }
        assertThrows(IllegalArgumentException.class, () -> Memory.registerHostMemory(ByteBuffer.allocate(64)));
    }

    @Test
    void registeredMemoryKeepsItsBuffer() {
        long before = Devices.liveWithoutGarbage("registered host memory");
        ByteBuffer view = Memory.registerHostMemory(ByteBuffer.allocateDirect(4096)).buffer();
        assertEquals(before + 1, Devices.liveWithoutGarbage("registered host memory"));
        view.put(100, (byte) 1);
        java.lang.ref.Reference.reachabilityFence(view);
        view = null;
        assertEquals(before, Devices.liveWithoutGarbage("registered host memory"));
    }

    @Test
    void managedMemoryIsAKernelArgument() {
        Assumptions.assumeTrue(new Device(0).attribute(DeviceAttribute.MANAGED_MEMORY) != 0, "no managed memory");
        try (var memory = Driver.managedZeros(DType.INT32, 32); var stream = new Stream()) {
            Kernels.get("fill").launch(Driver.block(32), memory, 9, 32);
            Context.synchronize();
            assertEquals(9, memory.asIntBuffer().get(31));
            assertEquals(memory.pointer(), memory.devicePointer());
            Kernels.get("fill").launch(Driver.block(32), memory.plus(64), 5, 16);
            Context.synchronize();
            assertArrayEquals(new int[] {9, 5}, new int[] {memory.asIntBuffer().get(15), memory.asIntBuffer().get(16)});
            memory.attach(MemAttachFlags.SINGLE, stream);
            memory.attach(MemAttachFlags.GLOBAL);
            stream.synchronize();
        }
    }

    @Test
    void managedMemoryTakesAdviceAndPrefetches() {
        Assumptions.assumeTrue(new Device(0).attribute(DeviceAttribute.CONCURRENT_MANAGED_ACCESS) != 0, "no advice");
        try (var memory = Driver.managedZeros(DType.INT32, 32); var stream = new Stream(); var plain = Driver.memAlloc(64)) {
            Memory.memAdvise(memory, 128, MemAdvice.SET_READ_MOSTLY);
            Memory.memAdvise(memory, 128, MemAdvice.SET_PREFERRED_LOCATION, 0);
            memory.advise(MemAdvice.UNSET_PREFERRED_LOCATION);
            memory.advise(MemAdvice.SET_ACCESSED_BY, 0);
            memory.prefetchAsync(0, stream);
            stream.synchronize();
            var device = new Device(0);
            Memory.memAdvise(memory, 128, MemAdvice.SET_PREFERRED_LOCATION, device);
            Memory.memPrefetchAsync(memory, 128, device);
            Memory.memPrefetchAsync(memory, 128, device, stream);
            memory.advise(MemAdvice.SET_ACCESSED_BY, device);
            memory.prefetchAsync(device);
            memory.prefetchAsync(device, stream);
            stream.synchronize();
            assertThrows(NullPointerException.class, () -> memory.advise(MemAdvice.SET_ACCESSED_BY, null));
            assertEquals(0, memory.asIntBuffer().get(31));
            var error = assertThrows(Driver.LogicError.class, () -> Memory.memAdvise(plain, 64, MemAdvice.SET_READ_MOSTLY));
            assertEquals("cuMemAdvise", error.routine());
            assertThrows(Driver.Error.class, () -> memory.advise(MemAdvice.SET_ACCESSED_BY, 1000));
        }
    }

    @Test
    void pitchedMemory() {
        var pitched = Driver.memAllocPitch(100, 7, 4);
        try (var memory = pitched.allocation()) {
            assertTrue(pitched.pitch() >= 100);
            assertEquals(7 * pitched.pitch(), memory.size());
            Driver.memsetD8(memory, 1, memory.size());
        }
        assertThrows(Driver.LogicError.class, () -> Driver.memAllocPitch(100, 7, 3));
    }

    @Test
    void ownIpcHandlesCannotBeOpened() {
        try (var memory = Driver.memAlloc(64)) {
            byte[] handle = Memory.memGetIpcHandle(memory);
            assertEquals(64, handle.length);
            assertThrows(Driver.Error.class, () -> new IPCMemoryHandle(handle));
            assertThrows(IllegalArgumentException.class, () -> new IPCMemoryHandle(new byte[3]));
        }
    }
}
