package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Arrays, structured copies, fills of rows, copies between contexts. */
class ArrayTest implements WithContext {
    private static FloatBuffer direct(int count) {
        return ByteBuffer.allocateDirect(4 * count).order(ByteOrder.nativeOrder()).asFloatBuffer();
    }

    private static float[] fetch(Array array, int width, int height) {
        FloatBuffer result = direct(width * height);
        new Memcpy2D().setSrcArray(array).setDstHost(result).setDstPitch(4L * width).setWidthInBytes(4L * width).setHeight(height).copy();
        var values = new float[width * height];
        result.get(values);
        return values;
    }

    @Test
    void descriptors() {
        try (var array = new Array(new ArrayDescriptor(5, 3, ArrayFormat.SIGNED_INT16, 2))) {
            ArrayDescriptor descriptor = array.descriptor();
            assertEquals(5, descriptor.width());
            assertEquals(3, descriptor.height());
            assertEquals(ArrayFormat.SIGNED_INT16, descriptor.format());
            assertEquals(2, descriptor.numChannels());
            assertEquals(0, array.descriptor3d().depth());
            assertNotEquals(0, array.handle());
        }
        var layered = new ArrayDescriptor3D(4, 4, 3, ArrayFormat.FLOAT, 1, Array3dFlags.LAYERED);
        assertEquals(Set.of(Array3dFlags.LAYERED), new Array(layered).descriptor3d().flags());
        assertThrows(Driver.LogicError.class, () -> new Array(new ArrayDescriptor(4, 4, ArrayFormat.FLOAT, 3)));
        assertThrows(IllegalArgumentException.class, () -> layered.setWidth(-1));
    }

    @Test
    void freeIsClose() {
        var array = new Array(new ArrayDescriptor(5, 3, ArrayFormat.FLOAT, 1));
        array.free();
        array.close();
        assertThrows(Driver.LogicError.class, array::descriptor);
    }

