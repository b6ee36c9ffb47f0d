package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every driver call of every operation fails once: {@link FaultSweep}, on the CPU device in a separate JVM. */
class FaultSweepTest {
    @TestFactory
    Stream<DynamicTest> everyCallFailsOnce() {
        String library = System.getenv("PYCUDA_FAULTY_DRIVER");
        assertTrue(library != null, "PYCUDA_FAULTY_DRIVER must name the library of tests/faults");
        var child = ChildJvm.run(FaultSweep.class, Map.of("PYCUDA_DRIVER", "cpu", "PYCUDA_CPU_LIBRARY", library, "PYCUDA_CPU_DEVICES", "2"));
        assertEquals(0, child.status(), child.err());
        Map<String, List<String>> problems = new LinkedHashMap<>();
        List<String> last = new ArrayList<>();
        for (String line : child.out().lines().toList()) {
            if (line.startsWith(" ")) {
                last.add(line.strip());
            } else {
                last = problems.computeIfAbsent(line.split(" ")[0], name -> new ArrayList<>());
            }
        }
        assertTrue(problems.containsKey("done") && problems.size() > 100, child.out() + child.err());
        return problems.entrySet().stream()
            .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> assertEquals(List.of(), entry.getValue())));
    }
}
