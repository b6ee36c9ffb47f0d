package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.spi.NativeBundle;

@Tag("child")
class NativeLoaderTest {
    private static String place(Class<?> type) {
        return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString())).toString();
    }

    private static String classPath(Object... places) {
        return Stream.of(places).map(Object::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Exit status and output of {@code java} with these arguments. */
    private static String java(String... arguments) throws IOException, InterruptedException {
        List<String> command = ChildJvm.java();
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = ChildJvm.read(process.getInputStream());
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
        // Outside the folder with the jar of native libraries, which the manifest refers to.
        Path lonely = Files.copy(Path.of(place(Driver.class)), folder.resolve("pycuda.jar"));
        String text = java("-cp", classPath(lonely, place(Show.class)), Show.class.getName());
        assertTrue(text.startsWith("1 "), text);
        assertTrue(text.contains("org.pycuda.library: not set") && text.contains("java.library.path"), text);
    }

    @Test
    void onlyTheNamedLibraryIsTried() throws Exception {
        String text = java("-Dorg.pycuda.library=/no/such/library.so", "-cp", classPath(place(Driver.class), place(Show.class)),
            Show.class.getName());
        assertTrue(text.startsWith("1 ") && text.contains(Path.of("/no/such/library.so").toString()), text);
    }

    private static String nativeJar() {
        var bundle = ServiceLoader.load(NativeBundle.class, Driver.class.getClassLoader()).findFirst();
        Assumptions.assumeTrue(bundle.isPresent(), "this run loads the library by its path");
        return place(bundle.get().getClass());
    }

    @Test
    void jarIsFoundOnTheClassPathAndLeavesNoFiles(@TempDir Path folder) throws Exception {
        String text = java("-Djava.io.tmpdir=" + folder, "-cp",
            classPath(place(Driver.class), nativeJar(), place(Show.class)), Show.class.getName());
        assertTrue(text.startsWith("0 ") && text.contains("devices: "), text);
        assertTrue(leftIn(folder).size() <= (File.separatorChar == '/' ? 0 : 1), leftIn(folder).toString());
    }

    @Test
    void jarIsFoundBesideTheOtherWithoutBeingNamed(@TempDir Path folder) throws Exception {
        Path beside = folder.resolve("jars/pycuda.jar");
        Files.createDirectory(beside.getParent());
        Files.copy(Path.of(nativeJar()), beside.resolveSibling(Path.of(nativeJar()).getFileName()));
        Files.copy(Path.of(place(Driver.class)), beside);
        String text = java("-cp", classPath(beside, place(Show.class)), Show.class.getName());
        assertTrue(text.startsWith("0 ") && text.contains("devices: "), text);
    }

    @Test
    void jarIsFoundOnTheModulePathAndLeavesNoFiles(@TempDir Path folder) throws Exception {
        String text = java("-Djava.io.tmpdir=" + folder, "-p", classPath(place(Driver.class), nativeJar()), "--add-modules",
            "org.pycuda", "-cp", place(Show.class), "HelloGpu");
        assertTrue(text.startsWith("0 ") && text.contains("0.0 0.0"), text);
        assertTrue(leftIn(folder).size() <= (File.separatorChar == '/' ? 0 : 1), leftIn(folder).toString());
    }

    /** Finds the native library through a property, and prints the names that it is asked for. */
    public static final class Talking implements NativeBundle {
        @Override
        public String platform() {
            return NativeBundle.thisPlatform();
        }

        @Override
        public InputStream open(String name) throws IOException {
            System.out.println("asked for " + name);
            if (name.equals(System.mapLibraryName("pycuda_cpu"))) {
                throw new IOException("the disk is full");
            }
            return Files.newInputStream(Path.of(System.getProperty("test.library")));
        }

        @Override
        public List<String> deviceHeaders() {
            return List.of();
        }
    }

    /** Uses the package first without a driver, then with one. */
    static final class UseThenInit {
        public static void main(String[] arguments) {
            System.out.println(Driver.version());
            try {
                Driver.init();
            } catch (Driver.RuntimeError error) {
                System.out.println(error.getMessage());
            }
        }
    }

    /** The library that this JVM has loaded. */
    private static String loadedLibrary(Path folder) throws IOException {
        String named = System.getProperty("org.pycuda.library");
        if (named != null) {
            return Path.of(named).toAbsolutePath().toString();
        }
        var bundle = ServiceLoader.load(NativeBundle.class, Driver.class.getClassLoader()).findFirst();
        Path copy = folder.resolve("library.so");
        try (var bytes = bundle.orElseThrow().open(System.mapLibraryName("pycuda_java"))) {
            Files.copy(bytes, copy);
        }
        return copy.toString();
    }

    @Test
    void cpuLibraryIsUnpackedWhenItIsNeededAndItsFailureSpoilsNothingElse(@TempDir Path folder) throws Exception {
        Path service = folder.resolve("META-INF/services/" + NativeBundle.class.getName());
        Files.createDirectories(service.getParent());
        Files.writeString(service, Talking.class.getName());
        Path alone = Files.copy(Path.of(place(Driver.class)), folder.resolve("pycuda.jar"));
        List<String> arguments = ChildJvm.java();
        arguments.addAll(List.of("-Dtest.library=" + loadedLibrary(folder), "-cp", classPath(folder, alone, place(Talking.class)), UseThenInit.class.getName()));
        var command = new ProcessBuilder(arguments);
        command.environment().remove("PYCUDA_CPU_LIBRARY");
        command.environment().put("PYCUDA_DRIVER", "cpu");
        var process = command.redirectErrorStream(true).start();
        List<String> lines = ChildJvm.read(process.getInputStream()).lines()
            .filter(line -> !line.startsWith("WARNING") && !line.isBlank()).toList();  // Java 24 warns about native access
        assertEquals(0, process.waitFor(), lines.toString());
        assertEquals("asked for " + System.mapLibraryName("pycuda_java"), lines.get(0));
        assertTrue(lines.get(1).startsWith("Version["), lines.toString());
        assertEquals("asked for " + System.mapLibraryName("pycuda_cpu"), lines.get(2));
        assertTrue(String.join(" ", lines).contains("the disk is full"), lines.toString());
    }

    @Test
    void libraryOfAnotherVersionIsRefused(@TempDir Path folder) throws Exception {
        byte[] constants;
        try (var bytes = Driver.class.getResourceAsStream("DriverConstants.class")) {
            constants = bytes.readAllBytes();
        }
        String text = new String(constants, StandardCharsets.ISO_8859_1).replace(DriverConstants.LIBRARY_VERSION, DriverConstants.LIBRARY_VERSION.replaceAll("\\d", "9"));
        Path other = folder.resolve("org/pycuda/DriverConstants.class");
        Files.createDirectories(other.getParent());
        Files.write(other, text.getBytes(StandardCharsets.ISO_8859_1));
        String said = java("-Dorg.pycuda.library=" + loadedLibrary(folder), "-cp",
            classPath(folder, place(Driver.class), place(Show.class)), Show.class.getName());
        assertTrue(said.startsWith("1 ") && said.contains("its native library is version " + DriverConstants.LIBRARY_VERSION), said);
    }

    /** What the process has left there. Windows deletes no library that is loaded: the next process does. */
    private static List<Path> leftIn(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("pycuda")).toList();
        }
    }
}
