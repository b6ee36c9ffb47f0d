package org.pycuda.compiler;

import java.io.File;

/** Has the compiler look for libnvrtc where Java looks for native libraries. */
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
