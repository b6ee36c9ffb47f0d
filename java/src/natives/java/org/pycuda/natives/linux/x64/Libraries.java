package org.pycuda.natives.linux.x64;

import java.io.InputStream;
import org.pycuda.spi.NativeBundle;

/** The libraries beside this class. */
public final class Libraries implements NativeBundle {
    /** For ServiceLoader. */
    public Libraries() {}

    @Override
    public String platform() {
        return "linux-x86_64";
    }

    @Override
    public InputStream open(String fileName) {
        return Libraries.class.getResourceAsStream(fileName);
    }
}
