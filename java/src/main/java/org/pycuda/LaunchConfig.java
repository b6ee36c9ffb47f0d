package org.pycuda;

/**
 * Geometry of a launch: threads in a block, blocks in the grid, dynamic shared memory, stream. Immutable; made by {@link
 * Driver#block(int)} and changed by copying: {@code Driver.block(16, 16).grid(64, 64).stream(s)}.
 */
public final class LaunchConfig {
    final int blockX;
    final int blockY;
    final int blockZ;
    final int gridX;
    final int gridY;
    final int gridZ;
    final int sharedBytes;
    final Stream stream;

    private LaunchConfig(int blockX, int blockY, int blockZ, int gridX, int gridY, int gridZ, int sharedBytes, Stream stream) {
        this.blockX = blockX;
        this.blockY = blockY;
        this.blockZ = blockZ;
        this.gridX = gridX;
        this.gridY = gridY;
        this.gridZ = gridZ;
        this.sharedBytes = sharedBytes;
        this.stream = stream;
    }

    /** One block of {@code x * y * z} threads, no shared memory, default stream. */
    static LaunchConfig ofBlock(int x, int y, int z) {
        return new LaunchConfig(natural(x), natural(y), natural(z), 1, 1, 1, 0, null);
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
        return new LaunchConfig(blockX, blockY, blockZ, natural(x), natural(y), natural(z), sharedBytes, stream);
    }

    /** On this stream, which also orders the copies of In, Out and InOut. Null is the default stream. */
    public LaunchConfig stream(Stream newStream) {
        return new LaunchConfig(blockX, blockY, blockZ, gridX, gridY, gridZ, sharedBytes, newStream);
    }

    /** With {@code bytes} bytes for {@code extern __shared__} arrays. */
    public LaunchConfig shared(int bytes) {
        return new LaunchConfig(blockX, blockY, blockZ, gridX, gridY, gridZ, natural(bytes), stream);
    }

    long streamHandle() {
        return stream == null ? 0 : stream.getHandle();
    }

    /** The driver takes unsigned numbers, and would take a negative one for a huge one. */
    private static int natural(int value) {
        if (value < 0) {
            throw new IllegalArgumentException("a launch dimension must not be negative: " + value);
        }
        return value;
    }

    @Override
    public String toString() {
        return "block=(" + blockX + ", " + blockY + ", " + blockZ + "), grid=(" + gridX + ", " + gridY + ", " + gridZ
            + "), shared=" + sharedBytes + (stream == null ? "" : ", on a stream");
    }
}
