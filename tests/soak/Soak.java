import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.Device;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.Ptx;
import org.pycuda.Stream;

/**
 * Long runs after which memory must be as before: Soak [ROUNDS], a million by default. Exits with 1 when something grows.
 *
 * <p>PYCUDA_DRIVER picks the driver. Python's counterpart is soak.py; ./dev soak runs both.
 */
public final class Soak {
    private static final int LAUNCHING = 8;
    private static final int COMPUTING = 4;
    private static final long MIB = 1 << 20;

    /** How much the process may grow after the first half: the heap's own size is bounded by -Xmx. */
    private static final long HOST_SLACK = 160 * MIB;
    private static final long DEVICE_SLACK = 16 * MIB;
    private static final long MAX_DROPPED = 20_000;
    private static final List<String> KINDS = List.of("stream", "event", "module", "device allocation", "array", "page-locked allocation",
        "managed allocation", "stream-ordered allocation", "pooled memory");

    private record Measure(long handles, long resident, long used) {}

    private interface Work {
        void run(int rounds) throws Exception;
    }

    private Soak() {}

    private static long handles() {
        return KINDS.stream().mapToLong(Devices::live).sum();
    }

    /** Counts once all objects are released, or no more are; at least {@code least} handles are in use. */
    private static Measure measure(long min) throws IOException, InterruptedException {
        long fewest = Long.MAX_VALUE;
        for (int quiet = 0; quiet < 50 && handles() > min; quiet++) {
            System.gc();
            Thread.sleep(20);
            Context.synchronize();
            try (var pool = DeviceMemoryPool.ofCurrentContext()) {
                pool.freeHeld();
            }
            if (handles() < fewest) {
                fewest = handles();
                quiet = 0;
            }
        }
        long resident = Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
        var info = Driver.memGetInfo();
        return new Measure(handles(), resident, info.total() - info.free());
    }

    /** Runs {@code work} in this many threads with the context current. Throws the exception of one that failed. */
    private static void inThreads(Context context, int count, IntConsumer work) throws InterruptedException {
        var failure = new AtomicReference<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int number = 0; number < count; number++) {
            int mine = number;
            threads.add(new Thread(() -> {
                try (var scope = context.pushed()) {
                    work.accept(mine);
                } catch (Throwable thrown) {
                    failure.set(thrown);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
    }

    /** Runs half of the rounds, measures, runs the rest, and measures again: the peak amount of garbage is about the same in both halves. */
    private static void soak(String name, int rounds, Work work) throws Exception {
        long start = System.nanoTime();
        work.run(rounds / 2);
        var before = measure(1);
        work.run(rounds - rounds / 2);
        var after = measure(1);
        System.out.printf("%s: %d rounds, %.1f s; handles %d -> %d, process %d -> %d MiB, device %+.1f MiB%n", name, rounds,
            (System.nanoTime() - start) / 1e9, before.handles, after.handles, before.resident / MIB, after.resident / MIB,
            (double) (after.used - before.used) / MIB);
        if (after.handles > before.handles || after.resident - before.resident > HOST_SLACK || after.used - before.used > DEVICE_SLACK) {
            System.out.println(name + ": something grew");
            System.exit(1);
        }
    }

    /** Allocate, copy, launch, free: plain and pooled memory in turn, with a stream for each thread. */
    private static void launches(Context context, Function function, int rounds) throws InterruptedException {
        inThreads(context, LAUNCHING, number -> {
            var host = new float[64];
            try (var stream = new Stream(); var pool = DeviceMemoryPool.ofCurrentContext()) {
                for (int k = 0; k < rounds / LAUNCHING; k++) {
                    try (var memory = k % 2 == 0 ? Driver.memAlloc(256) : pool.allocate(256)) {
                        Driver.memcpyHtod(memory, host);
                        function.launch(k % 3 == 0 ? Driver.block(64) : Driver.block(64).stream(stream), memory, 2f);
                        stream.synchronize();
                    }
                }
            }
        });
    }

    /** Allocations that are not closed; at most this many wait for the collector. */
    private static void dropped(int rounds, long max) throws InterruptedException {
        for (int i = 0; i < rounds; i++) {
            Driver.memAlloc(4096);
            while (i % 1024 == 0 && Devices.live("device allocation") > max) {
                System.gc();
                Thread.sleep(1);
            }
        }
    }

    /**
     * As many as the collector likes come first, and none may be too many. What the driver and the C library keep for those goes with
     * their number at a time, another one in each run; so the two halves that are compared bound it.
     */
    private static void soakDropped(int rounds) throws Exception {
        dropped(rounds / 2, Long.MAX_VALUE);
        measure(1);
        soak("allocations that are not closed", rounds / 2, count -> dropped(count, MAX_DROPPED));
    }

    /** Results of operations on arrays: a third closed, a third dropped, a third closed by another thread. */
    private static void temporaries(Context context, int rounds) throws InterruptedException {
        var handedOver = new ArrayBlockingQueue<GPUArray>(1024);
        var closer = new Thread(() -> {
            try {
                while (true) {
                    handedOver.take().close();
                }
            } catch (InterruptedException end) {
                handedOver.forEach(GPUArray::close);
            }
        });
        closer.start();
        inThreads(context, COMPUTING, number -> {
            try (var a = GPUArray.arange(DType.FLOAT32, 1024); var b = GPUArray.zeros(DType.FLOAT32, 1024)) {
                for (int k = 0; k < rounds / COMPUTING; k++) {
                    var c = a.add(b);
                    if (k % 3 == 0) {
                        c.close();
                    } else if (k % 3 == 1) {
                        handedOver.put(c);
                    }
                    if (k % 4096 == 0) {
                        Context.synchronize();
                    }
                }
            } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
        closer.interrupt();
        closer.join();
    }

    /** A context that ends while its arrays, memory, streams and modules are alive. */
    private static void endedContexts(Device device, int rounds) {
        for (int i = 0; i < rounds; i++) {
            var context = device.makeContext();
            var array = GPUArray.arange(DType.FLOAT32, 100);
            var alive = new Object[] {array, array.add(1), Driver.memAlloc(100), new Stream(), new Event(), Driver.moduleFromBuffer(Ptx.SCALE),
                Driver.pagelockedEmpty(DType.FLOAT32, 100)};
            context.detach();
            try {
                array.add(1);
                throw new IllegalStateException("an array of a context that has ended computes");
            } catch (Driver.LogicError expected) {
                ((Stream) alive[3]).close();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
        Driver.init();
        var device = new Device(0);
        var context = device.makeContext();
        var module = Driver.moduleFromBuffer(Ptx.SCALE);
        var function = module.function("scale");
        soak("allocate, copy, launch, free", rounds, count -> launches(context, function, count));
        soakDropped(rounds);
        soak("temporaries of arrays", rounds, count -> temporaries(context, count));
        soak("contexts that end early", Math.max(rounds / 20_000, 5), count -> endedContexts(device, count));
        // The process ends while all objects are alive and a thread computes.
        var kept = GPUArray.arange(DType.FLOAT32, 1024);
        var computing = new Thread(() -> {
            try (var scope = context.pushed()) {
                while (true) {
                    kept.add(kept);
                }
            }
        });
        computing.setDaemon(true);
        computing.start();
        Thread.sleep(100);
        System.out.println("exit with everything alive");
    }
}
