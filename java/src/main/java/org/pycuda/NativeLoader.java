package org.pycuda;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.pycuda.spi.NativeBundle;

/**
 * Finds and loads libpycuda_java: the file named by the property {@code org.pycuda.library}, else the one in the jar of native
 * libraries, else the one on java.library.path. From a jar it goes through a fresh folder that only this user can enter, and that
 * is gone when loading is done.
 */
final class NativeLoader {
    private static final String PROPERTY = "org.pycuda.library";
    private static final String NAME = "pycuda_java";
    private static final String CPU_LIBRARY = "libpycuda_cpu.so";

    private NativeLoader() {}

    /** Called once, by the class that declares the native methods. */
    static void load() {
        String file = System.getProperty(PROPERTY);
        if (file != null) {
            System.load(Path.of(file).toAbsolutePath().toString());
            return;
        }
        List<String> tried = new ArrayList<>();
        tried.add("property " + PROPERTY + ": not set");
        for (NativeBundle bundle : ServiceLoader.load(NativeBundle.class, NativeLoader.class.getClassLoader())) {
            if (bundle.isForThisPlatform()) {
                try {
                    loadFrom(bundle);
                    return;
                } catch (IOException | UnsatisfiedLinkError error) {
                    tried.add(bundle.getClass().getName() + ": " + error.getMessage());
                }
            } else {
                tried.add(bundle.getClass().getName() + ": is for " + bundle.platform());
            }
        }
        try {
            System.loadLibrary(NAME);
        } catch (UnsatisfiedLinkError error) {
            tried.add("java.library.path: " + error.getMessage());
            throw new UnsatisfiedLinkError("no native library of pycuda for " + NativeBundle.thisPlatform()
                + "; put the jar of native libraries (pycuda-...-linux-x86_64.jar) on the class or module path. Tried: " + String.join("; ", tried));
        }
    }

    private static void loadFrom(NativeBundle bundle) throws IOException {
        Path folder = Files.createTempDirectory("pycuda-");  // mode 700
        try {
            Path library = folder.resolve(System.mapLibraryName(NAME));
            if (!extract(bundle, library)) {
                throw new IOException("holds no " + library.getFileName());
            }
            System.load(library.toString());
            Files.delete(library);
            if (!"cuda".equals(System.getenv("PYCUDA_DRIVER"))) {
                lendCpuLibrary(bundle, folder.resolve(CPU_LIBRARY));
            }
        } finally {
            deleteFolder(folder);
        }
    }

    /** Whether the CPU device is needed shows later, when the driver is opened; an open file outlives its name until then. */
    private static void lendCpuLibrary(NativeBundle bundle, Path file) throws IOException {
        if (extract(bundle, file)) {
            CoreJNI.setCpuLibrary(CoreJNI.openFile(file.toString()));
        }
    }

    private static boolean extract(NativeBundle bundle, Path file) throws IOException {
        try (InputStream bytes = bundle.open(file.getFileName().toString())) {
            return bytes != null && Files.copy(bytes, file) > 0;
        }
    }

    private static void deleteFolder(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
