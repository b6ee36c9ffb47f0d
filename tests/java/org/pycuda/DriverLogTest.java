package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver's own log. */
class DriverLogTest implements WithContext {
    @Test
    void messagesHaveWhatTheDriverSays(@TempDir Path folder) throws IOException {
        assumeTrue(Driver.driverVersion() >= 12090, "the driver has no log");
        int before = DriverLog.driverLogPosition();
        try (var stream = new Stream(); var memory = Driver.memAlloc(16)) {
            var error = assertThrows(Driver.LogicError.class, () -> stream.writeValue32(memory.plus(1), 1));
            List<String> lines = DriverLog.driverLog(before);
            assertFalse(lines.isEmpty());
            assertTrue(lines.get(lines.size() - 1).contains("from cuStreamWriteValue32"), lines.toString());
            if (Devices.isCpu()) {
                assertTrue(error.getMessage().endsWith("the driver's log: The address is not a multiple of the size of the word"), error.getMessage());
            }
            Path file = folder.resolve("log");
            DriverLog.writeDriverLog(file.toString(), before);
            assertEquals(lines, Files.readAllLines(file));
        }
        assertThrows(Driver.Error.class, () -> DriverLog.writeDriverLog(folder.resolve("no such folder/log").toString()));
    }
}
