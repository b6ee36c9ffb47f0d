package org.pycuda.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Names of platforms: JVMs spell theirs differently, and Linux has two C libraries. */
final class Platform {
    private static final String CURRENT =
        name(System.getProperty("os.name"), System.getProperty("os.arch"), usesMusl(Path.of("/proc/self/maps")));

    private Platform() {}

    /** This JVM's. */
    static String current() {
        return CURRENT;
    }

    /** {@code linux-x86_64}, {@code linux-musl-aarch64}, {@code windows-x86_64} and so on. */
    static String name(String system, String architecture, boolean musl) {
        String os = system.toLowerCase(Locale.ROOT);
        if (os.startsWith("mac")) {
            os = "macos";
        } else if (os.startsWith("windows")) {
            os = "windows";
        }
        return os.replace(' ', '_') + (musl ? "-musl" : "") + "-" + processor(architecture.toLowerCase(Locale.ROOT));
    }

    private static String processor(String architecture) {
        return switch (architecture) {
            case "amd64", "x64", "x86-64" -> "x86_64";
            case "arm64" -> "aarch64";
            default -> architecture;
        };
    }

    /** Whether musl, and not glibc, started the process whose memory map this is: a library for one cannot be loaded by the other. */
    static boolean usesMusl(Path maps) {
        try (var lines = Files.lines(maps)) {
            return lines.anyMatch(line -> line.contains("/ld-musl-"));
        } catch (IOException | java.io.UncheckedIOException | SecurityException unreadable) {
            return false;
        }
    }
}
