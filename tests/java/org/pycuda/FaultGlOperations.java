package org.pycuda;

import java.util.List;

/** Operations of {@link FaultOperations} on OpenGL's objects, where there is an OpenGL: its context stays current on the thread. */
final class FaultGlOperations {
    private FaultGlOperations() {}

    /** A buffer and an image. */
    static final class Objects extends FaultOperations.Things {
        final int buffer = GlProgram.newBuffer(0, 0, 0, 0);
        final int image = GlProgram.newImage(4, 2);
        final RegisteredBuffer registered = keep(new RegisteredBuffer(buffer));
        final RegisteredImage registeredImage = keep(new RegisteredImage(image, GlProgram.TEXTURE_2D));
        final Stream stream = keep(new Stream());
    }

    private static void objects(String name, FaultOperations.Step<Objects> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, Objects::new, step));
    }

    static void add() {
        if (GlProgram.start() != null) {
            return;
        }
        objects("Gl.makeContext", (o, made) -> {
            made.keep(Gl.makeContext(new Device(0)));
            Context.pop();
            return "done";
        });
        objects("RegisteredBuffer", (o, made) -> {
            made.keep(new RegisteredBuffer(o.buffer)).unregister();
            return "done";
        });
        objects("RegisteredImage", (o, made) -> made.keep(new RegisteredImage(o.image, GlProgram.TEXTURE_2D)).glHandle() == o.image);
        objects("RegisteredBuffer.map", (o, made) -> {
            var mapping = made.keep(o.registered.map(o.stream));
            var memory = mapping.devicePtrAndSize();
            Driver.memsetD32Async(memory, 0x3f800000, memory.sizeInBytes() / 4, o.stream);
            mapping.unmap();
            return GlProgram.readBuffer(o.buffer, 4);
        });
        objects("RegisteredMapping.array", (o, made) -> {
            var mapping = made.keep(o.registeredImage.map());
            var descriptor = made.keep(mapping.array(0, 0)).descriptor();
            mapping.unmap(o.stream);
            return List.of(descriptor.width(), descriptor.height());
        });
        objects("RegisteredBuffer.setMapFlags", (o, made) -> {
            o.registered.setMapFlags(GraphicsMapFlags.NONE);
            return "done";
        });
    }
}
