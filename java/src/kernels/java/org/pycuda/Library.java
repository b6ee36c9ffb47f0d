package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Loaded code that belongs to no context: loading it needs none, and each context that uses it gets a module of it when CUDA_MODULE_LOADING says so
 * ({@link Module#loadingMode}). Its kernels, modules and functions keep it alive. After {@link #close} they are unusable; launches and graphs
 * that use it end first. Needs a driver of CUDA 12.0.
 *
 * <pre>{@code
 * try (var library = Library.fromBuffer(SourceModule.compile("extern \"C\" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }"))) {
 *     var x = new float[] {1, 2, 3};
 *     library.kernel("twice").launch(Driver.block(3), Driver.inOut(x));
 *     assert x[2] == 6;
 * }
 * }</pre>
 */
public final class Library extends LibraryProxy {
    Library(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    /** Loads PTX, a cubin or a fatbin. RuntimeError if the file cannot be read. */
    public static Library fromFile(Path filename) {
        return fromFile(filename, Map.of(), null);
    }

    /** Loads PTX, a cubin or a fatbin with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Library fromFile(Path filename, Map<JitOption, Integer> options, @Nullable MessageHandler handler) {
        String name = Objects.requireNonNull(filename, "filename").toString();
        return JitLoading.load(options, handler, (settings, log) -> DriverProxy.libraryFromFile(name, settings, log));
    }

    /** Loads PTX, a cubin or a fatbin (cuLibraryLoadData). */
    public static Library fromBuffer(byte[] image) {
        return fromBuffer(ByteBuffer.wrap(Objects.requireNonNull(image, "image")));
    }

    /** Loads PTX, a cubin or a fatbin (cuLibraryLoadData). */
    public static Library fromBuffer(ByteBuffer image) {
        return fromBuffer(image, Map.of(), null);
    }

    /** Loads PTX (cuLibraryLoadData). */
    public static Library fromBuffer(String ptx) {
        return fromBuffer(Objects.requireNonNull(ptx, "ptx").getBytes(StandardCharsets.UTF_8));
    }

    /** Loads PTX, a cubin or a fatbin with JIT options; {@code handler}, if not null, gets the JIT compiler's messages. */
    public static Library fromBuffer(ByteBuffer image, Map<JitOption, Integer> options, @Nullable MessageHandler handler) {
        return JitLoading.load(image, options, handler, DriverProxy::libraryFromBuffer);
    }
}
