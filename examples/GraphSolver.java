import static org.pycuda.DType.FLOAT64;
import static org.pycuda.DType.INT32;

import java.util.Arrays;
import java.util.function.DoubleSupplier;
import org.pycuda.ArrayScope;
import org.pycuda.Autoinit;
import org.pycuda.CaptureMode;
import org.pycuda.Driver;
import org.pycuda.ExecutableGraph;
import org.pycuda.Function;
import org.pycuda.GPUArray;
import org.pycuda.Graph;
import org.pycuda.Stream;
import org.pycuda.compiler.SourceModule;

/**
 * Solve Poisson's equation on a square by conjugate gradients, in a loop that runs entirely on the device: a graph
 * whose condition is an integer in device memory. For comparison, the same steps are also launched one by one, and
 * the host reads that integer after each. Prints the number of steps of both; with the argument "time", also how much
 * faster the graph is. The same program as graph_solver.py.
 */
public class GraphSolver {
    private static final int SIZE = 100, N = SIZE * SIZE;
    private static final double TOLERANCE = 1e-8;

    private final Stream stream = new Stream();
    private final Function laplace, decide;
    private final GPUArray b = GPUArray.zeros(FLOAT64, N).fill(1);
    private final GPUArray x = GPUArray.emptyLike(b), residual = GPUArray.emptyLike(b);
    private final GPUArray direction = GPUArray.emptyLike(b), image = GPUArray.emptyLike(b);
    private final GPUArray squared = GPUArray.empty(FLOAT64), goOn = GPUArray.empty(INT32), steps = GPUArray.empty(INT32);
    private final double limit;
    private final ExecutableGraph solver;

    private GraphSolver() {
        var module = new SourceModule("""
            __global__ void laplace(const double *p, double *q, int size)
            {
              int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % size, y = i / size;
              if (y >= size) return;
              double sum = 4 * p[i];
              if (x > 0) sum -= p[i - 1];
              if (x < size - 1) sum -= p[i + 1];
              if (y > 0) sum -= p[i - size];
              if (y < size - 1) sum -= p[i + size];
              q[i] = sum;
            }
            __global__ void decide(const double *squared, double limit, int *go_on, int *steps)
            {
              *go_on = *squared > limit;
              ++*steps;
            }
            """);
        laplace = module.function("laplace");
        decide = module.function("decide");
        limit = TOLERANCE * TOLERANCE * b.dot(b).getDouble();
        try (var on = stream.use()) {  // compiles and loads the kernels before the capture
            begin();
            step();
        }
        var graph = new Graph();
        try (var capture = stream.capture(CaptureMode.THREAD_LOCAL, graph.whileLoop(goOn).body())) {
            step();
            capture.end();
        }
        solver = graph.instantiate(stream);
    }

    private void begin() {
        x.fill(0);
        residual.set(b);
        direction.set(b);
        try (var start = b.dot(b)) {
            squared.set(start);
        }
        goOn.fill(1);
        steps.fill(0);
    }

    /** Queues one step on the stream in use. */
    private void step() {
        try (var scope = new ArrayScope()) {  // gives the memory of the step's arrays back
            laplace.launch(Driver.block(128).grid((N + 127) / 128).stream(stream), direction, image, SIZE);
            var alpha = squared.div(direction.dot(image));
            x.addInPlace(direction.mul(alpha));
            residual.subInPlace(image.mul(alpha));
            var now = residual.dot(residual);
            direction.set(direction.mul(now.div(squared)).add(residual));
            squared.set(now);
            decide.launch(Driver.block(1).stream(stream), now, limit, goOn, steps);
        }
    }

    private double launched() {
        try (var on = stream.use()) {
            begin();
            long start = System.nanoTime();
            while (goOn.getInt() != 0) {
                step();
            }
            return (System.nanoTime() - start) * 1e-6;
        }
    }

    private double onTheDevice() {
        try (var on = stream.use()) {
            begin();
            stream.synchronize();
            long start = System.nanoTime();
            solver.launch(stream);
            stream.synchronize();
            return (System.nanoTime() - start) * 1e-6;
        }
    }

    private void report(String name, DoubleSupplier solve) {
        solve.getAsDouble();
        laplace.launch(Driver.block(128).grid((N + 127) / 128), x, image, SIZE);
        var wrong = b.sub(image);
        System.out.printf("%s: %d steps, relative residual %.1e%n", name, steps.getInt(),
            Math.sqrt(wrong.dot(wrong).getDouble() / b.dot(b).getDouble()));
    }

    private static double best(DoubleSupplier solve) {
        double[] times = new double[5];
        Arrays.setAll(times, i -> solve.getAsDouble());
        return Arrays.stream(times).min().getAsDouble();
    }

    public static void main(String[] args) {
        Autoinit.init();
        var example = new GraphSolver();
        if (args.length > 0 && args[0].equals("time")) {
            double launched = best(example::launched), graph = best(example::onTheDevice);
            System.out.printf("launched %.1f ms, as a graph %.1f ms: %.1f times as fast%n", launched, graph, launched / graph);
        }
        example.report("launched", example::launched);
        example.report("as a graph", example::onTheDevice);
    }
}
