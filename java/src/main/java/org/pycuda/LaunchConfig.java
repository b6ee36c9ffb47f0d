package org.pycuda;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * Shape and options of a launch: threads of a block, blocks of the grid, dynamic shared memory, stream. Immutable: {@link
 * Driver#block(int)}
 * creates one, and each method returns a changed copy.
 *
 * <pre>{@code
 * LaunchConfig shape = Driver.block(16, 16).grid(64, 64);
 * LaunchConfig onStream = shape.stream(new Stream());
 * }</pre>
 */
public final class LaunchConfig {
    /** Size of what native code reads (launching.i): the fields in this order, the stream at offset 32. */
    static final int NATIVE_BYTES = 64;
    private static final int STREAM_OFFSET = 32;
    private static final int CLUSTER_OFFSET = 40;
    private static final int COOPERATIVE = 1;
    private static final int CLUSTERS = 2;

    final Stream stream;
    private final Extent block;
    private final Extent grid;
    private final int sharedBytes;
    private final boolean cooperative;
    /** Blocks of a cluster; null: no clusters. */
    private final Extent cluster;
    private final List<TextureReference> texrefs;

    private record Extent(int x, int y, int z) {
        static final Extent ONE = new Extent(1, 1, 1);

        /** The driver takes unsigned numbers, and would take a negative one for a huge one. */
        Extent {
            natural(x);
            natural(y);
            natural(z);
        }

        void write(ByteBuffer bytes, int offset) {
            bytes.putInt(offset, x).putInt(offset + 4, y).putInt(offset + 8, z);
        }

        @Override
        public String toString() {
            return "(" + x + ", " + y + ", " + z + ")";
        }
    }

    private LaunchConfig(Extent block, Extent grid, int sharedBytes, Stream stream, boolean cooperative, Extent cluster,
            List<TextureReference> texrefs) {
        this.block = block;
        this.grid = grid;
        this.sharedBytes = natural(sharedBytes);
        this.stream = stream;
        this.cooperative = cooperative;
        this.cluster = cluster;
        this.texrefs = texrefs;
    }

    /** One block of {@code x * y * z} threads, no shared memory, default stream. */
    static LaunchConfig ofBlock(int x, int y, int z) {
        return new LaunchConfig(new Extent(x, y, z), Extent.ONE, 0, null, false, null, List.of());
    }

    /** A grid of {@code x} blocks. */
    public LaunchConfig grid(int x) {
        return grid(x, 1, 1);
    }

    /** A grid of {@code x * y} blocks. */
    public LaunchConfig grid(int x, int y) {
        return grid(x, y, 1);
    }

    /** A grid of {@code x * y * z} blocks. */
    public LaunchConfig grid(int x, int y, int z) {
        return new LaunchConfig(block, new Extent(x, y, z), sharedBytes, stream, cooperative, cluster, texrefs);
    }

    /** On this stream, which also orders the copies of In, Out and InOut. Null is the default stream. */
    public LaunchConfig stream(Stream newStream) {
        return new LaunchConfig(block, grid, sharedBytes, newStream, cooperative, cluster, texrefs);
    }

    /** With {@code bytes} bytes for {@code extern __shared__} arrays. */
    public LaunchConfig shared(int bytes) {
        return new LaunchConfig(block, grid, bytes, stream, cooperative, cluster, texrefs);
    }

    /** All blocks run at the same time, so that they can wait for each other. Refused when the device has no room for all. */
    public LaunchConfig cooperative() {
        return new LaunchConfig(block, grid, sharedBytes, stream, true, cluster, texrefs);
    }

    /** The grid is cut into clusters of {@code x} blocks, which reach each other's shared memory. Compute capability 9.0 and newer. */
    public LaunchConfig cluster(int x) {
        return cluster(x, 1, 1);
    }

    /** The grid is cut into clusters of {@code x * y} blocks. */
    public LaunchConfig cluster(int x, int y) {
        return cluster(x, y, 1);
    }

    /** The grid is cut into clusters of {@code x * y * z} blocks. */
    public LaunchConfig cluster(int x, int y, int z) {
        return new LaunchConfig(block, grid, sharedBytes, stream, cooperative, new Extent(x, y, z), texrefs);
    }

    /** With these texture references of the kernel's module, to which something must be bound when it is launched. */
    public LaunchConfig texrefs(TextureReference... references) {
        return new LaunchConfig(block, grid, sharedBytes, stream, cooperative, cluster,
            List.of(Objects.requireNonNull(references, "references")));
    }

    /** LogicError when the function cannot be given one of the texture references. */
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
        bytes.putInt(28, (cooperative ? COOPERATIVE : 0) | (cluster != null ? CLUSTERS : 0));
        Objects.requireNonNullElse(cluster, Extent.ONE).write(bytes, CLUSTER_OFFSET);
    }

    /** Writes the stream. */
    void writeStream(ByteBuffer bytes) {
        bytes.putLong(STREAM_OFFSET, stream == null ? 0 : stream.swigCPtr);
    }

    private static int natural(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("launch dimensions must not be negative, given " + value);
        }
        return value;
    }

    @Override
    public String toString() {
        return "block=" + block + ", grid=" + grid + ", shared=" + sharedBytes + (cooperative ? ", cooperative" : "")
            + (cluster == null ? "" : ", cluster=" + cluster) + (stream == null ? "" : ", on a stream");
    }
}
