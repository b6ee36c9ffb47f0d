package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.spi.NativeBundle;

class NativeLoaderTest {
    private static String place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    /** Exit status and output of {@code java} with these arguments. */
    private static String java(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes());
        return process.waitFor() + " " + text;
    }

    /** Loads the library. */
    static final class Show {
        public static void main(String[] arguments) {
            Driver.init();
            System.out.println("devices: " + Device.count());
        }
    }

    @Test
    void missingLibraryNamesWhatWasTried(@TempDir Path folder) throws Exception {
        // Away from the jar of native libraries, which its manifest names.
        Path lonely = Files.copy(Path.of(place(Driver.class)), folder.resolve("pycuda.jar"));
        String text = java("-cp", lonely + ":" + place(Show.class), Show.class.getName());
        assertTrue(text.startsWith("1 "), text);
        assertTrue(text.contains("org.pycuda.library: not set") && text.contains("java.library.path"), text);
    }

    @Test
    void namedLibraryIsTheOnlyOneTried() throws Exception {
        String text = java("-Dorg.pycuda.library=/no/such/library.so", "-cp", place(Driver.class) + ":" + place(Show.class),
            Show.class.getName());
        assertTrue(text.startsWith("1 ") && text.contains("/no/such/library.so"), text);
    }

    private static String nativeJar() {
        var bundle = ServiceLoader.load(NativeBundle.class, Driver.class.getClassLoader()).findFirst();
        Assumptions.assumeTrue(bundle.isPresent(), "this run loads the library by its path");
        return place(bundle.get().getClass());
    }

    @Test
    void jarIsFoundOnTheClassPathAndLeavesNoFiles(@TempDir Path folder) throws Exception {
        String text = java("-Djava.io.tmpdir=" + folder, "-cp",
            place(Driver.class) + ":" + nativeJar() + ":" + place(Show.class), Show.class.getName());
        assertTrue(text.startsWith("0 ") && text.contains("devices: "), text);
        assertEquals(List.of(), leftIn(folder));
    }

    @Test
    void jarIsFoundBesideTheOtherWithoutBeingNamed(@TempDir Path folder) throws Exception {
        Path beside = folder.resolve("jars/pycuda.jar");
        Files.createDirectory(beside.getParent());
        Files.copy(Path.of(nativeJar()), beside.resolveSibling("pycuda-linux-x86_64.jar"));
        Files.copy(Path.of(place(Driver.class)), beside);
        String text = java("-cp", beside + ":" + place(Show.class), Show.class.getName());
        assertTrue(text.startsWith("0 ") && text.contains("devices: "), text);
    }

    @Test
    void jarIsFoundOnTheModulePathAndLeavesNoFiles(@TempDir Path folder) throws Exception {
        String text = java("-Djava.io.tmpdir=" + folder, "-p", place(Driver.class) + ":" + nativeJar(), "--add-modules",
            "org.pycuda", "-cp", place(Show.class), "HelloGpu");
        assertTrue(text.startsWith("0 ") && text.contains("0.0 0.0"), text);
        assertEquals(List.of(), leftIn(folder));
    }

    private static List<Path> leftIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("pycuda")).toList();
        }
    }
}
