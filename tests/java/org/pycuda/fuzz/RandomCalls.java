package org.pycuda.fuzz;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import org.pycuda.*;
import org.pycuda.compiler.SourceModule;

/**
 * Calls random public methods with values of every kind, on several threads that share objects, in several contexts, while the garbage collector
 * runs. Nothing may end the process, every exception must be one of this package's, and no kernel may fail.
 */
public final class RandomCalls {
    /**
     * Excluded: what changes more than its own object, requires valid pointers or sizes, would make a kernel read out of bounds, would fill
     * gigabytes, or would wait forever.
     */
    private static final Set<String> SKIP = Set.of("makeContext", "makeDefaultContext", "retainPrimaryContext", "pop", "push", "detach", "run", "executor", "fromHandle", "fromIpcHandle", "stopProfiler", "startProfiler",
        "wrap", "pushed", "setLimit", "enablePeerAccess", "disablePeerAccess", "buffer", "asBuffer", "segment", "memcpyPeer", "memcpyPeerAsync", "getAsync",
        "getPagelocked", "initializeProfiler", "launch", "launchTimed", "preparedCall", "preparedAsyncCall", "preparedTimedCall", "set", "call", "callRanges",
        "memcpyDtod", "memcpyDtodAsync", "addHostFunction", "toString", "wait", "notify", "notifyAll", "equals", "hashCode", "getClass",
        "launchPacked", "mulAddAsync", "memPrefetchAsync", "linker", "attachAsync", "kernel", "whileLoop", "exportDescriptor", "importDescriptor",
        "importPointer", "makeCurrent", "waitValue32", "waitValue64", "waitForSemaphore", "waitForSemaphores", "generateScrambleConstants32",
        "generateScrambleConstants64", "generateDirectionVectors");
    private static final Class<?>[] TYPES = {Driver.class, GPUArray.class, ArrayFactory.class, CuMath.class, DeviceAllocation.class, Stream.class, Event.class,
        DeviceMemoryPool.class, PageLockedMemoryPool.class, PooledDeviceAllocation.class, org.pycuda.Array.class, ArrayDescriptor.class, ArrayDescriptor3D.class,
        Memcpy2D.class, Memcpy3D.class, TextureDescriptor.class, TextureObject.class, SurfaceObject.class, MipmappedArray.class, StructType.class, Slice.class,
        Axis.class, Invocation.class, LaunchConfig.class, XORWOWRandomNumberGenerator.class, Sobol32RandomNumberGenerator.class, ManagedAllocation.class,
        MRG32k3aRandomNumberGenerator.class, StreamOrderedAllocation.class, Device.class, OccupancyRecord.class, Tools.class, DeviceData.class,
        TextureReference.class, Vec.class, IPCMemoryHandle.class, CuRandom.class, HostData.class, In.class, Out.class, InOut.class, ArrayScope.class,
        Graph.class, GraphNode.class, ExecutableGraph.class, ExecutableGraph.Node.class, VirtualMemory.class, PhysicalMemory.class, StreamOrderedPool.class};
    private static final Set<String> ENDS = Set.of("close", "free", "unregister", "stopHolding", "freeAsync");
    /** At this number of calls a thread drops half of its objects, and checks whether memory is short. */
    private static final int FORGETS = 3000;
    private static final int LOOKS = 100;
    /** Number of elements in host memory. */
    private static final double MAX_ON_HOST = 1 << 20;
    private static final double MORE_THAN_HOSTS_HAVE = 1L << 46;

    /** The complaint about a kernel that failed, or ran for too long: all later calls fail in its context, so the run ends. */
    private static final String FAULT = "fault";
    /** A LaunchError before the launch. */
    private static final int INVALID_CLUSTER_SIZE = 912;

    private final Progress progress;
    private final List<Executable> members = new ArrayList<>();
    private final Context home = Context.current();
    private final Context other;
    private final Function kernel;
    private final SourceModule module;
    private final org.pycuda.Array bound = new org.pycuda.Array(new ArrayDescriptor(4, 4, ArrayFormat.FLOAT, 1));
    /** How often each class of exceptions was thrown, and unexpected outcomes. */
    final Map<String, Long> counts = new ConcurrentHashMap<>();
    final Map<String, String> complaints = new ConcurrentHashMap<>();