    @Test
    void ofHostData() {
        var matrix = new float[] {1, 2, 3, 4, 5, 6};
        assertArrayEquals(matrix, fetch(Textures.matrixToArray(HostData.of(matrix).shape(2, 3), Order.C), 3, 2));
        assertArrayEquals(matrix, fetch(Textures.matrixToArray(HostData.of(matrix).shape(2, 3), Order.F), 2, 3));
        ArrayDescriptor channels = Textures.makeMultichannel2dArray(HostData.of(new byte[24]).shape(2, 3, 4), Order.C).descriptor();
        assertEquals(3, channels.width());
        assertEquals(4, channels.numChannels());
        ArrayDescriptor3D box = Textures.toArray(HostData.of(new double[24]).shape(2, 3, 4), Order.C, true).descriptor3d();
        assertEquals(4, box.width());
        assertEquals(2, box.depth());
        assertEquals(2, box.numChannels());
        assertEquals(Set.of(Array3dFlags.SURFACE_LDST), box.flags());
        assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(matrix).shape(2, 2), Order.C));
        assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(matrix).shape(2, 3), Order.K));
        for (float[][] empty : new float[][][] {{}, {{}}}) {
            var error = assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(empty), Order.C));
            assertEquals("an Array needs at least one element, given width 0, height " + empty.length, error.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> Textures.matrixToArray(HostData.of(new double[6]).shape(2, 3), Order.C));
        assertThrows(IllegalArgumentException.class, () -> Textures.toArray(HostData.of(new long[6]).shape(2, 3), Order.C));
    }

    @Test
    void ofArraysOnTheDevice() {
        var matrix = new float[] {1, 2, 3, 4, 5, 6};
        try (var stream = new Stream(StreamFlags.NON_BLOCKING)) {
            GPUArray rows = GPUArray.toGpu(matrix).reshape(2, 3);
            assertArrayEquals(matrix, fetch(Textures.gpuarrayToArray(rows, Order.C), 3, 2));
            assertArrayEquals(matrix, fetch(Textures.gpuarrayToArray(rows.transpose(), Order.F), 3, 2));
            assertArrayEquals(new float[] {2, 4, 6, 8, 10, 12}, fetch(Textures.gpuarrayToArray(rows.on(stream).mul(2), Order.C), 3, 2));
            ArrayDescriptor3D box = Textures.gpuarrayToArray(GPUArray.zeros(DType.FLOAT64, 2, 3, 4), Order.C, true).descriptor3d();
            assertEquals(2, box.numChannels());
            assertEquals(Set.of(Array3dFlags.SURFACE_LDST), box.flags());
            assertThrows(IllegalArgumentException.class, () -> Textures.gpuarrayToArray(rows, Order.F));
            assertThrows(IllegalArgumentException.class, () -> Textures.gpuarrayToArray(rows, Order.K));
            assertThrows(IllegalArgumentException.class, () -> Textures.gpuarrayToArray(rows.ravel(), Order.C));
            assertThrows(IllegalArgumentException.class, () -> Textures.gpuarrayToArray(GPUArray.zeros(DType.INT64, 2, 3), Order.C));
        }
    }

    @Test
    void linearCopies() {
        var descriptor = new ArrayDescriptor(4, 0, ArrayFormat.FLOAT, 1);
        try (var one = new Array(descriptor); var other = new Array(descriptor)) {
            Copies.memcpyHtoa(one, 0, HostData.of(new float[] {1, 2, 3, 4}));
            Copies.memcpyAtoa(other, 8, one, 0, 8);
            Copies.memcpyAtoa(other, 0, one, 8, 8);
            var memory = Driver.memAlloc(16);
            Copies.memcpyAtod(memory, other, 0, 16);
            assertArrayEquals(new float[] {3, 4, 1, 2}, Driver.fromDevice(memory, 4, float[].class));
            Copies.memcpyDtoa(one, 4, memory, 4);
            var result = new float[4];
            Copies.memcpyAtoh(HostData.of(result), one, 0);
            assertArrayEquals(new float[] {1, 3, 3, 4}, result);
            assertThrows(Driver.LogicError.class, () -> Copies.memcpyHtoa(one, 4, HostData.of(new float[4])));
        }
    }

    @Test
    void structuredCopies() {
        FloatBuffer data = direct(12);
        for (int i = 0; i < 12; i++) {
            data.put(i, i);
        }
        var memory = Driver.memAlloc(256);
        try (var stream = new Stream()) {
            var in = new Memcpy2D();
            in.setSrcHost(data);
            in.setDstDevice(memory);
            in.setSrcPitch(16);
            in.setSrcXInBytes(4);
            in.setDstPitch(64);
            in.setWidthInBytes(8);
            in.setHeight(3);
            in.copy(stream);
            FloatBuffer result = direct(6);
            var out = new Memcpy3D();
            out.setSrcUnified(memory);
            out.setDstHost(result);
            out.setSrcPitch(64);
            out.setSrcHeight(3);
            out.setDstPitch(8);
            out.setDstHeight(3);
            out.setWidthInBytes(8);
            out.setHeight(3);
            out.setDepth(1);
            out.copy(stream);
            stream.synchronize();
            var values = new float[6];
            result.get(values);
            assertArrayEquals(new float[] {1, 2, 5, 6, 9, 10}, values);
            out.setHeight(4);
            assertThrows(IllegalArgumentException.class, out::copy);
            in.copy(false);
            assertThrows(Driver.LogicError.class, () -> new Memcpy2D().copy());
            assertThrows(IllegalArgumentException.class, () -> in.setSrcHost(FloatBuffer.allocate(4)));
            assertThrows(IllegalArgumentException.class, () -> in.setDstHost(data.asReadOnlyBuffer()));
        }
    }

    @Test
    void settersReturnTheCopyItself() throws ReflectiveOperationException {
        for (Class<?> type : List.of(Memcpy2D.class, Memcpy3D.class, Memcpy3DPeer.class)) {
            var setters = Arrays.stream(type.getMethods()).filter(method -> method.getName().startsWith("set") && !method.isBridge()).toList();
            assertTrue(setters.size() >= 18, type + " has " + setters.size());
            Object copy = type.getConstructor().newInstance();
            for (var setter : setters) {
                assertEquals(type, setter.getReturnType(), setter.toString());
                if (setter.getParameterTypes()[0] == long.class) assertSame(copy, setter.invoke(copy, 1L), setter.toString());
            }
        }
        try (var memory = Driver.memAlloc(64); var array = new Array(new ArrayDescriptor(2, 2, ArrayFormat.FLOAT, 1))) {
            FloatBuffer host = direct(4);
            var box = new Memcpy3D();
            assertSame(box, box.setSrcHost(host).setDstDevice(memory).setSrcUnified(memory).setSrcUnified(host).setSrcArray(array)
                .setDstUnified(memory).setDstUnified(host).setDstHost(host).setSrcDevice(memory).setDstArray(array)
                .setSrcXInBytes(1).setSrcHeight(2).setDepth(3));
            assertEquals(List.of(1L, 2L, 3L), List.of(box.srcXInBytes(), box.srcHeight(), box.depth()));
            assertThrows(IllegalArgumentException.class, () -> box.setDepth(-1).setHeight(4));
            assertEquals(0, box.height());
            assertEquals(3, box.depth());
        }
    }

    @Test
    void fillsOfRows() {
        var memory = Driver.memAlloc(32);
        Driver.memsetD8(memory, 0, 32);
        Fills.memsetD2d32(memory, 16, 7, 2, 2);
        Fills.memsetD2d16Async(memory, 16, 1, 1, 2);
        Fills.memsetD2d8Async(memory, 16, 2, 1, 1, Stream.DEFAULT);
        Context.synchronize();
        assertArrayEquals(new int[] {2, 7, 0, 0, 1, 7, 0, 0}, Driver.fromDevice(memory, 8, int[].class));
    }

    @Test
    void betweenContexts() {
        var here = Driver.toDevice(new int[] {1, 2, 3, 4});
        var context = Context.device();
        var mine = Driver.memAlloc(16);
        Copies.memcpyPeer(mine, here, 16);
        assertArrayEquals(new int[] {1, 2, 3, 4}, Driver.fromDevice(mine, 4, int[].class));
        try (Context other = context.makeContext()) {
            var there = Driver.memAlloc(16);
            Copies.memcpyPeer(there, here, 16);
            Copies.memcpyPeerAsync(there, here, 8);
            Context.synchronize();
            assertArrayEquals(new int[] {1, 2, 3, 4}, Driver.fromDevice(there, 4, int[].class));
            new Memcpy3DPeer().setSrcDevice(here).setDstDevice(there).setDstContext(other).setWidthInBytes(8).setHeight(1).setDepth(1).copy();
        }
    }
}
