package org.pycuda.natives.linux.x64;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.pycuda.spi.NativeBundle;

/** The libraries and headers beside this class. */
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

    @Override
    public List<String> deviceHeaders() throws IOException {
        try (InputStream list = open("device-headers")) {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }
}
