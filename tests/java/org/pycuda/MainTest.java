package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("child")
class MainTest {
    @Test
    void defaultReportIsShort() {
        var child = ChildJvm.run(Main.class);
        assertEquals(0, child.status(), child.out() + child.err());
        assertTrue(child.out().contains("a kernel can be compiled and run: yes"), child.out());
        assertTrue(child.out().contains("Java " + System.getProperty("java.version")), child.out());
        assertFalse(child.out().contains("device headers:"), "short, unless asked for more");
    }

    @Test
    void verboseReportHasEverything() {
        var child = ChildJvm.run(Main.class, "--verbose");
        assertEquals(0, child.status(), child.out() + child.err());
        assertTrue(child.out().matches("(?s).*device headers: (/|[A-Z]:/).*"), child.out());
    }

    @Test
    void jsonReportIsMachineReadable() {
        var child = ChildJvm.run(Main.class, "--json");
        assertEquals(0, child.status(), child.out() + child.err());
        assertTrue(child.out().startsWith("{") && child.out().endsWith("}\n"), child.out());
        assertTrue(child.out().replace(" ", "").contains("\"akernelcanbecompiledandrun\":true"), child.out());
    }

    @Test
    void benchmarkPrintsOneLine() {
        var child = ChildJvm.run(Main.class, "--benchmark");
        assertEquals(0, child.status(), child.out() + child.err());
        assertTrue(child.out().matches("benchmark: launch [\\d.]+ us, copy of 1,600 bytes [\\d.]+ us, a \\+ b of 1,024 floats [\\d.]+ us; .+\n"), child.out());
    }

    @Test
    void withoutCompilerTheStatusIsOne(@TempDir Path empty) {
        var child = ChildJvm.run(Main.class, Map.of("PYCUDA_TOOLKIT", empty.toString()));
        assertEquals(1, child.status(), child.out() + child.err());
        assertTrue(child.out().contains("set CUDA_HOME to its folder"), child.out());
    }

    @Test
    void otherArgumentsAreRejected() {
        var child = ChildJvm.run(Main.class, "--jsn");
        assertEquals(2, child.status(), child.out() + child.err());
        assertTrue(child.err().startsWith("usage: "), child.err());
        assertEquals("", child.out());
    }

    @Test
    void theJarIsExecutable() throws Exception {
        Path jar = Path.of(Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (var file = new JarFile(jar.toFile())) {
            var attributes = file.getManifest().getMainAttributes();
            assertEquals("org.pycuda.Main", attributes.getValue("Main-Class"));
            assertEquals("ALL-UNNAMED", attributes.getValue("Enable-Native-Access"));
        }
        Assumptions.assumeTrue(System.getProperty("org.pycuda.library") == null, "this run has no jar of native libraries");
        List<String> command = ChildJvm.java();
        command.addAll(List.of("-jar", jar.toString(), "--json"));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = ChildJvm.read(process.getInputStream());
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), text);
    }
}
