package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of another interface, and what is mapped onto it. */
class ExternalMemoryTest implements WithContext {
    @Test
    void aBufferIsTheMemoryOfTheOtherSide() {
        try (var other = new External(); var external = other.memory()) {
            assertEquals(External.NBYTES, external.size());
            try (var buffer = external.mapBuffer(64, 400)) {
                Kernels.get("fill").launch(Driver.block(100), buffer, 3, 100);
                Context.synchronize();
                int[] read = Driver.fromDevice(other.view, 128, int[].class);
                assertEquals(0, read[15]);
                assertEquals(3, read[16]);
                assertEquals(3, read[115]);
                assertEquals(0, read[116]);
                assertEquals(400, buffer.size());
            }
        }
    }

    @Test
    void whatIsMappedKeepsIt() {
        try (var other = new External()) {
            var external = other.memory();
            var buffer = external.mapBuffer();
            external.close();
            assertThrows(Driver.LogicError.class, external::mapBuffer);
            Driver.memsetD8(buffer, (byte) 7, 4);
            assertArrayEquals(new byte[] {7, 7, 7, 7, 0}, Driver.fromDevice(other.view, 5, byte[].class));
            buffer.close();
            assertThrows(Driver.LogicError.class, buffer::pointer);
        }
    }

    @Test
    void anArrayIsTheImageOfTheOtherSide() {
        var shape = new ArrayDescriptor3D(8, 4, 0, ArrayFormat.FLOAT, 1);
        try (var other = new External(); var external = other.memory(); var levels = external.mapMipmappedArray(shape, 2, 512)) {
            Driver.memcpyHtod(other.view.plus(512), new float[] {1, 2, 3, 4, 5, 6, 7, 8});
            var read = new float[8];
            Copies.memcpyAtoh(HostData.of(read), levels.level(0), 0);
            assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6, 7, 8}, read);
            assertEquals(4, levels.level(1).descriptor().width());
            var error = assertThrows(Driver.LogicError.class, () -> external.mapMipmappedArray(shape, 2, External.NBYTES));
            assertTrue(error.getMessage().contains("2 levels, at byte 65536 of 65536 bytes"), error.getMessage());
        }
    }

    @Test
    void aFailedImportLeavesTheDescriptorToTheProgram() {
        try (var other = new External()) {
            int descriptor = other.descriptor();
            var error = assertThrows(Driver.LogicError.class, () -> new ExternalMemory(descriptor, Long.MAX_VALUE));
            assertTrue(error.getMessage().contains("file descriptor " + descriptor + ", which still belongs to the program"), error.getMessage());
            new ExternalMemory(descriptor, External.NBYTES, true, ExternalMemoryHandleType.OPAQUE_FD).close();  // it takes it now
            assertThrows(Driver.RuntimeError.class, () -> new ExternalMemory(descriptor, External.NBYTES));
            assertThrows(IllegalArgumentException.class, () -> new ExternalMemory(-1, 1));
        }
    }

    @Test
    void handlesOfWindowsAreNamed() {
        for (var type : ExternalMemoryHandleType.values()) {
            if (type != ExternalMemoryHandleType.OPAQUE_FD && type != ExternalMemoryHandleType.DMABUF_FD) {
                var error = assertThrows(Driver.LogicError.class, () -> new ExternalMemory(0, 1, false, type));
                assertTrue(error.getMessage().contains(type + " is not a file descriptor"), error.getMessage());
            }
        }
    }

    @Test
    void sparseArraysAreRefusedWhereThereAreNone() {
        var device = new Device(0);
        assumeTrue(device.attribute(DeviceAttribute.SPARSE_CUDA_ARRAY_SUPPORTED) == 0, "the device has them");
        var shape = new ArrayDescriptor3D(1024, 1024, 0, ArrayFormat.FLOAT, 1, Array3dFlags.SPARSE);
        assertThrows(Driver.LogicError.class, () -> new Array(shape));
        assertThrows(Driver.LogicError.class, () -> PhysicalMemory.tilePool(1 << 16));
        var region = new SparseRegion();
        region.setWidth(64);
        assertEquals(64, region.width());
        assertEquals(1, region.depth());
        try (var array = new Array(new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1)); var memory = new PhysicalMemory(1 << 16)) {
            assertThrows(Driver.LogicError.class, array::sparseProperties);
            assertThrows(Driver.LogicError.class, () -> array.mapTiles(region, memory));
            assertThrows(Driver.LogicError.class, () -> array.unmapMipTail(0, 1 << 16));
            assertThrows(NullPointerException.class, () -> array.mapTiles(null, memory));
        }
    }

    @Test
    void tellsWhereManagedMemoryIs() {
        assumeTrue(Devices.isCpu(), "no driver of CUDA 13.4 has been seen");
        try (var memory = Driver.managedZeros(DType.INT32, 4096)) {
            memory.prefetchAsync(0);
            Context.synchronize();
            assertEquals(List.of(new Driver.MemoryLocation(MemLocationType.DEVICE, 0)), Memory.memRangeGetLocations(memory, 16384));
            assertEquals(4, Memory.memRangeGetLocations(memory, 16384, 4096, 64).size());
            assertThrows(Driver.LogicError.class, () -> Memory.memRangeGetLocations(Driver.memAlloc(64), 64));
        }
    }
}
