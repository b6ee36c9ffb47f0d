package org.pycuda.compiler;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.pycuda.spi.NativeBundle;

/**
 * Gives the compiler this package's own device headers: the folder named by PYCUDA_DEVICE_INCLUDE_DIR in the environment or by
 * the property {@code org.pycuda.device.include}, else {@code device/include} beside the native library, else those in the jar of
 * native libraries. From a jar they are unpacked into a new folder that only this user can enter, and that is deleted when the JVM exits.
 */
final class DeviceHeaders {
    private static final String PROPERTY = "org.pycuda.device.include";
    private static final String FOLDER = "device/include/";

    private DeviceHeaders() {}

    /** Called once, before anything is compiled. */
    static void provide() {
        String folder = System.getProperty(PROPERTY);
        if (folder != null) {
            CompilerCore.setDeviceIncludeDir(folder);
        }
        if (!CompilerCore.deviceIncludeDir().isEmpty()) {
            return;
        }
        for (NativeBundle bundle : ServiceLoader.load(NativeBundle.class, NativeBundle.class.getClassLoader())) {
            try {
                if (bundle.isForThisPlatform()) {
                    CompilerCore.setDeviceIncludeDir(extract(bundle).toString());
                    return;
                }
            } catch (IOException error) {
                // Most kernels need none of the headers. For those that do, this explains why one is missing.
                System.getLogger("org.pycuda.compiler").log(System.Logger.Level.WARNING, "no device headers: " + error);
            }
        }
    }

    private static Path extract(NativeBundle bundle) throws IOException {
        Path folder = Files.createTempDirectory("pycuda-include-");  // mode 700
        folder.toFile().deleteOnExit();  // the last registered goes first
        for (String name : bundle.deviceHeaders()) {
            Path file = folder.resolve(name);
            makeFolders(folder, file.getParent());
            file.toFile().deleteOnExit();
            try (InputStream bytes = bundle.open(FOLDER + name)) {
                if (bytes == null) {
                    throw new IOException(bundle.getClass().getName() + " does not contain " + FOLDER + name);
                }
                Files.copy(bytes, file);
            }
        }
        return folder;
    }

    private static void makeFolders(Path root, Path folder) throws IOException {
        if (!folder.equals(root) && !Files.exists(folder)) {
            makeFolders(root, folder.getParent());
            Files.createDirectory(folder).toFile().deleteOnExit();
        }
    }
}
