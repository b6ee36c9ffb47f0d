package org.pycuda.fuzz;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.pycuda.Context;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.MemoryReport;

/** Counts the live native objects of each kind that only references of the program keep alive. */
record Alive(Map<String, Long> objects) {
    private static final int TRIES = 100;
    private static final long BETWEEN_NANOS = 50_000_000;

    static Alive now() {
        DeviceMemoryPool.ofCurrentContext().freeHeld();
        var objects = new TreeMap<>(MemoryReport.now().objects());
        return new Alive(objects);
    }

    /** What is alive in addition to this, once the work in the current context and in {@code other} is done and all unreachable objects are freed. */
    String leftAfter(Context other) {
        Context.synchronize();
        other.run(() -> {
            Context.synchronize();
            return null;
        });
        var more = new TreeMap<String, Long>();
        for (int i = 0; i < TRIES; i++) {
            System.gc();
            LockSupport.parkNanos(BETWEEN_NANOS);
            other.run(() -> {
                DeviceMemoryPool.ofCurrentContext().freeHeld();
                return null;
            });
            more.clear();
            now().objects.forEach((kind, count) -> more.merge(kind, count - objects.getOrDefault(kind, 0L), Long::sum));
            more.values().removeIf(count -> count <= 0);
            if (more.isEmpty()) {
                return "";
            }
        }
        return "no reference is left to " + more + ", but it is alive; before: " + objects;
    }
}
