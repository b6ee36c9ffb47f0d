package org.pycuda;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a separate JVM, for tests that would affect this one. */
public record ChildJvm(int status, String out, String err) {
    /** The command of this JVM, with what lets it run under wine: classes in place of the JDK's, and no warnings about calls that wine lacks. */
    static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(argument -> argument.startsWith("--patch-module=")
            || argument.equals("-XX:-PrintWarnings")).forEach(command::add);
        return command;
    }

    /** Starts it; the caller handles its streams. */
    public static Process start(Class<?> main, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = java();
        // Few threads, and no log lines on standard output even if the machine is short of resources.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:disable",
            "--enable-native-access=ALL-UNNAMED"));
        String library = System.getProperty("org.pycuda.library");
        if (library != null) {
            command.add("-Dorg.pycuda.library=" + library);
        }
        command.addAll(List.of("-cp", classPath(), main.getName()));
        for (String argument : arguments) {  // on Windows, ProcessBuilder leaves quotes to be read as such
            command.add(File.separatorChar == '/' ? argument : argument.replace("\"", "\\\""));
        }
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder.start();
    }

    public static ChildJvm run(Class<?> main, Map<String, String> environment, String... arguments) {
        try {
            Process process = start(main, environment, arguments);
            var errors = new StringBuilder();
            var reader = new Thread(() -> errors.append(read(process.getErrorStream())));
            reader.start();
            String output = read(process.getInputStream());
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(main + " did not end\n" + output + errors);
            }
            reader.join();
            return new ChildJvm(process.exitValue(), output, errors.toString());
        } catch (IOException | InterruptedException error) {
            throw new AssertionError(error);
        }
    }

    public static ChildJvm run(Class<?> main, String... arguments) {
        return run(main, Map.of(), arguments);
    }

    /** JUnit's console creates its own class loader, so java.class.path has only JUnit: ask the classes instead. */
    private static String classPath() {
        List<String> places = new ArrayList<>();
        for (Class<?> type : new Class<?>[] {Driver.class, ChildJvm.class}) {
            places.add(type.getProtectionDomain().getCodeSource().getLocation().getPath());
        }
        for (var bundle : java.util.ServiceLoader.load(org.pycuda.spi.NativeBundle.class, Driver.class.getClassLoader())) {
            places.add(bundle.getClass().getProtectionDomain().getCodeSource().getLocation().getPath());
        }
        return String.join(java.io.File.pathSeparator, places);
    }

    /** All that a process writes. Not readAllBytes, which asks for a file's length: wine fails for a pipe's. */
    static String read(InputStream stream) {
        try {
            var text = new StringWriter();
            new InputStreamReader(stream, StandardCharsets.UTF_8).transferTo(text);
            return text.toString().replace(System.lineSeparator(), "\n");
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }
}
