package org.pycuda.arguments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pycuda.ArgumentHandler;
import org.pycuda.Autoinit;
import org.pycuda.DType;
import org.pycuda.DeviceMemoryPool;
import org.pycuda.DevicePointer;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.Event;
import org.pycuda.GPUArray;
import org.pycuda.Graph;
import org.pycuda.GraphNode;
import org.pycuda.Hostile;
import org.pycuda.LaunchConfig;
import org.pycuda.Memcpy3D;
import org.pycuda.MemoryOperations;
import org.pycuda.NodeBuilder;
import org.pycuda.SemaphoreValues;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Each row of the table, with code of the program in the place of each device address. It closes everything else that the call was given, or drops
 * it and collects it.
 */
class HostileCodeTest {
    private static final int SLEEP_MILLIS = 3;
    private static final int COLLECT_EVERY = 100;
    private int attacks;

    @BeforeEach
    void init() {
        Autoinit.init();
    }

    /** The other memory of the call. */
    private enum Victim {
        DEVICE(Driver::memAlloc), POOLED(size -> DeviceMemoryPool.ofCurrentContext().allocate(size)), MANAGED(size -> Driver.managedEmpty(DType.UINT8, size)),
        VIRTUAL(size -> Devices.virtualMemory(size, 1 << 22)), ARRAY(size -> GPUArray.zeros(DType.UINT8, size));

        private final IntFunction<? extends DevicePointer> make;

        Victim(IntFunction<? extends DevicePointer> make) {
            this.make = make;
        }
    }

    private enum Attack { CLOSE, COLLECT, CLOSE_WHAT_SHIFTED_MEMORY_BEGINS_WITH }

    /** One call of an overload. */
    private final class HostileCell {
        private final Row row;
        private final Executable member;
        private final int place;
        private final Victim victim;
        private final Attack attack;
        private final List<Object> reachable = new ArrayList<>();
        private final Object[] values;
        private Object self;
        private final Hostile code = new Hostile(Row.SIZE, this::attack);

        HostileCell(Row row, Executable member, int place, Victim victim, Attack attack) {
            this.row = row;
            this.member = member;
            this.place = place;
            this.victim = victim;
            this.attack = attack;
            values = new Object[row.specs.size()];
        }

        private void attack() {
            if (attack != Attack.COLLECT) {
                reachable.forEach(Hostile::end);
                return;
            }
            reachable.clear();
            Arrays.fill(values, null);
            self = null;
            System.gc();
            try {
                Thread.sleep(SLEEP_MILLIS);  // for the clean-up thread
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }

        private Object reachable(Object object) {
            reachable.add(object);
            return object;
        }

        private Object value(int i) {
            Object spec = row.specs.get(i);
            if (!(spec instanceof Row.Reads) && !(spec instanceof Row.Writes)) {
                return spec instanceof Supplier<?> maker ? reachable(maker.get()) : spec;
            }
            byte[] content = Cell.content(spec, i);
            Class<?> type = i < member.getParameterCount() ? member.getParameterTypes()[i] : java.nio.Buffer.class;
            if (type != DevicePointer.class) {
                return reachable(Cell.usual(type).maker().make(content).value());
            }
            DevicePointer memory = i == place ? Driver.memAlloc(content.length) : victim.make.apply(content.length);
            Driver.memcpyHtod(memory, content);
            if (i == place) {
                return code.holder(memory);
            }
            reachable(memory);
            return attack == Attack.CLOSE_WHAT_SHIFTED_MEMORY_BEGINS_WITH ? memory.plus(0) : memory;
        }

        /** What is wrong; empty if nothing is. If the JVM crashes, the thread's name is the cell. */
        String complaint() {
            Thread thread = Thread.currentThread();
            String before = thread.getName();
            thread.setName(this.toString());
            try {
                for (int i = 0; i < values.length; i++) {
                    values[i] = value(i);
                }
                self = reachable(row.on.get());
                code.arm();
                String complaint = called();
                attacks += code.hasAttacked() ? 1 : 0;
                String damage = code.damage();
                return complaint.isEmpty() && damage.isEmpty() ? "" : this + ": " + complaint + " " + damage;
            } finally {
                reachable.forEach(Hostile::end);
                thread.setName(before);
            }
        }

        private String called() {
            try {
                Object result = Cell.invoke(member, self, Arrays.copyOf(values, member.getParameterCount()), row.as);
                if (attack != Attack.COLLECT) {
                    row.then.run(result, self, values);
                }
                return "";
            } catch (RuntimeException error) {
                return Hostile.isExplained(error) ? "" : "threw " + error;
            } catch (ReflectiveOperationException impossible) {
                return impossible.toString();
            }
        }

        @Override
        public String toString() {
            String types = String.join(", ", Arrays.stream(member.getParameterTypes()).map(Class::getSimpleName).toList());
            return row + "(" + types + "), code as #" + place + " attacks: " + attack + " " + victim;
        }
    }

