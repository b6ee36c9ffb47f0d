package org.pycuda;

import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * How the driver writes core dumps when a kernel fails: in the whole process, or in one context, whose settings take precedence. {@link #close}
 * restores what was set here. Environment variables of cuda-gdb, such as CUDA_ENABLE_COREDUMP_ON_EXCEPTION, take precedence over everything.
 * Needs a driver of CUDA 12.1.
 *
 * <pre>{@code
 * try (var dumps = new CoreDumps()) {
 *     dumps.setFile("kernel.dump");
 *     dumps.setFlags(CoreDumpFlag.SKIP_ABORT, CoreDumpFlag.SKIP_GLOBAL_MEMORY);
 *     dumps.setEnabled(true);
 * }
 * }</pre>
 */
public final class CoreDumps extends CoreDumpsProxy implements AutoCloseable {
    /** Hears of core dumps, on a thread of the driver, which waits for it. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A core dump begins, or is written.
         *
         * @param pid the process's id
         * @param device the device's ordinal
         */
        void accept(int pid, int device);
    }

    CoreDumps(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** Settings of the process. */
    public CoreDumps() {}

    /** Settings of a context. */
    public CoreDumps(Context context) {
        super(context);
    }

    /** Sets where core dumps are written. */
    public void setFile(Path file) {
        setFile(Objects.requireNonNull(file, "file").toString());
    }

    /** What core dumps contain, and what happens after them. Needs a driver of CUDA 12.5. */
    public Set<CoreDumpFlag> flags() {
        int bits = flagBits();
        var flags = EnumSet.noneOf(CoreDumpFlag.class);
        for (CoreDumpFlag flag : CoreDumpFlag.values()) {
            if (Integer.bitCount(flag.value()) == 1 && (bits & flag.value()) != 0) {
                flags.add(flag);
            }
        }
        return Collections.unmodifiableSet(flags);
    }

    /** Sets what core dumps contain, and what happens after them. Needs a driver of CUDA 12.5. */
    public void setFlags(CoreDumpFlag... flags) {
        int bits = 0;
        for (CoreDumpFlag flag : Objects.requireNonNull(flags, "flags")) {
            bits |= Objects.requireNonNull(flag, "flags").value();
        }
        setFlagBits(bits);
    }

    /** Calls a function before the driver collects data, until the result is closed. Needs a driver of CUDA 13.2. */
    public static DriverCallback onStart(Listener listener) {
        return DriverProxy.onCoreDump(function(listener), false);
    }

    /** Calls a function when a core dump is written, until the result is closed. Needs a driver of CUDA 13.2. */
    public static DriverCallback onComplete(Listener listener) {
        return DriverProxy.onCoreDump(function(listener), true);
    }

    private static DriverFunction function(Listener listener) {
        Objects.requireNonNull(listener, "listener");
        return new DriverFunction((pid, device) -> listener.accept((int) pid, (int) device));
    }

    /** Restores what was set here. A second call does nothing. */
    @Override
    public void close() {
        restore();
    }
}
