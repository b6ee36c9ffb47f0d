package org.pycuda;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Shape and options of a launch: threads of a block, blocks of the grid, dynamic shared memory, stream. Immutable:
 * {@link Driver#block(int)} creates one, and each method returns a changed copy.
 *
 * <pre>{@code
 * LaunchConfig shape = Driver.block(16, 16).grid(64, 64);
 * LaunchConfig onStream = shape.stream(new Stream());
 * }</pre>
 */
public final class LaunchConfig {
    /** Size of what native code reads (launching.i): the fields in this order, the stream at offset 32. */
    static final int NATIVE_BYTES = 48;
    private static final int STREAM_OFFSET = 32;
    private static final int ATTRIBUTES_OFFSET = 40;

    /** Identifies this object, without keeping it alive. */
    final Object identity = new Object();
    final Stream stream;
    private final Extent block;
    private final Extent grid;
    private final int sharedBytes;
    private final LaunchAttributes attributes;
    private final List<TextureReference> texrefs;

    private record Extent(int x, int y, int z) {
        static final Extent ONE = new Extent(1, 1, 1);

        /** The driver's numbers are unsigned: it would treat a negative one as a huge one. */
        Extent checked(String name) {
            if ((x | y | z) < 0) {
                throw refused(name, this);
            }
            return this;
        }

        void write(ByteBuffer bytes, int offset) {
            bytes.putInt(offset, x).putInt(offset + 4, y).putInt(offset + 8, z);
        }

        @Override
        public String toString() {
            return "(" + x + ", " + y + ", " + z + ")";
        }
    }

    private LaunchConfig(Extent block, Extent grid, int sharedBytes, Stream stream, LaunchAttributes attributes,
            List<TextureReference> texrefs) {
        if (sharedBytes < 0) {
            throw refused("shared", sharedBytes);
        }
        this.block = block.checked("block");
        this.grid = grid.checked("grid");
        this.sharedBytes = sharedBytes;
        this.stream = stream;
        this.attributes = attributes;
        this.texrefs = texrefs;
    }

    /** One block of {@code x * y * z} threads, no shared memory, default stream. */
    static LaunchConfig ofBlock(int x, int y, int z) {
        return new LaunchConfig(new Extent(x, y, z), Extent.ONE, 0, Stream.DEFAULT, LaunchAttributes.NONE, List.of());
    }

    /** A copy with a grid of {@code x} blocks. */
    public LaunchConfig grid(int x) {
        return grid(x, 1, 1);
    }

    /** A copy with a grid of {@code x * y} blocks. */
    public LaunchConfig grid(int x, int y) {
        return grid(x, y, 1);
    }

    /** A copy with a grid of {@code x * y * z} blocks. */
    public LaunchConfig grid(int x, int y, int z) {
        return new LaunchConfig(block, new Extent(x, y, z), sharedBytes, stream, attributes, texrefs);
    }

    /** A copy with this stream, which also orders the copies of In, Out and InOut. */
    public LaunchConfig stream(Stream newStream) {
        return new LaunchConfig(block, grid, sharedBytes, Stream.required(newStream, "newStream"), attributes, texrefs);
    }

    /** A copy with {@code bytes} bytes for {@code extern __shared__} arrays. */
    public LaunchConfig shared(int bytes) {
        return new LaunchConfig(block, grid, bytes, stream, attributes, texrefs);
    }

    /** A copy in which all blocks run at the same time, so that they can wait for each other. Such a launch fails if the device has no room for all. */
    public LaunchConfig cooperative() {
        return attribute(LaunchAttribute.COOPERATIVE, true);
    }

    /** A copy with clusters of {@code x} blocks, which can access each other's shared memory. Compute capability 9.0 and newer. */
    public LaunchConfig cluster(int x) {
        return cluster(x, 1, 1);
    }

    /** A copy with clusters of {@code x * y} blocks. */
    public LaunchConfig cluster(int x, int y) {
        return cluster(x, y, 1);
    }

    /** A copy with clusters of {@code x * y * z} blocks. */
    public LaunchConfig cluster(int x, int y, int z) {
        return attribute(LaunchAttribute.CLUSTER_DIMENSION, x, y, z);
    }

    /**
     * A copy with an attribute of the driver, which replaces an earlier one of its kind: {@code attribute(LaunchAttribute.PRIORITY, -1)}.
     *
     * @param attribute the attribute; its documentation describes the value, and names the CUDA version that introduced it
     * @param value the parts of the value in order; trailing ones with a default may be omitted: numbers, booleans, constants, an Event,
     *     device memory
     * @return a copy with the attribute
     * @throws IllegalArgumentException the value has another number of parts, or one is of another type or out of range
     */
    public LaunchConfig attribute(LaunchAttribute attribute, Object... value) {
        return new LaunchConfig(block, grid, sharedBytes, stream, attributes.with(attribute, value), texrefs);
    }

    /** A copy with these texture references of the kernel's module, which must be bound at the launch. */
    public LaunchConfig texrefs(TextureReference... references) {
        return new LaunchConfig(block, grid, sharedBytes, stream, attributes,
            List.of(Objects.requireNonNull(references, "references")));
    }

    /** LogicError if the function cannot use one of the texture references. */
    void checkTexrefs(Function function) {
        if (texrefs.isEmpty()) {
            return;
        }
        for (TextureReference reference : texrefs) {
            reference.checkFor(function, true);
        }
    }

    /** Writes everything but the stream. */
    void writeGeometry(ByteBuffer bytes) {
        grid.write(bytes, 0);
        block.write(bytes, 12);
        bytes.putInt(24, sharedBytes);
        bytes.putLong(ATTRIBUTES_OFFSET, attributes.address);
    }

    /** Writes the stream. */
    void writeStream(ByteBuffer bytes) {
        bytes.putLong(STREAM_OFFSET, stream.swigCPtr);
    }

    private static IllegalArgumentException refused(String name, Object given) {
        return new IllegalArgumentException(name + " must not be negative, given " + given);
    }

    @Override
    public String toString() {
        return "block=" + block + ", grid=" + grid + ", shared=" + sharedBytes + attributes + (stream == Stream.DEFAULT ? "" : ", on a stream");
    }
}
