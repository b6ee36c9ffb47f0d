package org.pycuda;

import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A {@link DeviceMemoryPool} that prints the size and place of each allocation, and the live ones: an {@link Allocator} that helps to find leaks.
 * <pre>{@code
 * try (var pool = new DebugMemoryPool(System.out)) {
 *     var a = GPUArray.factory().allocator(pool).zeros(DType.FLOAT32, 1000);  // prints the line and the size
 *     a.close();
 *     System.out.println(pool.heldBlocks());  // 1
 * }
 * }</pre>
 */
public final class DebugMemoryPool implements Allocator, AutoCloseable {
    private static final int FRAMES = 4;
    /** Calls in this package are not the program's place. */
    private static final String OWN = "org.pycuda.";
    private static final StackWalker WALKER = StackWalker.getInstance();

    private final DeviceMemoryPool pool = new DeviceMemoryPool();
    private final PrintStream log;
    private final List<Block> blocks = new ArrayList<>();

    /** Allocated memory, and the place of the allocation. */
    private record Block(WeakReference<PooledDeviceAllocation> memory, String description) {
        boolean isLive() {
            PooledDeviceAllocation allocation = memory.get();
            return allocation != null && !allocation.isClosed();
        }
    }

    /** Creates a pool in the current context that writes to standard output. */
    public DebugMemoryPool() {
        this(System.out);
    }

    /** Creates a pool in the current context that writes to {@code log}. */
    public DebugMemoryPool(PrintStream log) {
        this.log = Objects.requireNonNull(log, "log");
    }

    /** The text for an allocation of {@code size} bytes made by {@code stack}, innermost call first. */
    public static String describe(List<StackWalker.StackFrame> stack, long size) {
        String calls = Objects.requireNonNull(stack, "stack").stream().limit(FRAMES)
            .map(frame -> frame.getMethodName() + " (" + place(frame) + ")")
            .collect(Collectors.joining(" <- "));
        return calls + ": " + size + " bytes";
    }

    /** A Java runtime without debug information, such as one of {@code jlink --strip-debug}, knows no files. */
    private static String place(StackWalker.StackFrame frame) {
        return frame.getFileName() == null ? "Unknown Source" : frame.getFileName() + ":" + frame.getLineNumber();
    }

    /** Allocates {@code bytes} bytes and prints a report. */
    @Override
    public synchronized PooledDeviceAllocation allocate(long bytes) {
        List<StackWalker.StackFrame> stack = WALKER.walk(frames -> frames.dropWhile(frame -> frame.getClassName().startsWith(OWN)).limit(FRAMES).toList());
        PooledDeviceAllocation memory = pool.allocate(bytes);
        blocks.removeIf(block -> !block.isLive());
        blocks.add(new Block(new WeakReference<>(memory), describe(stack, bytes)));
        Driver.MemInfo info = Driver.memGetInfo();
        log.println("allocated " + bytes + " bytes; " + info.free() + " of " + info.total() + " are free on the device; the pool has "
            + pool.activeBlocks() + " active and " + pool.heldBlocks() + " held blocks");
        Map<String, Integer> counts = new LinkedHashMap<>();
        blocks.forEach(block -> counts.merge(block.description, 1, Integer::sum));
        counts.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
            .forEach(entry -> log.println("  " + entry.getValue() + " x " + entry.getKey()));
        return memory;
    }

    /** Blocks in use. */
    public long activeBlocks() {
        return pool.activeBlocks();
    }

    /** Blocks kept for reuse. */
    public long heldBlocks() {
        return pool.heldBlocks();
    }

    /** Frees the held blocks. Blocks in use stay valid. */
    @Override
    public void close() {
        pool.close();
    }
}
