package org.pycuda;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.pycuda.spi.NativeBundle;

/**
 * Finds and loads the library pycuda_java: the file named by the property {@code org.pycuda.library}, else the one in the jar of native
 * libraries, else the one on java.library.path. From a jar it is unpacked into a new folder that only this user can enter, and that is
 * deleted once the library is loaded; on Windows, which keeps files that are in use, a later process deletes it. The native library then compares its version with that of these classes.
 */
final class NativeLoader {
    private static final String PROPERTY = "org.pycuda.library";
    private static final String NAME = "pycuda_java";
    private static final String CPU_LIBRARY = System.mapLibraryName("pycuda_cpu");
    private static final System.Logger LOGGER = System.getLogger("org.pycuda");

    /** Where the native library came from; the CPU device's library is there, too. */
    private static volatile NativeBundle loaded;

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
                    tried.add(bundle.getClass().getName() + ": " + reason(error));
                }
            } else {
                tried.add(bundle.getClass().getName() + ": is for " + bundle.platform());
            }
        }
        try {
            System.loadLibrary(NAME);
        } catch (UnsatisfiedLinkError error) {
            tried.add("java.library.path: " + error.getMessage());
            throw new UnsatisfiedLinkError("the native library of pycuda for " + NativeBundle.thisPlatform()
                + " was not found or could not be loaded. Put the jar of native libraries (pycuda-...-" + NativeBundle.thisPlatform()
                + ".jar) on the class path or the module path. Tried:\n  " + String.join("\n  ", tried));
        }
    }

    private static void loadFrom(NativeBundle bundle) throws IOException {
        try (var folder = new UnpackFolder()) {
            System.load(folder.unpack(bundle, System.mapLibraryName(NAME)).toString());
        }
        loaded = bundle;
        lendCpuLibrary();
    }

    /** Has the core ask {@link #cpuLibrary} for the CPU device's library, when it needs that. */
    private static native void lendCpuLibrary();

    /** Called by the core: the path of the CPU device's library, or the reason why there is none. An open file outlives its name. */
    private static String cpuLibrary() {
        try (var folder = new UnpackFolder()) {
            return DriverJNI.openFile(folder.unpack(loaded, CPU_LIBRARY).toString());
        } catch (IOException error) {
            return loaded.getClass().getName() + ": " + reason(error);
        }
    }

    private static String reason(Throwable error) {
        String text = error instanceof IOException ? error.toString() : error.getMessage();
        return error instanceof UnsatisfiedLinkError && text != null && text.contains("failed to map segment")
            ? text + " (the folder for temporary files may forbid programs: choose another with -Djava.io.tmpdir)" : text;
    }

    /** A new folder that only this user can enter; closing deletes it with its contents. */
    private static final class UnpackFolder implements AutoCloseable {
        private static final String PREFIX = "pycuda-";
        private static final Duration OLD = Duration.ofHours(1);  // others may be about to load what they unpacked
        private static final boolean KEEPS_FILES_IN_USE = File.separatorChar == '\\';
        private static boolean oldOnesAreDeleted;

        private final Path folder = Files.createTempDirectory(PREFIX);  // mode 700
        private Path file;

        UnpackFolder() throws IOException {
            if (KEEPS_FILES_IN_USE && !oldOnesAreDeleted) {
                oldOnesAreDeleted = true;
                deleteOldOnes();
            }
        }

        /** Deletes what processes that have ended left; a library in use cannot be deleted. */
        private void deleteOldOnes() throws IOException {
            var before = FileTime.from(Instant.now().minus(OLD));
            try (var others = Files.newDirectoryStream(folder.getParent(), PREFIX + "[0-9]*")) {
                for (Path other : others) {
                    try {
                        if (Files.getLastModifiedTime(other).compareTo(before) < 0) {
                            for (String name : List.of(System.mapLibraryName(NAME), CPU_LIBRARY)) {
                                Files.deleteIfExists(other.resolve(name));
                            }
                            Files.delete(other);
                        }
                    } catch (IOException inUse) {
                        LOGGER.log(System.Logger.Level.TRACE, "could not delete " + other + " yet: " + inUse);
                    }
                }
            }
        }

        Path unpack(NativeBundle bundle, String name) throws IOException {
            file = folder.resolve(name);
            try (InputStream bytes = bundle.open(name)) {
                if (bytes == null) {
                    throw new IOException("does not contain " + name);
                }
                Files.copy(bytes, file);
            }
            return file;
        }

        /** The unpacked files are in use already, so a failure to delete them (NFS, Windows) is ignored. */
        @Override
        public void close() {
            try {
                if (file != null) {
                    Files.deleteIfExists(file);
                }
                Files.delete(folder);
            } catch (IOException error) {
                LOGGER.log(System.Logger.Level.DEBUG, "could not delete " + folder + " yet: " + error);
                folder.toFile().deleteOnExit();
                if (file != null) {
                    file.toFile().deleteOnExit();  // the last registered goes first
                }
            }
        }
    }
}
