package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pycuda.compiler.SourceModule;

/**
 * Every kind of object x how it ends x when x how a graph uses it: what is in memory afterwards. test_lifetime_table.py says more. With
 * PYCUDA_WHOLE_TABLES=1 the whole product, otherwise each combination of two coordinates.
 */
class LifetimeTableTest implements WithContext {
    private static final int N = 32;
    private static final int NBYTES = 128;
    private static final long MAPPED = 1 << 21;
    private static final LaunchConfig BLOCK = GraphTest.BLOCK;
    /** Freeing page-locked memory waits for all streams: results are never freed. */
    private static final List<PagelockedHostAllocation> RESULTS = new ArrayList<>();

    // ---- kinds

    private static VirtualMemory mapped() {
        var memory = new VirtualMemory(0, MAPPED);
        memory.map(new PhysicalMemory(NBYTES));
        return memory;
    }

    private static DeviceMemory settled(Function<org.pycuda.Stream, DeviceMemory> allocate) {
        try (var stream = new org.pycuda.Stream()) {
            DeviceMemory memory = allocate.apply(stream);
            stream.synchronize();
            return memory;
        }
    }

    private static final Map<String, Supplier<DeviceMemory>> DEVICE = new LinkedHashMap<>(Map.of(
        "DeviceAllocation", () -> Driver.memAlloc(NBYTES),
        "PooledDeviceAllocation", () -> new DeviceMemoryPool().allocate(NBYTES),
        "StreamOrderedAllocation", () -> settled(stream -> Driver.memAllocAsync(NBYTES, stream)),
        "StreamOrderedAllocation of a pool", () -> settled(stream -> new StreamOrderedPool().allocate(NBYTES, stream)),
        "VirtualMemory", () -> new VirtualMemory(NBYTES, MAPPED),
        "VirtualMemory of PhysicalMemory", LifetimeTableTest::mapped,
        "VirtualMemory, shrunk", () -> new VirtualMemory(NBYTES, MAPPED),
        "ExternalBuffer", () -> External.buffer(NBYTES), "ManagedAllocation", () -> Driver.managedZeros(DType.INT32, N)));

