package org.pycuda.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Says at intervals how many calls are done, on a thread of its own: also while no call ends. Threads that have been in one call for long are then
 * named with that call, so that a run that hangs shows where.
 */
final class Progress implements AutoCloseable {
    private static final long EVERY_SECONDS = 30;
    private static final long LONG_SECONDS = 60;

    /** What one thread does. */
    private static final class Doing {
        private final String thread = Thread.currentThread().getName();
        private volatile String call;
        private volatile long sinceNanos = System.nanoTime();

        private String text(long nanos) {
            String named = call;
            return thread + " has been " + (named == null ? "between calls" : "in " + named) + " for " + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
        }
    }

    private final String run;
    private final long all;
    private final long longNanos;
    private final Consumer<String> print;
    private final LongAdder done = new LongAdder();
    private final long begunNanos = System.nanoTime();
    private final List<Doing> threads = new ArrayList<>();
    private final ThreadLocal<Doing> mine = ThreadLocal.withInitial(this::join);
    private final Thread thread;

    /**
     * @param run a text for the run, for example its seed
     * @param all the number of calls in the end
     */
    Progress(String run, long all) {
        this(run, all, TimeUnit.SECONDS.toMillis(EVERY_SECONDS), TimeUnit.SECONDS.toNanos(LONG_SECONDS), System.out::println);
    }

    Progress(String run, long all, long everyMillis, long longNanos, Consumer<String> print) {
        this.run = run;
        this.all = all;
        this.longNanos = longNanos;
        this.print = print;
        thread = new Thread(() -> sayUntilClosed(everyMillis), "progress");
        thread.setDaemon(true);
        thread.start();
    }

    private void sayUntilClosed(long everyMillis) {
        try {
            for (;;) {
                Thread.sleep(everyMillis);
                print.accept(text());
            }
        } catch (InterruptedException closed) {
            // The run is over.
        }
    }

    private synchronized Doing join() {
        var doing = new Doing();
        threads.add(doing);
        return doing;
    }

    /**
     * This thread begins a call, perhaps inside another one.
     *
     * @return the call that it was in before, for {@link #end}; may be null
     */
    String begin(String call) {
        Doing doing = mine.get();
        String outer = doing.call;
        doing.call = call;
        doing.sinceNanos = System.nanoTime();
        return outer;
    }

    void end(String outer) {
        Doing doing = mine.get();
        doing.call = outer;
        doing.sinceNanos = System.nanoTime();
    }

    /** One of all the calls is done. */
    void oneMore() {
        done.increment();
    }

    private synchronized String text() {
        long now = System.nanoTime();
        var text = new StringBuilder(run + ": " + done + " of " + all + " calls after " + TimeUnit.NANOSECONDS.toSeconds(now - begunNanos) + " s");
        for (Doing doing : threads) {
            long nanos = now - doing.sinceNanos;
            if (nanos >= longNanos) {
                text.append("; ").append(doing.text(nanos));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