    RandomCalls(Progress progress) {
        this.progress = progress;
        for (Class<?> type : TYPES) {
            Arrays.stream(type.getMethods()).filter(method -> !SKIP.contains(method.getName()) && method.getDeclaringClass() != Object.class && !method.isBridge())
                .forEach(members::add);
            members.addAll(List.of(type.getConstructors()));
        }
        members.sort(java.util.Comparator.comparing(Executable::toString));  // so that the same seed gives the same program
        module = new SourceModule("__global__ void f(char *x, int n) { if (x) x[0] = n; } texture<float, 2> t;");
        kernel = module.function("f").prepare("Pi");
        other = new Device(0).makeContext();
        Context.pop();
        bindTexture();
    }

    private void start(Values values) {
        List<Supplier<?>> makers = new ArrayList<>(List.of(() -> Driver.memAlloc(100), Stream::new, Event::new, DeviceMemoryPool::new,
            () -> new DeviceMemoryPool().allocate(64), () -> Driver.block(2), () -> Driver.block(4).grid(2), TextureDescriptor::new, Memcpy2D::new, Memcpy3D::new,
            () -> new org.pycuda.Array(new ArrayDescriptor(4, 4, ArrayFormat.FLOAT, 1)), () -> new ArrayDescriptor(4, 4, ArrayFormat.FLOAT, 1),
            () -> new ArrayDescriptor3D(4, 4, 0, ArrayFormat.FLOAT, 1), () -> Driver.managedEmpty(DType.FLOAT32, 10),
            () -> new VirtualMemory(100, 1 << 22), StreamOrderedPool::new, () -> Driver.memAllocAsync(100), Graph::new, this::graph));
        for (DType type : DType.values()) {
            makers.addAll(List.of(() -> GPUArray.zeros(type, 2, 3), () -> GPUArray.zeros(type, 4), () -> GPUArray.zeros(type), () -> GPUArray.zeros(type, 0),
                () -> GPUArray.zeros(type, 6).slice(0, 6, 2), () -> GPUArray.zeros(type, 3, 2).transpose()));
        }
        makers.addAll(List.of(XORWOWRandomNumberGenerator::new, kernel::invocation));
        for (Supplier<?> maker : makers) {  // some cannot make anything while a capture that a call began is open
            Object made = attempt(maker::get, "start", new Object[0]);
            if (made != null) {
                values.add(made);
            }
        }
        for (Object value : new Object[] {StructType.of("RandomS", StructType.field("a", DType.FLOAT32), StructType.field("b", DType.FLOAT64)), Vec.FLOAT3, Slice.ALL,
            Slice.REST, Slice.of(1, 2), Slice.at(0), Slice.NEW_AXIS, Axis.of(0), Axis.of(-1), Axis.ALL, Padding.REFLECT, Padding.constant(1), Padding.mean(), new Complex(1, 2), GPUArray.factory(), new Device(0),
            Allocator.DRIVER, home, module.texref("t")}) {
            values.add(value);
        }
    }

    /** A graph with a kernel, and a node that depends on it. */
    private Graph graph() {
        var graph = new Graph();
        var memory = Driver.memAlloc(100);
        graph.kernel(kernel, Driver.block(1), memory, 1).memset(memory, 2, 100, 1).memcpyDtod(memory, Driver.memAlloc(100), 100).hostFunction(() -> { });
        return graph;
    }

    /** Launches the kernel, or adds it to a graph, or changes it there, with any attribute. */
    private Object launch(Values values, Random random, DevicePointer memory, Object[] attribute) {
        LaunchConfig config = Driver.block(1);
        if (attribute.length > 0) {
            config = config.attribute(values.pick(LaunchAttribute.values()), attribute);
        }
        if (random.nextBoolean()) {
            kernel.launch(config.stream(values.known(Stream.class) instanceof Stream stream ? stream : Stream.DEFAULT), memory, random.nextInt());
        } else if (random.nextBoolean() && values.known(GraphNode.class) instanceof GraphNode node) {
            return node.kernel(kernel, config, memory, random.nextInt());
        } else if (values.known(Graph.class) instanceof Graph graph) {
            return graph.kernel(kernel, config, memory, random.nextInt());
        }
        return null;
    }

    /** One thread's program. {@code shared}: objects of all threads. */
    private void run(long seed, int steps, List<Object> shared) {
        var random = new Random(seed);
        var values = new Values(random);
        home.run(() -> {
            start(values);
            for (int step = 0; step < steps && !complaints.containsKey(FAULT); step++) {
                if (step % FORGETS == FORGETS - 1) {
                    values.forget();
                    start(values);
                    if (seed % 4 == 0) {
                        System.gc();
                    }
                } else if (step % LOOKS == LOOKS - 1 && isMemoryShort()) {
                    forget(values, shared);
                }
                if (random.nextInt(50) == 0) {
                    exchange(values, random, shared);
                } else if (random.nextInt(40) == 0) {
                    other.run(() -> step(values, random));
                } else {
                    step(values, random);
                }
                progress.oneMore();
            }
            return null;
        });
    }

