package org.pycuda.compiler;

import java.io.File;

/** Makes the compiler search for libnvrtc in Java's library path. */
final class LibraryPath {
    private LibraryPath() {}

    /** Called once, before anything is compiled. */
    static void provide() {
        for (String folder : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
            if (!folder.isEmpty()) {
                CompilerCore.addToolkitLibraryFolder(folder);
            }
        }
    }
}
