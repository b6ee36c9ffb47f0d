package org.pycuda.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformTest {
    @Test
    void platformNamesAreNormalised() {
        for (String architecture : new String[] {"amd64", "x86_64", "x64"}) {
            assertEquals("linux-x86_64", Platform.name("Linux", architecture, false));
        }
        assertEquals("linux-aarch64", Platform.name("Linux", "arm64", false));
        assertEquals("macos-aarch64", Platform.name("Mac OS X", "aarch64", false));
        assertEquals("windows-x86_64", Platform.name("Windows 11", "amd64", false));
        assertEquals("linux-musl-x86_64", Platform.name("Linux", "amd64", true));
    }

    @Test
    void muslIsSeenInTheMemoryMap(@TempDir Path folder) throws IOException {
        Path maps = folder.resolve("maps");
        assertFalse(Platform.usesMusl(maps));
        Files.writeString(maps, "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n");
        assertFalse(Platform.usesMusl(maps));
        Files.writeString(maps, "7f00-7f01 r-xp 00000000 08:01 1 /lib/ld-musl-x86_64.so.1\n");
        assertTrue(Platform.usesMusl(maps));
    }
}
