package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.observed.Allocating;
import org.observed.UsingFreedMemory;

class MemoryReportTest implements WithContext {
    @Test
    void liveObjectsAreCountedByKind() {
        long before = MemoryReport.now().objects().getOrDefault("device allocation", 0L);
        try (var first = Driver.memAlloc(1000); var second = Driver.memAlloc(1000)) {
            var report = MemoryReport.now();
            assertEquals(before + 2, report.objects().get("device allocation"));
            assertTrue(report.device().get("in use on the device") <= report.device().get("of the device"));
            assertTrue(report.toString().matches("(?s)live objects\n.*  device allocation\n.*bytes of memory\n.*"), report.toString());
            assertTrue(report.allocations().isEmpty());
            assertThrows(UnsupportedOperationException.class, () -> report.objects().clear());
        }
    }

    @Test
    void withoutAContextThereIsNoPool() {
        Context.pop();
        try {
            assertTrue(MemoryReport.now().pool().isEmpty() && MemoryReport.now().device().isEmpty());
        } finally {
            Autoinit.context().push();
        }
    }

    @Test
    void allocationsAreAttributedToSourceLines() {
        var child = ChildJvm.run(Allocating.class);
        assertEquals(0, child.status(), child.err());
        String[] lines = child.out().split("\n");
        assertTrue(lines[0].matches("Allocations\\[kind=pooled device allocation, place=org\\.observed\\.Allocating\\.main\\(Allocating\\.java:\\d+\\), "
            + "count=1, bytes=4000\\]"), child.out());
        assertTrue(lines[1].matches(".*device allocation, place=org\\.observed\\.Allocating\\.memory\\(Allocating\\.java:\\d+\\), count=3, bytes=1500\\]"),
            child.out());
        assertTrue(lines[2].contains("page-locked allocation") && lines[2].contains("bytes=900"), child.out());
        assertTrue(lines[3].contains("org.observed.Allocating.lambda$") && lines[3].contains("bytes=700"), child.out());
        assertTrue(lines[4].contains("kind=stream") && lines[4].contains("bytes=0"), child.out());
        assertTrue(lines[5].startsWith("then [Allocations[kind=device allocation, ") && lines[5].contains("bytes=700"), child.out());
        assertEquals("at last []", lines[6]);
    }

    @Test
    void aBadAccessIsReportedWithTheLinesThatAllocatedAndFreedTheMemory() {
        var child = ChildJvm.run(UsingFreedMemory.class, Map.of("PYCUDA_DRIVER", "cpu", "PYCUDA_RECORD_ALLOCATIONS", "1"));
        assertTrue(child.out().matches("(?s).* of 4000 bytes, allocated at org\\.observed\\.UsingFreedMemory\\.main\\(UsingFreedMemory\\.java:\\d+\\)"
            + " and freed at org\\.observed\\.UsingFreedMemory\\.main\\(UsingFreedMemory\\.java:\\d+\\); .*"), child.out() + child.err());
    }

    @Test
    void theEnvironmentVariableRecordsFromTheStart() {
        var child = ChildJvm.run(Allocating.class, Map.of("PYCUDA_RECORD_ALLOCATIONS", "1"), "from the start");
        assertEquals(0, child.status(), child.err());
        assertTrue(child.out().contains("Allocating.java:"), child.out());
        var without = ChildJvm.run(Allocating.class, Map.of("PYCUDA_RECORD_ALLOCATIONS", "0"), "from the start");
        assertFalse(without.out().contains("Allocating.java:"), without.out());
    }
}
