package org.pycuda.model;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.pycuda.Autoinit;
import org.pycuda.Capture;
import org.pycuda.CaptureMode;
import org.pycuda.Context;
import org.pycuda.DType;
import org.pycuda.DeviceAllocation;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.Graph;
import org.pycuda.HostBuffers;
import org.pycuda.PageLockedMemoryPool;
import org.pycuda.DevicePointer;
import org.pycuda.Stream;
import org.pycuda.StreamFlags;
import org.pycuda.StreamOrderedAllocation;
import org.pycuda.VirtualMemory;
import org.pycuda.compiler.SourceModule;

/** Runs the programs of tests/model/write_programs.py, which describes the format, and compares the results. {@code MemoryPrograms FILE} runs a file. */
final class MemoryPrograms implements AutoCloseable {
    private static final long LEGACY = 1, PER_THREAD = 2;  // handles of the default streams
    private static final int LONGEST_DELAY = 400_000;      // cycles of a GPU's clock
    private static final String SOURCE = """
        __global__ void put(unsigned *y, int n, unsigned v) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = v + i; }
        __global__ void add(unsigned *y, const unsigned *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = y[i] * 3 + x[i]; }
        __global__ void add_one(unsigned *y, const unsigned *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + 1; }
        __global__ void spin(int cycles) { for (long long end = clock64() + cycles; clock64() < end;) {} }
        """;

    /** A variable: n integers in device memory or in host buffers. */
    record Variable(Object memory, int n) {
        DevicePointer onDevice() {
            return (DevicePointer) memory;
        }

        GPUArray array() {
            return (GPUArray) memory;
        }

        ByteBuffer host() {
            return memory instanceof HostBuffers owned ? owned.buffer(0, 4 * n) : (ByteBuffer) memory;
        }
    }

    /** Another library's memory, which it reuses as soon as the object is gone. */
    private final class Foreign implements DevicePointer {
        private final DeviceAllocation memory;

        Foreign(int n) {
            DeviceAllocation own = Driver.memAlloc(4 * n);
            memory = own;
            CLEANER.register(this, () -> overwrite(own, n));
        }

        @Override
        public long pointer() {
            return memory.pointer();
        }
    }

    private static final Cleaner CLEANER = Cleaner.create();
    private static final int PROGRAMS_PER_COLLECTION = 50;

    final Function put;
    final Function add;
    final Function addOne;
    private final Function spin;
    private final DeviceMemoryPool pool = new DeviceMemoryPool();
    private final DeviceMemoryPool defaultPool = DeviceMemoryPool.ofCurrentContext();
    private final PageLockedMemoryPool hostPool = new PageLockedMemoryPool();
    final Context context = Autoinit.context();
    private final boolean spins = !Devices.isCpu();

    private final Map<String, Variable> variables = new HashMap<>();
    private final Map<String, Stream> streams = new HashMap<>();
    private final Map<String, MemoryNodes.Built> graphs = new HashMap<>();
    private final Map<String, List<String>> nodeCalls = new HashMap<>();
    private final List<int[]> seen = new ArrayList<>();
    private final MemoryCalls calls = new MemoryCalls(this);
    private final Stream foreignStream = new Stream(StreamFlags.NON_BLOCKING);
    private Random delays;
    private Capture capture;
    private MemoryNodes building;
    private List<String> built;

    MemoryPrograms() {
        var module = new SourceModule(SOURCE);
        put = module.function("put").prepare("Pii");
        add = module.function("add").prepare("PPi");
        addOne = module.function("add_one");
        spin = module.function("spin");
    }

    /** Runs a program, given its lines after "program". Returns the first error; null if there is none. */
    String run(List<String> lines, long seed) {
        delays = new Random(seed);
        try {
            for (String line : lines) {
                String[] words = line.split(" ");
                if (words[0].equals("seen") || words[0].equals("=")) {
                    Context.synchronize();
                    String wrong = compare(words);
                    if (wrong != null) {
                        return wrong;
                    }
                } else {
                    step(words);
                }
            }
            return null;
        } finally {
            if (capture != null) {
                capture.close();  // if the program failed during a capture
            }
            Context.synchronize();
            building = null;
            graphs.values().forEach(MemoryNodes.Built::close);
            graphs.clear();
            nodeCalls.clear();
            variables.keySet().stream().toList().forEach(this::close);
            streams.values().forEach(Stream::close);
            streams.clear();
            seen.clear();
        }
    }

