import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.pycuda.Autoinit;
import org.pycuda.Capture;
import org.pycuda.CaptureMode;
import org.pycuda.Context;
import org.pycuda.Device;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.Graph;
import org.pycuda.Stream;

/** A program that cleans up nothing and leaves; abandon.py does the same. The argument says in what state it leaves. */
public final class Abandon {
    private static final int N = 1 << 12;
    private static final List<DeviceAllocation> ALLOCATIONS = new ArrayList<>();
    private static final List<Stream> STREAMS = new ArrayList<>();
    private static final List<Event> EVENTS = new ArrayList<>();
    private static final Semaphore STARTED = new Semaphore(0);
    private static Context context;
    private static Capture capture;
    private static Function scale;

    private static void work() {
        context.push();
        var mine = Driver.memAlloc(4 * N);
        var stream = new Stream();
        var host = new float[N];
        STARTED.release();
        while (true) {
            Driver.memcpyHtod(mine, host);
            Driver.memsetD32Async(mine, 0, N, stream);
            stream.synchronize();
        }
    }

    private static void queue() {
        for (int i = 0; i < STREAMS.size(); i++) {
            var config = Driver.block(128, 1, 1).grid(N / 128, 1).stream(STREAMS.get(i));
            for (int k = 0; k < 8; k++) {
                scale.launch(config, ALLOCATIONS.get(i), 1.0f, N);
            }
            EVENTS.get(i).record(STREAMS.get(i));
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        var state = arguments[0];
        Driver.init();
        context = state.equals("autoinit") ? Autoinit.context() : new Device(0).makeContext();
        var module = Driver.moduleFromBuffer(Scenario.SCALE.getBytes(StandardCharsets.UTF_8));
        scale = module.function("scale");
        for (int i = 0; i < 16; i++) {
            ALLOCATIONS.add(Driver.memAlloc(4 * N));
        }
        for (int i = 0; i < 4; i++) {
            STREAMS.add(new Stream());
            EVENTS.add(new Event());
        }
        // Garbage that the Cleaner's thread frees while the program leaves.
        for (int i = 0; i < 64; i++) {
            Driver.memAlloc(256);
        }
        System.gc();
        queue();
        switch (state) {
            case "pushed", "autoinit" -> { }
            case "popped" -> {
                Context.synchronize();
                Context.pop();
            }
            case "detached" -> {
                Context.synchronize();
                context.detach();
            }
            case "queued" -> queue();
            case "captured" -> {
                var graph = new Graph();
                graph.memset(ALLOCATIONS.get(0), 0, N, 1);
                graph.instantiate().launch(STREAMS.get(1));
                capture = STREAMS.get(0).capture(CaptureMode.THREAD_LOCAL);
                scale.launch(Driver.block(128).stream(STREAMS.get(0)), ALLOCATIONS.get(1), 1.0f, N);
            }
            case "failed" -> {
                try {
                    scale.launch(Driver.block(4096, 1, 1), ALLOCATIONS.get(0), 1.0f, N);
                } catch (Driver.Error error) {
                    // Leaving after a failure is what this state is about.
                }
            }
            case "faulted" -> {
                // No kernel may read there: after this the context is of no use, but all in it still goes its way.
                try {
                    scale.launch(Driver.block(128, 1, 1), 16L, 1.0f, N);
                    Context.synchronize();
                    throw new IllegalStateException("the fault was not noticed");
                } catch (Driver.LaunchError error) {
                    // Now leave.
                }
            }
            case "threads", "exit" -> {
                for (int i = 0; i < 4; i++) {
                    var thread = new Thread(Abandon::work);
                    thread.setDaemon(true);
                    thread.start();
                }
                STARTED.acquire(4);
                if (state.equals("exit")) {
                    System.exit(0);
                }
            }
            default -> throw new IllegalArgumentException(state);
        }
    }
}
