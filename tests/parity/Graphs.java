import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pycuda.CaptureMode;
import org.pycuda.Device;
import org.pycuda.DeviceAllocation;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.Graph;
import org.pycuda.GraphNode;

/** A walk through capture and graphs; graphs.py takes the same steps in the same order. */
public final class Graphs {
    private static final int N = 32;

    private static String values(DeviceAllocation memory) {
        float[] values = Driver.fromDevice(memory, 3, float[].class);
        return IntStream.range(0, 3).mapToObj(i -> String.format(Locale.ROOT, "%.1f", values[i])).collect(Collectors.joining(" "));
    }

    private static List<AutoCloseable> captured(Function scale, org.pycuda.Stream stream, DeviceAllocation memory) {
        Graph graph;
        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL)) {
            Driver.memsetD32Async(memory, 0x3f800000, N, stream);
            scale.launch(Driver.block(32).stream(stream), memory, 3f, N);
            Scenario.fails("a wait in a capture", stream::synchronize);
            Scenario.fails("an allocation in a capture", () -> Driver.memAlloc(16));
            graph = capture.end();
        }
        Scenario.show("nodes", graph.nodes().size(), "edges", graph.edges().size());
        var run = graph.instantiate(stream);
        run.launch(stream);
        run.launch(stream);
        stream.synchronize();
        Scenario.show("captured", values(memory));
        return List.of(graph, run);
    }

    private static List<AutoCloseable> built(Function scale, org.pycuda.Stream stream, DeviceAllocation memory) {
        var graph = new Graph();
        GraphNode fill = graph.memset(memory, 0x40000000, N, 4);
        GraphNode last = fill.kernel(scale, Driver.block(32), memory, 5f, N);
        graph.after(fill, last).empty();
        Scenario.show("kinds", graph.nodes().stream().map(node -> node.kind().value()).toArray());
        Scenario.show("kernel", Stream.concat(Stream.of(last.parameters().get("function")),
            ((List<?>) last.parameters().get("block")).stream()).toArray());
        var run = graph.instantiate();
        run.launch(stream);
        stream.synchronize();
        Scenario.show("built", values(memory));
        run.node(last).update(memory, 7f, N);
        run.node(fill).disable();
        Scenario.show("enabled", run.node(fill).isEnabled(), run.node(last).isEnabled());
        run.launch(stream);
        stream.synchronize();
        Scenario.show("updated", values(memory));
        var clone = graph.copy();
        Scenario.show("clone", clone.nodes().size(), clone.findInClone(last).parameters().get("function"));
        Scenario.fails("a node of another graph", () -> clone.after(last).empty());
        var other = new Graph();
        other.memset(memory, 0, N, 4);
        Scenario.fails("an update to another graph", () -> run.update(other));
        return List.of(graph, run, clone, other);
    }

    private static List<AutoCloseable> conditional(Function scale, org.pycuda.Stream stream, DeviceAllocation memory, DeviceAllocation flag) {
        Driver.memsetD32(flag, 1, 1);
        var graph = new Graph();
        GraphNode loop = graph.memset(memory, 0x3f800000, N, 4).whileLoop(flag);
        loop.body().kernel(scale, Driver.block(32), memory, 2f, N).memset(flag, 0, 1, 4);
        Scenario.show("condition", loop.parameters().get("condition"), loop.bodies().size());
        var run = graph.instantiate();
        run.launch(stream);
        stream.synchronize();
        Scenario.show("looped", values(memory));
        return List.of(graph, run);
    }

    public static void main(String[] args) {
        Driver.init();
        var context = new Device(0).makeContext();
        Function scale = Driver.moduleFromBuffer(Scenario.SCALE.getBytes(StandardCharsets.US_ASCII)).function("scale");
        var stream = new org.pycuda.Stream();
        var memory = Driver.memAlloc(4 * N);
        var flag = Driver.memAlloc(4);
        var kept = List.of(captured(scale, stream, memory), built(scale, stream, memory), conditional(scale, stream, memory, flag));
        Scenario.show("made", kept.size());
        org.pycuda.Context.pop();
        System.exit(context == null ? 1 : 0);
    }
}
