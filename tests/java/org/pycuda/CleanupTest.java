package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CleanupTest {
    private record Registered(Object object, Cleanup cleanup) {}

    private final AtomicIntegerArray deleted = new AtomicIntegerArray(40_000);

    private Registered register(int number) {
        var object = new Object();
        return new Registered(object, new Cleanup(object, pointer -> deleted.incrementAndGet((int) pointer), number));
    }

    @BeforeAll
    static void loadTheCore() {
        Driver.init();  // its thread runs the clean-ups
    }

    private void assertDeleted(int number, int times) throws InterruptedException {
        LifetimeTest.eventually(() -> deleted.get(number) >= times, "pointer " + number + " was not deleted");
        assertEquals(times, deleted.get(number), "number " + number);
    }

    @Test
    void deletesOnceUnlessCancelled() throws InterruptedException {
        List<Registered> all = new ArrayList<>();
        for (int number = 0; number < deleted.length(); number++) {
            all.add(register(number));
        }
        var takenBack = new ArrayList<>(all.subList(deleted.length() / 8, deleted.length()));
        Collections.shuffle(takenBack, new Random(1));
        for (Registered each : takenBack) {
            assertTrue(each.cleanup.cancel());
            assertFalse(each.cleanup.cancel());
        }
        all.clear();
        takenBack.clear();
        for (int number = 0; number < deleted.length(); number++) {
            assertDeleted(number, number < deleted.length() / 8 ? 1 : 0);
        }
    }

    @Test
    void threadsRegisterAndCancelConcurrently() throws Exception {
        int count = 4;
        int each = deleted.length() / count;
        var threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int thread = 0; thread < count; thread++) {
                int first = thread * each;
                results.add(threads.submit(() -> {
                    for (int number = first; number < first + each; number++) {
                        var registered = register(number);
                        if (number % 3 != 0) {
                            assertTrue(registered.cleanup.cancel());
                        }
                        assertEquals(0, deleted.get(number));
                        java.lang.ref.Reference.reachabilityFence(registered.object);
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            threads.shutdown();
        }
        for (int number = 0; number < deleted.length(); number++) {
            assertDeleted(number, number % 3 == 0 ? 1 : 0);
        }
    }
}