    @Test
    void codeThatEndsTheOtherArgumentsOfACall() {
        List<String> complaints = new ArrayList<>();
        for (Row row : ArgumentsTest.rows()) {
            for (Executable member : row.overloads()) {
                for (int i = 0; i < member.getParameterCount(); i++) {
                    boolean isMemory = row.specs.get(i) instanceof Row.Reads || row.specs.get(i) instanceof Row.Writes;
                    if (isMemory && member.getParameterTypes()[i] == DevicePointer.class) {
                        complaints.addAll(complaints(row, member, i));
                    }
                }
            }
        }
        complaints.removeIf(String::isEmpty);
        assertEquals("", String.join("\n", complaints));
        assertTrue(attacks > 500, attacks + " attacks");
    }

    /** A list that makes its elements on demand, and collects garbage while it is read. */
    private static List<GraphNode> lazyNodes(Graph graph) {
        return new AbstractList<>() {
            @Override
            public GraphNode get(int index) {
                if (index % COLLECT_EVERY == COLLECT_EVERY - 1) {
                    System.gc();
                }
                return graph.nodes().get(0);
            }

            @Override
            public int size() {
                return 2 * COLLECT_EVERY;
            }
        };
    }

    private static NodeBuilder lazyBuilder(Graph graph) {
        return new NodeBuilder() {
            @Override
            public Graph graph() {
                return graph;
            }

            @Override
            public List<GraphNode> predecessors() {
                return lazyNodes(graph);
            }
        };
    }

    @Test
    void listsThatMakeTheirElements() {
        var memory = Driver.memAlloc(Row.SIZE);
        var host = ByteBuffer.allocateDirect(Row.SIZE);
        var box = new Memcpy3D().setSrcDevice(memory).setDstDevice(memory).setWidthInBytes(1).setHeight(1).setDepth(1);
        var kernel = new SourceModule("__global__ void nothing(char *to) {}").function("nothing");
        Map<String, java.util.function.Function<NodeBuilder, GraphNode>> calls = Map.ofEntries(
            Map.entry("kernel", nodes -> nodes.kernel(kernel, Driver.block(1), memory)), Map.entry("memset", nodes -> nodes.memset(memory, 1, 1, 1)),
            Map.entry("memcpyDtod", nodes -> nodes.memcpyDtod(memory, memory, 1)), Map.entry("memcpyHtod", nodes -> nodes.memcpyHtod(memory, host)),
            Map.entry("memcpyDtoh", nodes -> nodes.memcpyDtoh(host, memory)), Map.entry("memcpyNd", nodes -> nodes.memcpyNd(box)),
            Map.entry("memAlloc", nodes -> nodes.memAlloc(1)), Map.entry("memFree", nodes -> nodes.memFree(nodes.memAlloc(1))),
            Map.entry("eventRecord", nodes -> nodes.eventRecord(new Event())), Map.entry("eventWait", nodes -> nodes.eventWait(new Event())),
            Map.entry("hostFunction", nodes -> nodes.hostFunction(() -> { })), Map.entry("childGraph", nodes -> nodes.childGraph(new Graph())),
            Map.entry("memoryOperations", nodes -> nodes.memoryOperations(new MemoryOperations().writeValue32(memory, 1))),
            Map.entry("signalSemaphores", nodes -> nodes.signalSemaphores(new SemaphoreValues())),
            Map.entry("waitForSemaphores", nodes -> nodes.waitForSemaphores(new SemaphoreValues())),
            Map.entry("empty", NodeBuilder::empty), Map.entry("ifThen", nodes -> nodes.ifThen(memory)), Map.entry("ifElse", nodes -> nodes.ifElse(memory)),
            Map.entry("whileLoop", nodes -> nodes.whileLoop(memory)), Map.entry("switchOn", nodes -> nodes.switchOn(memory, 2)));
        List<String> methods = Arrays.stream(NodeBuilder.class.getMethods()).filter(Method::isDefault).map(Method::getName).distinct().sorted().toList();
        assertEquals(calls.keySet().stream().sorted().toList(), methods, "a method that adds nodes is missing here");
        calls.forEach((name, call) -> {
            var graph = new Graph();
            graph.empty();
            long before = graph.nodes().size();
            try {
                call.apply(lazyBuilder(graph));
            } catch (Driver.LogicError refused) {  // a node twice among those waited for
                assertEquals(before, graph.nodes().size(), name);
            }
        });
    }

