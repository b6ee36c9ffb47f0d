package org.pycuda.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final long LONG_NANOS = 50_000_000;

    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private String line(Predicate<String> wanted) throws InterruptedException {
        for (;;) {
            String line = lines.poll(60, TimeUnit.SECONDS);
            assertNotNull(line, "no more lines");
            if (wanted.test(line)) {
                return line;
            }
        }
    }

    @Test
    void aCallThatDoesNotEndIsNamed() throws InterruptedException {
        try (var progress = new Progress("the run", 3, 10, LONG_NANOS, lines::add)) {
            assertFalse(line(any -> true).contains(";"), "no thread has begun");
            progress.oneMore();
            String outer = progress.begin("outside()");
            progress.begin("inside()");
            line(line -> line.startsWith("the run: 1 of 3 calls after ") && line.endsWith("; " + Thread.currentThread().getName() + " has been in inside() for 0 s"));
            progress.end(outer);
            line(line -> line.contains("has been between calls"));
        }
    }

    @Test
    void threadsWhoseCallsEndAreNotNamed() throws InterruptedException {
        try (var progress = new Progress("the run", 3, 10, TimeUnit.HOURS.toNanos(1), lines::add)) {
            progress.begin("a()");
            for (int i = 0; i < 3; i++) {
                assertTrue(line(any -> true).matches("the run: 0 of 3 calls after \\d+ s"));
            }
        }
    }

    @Test
    void nothingIsPrintedAfterwards() throws InterruptedException {
        var progress = new Progress("the run", 3, 10, LONG_NANOS, lines::add);
        line(any -> true);
        progress.close();
        Thread.sleep(30);
        lines.clear();
        Thread.sleep(50);
        assertTrue(lines.isEmpty());
    }
}
