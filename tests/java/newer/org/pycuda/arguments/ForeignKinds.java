package org.pycuda.arguments;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Memory of java.lang.foreign as host data. {@link HostKinds} adds these kinds if this class is on the class path. */
public final class ForeignKinds implements java.util.function.Supplier<List<Kind>> {
    private static final Arena OPEN = Arena.ofShared();

    private static MemorySegment filled(Arena arena, byte[] content) {
        return arena.allocate(content.length, 8).copyFrom(MemorySegment.ofArray(content));
    }

    private static ByteBuffer buffer(MemorySegment segment) {
        return segment.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    private static Memory segment(MemorySegment segment) {
        return new Memory(segment, () -> segment.toArray(ValueLayout.JAVA_BYTE));
    }

    private static Kind works(String name, java.util.function.Function<byte[], MemorySegment> make) {
        return Kind.works(name, content -> segment(make.apply(content)));
    }

    private static MemorySegment closed(byte[] content) {
        try (Arena arena = Arena.ofConfined()) {
            return filled(arena, content);
        }
    }

    /** A segment of an arena that only another thread may use. */
    private static MemorySegment ofAnother(byte[] content) {
        return CompletableFuture.supplyAsync(() -> filled(Arena.ofConfined(), content)).join();
    }

    private static int[] ints(byte[] content) {
        int[] array = new int[content.length / 4];
        MemorySegment.ofArray(array).copyFrom(MemorySegment.ofArray(content));
        return array;
    }

    @Override
    public List<Kind> get() {
        return List.of(
            works("segment of a shared arena", content -> filled(OPEN, content)),
            works("segment of a confined arena", content -> filled(Arena.ofConfined(), content)),
            works("segment of an automatic arena", content -> filled(Arena.ofAuto(), content)),
            works("slice of a segment", content -> filled(OPEN, new byte[content.length + 16]).asSlice(8, content.length).copyFrom(MemorySegment.ofArray(content))),
            works("segment of a byte[]", content -> MemorySegment.ofArray(content.clone())),
            works("segment of an int[]", content -> MemorySegment.ofArray(ints(content))),
            works("part of a segment of an int[]", content -> MemorySegment.ofArray(ints(java.util.Arrays.copyOf(content, content.length + 8))).asSlice(0, content.length)),
            new Kind("read-only segment", content -> segment(filled(OPEN, content).asReadOnly()), null, true),
            Kind.works("buffer of a shared arena", content -> Memory.host(buffer(filled(OPEN, content)))),
            Kind.works("IntBuffer of a shared arena", content -> Memory.host(buffer(filled(OPEN, content)).asIntBuffer())),
            Kind.works("buffer of an automatic arena", content -> Memory.host(buffer(filled(Arena.ofAuto(), content)))),
            Kind.refused(IllegalStateException.class, "segment of a closed arena", ForeignKinds::closed),
            Kind.refused(IllegalStateException.class, "buffer of a closed arena", content -> buffer(closed(content))),
            Kind.refused(WrongThreadException.class, "segment of another thread's arena", ForeignKinds::ofAnother),
            Kind.refused(WrongThreadException.class, "buffer of another thread's arena", content -> buffer(ofAnother(content))));
    }
}
