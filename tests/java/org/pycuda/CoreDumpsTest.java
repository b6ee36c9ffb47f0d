package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of core dumps, and functions that the driver calls. */
class CoreDumpsTest implements WithContext {
    @Test
    void settingsAreRestored(@TempDir Path folder) {
        assumeTrue(Driver.driverVersion() >= 12050, "the driver has no core dumps");
        var before = new CoreDumps();
        String file = before.file();
        try (var dumps = new CoreDumps()) {
            dumps.setFile(folder.resolve("dump"));
            dumps.setFlags(CoreDumpFlag.SKIP_ABORT, CoreDumpFlag.SKIP_GLOBAL_MEMORY);
            assertEquals(folder.resolve("dump").toString(), before.file());
            assertEquals(Set.of(CoreDumpFlag.SKIP_ABORT, CoreDumpFlag.SKIP_GLOBAL_MEMORY), before.flags());
        }
        assertEquals(file, before.file());
        assertEquals(Set.of(), before.flags());
        assertFalse(before.enabled() || before.userTrigger());
        assertTrue(before.pipe().contains("corepipe") || !Devices.isCpu(), before.pipe());  // an H200's driver (580) has chosen none yet
    }

    @Test
    void contextsHaveTheirOwn() {
        assumeTrue(Driver.driverVersion() >= 12050, "the driver has no core dumps");
        try (var dumps = new CoreDumps(Context.current())) {
            dumps.setFlags(CoreDumpFlag.LIGHTWEIGHT);
            assertTrue(dumps.flags().contains(CoreDumpFlag.SKIP_LOCAL_MEMORY));
            assertEquals(Set.of(), new CoreDumps().flags());
            var error = assertThrows(Driver.Error.class, () -> dumps.setPipe("a pipe"));
            assertTrue(error.getMessage().contains("only the process's can be set"), error.getMessage());
        }
    }

    @Test
    void registrations() {
        assumeTrue(Devices.isCpu(), "a driver before CUDA 13.2 has none");
        DriverCallback start = CoreDumps.onStart((pid, device) -> { });
        DriverCallback over = new Device(0).onOverBudget(bytes -> { });
        assertTrue(start.isRegistered() && over.isRegistered());
        start.unregister();
        assertThrows(Driver.LogicError.class, start::unregister);
        over.close();
        over.close();
        assertFalse(over.isRegistered());
        CoreDumps.onComplete((pid, device) -> { }).close();
    }
}