    /** What only ends while a stream is captured. */
    private static final Map<String, Supplier<AutoCloseable>> OTHERS = new LinkedHashMap<>(Map.ofEntries(
        Map.entry("Stream", org.pycuda.Stream::new), Map.entry("Event", Event::new), Map.entry("Graph", Graph::new),
        Map.entry("ExecutableGraph", () -> new Graph().instantiate()), Map.entry("StreamOrderedPool", StreamOrderedPool::new),
        Map.entry("DeviceMemoryPool", DeviceMemoryPool::new), Map.entry("PageLockedMemoryPool", PageLockedMemoryPool::new),
        Map.entry("PhysicalMemory", () -> new PhysicalMemory(1)), Map.entry("Module", () -> new SourceModule(GraphTest.SOURCE)),
        Map.entry("ExternalMemory", External::importedMemory), Map.entry("ExternalSemaphore", External::importedTimeline),
        Map.entry("Library", () -> Library.fromBuffer(Ptx.SCALE)), Map.entry("CoreDumps", CoreDumps::new),
        Map.entry("DriverCallback", () -> new Device(0).onOverBudget(bytes -> { })),
        Map.entry("PagelockedHostAllocation", () -> Driver.pagelockedZeros(DType.INT32, N)),
        Map.entry("AlignedHostAllocation", () -> AlignedMemory.of(DType.INT32, N).zeros()),
        Map.entry("RegisteredHostMemory", () -> Memory.registerHostMemory(ByteBuffer.allocateDirect(8192))),
        Map.entry("Array", () -> new Array(descriptor())), Map.entry("TextureObject", () -> new TextureObject(new Array(descriptor()))),
        Map.entry("SurfaceObject", () -> new SurfaceObject(new Array(forSurfaces()))),
        Map.entry("MipmappedArray", () -> new MipmappedArray(new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1), 2)),
        Map.entry("PooledHostAllocation", () -> new PageLockedMemoryPool().allocate(DType.INT32, N)),
        Map.entry("GreenContext", LifetimeTableTest::green), Map.entry("Context", LifetimeTableTest::other)));

    static {
        if (!Devices.hasVirtualMemory()) {
            Stream.of(DEVICE, OTHERS).forEach(made -> made.keySet().removeIf(kind -> kind.matches("(Virtual|Physical|External).*")));
        }
        if (!Devices.isCpu()) {
            Stream.of(DEVICE, OTHERS).forEach(made -> made.keySet().removeIf(kind -> kind.startsWith("External")));
        }
    }

    /** It is a part of the primary context, which must be current. */
    private static GreenContext green() {
        Context primary = new Device(0).retainPrimaryContext();
        primary.push();
        try {
            return new GreenContext(new SMResource(new Device(0)).split(1, 1).subList(0, 1));
        } finally {
            Context.pop();
        }
    }

    private static Context other() {
        Context made = new Device(0).makeContext();
        Context.pop();
        return made;
    }

    private static ArrayDescriptor3D forSurfaces() {
        return new ArrayDescriptor3D(8, 8, 0, ArrayFormat.FLOAT, 1, Array3dFlags.SURFACE_LDST);
    }

    private static ArrayDescriptor descriptor() {
        return new ArrayDescriptor(8, 8, ArrayFormat.FLOAT, 1);
    }

    // ---- how it ends: each takes a list with the only reference

    private static void closed(String kind, List<AutoCloseable> held) throws Exception {
        if (kind.endsWith("shrunk")) {
            ((VirtualMemory) held.get(0)).resize(0);
        } else {
            held.get(0).close();
        }
    }

    private static void dropped(String kind, List<AutoCloseable> held) {
        held.clear();
        Cleanup.collectGarbage();
    }

    private static void onAnotherThread(String kind, List<AutoCloseable> held) throws Exception {
        var thread = new Thread(() -> {
            try {
                closed(kind, held);
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        });
        thread.start();
        thread.join();
    }

    private interface End {
        void end(String kind, List<AutoCloseable> held) throws Exception;
    }

    private static final List<Map.Entry<String, End>> ENDS = List.of(Map.entry("closed", LifetimeTableTest::closed),
        Map.entry("dropped", LifetimeTableTest::dropped), Map.entry("on another thread", LifetimeTableTest::onAnotherThread));

    // ---- how a graph uses it: it fills it with 5, adds 1 and copies it to the result

    private static Graph node(DevicePointer memory, ByteBuffer result) {
        var graph = new Graph();
        graph.memset(memory, 5, N, 4).kernel(GraphTest.kernel("add"), BLOCK, memory, 1).memcpyDtoh(result, memory);
        return graph;
    }

    private static ExecutableGraph captured(CaptureMode mode, DevicePointer memory, ByteBuffer result) {
        try (var stream = new org.pycuda.Stream(StreamFlags.NON_BLOCKING); var capture = stream.capture(mode)) {
            Driver.memsetD32Async(memory, 5, N, stream);
            GraphTest.kernel("add").launch(BLOCK.stream(stream), memory, 1);
            Driver.memcpyDtohAsync(result, memory, stream);
            return capture.end().instantiate();
        }
    }

    private static ExecutableGraph child(DevicePointer memory, ByteBuffer result) {
        var parent = new Graph();
        parent.childGraph(node(memory, result));
        return parent.instantiate();
    }

    private static ExecutableGraph body(DevicePointer memory, ByteBuffer result) {
        var graph = new Graph();
        GraphNode condition = graph.ifThen(Driver.toDevice(new int[] {1}));
        condition.body().memset(memory, 5, N, 4).kernel(GraphTest.kernel("add"), BLOCK, memory, 1);
        condition.memcpyDtoh(result, memory);
        return graph.instantiate();
    }

    private static ExecutableGraph updated(Supplier<DeviceMemory> make, DevicePointer memory, ByteBuffer result) {
        ExecutableGraph run = node(make.get(), result).instantiate();
        run.update(node(memory, result));
        return run;
    }

    private interface Way {
        ExecutableGraph use(Supplier<DeviceMemory> make, DevicePointer memory, ByteBuffer result);
    }

    private static final List<Map.Entry<String, Way>> WAYS = Stream.concat(
        Stream.of(CaptureMode.values()).map(mode -> Map.<String, Way>entry("capture " + mode, (make, memory, result) -> captured(mode, memory, result))),
        Stream.of(Map.<String, Way>entry("node", (make, memory, result) -> node(memory, result).instantiate()),
            Map.<String, Way>entry("clone", (make, memory, result) -> node(memory, result).copy().instantiate()),
            Map.<String, Way>entry("child", (make, memory, result) -> child(memory, result)),
            Map.<String, Way>entry("body", (make, memory, result) -> body(memory, result)),
            Map.<String, Way>entry("update", LifetimeTableTest::updated))).toList();

    // ---- when it ends

    private interface Ending {
        void end() throws Exception;
    }

    /** While another stream is captured, whose graph must come out whole. */
    private static void inCapture(CaptureMode mode, Ending ending) throws Exception {
        var result = newResult();
        try (var stream = new org.pycuda.Stream(StreamFlags.NON_BLOCKING); var memory = Driver.memAlloc(NBYTES)) {
            ExecutableGraph run;
            try (var capture = stream.capture(mode)) {
                Driver.memsetD32Async(memory, 8, N, stream);
                ending.end();
                Driver.memcpyDtohAsync(result, memory, stream);
                run = capture.end().instantiate();
            }
            run.launch(stream);
            stream.synchronize();
            run.close();
        }
        assertEquals(8, result.getInt(NBYTES - 4));
    }

    private static ByteBuffer newResult() {
        RESULTS.add(Driver.pagelockedZeros(DType.INT32, N));
        return RESULTS.get(RESULTS.size() - 1).buffer();
    }

    private static void launched(ExecutableGraph run, ByteBuffer result) {
        result.putInt(NBYTES - 4, 0);
        try (var stream = new org.pycuda.Stream(StreamFlags.NON_BLOCKING)) {
            run.launch(stream);
            stream.synchronize();
        }
        assertEquals(6, result.getInt(NBYTES - 4));
    }

    private static void inFlight(ExecutableGraph run, ByteBuffer result, Ending ending) throws Exception {
        Throwable[] failure = {null};
        Thread thread;
        try (var gate = new Gate()) {
            run.launch(gate.stream);
            thread = new Thread(() -> {  // closing may wait for the launch
                try {
                    ending.end();
                } catch (Throwable error) {
                    failure[0] = error;
                }
            });
            thread.start();
        }
        thread.join();
        assertEquals(null, failure[0]);
        assertEquals(6, result.getInt(NBYTES - 4));
    }

    private interface Moment {
        void run(ExecutableGraph run, ByteBuffer result, Ending ending) throws Exception;
    }

    private static final List<Map.Entry<String, Moment>> MOMENTS = Stream.concat(
        Stream.of(CaptureMode.values()).map(mode -> Map.<String, Moment>entry("in a capture, " + mode, (run, result, ending) -> inCapture(mode, ending))),
        Stream.of(Map.<String, Moment>entry("before the launch", (run, result, ending) -> ending.end()),
            Map.<String, Moment>entry("between launches", (run, result, ending) -> {
                launched(run, result);
                ending.end();
            }),
            Map.<String, Moment>entry("in flight", LifetimeTableTest::inFlight))).toList();

    // ---- the table

    static Set<String> kinds() {
        return new TreeSet<>(DEVICE.keySet());
    }

    private static boolean whole() {
        return System.getenv("PYCUDA_WHOLE_TABLES") != null;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatAGraphUsesOutlivesItsEnd(String kind) throws Exception {
        int number = List.copyOf(kinds()).indexOf(kind);
        for (int way = 0; way < WAYS.size(); way++) {
            for (int end = 0; end < ENDS.size(); end++) {
                for (int moment = 0; moment < MOMENTS.size(); moment++) {
                    if (whole() || moment == (way * ENDS.size() + 2 * end + number) % MOMENTS.size()) {
                        cell(kind, WAYS.get(way), ENDS.get(end), MOMENTS.get(moment));
                    }
                }
            }
        }
        assertFalse(OpenCaptures.any());
    }

    private static void cell(String kind, Map.Entry<String, Way> way, Map.Entry<String, End> end, Map.Entry<String, Moment> moment) {
        try {
            var result = newResult();
            var held = new ArrayList<AutoCloseable>(List.of(DEVICE.get(kind).get()));
            ExecutableGraph run = way.getValue().use(DEVICE.get(kind), (DevicePointer) held.get(0), result);
            moment.getValue().run(run, result, () -> end.getValue().end(kind, held));
            List<DeviceMemory> decoys = Stream.concat(DEVICE.values().stream(), DEVICE.values().stream()).map(Supplier::get).toList();
            decoys.forEach(decoy -> Driver.memsetD32(decoy, 77, N));
            launched(run, result);
            decoys.forEach(decoy -> assertTrue(java.util.stream.IntStream.of(Driver.fromDevice(decoy, N, int[].class)).allMatch(n -> n == 77)));
            decoys.forEach(DeviceMemory::close);
            run.close();
        } catch (Exception | AssertionError error) {
            throw new AssertionError(String.join(", ", kind, way.getKey(), end.getKey(), moment.getKey()), error);
        }
    }

    static Set<String> allKinds() {
        var all = new TreeSet<>(DEVICE.keySet());
        all.addAll(OTHERS.keySet());
        return all;
    }

    @ParameterizedTest
    @MethodSource("allKinds")
    void aCaptureSurvivesTheEndOfAnyOtherObject(String kind) throws Exception {
        for (CaptureMode mode : CaptureMode.values()) {
            for (var end : ENDS) {
                var made = DEVICE.containsKey(kind) ? DEVICE.get(kind).get() : OTHERS.get(kind).get();
                var held = new ArrayList<AutoCloseable>(List.of(made));
                made = null;
                inCapture(mode, () -> end.getValue().end(kind, held));
            }
        }
    }

    /** Other processes and OpenGL: their own tests have rows. */
    private static final Set<String> ELSEWHERE = Set.of("IPCMemoryHandle", "RegisteredBuffer", "RegisteredImage", "RegisteredMapping");

    @Test
    void eachClassThatOwnsSomethingHasItsRow() {
        Set<String> rows = allKinds().stream().map(name -> name.split("[ ,]")[0]).collect(Collectors.toSet());
        rows.addAll(ELSEWHERE);
        Samples.unavailable().forEach(type -> rows.add(type.getSimpleName()));
        Set<String> missing = Samples.publicClasses().stream()
            .filter(type -> Handle.class.isAssignableFrom(type))
            .filter(type -> !Modifier.isAbstract(type.getModifiers()) && Modifier.isFinal(type.getModifiers()))
            .map(Class::getSimpleName).filter(name -> !rows.contains(name)).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of(), missing, "add a row");
    }

    private static StreamOrderedAllocation launchedMemory(org.pycuda.Stream stream) {
        StreamOrderedAllocation memory;
        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
            memory = Driver.memAllocAsync(NBYTES, stream);
            Driver.memsetD32Async(memory, 5, N, stream);
            try (var graph = capture.end(); var run = graph.instantiate()) {
                assertThrows(Driver.LogicError.class, () -> memory.freeAsync(stream), "no launch has allocated it");
                run.launch(stream);
                run.launch(stream);
                stream.synchronize();
                assertEquals(5, Driver.fromDevice(memory, N, int[].class)[N - 1]);
            }
        }
        return memory;
    }

    @Test
    void memoryOfACaptureBelongsToItsGraph() throws Exception {
        try (var stream = new org.pycuda.Stream(StreamFlags.NON_BLOCKING)) {
            StreamOrderedAllocation memory = launchedMemory(stream);
            LifetimeTest.eventually(() -> {
                Cleanup.collectGarbage();
                try {
                    return memory.pointer() == 0;
                } catch (Driver.LogicError gone) {
                    return gone.getMessage().contains("a graph that is gone");
                }
            }, "the memory outlives its graph");
            assertThrows(Driver.LogicError.class, () -> Driver.memsetD32(memory, 1, N));
            assertThrows(Driver.LogicError.class, () -> memory.freeAsync(stream));
            memory.close();
        }
    }

    @Test
    void memoryOfAGraphIsFreedByANodeOrAfterALaunch() {
        try (var stream = new org.pycuda.Stream(StreamFlags.NON_BLOCKING)) {
            try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
                StreamOrderedAllocation inside = Driver.memAllocAsync(NBYTES, stream);
                Driver.memsetD32Async(inside, 5, N, stream);
                inside.freeAsync(stream);
                StreamOrderedAllocation left = Driver.memAllocAsync(NBYTES, stream);
                try (var graph = capture.end(); var run = graph.instantiate()) {
                    assertEquals(4, graph.nodes().size());
                    run.launch(stream);
                    left.freeAsync(stream);
                    assertThrows(Driver.LogicError.class, () -> left.freeAsync(stream));
                    run.launch(stream);
                    stream.synchronize();
                }
            }
        }
    }
}
