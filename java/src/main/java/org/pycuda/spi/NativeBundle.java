package org.pycuda.spi;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The native libraries of one platform, in a jar of their own. Found with {@link java.util.ServiceLoader}.
 * <pre>{@code
 * for (NativeBundle bundle : java.util.ServiceLoader.load(NativeBundle.class)) {
 *     System.out.println(bundle.platform() + (bundle.isForThisPlatform() ? " is loaded" : " is of no use here"));
 * }
 * }</pre>
 */
public interface NativeBundle {
    /** Its platform, such as {@code linux-x86_64} or {@code windows-x86_64}. */
    String platform();

    /** Whether it is for the platform of this JVM. */
    default boolean isForThisPlatform() {
        return platform().equals(thisPlatform());
    }

    /** The platform of this JVM: {@code linux-x86_64}, {@code linux-musl-x86_64} if the C library is musl, and so on. */
    static String thisPlatform() {
        return Platform.current();
    }

    /**
     * Opens a file by its name, such as {@code libpycuda_java.so} ({@code pycuda_java.dll} for Windows), or {@code device/include/} and one of {@link #deviceHeaders}.
     *
     * @return its bytes, or null if the bundle has no file of that name
     *
     * @throws IOException if it cannot be read
     */
    @Nullable InputStream open(String fileName) throws IOException;

    /**
     * Headers that kernels may include, by their names below {@code device/include}, such as {@code pycuda-complex.hpp}.
     *
     * @return the names
     * @throws IOException if the list cannot be read
     */
    List<String> deviceHeaders() throws IOException;
}
