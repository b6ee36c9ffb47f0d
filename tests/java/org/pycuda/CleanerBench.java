package org.pycuda;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;

/** The cost of {@link Cleanup} compared with java.lang.ref.Cleaner: registering and cancelling an object, and registering one that becomes unreachable. */
final class CleanerBench {
    private static final int COUNT = 200_000;
    private static final int ROUNDS = 15;
    private static final Cleaner CLEANER = Cleaner.create();

    private CleanerBench() {}

    private static void measure(String what, Runnable once) throws InterruptedException {
        double best = Double.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < COUNT; i++) {
                once.run();
            }
            best = Math.min(best, (System.nanoTime() - start) / (double) COUNT);
            System.gc();
            Thread.sleep(50);
        }
        System.out.printf("%-40s %6.1f ns%n", what, best);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Driver.version();
        measure("Cleanup, registered and cancelled", () -> {
            var object = new Object();
            new Cleanup(object, pointer -> { }, 0).cancel();
            Reference.reachabilityFence(object);
        });
        measure("Cleaner, registered and cleaned", () -> {
            var object = new Object();
            CLEANER.register(object, () -> { }).clean();
            Reference.reachabilityFence(object);
        });
        measure("Cleanup, registered and unreachable", () -> new Cleanup(new Object(), pointer -> { }, 0));
        measure("Cleaner, registered and unreachable", () -> CLEANER.register(new Object(), () -> { }));
    }
}
