package org.pycuda.spi;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;

/** The native libraries of one platform, in a jar of their own. Found with {@link java.util.ServiceLoader}. */
public interface NativeBundle {
    /** The platform it is for, as {@code linux-x86_64}. */
    String platform();

    /** Whether it is for the platform of this JVM. */
    default boolean isForThisPlatform() {
        return platform().equals(thisPlatform());
    }

    /** The platform of this JVM. */
    static String thisPlatform() {
        String architecture = System.getProperty("os.arch");
        return System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-"
            + (architecture.equals("amd64") ? "x86_64" : architecture);
    }

    /**
     * Opens a file by its name, as {@code libpycuda_java.so}, or {@code device/include/} and one of {@link #deviceHeaders}.
     *
     * @return its bytes, or null when the bundle has none of that name
     */
    InputStream open(String fileName) throws IOException;

    /** Headers that kernels may include, by their names below {@code device/include}, as {@code pycuda-complex.hpp}. */
    List<String> deviceHeaders() throws IOException;
}
