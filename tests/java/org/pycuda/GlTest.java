package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** OpenGL's buffers and images, in a program that draws nothing (tests/gl). */
class GlTest implements WithContext {
    private static final String SOURCE = "__global__ void twice(float *data) { data[threadIdx.x] *= 2; }";
    private static final float[] COUNTING = {1, 2, 3, 4};

    private boolean started;

    /** Makes an OpenGL context current, beside the CUDA context. */
    private void opengl() {
        String whyNot = GlProgram.start();
        started = whyNot == null;
        assumeTrue(started || Devices.isCpu(), whyNot);
        assertNull(whyNot);
        assumeTrue(Devices.isCpu() || GlProgram.vendor().contains("NVIDIA"), "this OpenGL is not the driver's own");
    }

    @AfterEach
    void stop() {
        if (started) {
            GlProgram.stop();
        }
    }

    @Test
    void aKernelWritesABuffer() {
        opengl();
        int name = GlProgram.newBuffer(COUNTING);
        try (var module = new SourceModule(SOURCE); var stream = new Stream(StreamFlags.NON_BLOCKING);
                var registered = new RegisteredBuffer(name); var mapping = registered.map(stream)) {
            assertEquals(name, registered.glHandle());
            Driver.MappedMemory memory = mapping.devicePtrAndSize();
            assertEquals(16, memory.sizeInBytes());
            module.function("twice").launch(Driver.block(4).stream(stream), memory);
            mapping.unmap();
        }
        assertArrayEquals(new float[] {2, 4, 6, 8}, GlProgram.readBuffer(name, 4));
    }

    @Test
    void closingUnmaps() {
        opengl();
        int name = GlProgram.newBuffer(COUNTING);
        var registered = new RegisteredBuffer(name);
        var mapping = registered.map();
        Driver.memcpyHtod(mapping.devicePtrAndSize(), new float[] {5, 6, 7, 8});
        registered.close();
        assertArrayEquals(new float[] {5, 6, 7, 8}, GlProgram.readBuffer(name, 4));
        assertThrows(Driver.LogicError.class, mapping::devicePtrAndSize);
        mapping.close();
        registered.close();
        assertEquals(0, Devices.live("OpenGL mapping"));
        assertEquals(0, Devices.live("registered OpenGL object"));
    }

    @Test
    void everyStateCanEndOnlyOnce() {
        opengl();
        var registered = new RegisteredBuffer(GlProgram.newBuffer(COUNTING), GraphicsRegisterFlags.READ_ONLY);
        registered.setMapFlags(GraphicsMapFlags.NONE);
        var mapping = registered.map(Stream.DEFAULT);
        assertThrows(Driver.LogicError.class, registered::map);
        var failure = assertThrows(Driver.LogicError.class, registered::unregister);
        assertTrue(failure.getMessage().contains("unmap it first"), failure.getMessage());
        assertThrows(Driver.LogicError.class, () -> mapping.array(0, 0));
        mapping.unmap(Stream.DEFAULT);
        for (Runnable use : new Runnable[] {mapping::unmap, mapping::devicePtrAndSize, mapping::handle, () -> mapping.unmap(Stream.DEFAULT)}) {
            assertEquals("OpenGL mapping was unmapped", assertThrows(Driver.LogicError.class, use::run).getMessage());
        }
        registered.unregister();
        for (Runnable use : new Runnable[] {registered::unregister, registered::map, registered::handle, () -> registered.setMapFlags()}) {
            assertEquals("registered OpenGL object was unregistered", assertThrows(Driver.LogicError.class, use::run).getMessage());
        }
    }

    @Test
    void arraysOfImagesEndWithTheMapping() {
        opengl();
        int name = GlProgram.newImage(4, 1);
        try (var registered = new RegisteredImage(name, GlProgram.TEXTURE_2D)) {
            var mapping = registered.map();
            Array array = mapping.array(0, 0);
            assertEquals(4, array.descriptor().width());
            var copy = new Memcpy2D();
            copy.setSrcHost(GlProgram.direct(COUNTING));
            copy.setDstArray(array);
            copy.setSrcPitch(16);
            copy.setWidthInBytes(16);
            copy.setHeight(1);
            copy.copy(true);
            assertThrows(Driver.LogicError.class, mapping::devicePtrAndSize);
            assertThrows(Driver.LogicError.class, () -> mapping.array(1, 0));
            mapping.unmap();
            assertThrows(Driver.LogicError.class, array::descriptor);
            assertThrows(Driver.LogicError.class, () -> copy.copy(true));
        }
        assertArrayEquals(COUNTING, GlProgram.readImage(name, 4));
    }

    /** The Cleaner's thread has no OpenGL: objects dropped there are released, and the process continues. */
    @Test
    void droppedObjectsAreCollected() throws InterruptedException {
        opengl();
        int name = GlProgram.newBuffer(COUNTING);
        for (int i = 0; i < 20; i++) {
            new RegisteredBuffer(name);
        }
        LifetimeTest.eventually(() -> Devices.liveWithoutGarbage("registered OpenGL object") == 0, "dropped registrations are left");
    }

    @Test
    void endsWithTheContext() {
        opengl();
        int name = GlProgram.newBuffer(COUNTING);
        Context other = Gl.makeContext(Context.device());
        assertEquals(other, Context.current());
        var registered = new RegisteredBuffer(name);
        var mapping = registered.map();
        other.detach();
        assertThrows(Driver.LogicError.class, mapping::unmap);
        assertThrows(Driver.LogicError.class, registered::unregister);
        mapping.close();
        registered.close();
    }

    @Test
    void failsWithoutOpenGl() {
        var before = Context.current();
        var failure = assertThrows(Driver.Error.class, () -> new RegisteredBuffer(1));
        assertEquals("cuGraphicsGLRegisterBuffer", failure.routine());
        assertEquals("cuGraphicsGLRegisterImage",
            assertThrows(Driver.Error.class, () -> new RegisteredImage(1, GlProgram.TEXTURE_2D)).routine());
        assertEquals("cuGLGetDevices", assertThrows(Driver.Error.class, () -> Gl.makeContext(new Device(0))).routine());
        assertEquals(before, Context.current());
        if (Devices.isCpu()) {
            assertEquals(219, failure.code());
        }
    }

    @Test
    void glAutoinitCreatesAContext() {
        var before = Context.current();
        assertThrows(Driver.Error.class, GlAutoinit::init);
        assertEquals(before, Context.current());
        opengl();
        GlAutoinit.init();
        Context made = GlAutoinit.context();
        assertEquals(made, Context.current());
        assertNotEquals(before, made);
        assertEquals(Context.device(), GlAutoinit.device());
        made.detach();
        assertEquals(before, Context.current());
    }
}