    /** A few arrays of random shapes can fill a device; each allocation would then collect garbage, and fail. Memory held by pools does not count. */
    private boolean isMemoryShort() {
        if (isMostUsed()) {
            DeviceMemoryPool.ofCurrentContext().freeHeld();
            other.run(() -> DeviceMemoryPool.ofCurrentContext().freeHeld());
            return isMostUsed();
        }
        return false;
    }

    private static boolean isMostUsed() {
        var memory = Driver.memGetInfo();
        return memory.free() < memory.total() / 4;
    }

    private static void forget(Values values, List<Object> shared) {
        values.forget();
        synchronized (shared) {
            java.util.Collections.fill(shared, null);
        }
        System.gc();
    }

    /** Called when the threads have dropped all their objects. */
    private Void sayWhatIsLeft(Alive before) {
        bindTexture();
        Context.synchronize();
        launch();  // releases what was bound before, even if kernels were still reading it at the last launch
        String left = before.leftAfter(other);
        if (!left.isEmpty()) {
            complaints.put("left", left);
        }
        return null;
    }

    /** Binds the texture reference to memory that no call changes. */
    private void bindTexture() {
        module.texref("t").setArray(bound);
        launch();
    }

    private void launch() {
        kernel.launch(Driver.block(1), Driver.memAlloc(1), 0);
    }

    private static void exchange(Values values, Random random, List<Object> shared) {
        Object mine = values.known(random.nextBoolean() ? GPUArray.class : random.nextBoolean() ? Stream.class : DeviceMemory.class);
        synchronized (shared) {
            if (mine != null) {
                shared.set(random.nextInt(shared.size()), mine);
            }
            Object given = shared.get(random.nextInt(shared.size()));
            if (given != null) {
                values.add(given);
            }
        }
    }

    private Void step(Values values, Random random) {
        Executable member = values.pick(members);
        Object self = null;
        if (member instanceof Method method && !Modifier.isStatic(method.getModifiers())) {
            self = values.known(method.getDeclaringClass());
            if (self == null || ENDS.contains(method.getName()) && (self instanceof Context || random.nextInt(20) > 0)) {
                return null;
            }
        } else if (isSlow(member) && random.nextInt(10) > 0) {
            return null;
        }
        Object[] arguments = Arrays.stream(member.getGenericParameterTypes()).map(values::of).toArray();
        if (fillsGigabytes(member, arguments)) {
            return null;
        }
        if (random.nextInt(20) == 0 && values.known(GPUArray.class) instanceof GPUArray array) {
            Object[] attribute = values.list();
            Object node = attempt(() -> launch(values, random, array, attribute), "launch", attribute);
            if (node != null) {
                values.add(node);
            }
        }
        Object receiver = self;
        Object result = attempt(() -> invoke(member, receiver, arguments), member.toString(), arguments);
        if (result instanceof Capture || result instanceof Stream.Use || result instanceof ArrayScope) {  // these keep what is created inside them
            for (int inside = random.nextInt(5); inside > 0; inside--) {
                step(values, random);
            }
            attempt(() -> {
                ((AutoCloseable) result).close();
                return null;
            }, "the end of " + member, arguments);
            return null;
        }
        if (result != null && result.getClass().getName().startsWith("org.pycuda") && !(result instanceof Context) && !(result instanceof HostPointer)) {
            values.add(result);
        }
        return null;
    }

    /** Creating generators with many states takes as long as thousands of other calls. */
    private static boolean isSlow(Executable member) {
        return member instanceof Constructor<?> && RandomNumberGenerator.class.isAssignableFrom(member.getDeclaringClass());
    }

    /** Excludes sizes of host memory that no machine has. */
    private static boolean fillsGigabytes(Executable member, Object[] arguments) {
        Class<?> made = member instanceof Method method ? method.getReturnType() : member.getDeclaringClass();
        if (!HostBuffers.class.isAssignableFrom(made)) {
            return false;
        }
        double elements = Arrays.stream(arguments).flatMapToDouble(RandomCalls::numbers).reduce(1, (a, b) -> a * b);
        return elements > MAX_ON_HOST && elements < MORE_THAN_HOSTS_HAVE;
    }

    private static DoubleStream numbers(Object argument) {
        if (argument instanceof Number number) {
            return DoubleStream.of(number.doubleValue());
        } else if (argument instanceof int[] lengths) {
            return Arrays.stream(lengths).asDoubleStream();
        }
        return argument instanceof long[] lengths ? Arrays.stream(lengths).asDoubleStream() : DoubleStream.empty();
    }

