package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Failures that leave a context unusable, each in a separate JVM. */
@Tag("child")
class FaultTest {
    /** Writes far out of bounds. */
    static final class OutOfBounds {
        public static void main(String[] arguments) {
            Autoinit.init();
            var module = new SourceModule("__global__ void stray(int *out) { out[1ll << 33] = 1; }");
            var memory = Driver.memAlloc(16);
            try {
                module.function("stray").launch(Driver.block(1), memory);
                Context.synchronize();
                System.out.println("nothing happened");
            } catch (Driver.LaunchError error) {
                System.out.println(error.code());
            }
            memory.close();
            module.close();
        }
    }

    @Test
    void outOfBoundsIsALaunchErrorAndTheJvmLives() {
        var child = ChildJvm.run(OutOfBounds.class);
        assertEquals("700\n", child.out(), child.err());
        assertEquals(0, child.status(), child.err());
    }

    /** Runs the kernel f of the source in its argument. */
    static final class RunKernel {
        public static void main(String[] arguments) {
            Autoinit.init();
            var module = new SourceModule(arguments[0]);
            var memory = Driver.memAlloc(256);
            try {
                module.function("f").launch(Driver.block(64), memory);
                Context.synchronize();
                System.out.println("nothing happened");
            } catch (Driver.LaunchError error) {
                System.out.println(error.code() + " " + error.getMessage());
            }
            memory.close();
            module.close();
        }
    }

    private static void expectLaunchError(int code, String report, String check, String source) {
        var environment = Map.of("PYCUDA_DRIVER", "cpu", "PYCUDA_CPU_CHECK", check);
        var child = ChildJvm.run(RunKernel.class, environment, source);
        assertTrue(child.out().startsWith(code + " "), child.out() + child.err());
        assertTrue(child.out().contains(report), child.out());
        assertEquals(0, child.status(), child.err());
    }

    @Test
    void misalignedAccess() {
        expectLaunchError(716, "misaligned write of 4 bytes", "",
                "__global__ void f(int *p) { *(int *)((char *)p + 2) = 1; }");
    }

    @Test
    void divergentBarriers() {
        expectLaunchError(702, "threads (0, 0, 0) to (31, 0, 0) wait at barrier 1", "",
                "__global__ void f(int *p) { if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 64;\");"
                        + " else asm volatile(\"bar.sync 2, 64;\"); }");
    }

    @Test
    void readsOfUninitialisedMemoryAreReported() {
        expectLaunchError(719, "uninitialised read", "init", "__global__ void f(int *p) { p[threadIdx.x] += 1; }");
    }

    @Test
    void racesInSharedMemoryAreReported() {
        expectLaunchError(719, "no barrier since the earlier", "race",
                "__global__ void f(int *p) { __shared__ int s[64]; s[threadIdx.x] = 1;"
                        + " p[threadIdx.x] = s[63 - threadIdx.x]; }");
    }

    /** Exits with everything open. */
    static final class OpenAtExit {
        public static void main(String[] arguments) throws InterruptedException {
            Driver.init();
            var context = new Device(0).makeContext();
            var stream = new Stream();
            var memory = Driver.memAlloc(1 << 20);
            Driver.memsetD8Async(memory, 1, 1 << 20, stream);
            new Event().record(stream);
            for (int i = 0; i < 4; i++) {
                var thread = new Thread(() -> {
                    context.push();
                    while (true) {
                        Driver.memAlloc(4096);
                    }
                });
                thread.setDaemon(true);
                thread.start();
            }
            Thread.sleep(200);
            if (arguments.length > 0) {
                System.exit(Integer.parseInt(arguments[0]));
            }
        }
    }

    @Test
    void exitingWithOpenObjectsIsSilent() {
        for (String[] arguments : new String[][] {{}, {"3"}}) {
            var child = ChildJvm.run(OpenAtExit.class, Map.of("PYCUDA_DRIVER", Devices.isCpu() ? "cpu" : "cuda"), arguments);
            assertEquals(arguments.length == 0 ? 0 : 3, child.status(), child.err());
            assertEquals("", child.err());
            assertEquals("", child.out());
        }
    }

    /** Shows what fails without a usable driver. */
    static final class NoDriver {
        public static void main(String[] arguments) {
            System.out.println(Driver.VERSION_TEXT + " " + DeviceAttribute.WARP_SIZE.value() + " " + Driver.version().major());
            for (int i = 0; i < 2; i++) {
                try {
                    Autoinit.init();
                } catch (Driver.Error error) {
                    System.out.println(error.getClass().getSimpleName());
                }
            }
        }
    }

    @Test
    void anUnknownDriverIsAnErrorEveryTime() {
        var child = ChildJvm.run(NoDriver.class, Map.of("PYCUDA_DRIVER", "abacus"));
        assertEquals(0, child.status(), child.err());
        assertTrue(child.out().endsWith("LogicError\nLogicError\n"), child.out());
    }

    /** Prints how often the fallback was reported. */
    static final class Notice {
        public static void main(String[] arguments) {
            Driver.init();
            Driver.init();
            Driver.driverVersion();
            System.out.println(new Device(0).name().contains("CPU"));
        }
    }

    @Test
    void theFallbackIsReportedOnce() {
        var child = ChildJvm.run(Notice.class, Map.of("PYCUDA_DRIVER", "auto"));
        assertEquals(0, child.status(), child.err());
        assertEquals(child.out().equals("true\n") ? 1 : 0, child.err().lines().filter(line -> line.contains("CPU device")).count(), child.err());
    }
}