    private String compare(String[] words) {
        boolean isLook = words[0].equals("seen");
        int[] wanted = Arrays.stream(words, isLook ? 1 : 2, words.length).mapToInt(Integer::parseInt).toArray();
        int[] found = isLook ? seen.remove(0) : content(variables.get(words[1]));
        return Arrays.equals(wanted, found) ? null
            : (isLook ? "a look" : words[1]) + " is " + Arrays.toString(found) + ", expected " + Arrays.toString(wanted);
    }

    private static int[] content(Variable variable) {
        if (variable.memory() instanceof DevicePointer memory) {
            return Driver.fromDevice(memory, variable.n(), int[].class);
        }
        var values = new int[variable.n()];
        variable.host().asIntBuffer().get(values);
        return values;
    }

    private void step(String[] words) {
        switch (words[0]) {
            case "stream" -> streams.put(words[1], newStream(words[1].charAt(0)));
            case "drop_stream" -> streams.remove(words[1]).close();
            case "new" -> variables.put(words[1], allocate(words[2], Integer.parseInt(words[3]), stream(words[4])));
            case "address" -> {
                Variable whole = variables.get(words[2]);
                variables.put(words[1], new Variable(DevicePointer.of(whole.onDevice().pointer()), whole.n()));
            }
            case "drop", "free" -> close(words[1]);
            case "free_async" -> ((StreamOrderedAllocation) variables.remove(words[1]).memory()).freeAsync(stream(words[2]));
            case "wait" -> {
                try (var reached = new Event()) {
                    stream(words[1]).waitForEvent(reached.record(stream(words[2])));
                }
            }
            case "synchronize" -> stream(words[1]).synchronize();
            case "release" -> {
                switch (words[1]) {
                    case "pool" -> pool.freeHeld();
                    case "default_pool" -> defaultPool.freeHeld();
                    default -> hostPool.freeHeld();
                }
            }
            case "synchronize_all" -> Context.synchronize();
            case "write" -> write(variables.get(words[1]), Integer.parseInt(words[2]));
            case "look" -> seen.add(content(variables.get(words[1])));
            case "call" -> call(words);
            case "capture" -> capture = stream(words[2]).capture(CaptureMode.THREAD_LOCAL);
            case "captured" -> graphs.put(words[1], endCapture());
            case "graph", "update_graph" -> {
                building = new MemoryNodes(this);
                built = new ArrayList<>();
            }
            case "built" -> {
                graphs.put(words[1], building.built());
                nodeCalls.put(words[1], built);
                building = null;
            }
            case "updated" -> {
                try (Graph other = building.graph()) {
                    graphs.get(words[1]).run().update(other);
                }
                building = null;
            }
            case "clone" -> graphs.put(words[1], MemoryNodes.Built.of(graphs.get(words[2]).graph().copy(), List.of()));
            case "update" -> update(words);
            case "resize" -> ((VirtualMemory) variables.get(words[1]).memory()).resize(Long.parseLong(words[2]) << 21);
            case "launch" -> graphs.get(words[1]).run().launch(stream(words[2]));
            case "drop_graph" -> {
                graphs.remove(words[1]).close();
                nodeCalls.remove(words[1]);
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private MemoryNodes.Built endCapture() {
        Graph graph = capture.end();
        capture = null;
        return MemoryNodes.Built.of(graph, List.of());
    }

    private void update(String[] words) {
        MemoryNodes.Built graph = graphs.get(words[1]);
        int index = Integer.parseInt(words[2]);
        List<MemoryCalls.Operand> operands = operands(words, 5);
        MemoryNodes.update(graph.run().node(graph.nodes().get(index)), nodeCalls.get(words[1]).get(index), words[3], Integer.parseInt(words[4]),
            size(operands), operands);
    }

    private void overwrite(DeviceAllocation memory, int n) {
        context.push();
        try {
            Driver.memsetD32Async(memory, 0xBAD, n, foreignStream);
            foreignStream.synchronize();
            memory.close();
        } finally {
            Context.pop();
        }
    }

    private static Stream newStream(char kind) {
        return switch (kind) {
            case 'b' -> new Stream();
            case 'n' -> new Stream(StreamFlags.NON_BLOCKING);
            case 'p' -> Stream.fromHandle(PER_THREAD);
            default -> Stream.fromHandle(LEGACY);
        };
    }

    /** Null is the default stream. */
    private Stream stream(String name) {
        return name.equals("-") || name.equals("None") ? Stream.DEFAULT : streams.get(name);
    }

    private Variable allocate(String kind, int n, Stream stream) {
        return new Variable(switch (kind) {
            case "pool" -> pool.allocate(4 * n);
            case "pool_stream" -> pool.allocate(4 * n, stream);
            case "default" -> defaultPool.allocate(4 * n);
            case "array" -> GPUArray.empty(DType.INT32, n);
            case "array_of_pool" -> GPUArray.factory().allocator(pool).empty(DType.INT32, n);
            case "mem_alloc" -> Driver.memAlloc(4 * n);
            case "foreign" -> new Foreign(n);
            case "virtual" -> new VirtualMemory(4 * n, 1 << 26);
            case "mem_alloc_async" -> Driver.memAllocAsync(4 * n, stream);
            case "numpy" -> ByteBuffer.allocateDirect(4 * n).order(ByteOrder.nativeOrder());
            case "pagelocked" -> Driver.pagelockedEmpty(DType.INT32, n);
            case "host_pool" -> hostPool.allocate(DType.INT32, n);
            default -> throw new IllegalArgumentException(kind);
        }, n);
    }

    private static void write(Variable variable, int first) {
        var values = variable.host().asIntBuffer();
        for (int i = 0; i < variable.n(); i++) {
            values.put(i, first + i);
        }
    }

    private void close(String name) {
        Object memory = variables.remove(name).memory();
        if (memory instanceof AutoCloseable owner) {
            try {
                owner.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private List<MemoryCalls.Operand> operands(String[] words, int first) {
        var operands = new ArrayList<MemoryCalls.Operand>();
        for (String word : Arrays.copyOfRange(words, first, words.length)) {
            String[] parts = word.split("/");
            operands.add(new MemoryCalls.Operand(parts.length == 2 ? variables.get(parts[0]) : null, parts.length == 2 ? parts[1] : null));
        }
        return operands;
    }

    private static int size(List<MemoryCalls.Operand> operands) {
        int n = 0;
        for (MemoryCalls.Operand operand : operands) {
            n = operand.variable() == null ? n : operand.variable().n();
        }
        return n;
    }

    private void call(String[] words) {
        List<MemoryCalls.Operand> operands = operands(words, 4);
        int n = size(operands);
        if (building != null) {
            built.add(words[1]);
            building.add(words[1], Integer.parseInt(words[3]), n, operands);
            return;
        }
        Stream stream = stream(words[2]);
        if (spins && capture == null && delays.nextBoolean()) {
            spin.launch(Driver.block(1).stream(stream), delays.nextInt(LONGEST_DELAY));
        }
        Object made = calls.call(words[1], stream, Integer.parseInt(words[3]), n, operands);
        if (made != null) {
            variables.put(words[4], new Variable(made, n));
        }
    }

    @Override
    public void close() {
        foreignStream.close();
        hostPool.close();
        defaultPool.close();
        pool.close();
    }

    /** Runs all programs of a file. Returns how many; throws AssertionError with the first error. */
    int runFile(Path file) throws IOException {
        int count = 0;
        boolean hasVirtualMemory = Devices.hasVirtualMemory();
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String first = lines.readLine(); first != null; first = lines.readLine()) {
                var program = new ArrayList<String>();
                for (String line = lines.readLine(); !line.equals("end"); line = lines.readLine()) {
                    program.add(line);
                }
                if (!hasVirtualMemory && program.stream().anyMatch(line -> line.startsWith("new ") && line.contains(" virtual "))) {
                    continue;
                }
                String wrong;
                try {
                    wrong = run(program, Long.parseLong(first.split(" ")[1]));
                } catch (RuntimeException e) {
                    throw new AssertionError(first + ":\n" + String.join("\n", program), e);
                }
                if (wrong != null) {
                    throw new AssertionError(first + ": " + wrong + "\n" + String.join("\n", program));
                }
                if (++count % PROGRAMS_PER_COLLECTION == 0) {
                    System.gc();  // holders that only graphs keep
                }
            }
        }
        return count;
    }

    public static void main(String[] arguments) throws IOException {
        Autoinit.init();
        long start = System.nanoTime();
        try (var programs = new MemoryPrograms()) {
            int count = programs.runFile(Path.of(arguments[0]));
            System.out.printf("%d programs in Java, %.1f s: no errors%n", count, (System.nanoTime() - start) * 1e-9);
        }
    }
}
