package org.pycuda.model;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.pycuda.WithContext;

/** Random programs over streams and pools, in the file that PYCUDA_MEMORY_PROGRAMS names. */
class MemoryModelTest implements WithContext {
    @Test
    void memoryMatchesTheModel() throws IOException {
        try (var programs = new MemoryPrograms()) {
            assertTrue(programs.runFile(Path.of(System.getenv("PYCUDA_MEMORY_PROGRAMS"))) > 0);
        }
    }
}
