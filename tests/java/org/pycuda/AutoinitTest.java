package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutoinitTest {
    @Test
    void createsOneContextAndPushesItOnce() {
        Autoinit.init();
        Autoinit.init();
        var context = Autoinit.context();
        assertSame(context, Autoinit.context());
        assertTrue(context.isCurrent());
        assertEquals(Context.device(), Autoinit.device());
    }

    @Test
    void worksOnEveryThread() throws InterruptedException {
        Autoinit.init();
        var current = new boolean[1];
        var thread = new Thread(() -> {
            Autoinit.init();
            current[0] = Autoinit.context().isCurrent();
        });
        thread.start();
        thread.join();
        assertTrue(current[0]);
    }

    @Test
    void primaryContextBelongsToTheDevice() {
        Autoprimaryctx.init();
        try (var primary = Autoprimaryctx.device().retainPrimaryContext()) {
            assertEquals(primary, Autoprimaryctx.context());
            assertTrue(primary.isCurrent());
        }
        Context.pop();
    }

    @Test
    void theDeviceIsAvailableWithoutAPush() {
        Autoinit.init();
        try (var other = new Device(0).makeContext()) {
            assertEquals(new Device(0).totalMemory(), Autoinit.device().totalMemory());
            assertTrue(other.isCurrent());
        }
        assertTrue(Autoinit.context().isCurrent());
    }

    /** Prints which device Autoinit chooses. */
    static final class Chosen {
        public static void main(String[] arguments) {
            try {
                System.out.println(Autoinit.device().equals(new Device(0)));
            } catch (Driver.Error | IllegalArgumentException error) {
                System.out.println(error.getClass().getSimpleName());
            }
        }
    }

    @Tag("child")
    @Test
    void environmentSelectsTheDevice() {
        assertEquals("true\n", ChildJvm.run(Chosen.class, Map.of("CUDA_DEVICE", "0")).out());
        assertEquals("LogicError\n", ChildJvm.run(Chosen.class, Map.of("CUDA_DEVICE", "4711")).out());
        assertEquals("IllegalArgumentException\n", ChildJvm.run(Chosen.class, Map.of("CUDA_DEVICE", "first")).out());
    }

    @Tag("child")
    @Test
    void fileInTheHomeDirectoryNamesTheDevice(@TempDir Path home) throws IOException {
        Files.writeString(home.resolve(".cuda-device"), "0\n");
        assertEquals("true\n", ChildJvm.run(Chosen.class, Map.of("HOME", home.toString())).out());
        Files.writeString(home.resolve(".cuda_device"), "4711\n");
        assertEquals("LogicError\n", ChildJvm.run(Chosen.class, Map.of("HOME", home.toString())).out());
    }
}
