package org.pycuda.spi;

import java.io.IOException;
import java.io.InputStream;

/** The native libraries of one platform, in a jar of their own. Found with {@link java.util.ServiceLoader}. */
public interface NativeBundle {
    /** The platform it is for, as {@code linux-x86_64}. */
    String platform();

    /**
     * Opens a library by its file name, as {@code libpycuda_java.so}.
     *
     * @return its bytes, or null when the bundle has none of that name
     */
    InputStream open(String fileName) throws IOException;
}
