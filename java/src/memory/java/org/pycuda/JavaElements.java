package org.pycuda;

import java.nio.Buffer;
import java.util.function.Consumer;

/** Host data in the Java heap, which passes through {@link Staging} in pieces. Positions and limits of buffers are read once. */
abstract class JavaElements {
    abstract long nbytes();

    /** Copies {@code count} bytes, from byte {@code from} on, to the start of {@code staging}. */
    abstract void load(Staging staging, long from, int count);

    /** Copies them from there. */
    abstract void store(Staging staging, long from, int count);

    /** Called after the last piece was stored. */
    void finish() {}

    static JavaElements of(Object host) {
        if (Segments.isSegment(host)) {
            return new OfSegment(host);
        } else if (host instanceof boolean[] flags) {
            return new Packed(HostElements.bytes(flags), bytes -> HostElements.copy((byte[]) bytes, flags));
        } else if (NestedArrays.isNested(host)) {
            return new Packed(NestedArrays.packed(host), numbers -> NestedArrays.unpack(numbers, host));
        }
        return new OfBuffer(HostCopies.view(host));
    }

    private static class OfBuffer extends JavaElements {
        private final Buffer buffer;
        private final int elementSize;
        private final int position;
        private final int count;

        OfBuffer(Buffer buffer) {
            this.buffer = buffer;
            elementSize = HostCopies.elementSize(buffer);
            position = buffer.position();
            count = Math.max(0, buffer.limit() - position);
        }

        @Override
        long nbytes() {
            return (long) count * elementSize;
        }

        @Override
        void load(Staging staging, long from, int nbytes) {
            staging.load(buffer, position + (int) (from / elementSize), nbytes / elementSize);
        }

        @Override
        void store(Staging staging, long from, int nbytes) {
            staging.store(buffer, position + (int) (from / elementSize), nbytes / elementSize);
        }
    }

    /** Data of another form: packed into a primitive array, and unpacked from it afterwards. */
    private static final class Packed extends OfBuffer {
        private final Object numbers;
        private final Consumer<Object> unpack;

        Packed(Object numbers, Consumer<Object> unpack) {
            super(HostCopies.view(numbers));
            this.numbers = numbers;
            this.unpack = unpack;
        }

        @Override
        void finish() {
            unpack.accept(numbers);
        }
    }

    private static final class OfSegment extends JavaElements {
        private final Object segment;

        OfSegment(Object segment) {
            this.segment = segment;
        }

        @Override
        long nbytes() {
            return Segments.byteSize(segment);
        }

        @Override
        void load(Staging staging, long from, int nbytes) {
            Segments.copy(segment, from, staging.bytes(), nbytes, true);
        }

        @Override
        void store(Staging staging, long from, int nbytes) {
            Segments.copy(segment, from, staging.bytes(), nbytes, false);
        }
    }
}