    /** A record whose accessor runs code of the program. */
    public record Limit(int value) {
        private static Runnable code = () -> { };

        @Override
        public int value() {
            code.run();
            return value;
        }
    }

    /** A handler of the program's, whose code ends its memory, too. */
    private static final class EndingHandler extends ArgumentHandler {
        private final Runnable attack;

        EndingHandler(Runnable attack) {
            super(new byte[Row.SIZE]);
            this.attack = attack;
        }

        @Override
        protected void preCall(Stream stream) {
            attack.run();
            deviceAlloc().close();
        }

        @Override
        protected void postCall(Stream stream) {
            attack.run();
        }
    }

    @Test
    void recordsAndHandlersOfALaunch() {
        var module = new SourceModule("""
            struct Limit { int value; };
            __global__ void put(char *to, Limit limit) { to[threadIdx.x] = limit.value; }
            __global__ void put_more(char *to, char *more) { to[threadIdx.x] = more[threadIdx.x] = 7; }
            """);
        LaunchConfig config = Driver.block(Row.SIZE);
        Map<String, BiConsumer<DevicePointer, Runnable>> launches = Map.of(
            "record", (memory, attack) -> {
                Limit.code = attack;
                module.function("put").launch(config, memory, new Limit(7));
            },
            "timed", (memory, attack) -> {
                Limit.code = attack;
                module.function("put").launchTimed(config, memory, new Limit(7));
            },
            "handler", (memory, attack) -> module.function("put_more").launch(config, memory, new EndingHandler(attack)),
            "handler before memory", (memory, attack) -> module.function("put_more").launch(config, new EndingHandler(attack), memory));
        launches.forEach((name, launch) -> {
            for (Victim victim : Victim.values()) {
                DevicePointer memory = victim.make.apply(Row.SIZE);
                var code = new Hostile(Row.SIZE, () -> Hostile.end(memory));
                code.arm();
                assertThrows(Driver.LogicError.class, () -> launch.accept(memory, code::run), name + " " + victim);
                assertTrue(code.hasAttacked(), name);
                assertEquals("", code.damage(), name + " " + victim);
            }
        });
    }

    private List<String> complaints(Row row, Executable member, int place) {
        List<String> complaints = new ArrayList<>();
        for (Victim victim : Victim.values()) {
            complaints.add(new HostileCell(row, member, place, victim, Attack.CLOSE).complaint());
            complaints.add(new HostileCell(row, member, place, victim, Attack.CLOSE_WHAT_SHIFTED_MEMORY_BEGINS_WITH).complaint());
        }
        complaints.add(new HostileCell(row, member, place, Victim.DEVICE, Attack.COLLECT).complaint());
        complaints.add(new HostileCell(row, member, place, Victim.ARRAY, Attack.COLLECT).complaint());
        return complaints;
    }
}