    private static Object invoke(Executable member, Object self, Object[] arguments) throws Throwable {
        try {
            ((java.lang.reflect.AccessibleObject) member).setAccessible(true);  // public, but of a class that is not
            return member instanceof Method method ? method.invoke(self, arguments) : ((Constructor<?>) member).newInstance(arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        } catch (IllegalArgumentException | NullPointerException ofReflection) {
            return null;  // null for a primitive parameter
        }
    }

    private interface Call {
        Object run() throws Throwable;
    }

    private Object attempt(Call call, String what, Object[] arguments) {
        String outer = progress.begin(what);
        try {
            Object result = call.run();
            counts.merge("ok", 1L, Long::sum);
            return result;
        } catch (Throwable thrown) {
            counts.merge(thrown.getClass().getSimpleName(), 1L, Long::sum);
            if (!isExpected(thrown, arguments)) {
                complaints.putIfAbsent(thrown instanceof Driver.LaunchError ? FAULT : thrown.getClass().getName() + " " + what, thrown + " from " + what + " at " + Arrays.stream(thrown.getStackTrace()).limit(3).toList());
            }
            return null;
        } finally {
            progress.end(outer);
        }
    }

    private static boolean isExpected(Throwable thrown, Object[] arguments) {
        if (thrown instanceof Driver.Error) {
            return !(thrown instanceof Driver.LaunchError fault) || fault.code() == INVALID_CLUSTER_SIZE;
        } else if (thrown instanceof NullPointerException) {
            return Arrays.asList(arguments).contains(null) || Arrays.stream(arguments).anyMatch(RandomCalls::holdsNull);
        } else if (thrown instanceof IndexOutOfBoundsException) {
            return Arrays.stream(thrown.getStackTrace()).limit(6).anyMatch(frame -> frame.getClassName().startsWith("org.pycuda"));
        }
        return thrown instanceof IllegalArgumentException || thrown instanceof ArithmeticException || thrown instanceof OutOfMemoryError;
    }

    private static boolean holdsNull(Object argument) {
        List<?> list = argument instanceof Object[] array ? Arrays.asList(array) : argument instanceof List<?> given ? new ArrayList<>(given) : new ArrayList<>();
        return list.contains(null);
    }

    /** Runs everything; prints unexpected outcomes, then how often each exception was thrown. */
    static String run(long seed, int steps, int threads) throws InterruptedException {
        try (var progress = new Progress("random calls of seed " + seed, steps)) {
            return run(seed, steps, threads, progress);
        }
    }

    private static String run(long seed, int steps, int threads, Progress progress) throws InterruptedException {
        var calls = new RandomCalls(progress);
        List<Object> shared = new ArrayList<>(java.util.Collections.nCopies(16, null));
        var before = Alive.now();
        var ends = new Phaser(threads) {
            @Override
            protected boolean onAdvance(int phase, int parties) {
                shared.replaceAll(any -> null);
                calls.attempt(() -> calls.home.run(() -> calls.sayWhatIsLeft(before)), "the end", new Object[0]);
                return true;
            }
        };
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long mine = seed + i;
            running.add(new Thread(() -> {
                try {
                    calls.run(mine, steps / threads, shared);
                } catch (Throwable failure) {
                    calls.complaints.putIfAbsent("thread " + mine, "the thread of seed " + mine + " ended: " + failure + " at " + Arrays.stream(failure.getStackTrace()).limit(5).toList());
                }
                progress.begin("the end, where it waits for the other threads");
                ends.arriveAndAwaitAdvance();  // what a thread caches is released with it
            }, "random calls " + mine));
        }
        for (Thread thread : running) {
            thread.start();
        }
        for (Thread thread : running) {
            thread.join();
        }
        System.out.println("random calls: " + new TreeMap<>(calls.counts));
        calls.other.close();
        return String.join("\n", new TreeMap<>(calls.complaints).values());
    }

    /** {@code RandomCalls [CALLS [SEED [THREADS]]]}: exits with status 1 after an unexpected outcome. */
    public static void main(String[] arguments) throws InterruptedException {
        long[] numbers = {1_000_000, 1, 4};
        for (int i = 0; i < arguments.length; i++) {
            numbers[i] = Long.parseLong(arguments[i]);
        }
        Autoinit.init();
        String complaints = run(numbers[1], Math.toIntExact(numbers[0]), Math.toIntExact(numbers[2]));
        System.out.println(complaints.isEmpty() ? "nothing is wrong" : complaints);
        System.exit(complaints.isEmpty() ? 0 : 1);
    }
}
