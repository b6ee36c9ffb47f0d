package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Splitting SMs, streams that run on some of them, and process checkpoints. */
class GreenContextTest {
    private Context primary;
    private SMResource all;

    @BeforeEach
    void pushPrimaryContext() {
        Driver.init();
        assumeTrue(Driver.driverVersion() >= 12050, "no green contexts before CUDA 12.5");
        primary = new Device(0).retainPrimaryContext();
        primary.push();
        all = new SMResource(new Device(0));
    }

    @AfterEach
    void popPrimaryContext() {
        if (primary != null) {
            Context.pop();
            primary.detach();
        }
    }

    @Test
    void resourcesAreSplit() {
        assertEquals(new Device(0), all.device());
        List<SMResource> parts = all.split(1);
        assertEquals(all.smCount(), parts.stream().mapToInt(SMResource::smCount).sum());
        assertEquals(2, all.split(1, 1).size());
        assertThrows(Driver.LogicError.class, () -> all.split(all.smCount() + 1));
        var error = assertThrows(Driver.LogicError.class, () -> parts.get(0).split(1));
        assertTrue(error.getMessage().contains("make a green context of it"), error.getMessage());
    }

    @Test
    void streamsUseTheMemoryOfThePrimaryContext() {
        try (var green = new GreenContext(all.split(1, 1).subList(0, 1)); var stream = green.createStream();
                var memory = Driver.memAlloc(400); var event = new Event()) {
            Driver.memsetD32Async(memory, 7, 100, stream);
            green.recordEvent(event);
            green.waitForEvent(event);
            green.synchronize();
            assertTrue(IntStream.of(Driver.fromDevice(memory, 100, int[].class)).allMatch(n -> n == 7));
            assertTrue(green.smResource().smCount() >= 1);
            assertNotEquals(0, green.handle());
        }
    }

    @Test
    void streamsOutliveTheGreenContextThatIsClosed() {
        long before = Devices.liveWithoutGarbage("green context");
        var green = new GreenContext(List.of(all));
        try (var stream = green.createStream(); var memory = Driver.memAlloc(40)) {
            green.close();
            assertThrows(Driver.LogicError.class, green::createStream);
            Driver.memsetD32Async(memory, 3, 10, stream);
            stream.synchronize();
            assertArrayEquals(new int[] {3}, Driver.fromDevice(memory, 1, int[].class));
            assertEquals(before + 1, Devices.live("green context"));
        }
        assertEquals(before, Devices.live("green context"));
    }

    @Test
    void convertedToAContext() {
        try (var green = new GreenContext(List.of(all)); var context = green.asContext()) {
            assertEquals(context, green.asContext());
            try (var scope = context.pushed(); var stream = new Stream(); var memory = Driver.memAlloc(40)) {
                assertEquals(context, Context.current());
                Driver.memsetD32Async(memory, 4, 10, stream);
                Context.synchronize();
                assertArrayEquals(new int[] {4}, Driver.fromDevice(memory, 1, int[].class));
            }
            assertEquals(primary, Context.current());
        }
    }

    @Test
    void thePrimaryContextMustBeCurrent() {
        try (var other = new Device(0).makeContext()) {
            var error = assertThrows(Driver.LogicError.class, () -> new GreenContext(List.of(all)));
            assertTrue(error.getMessage().contains("primary context"), error.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> new GreenContext(List.of()));
    }

    @Test
    void checkpointsAreUnsupportedOnTheCpuDevice() {
        var process = new CudaProcess((int) ProcessHandle.current().pid());
        assertEquals(ProcessHandle.current().pid(), process.pid());
        assumeTrue(Devices.isCpu(), "NVIDIA's driver supports them");
        for (Runnable call : List.<Runnable>of(process::state, process::restoreThreadId, process::lock, process::checkpoint, process::restore,
                process::unlock)) {
            assertThrows(Driver.LogicError.class, call::run);
        }
    }
}
