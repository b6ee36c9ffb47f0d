package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceTest implements WithContext {
    @Test
    void aTimelineShowsCallsAndKernels(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("run.json");
        try (var trace = Trace.to(file)) {
            assertThrows(Driver.LogicError.class, () -> Trace.to(folder.resolve("other.json")));
            Kernels.get("fill").launch(Driver.block(4), Driver.out(new int[4]), 7, 4);
        }
        String timeline = Files.readString(file);
        assertTrue(timeline.contains("\"cuLaunchKernel\"") && timeline.contains("\"cat\":\"device\""), timeline);
    }

    @Test
    void closingTwiceDoesNothingAndAFileThatCannotBeWrittenIsAnError(@TempDir Path folder) {
        Path file = folder.resolve("no/such/folder.json");
        var trace = Trace.to(file);
        var error = assertThrows(Driver.RuntimeError.class, trace::close);
        assertTrue(error.getMessage().contains(file.toString()), error.getMessage());
        trace.close();
        Trace.to(folder.resolve("run.json")).close();
    }

    @Test
    void theEnvironmentRecordsAWholeProgram(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("whole.json");
        var child = ChildJvm.run(Main.class, Map.of("PYCUDA_TRACE", file.toString()));
        assertEquals(0, child.status(), child.out() + child.err());
        assertFalse(child.err().contains("[pycuda]"), child.err());
        assertTrue(Files.readString(file).contains("\"trial\""), "the kernel that Main runs");
    }

    @Test
    void cuptiMeasuresAWholeProgram(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("whole.json");
        String fake = System.getenv("PYCUDA_FAKE_CUPTI");
        assertTrue(fake != null, "PYCUDA_FAKE_CUPTI must name the library of tests/vendor");
        var child = ChildJvm.run(Main.class, Map.of("PYCUDA_TRACE", file.toString(), "PYCUDA_TRACE_CUPTI", fake));
        assertEquals(0, child.status(), child.out() + child.err());
        String timeline = Files.readString(file);
        assertTrue(timeline.contains("\"device times\":\"CUPTI 13.0\""), timeline);
        assertFalse(timeline.contains("\"cat\":\"device\""), "neither records, which no test wrote, nor pairs of events");
    }

    /** Examples are outside this project's packages, so driver calls are attributed to the example's lines. */
    @ParameterizedTest
    @ValueSource(strings = {"Saxpy", "OverlapCopies", "MonteCarloPi"})
    void callsHaveTheirLineInTheProgram(String example, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("run.pftrace");
        var child = ChildJvm.run(Class.forName(example), Map.of("PYCUDA_TRACE", file.toString()));
        assertEquals(0, child.status(), child.out() + child.err());
        var calls = Files.readAllLines(file).stream().filter(line -> line.contains("\"cat\":\"driver\"")).toList();
        assertFalse(calls.isEmpty());
        for (String call : calls) {
            assertTrue(call.matches(".*\"place\":\"" + example + "\\.[^\"]*\\(" + example + "\\.java:\\d+\\)\".*"), call);
        }
    }

    @Test
    void flightRecorderHasCompilations(@TempDir Path folder) throws Exception {
        assumeTrue(ModuleLayer.boot().findModule("jdk.jfr").isPresent(), "a runtime without the flight recorder");
        Path file = folder.resolve("run.jfr");
        try (var recording = new jdk.jfr.Recording()) {
            recording.enable("org.pycuda.Compilation").withoutThreshold();
            recording.start();
            for (int i = 0; i < 2; i++) {
                new org.pycuda.compiler.SourceModule("__global__ void recorded() {}").close();
            }
            recording.stop();
            recording.dump(file);
        }
        var events = jdk.jfr.consumer.RecordingFile.readAllEvents(file);
        assertEquals(2, events.size());
        assertTrue(events.get(1).getBoolean("cacheHit"));
        assertTrue(events.get(0).getDuration().compareTo(java.time.Duration.ZERO) > 0);
    }
}
