package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.pycuda.DType.FLOAT32;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations whose operands and results are bound to different streams. */
class ArrayStreamsTest implements WithContext {
    private static final float[] TWO = {2, 2, 2};
    private static final float[] FOUR = {4, 4, 4};
    private static final long LEGACY = 1;
    private static final long PER_THREAD = 2;
    private static final ElementwiseKernel COPY = new ElementwiseKernel("float *z, const float *x, const float *y", "z[i] = x[i] + 2 * y[i]");
    private static final ReductionKernel DOT = new ReductionKernel(FLOAT32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y");
    private static final InclusiveScanKernel SCAN = new InclusiveScanKernel(FLOAT32, "a + b");

    /** A GPU's driver waits for all work before it frees some kinds of memory: the garbage of other tests must not be freed behind a gate. */
    @BeforeEach
    void collectGarbage() {
        Devices.collectGarbage();
    }

    /** A stream that an operation runs on, and another one, which its operands are bound to. {@code owner} owns a borrowed one. */
    private record Streams(Stream mine, Stream others, Stream owner) implements AutoCloseable {
        Streams(Stream mine, Stream others) {
            this(mine, others, null);
        }

        static List<Streams> pairs() {
            var owner = nonBlocking();
            return List.of(new Streams(nonBlocking(), Stream.DEFAULT), new Streams(Stream.DEFAULT, nonBlocking()), new Streams(nonBlocking(), Stream.fromHandle(LEGACY)),
                new Streams(Stream.fromHandle(owner.handle()), Stream.DEFAULT), new Streams(Stream.DEFAULT, Stream.fromHandle(owner.handle()), owner),
                new Streams(new Stream(), Stream.DEFAULT), new Streams(Stream.DEFAULT, Stream.fromHandle(PER_THREAD)), new Streams(new Stream(), nonBlocking()));
        }

        @Override
        public void close() {
            for (Stream stream : Arrays.asList(mine, others, owner)) {
                if (stream != null) {
                    stream.close();
                }
            }
        }
    }

    private static Stream nonBlocking() {
        return new Stream(StreamFlags.NON_BLOCKING);
    }

    private static Stream named(Stream stream) {
        return stream == Stream.DEFAULT ? Stream.fromHandle(LEGACY) : stream;
    }

    /** Operands: {@code x} and {@code z} are bound to the operation's stream, the others to the other one. */
    private static final class Operands {
        private final GPUArray x;
        private final GPUArray z;
        private final GPUArray y;
        private final GPUArray indices;
        private final GPUArray mask;

        Operands(Streams streams) {
            x = GPUArray.toGpu(new float[] {2, 5, 3, 7}).on(streams.mine());
            z = GPUArray.toGpu(new float[] {1, 1, 1, 1}).on(streams.mine());
            y = GPUArray.toGpu(new float[4]).on(streams.others());
            indices = GPUArray.toGpu(new int[4]).on(streams.others());
            mask = GPUArray.zeros(DType.BOOL, 4).on(streams.others());
        }

        /** Queues the elements of the other stream's arrays: the expected ones, or others. */
        void write(boolean wanted) {
            y.fill(wanted ? 4 : 100);
            indices.fill(wanted ? 3 : 1);
            mask.fill(wanted ? 1 : 0);
        }

        /** Restores the arrays that operations write. */
        void restore() {
            x.set(new float[] {2, 5, 3, 7});
            z.fill(1);
        }
    }

    private interface Reader {
        GPUArray read(Operands operands);
    }

    /** The operations that read more than one array, except those that wait for elements; by name, for messages. */
    private static Map<String, Reader> readers() {
        var readers = new LinkedHashMap<String, Reader>();
        readers.put("add", o -> o.x.add(o.y));
        readers.put("addInPlace", o -> o.x.addInPlace(o.y));
        readers.put("less", o -> o.x.lt(o.y).astype(FLOAT32));
        readers.put("maximum", o -> o.x.maximum(o.y, o.z));
        readers.put("mulAdd", o -> o.x.mulAdd(2, o.y, 3));
        readers.put("hypot", o -> CuMath.hypot(o.x, o.y));
        readers.put("clip", o -> o.x.clip(o.y, o.y));
        readers.put("set", o -> o.x.set(o.y));
        readers.put("dot", o -> o.x.dot(o.y));
        readers.put("dot along an axis", o -> o.x.dot(o.y, Axis.of(0)));
        readers.put("vecdot", o -> o.x.vecdot(o.y));
        readers.put("outer", o -> o.x.outer(o.y));
        readers.put("matmul", o -> o.x.reshape(2, 2).matmul(o.y.reshape(2, 2)));
        readers.put("where", o -> GPUArray.where(o.x, o.y, o.x));
        readers.put("ifPositive", o -> GPUArray.ifPositive(o.x, o.y, o.x, o.z));
        readers.put("take", o -> o.x.take(o.indices));
        readers.put("takeAlongAxis", o -> o.x.takeAlongAxis(o.indices, 0));
        readers.put("put", o -> o.x.put(o.indices, o.y));
        readers.put("fillWhere", o -> o.x.fillWhere(o.mask, 1));
        readers.put("multiTake", o -> GPUArray.multiTake(List.of(o.x), o.indices).get(0));
        readers.put("subsetSum", o -> o.x.subsetSum(o.indices));
        readers.put("searchsorted", o -> o.x.searchsorted(o.y).astype(FLOAT32));
        readers.put("concatenate", o -> GPUArray.concatenate(o.x, o.y));
        readers.put("hstack", o -> GPUArray.hstack(o.x, o.y));
        readers.put("isclose", o -> o.x.isclose(o.y, 0, 2.5).astype(FLOAT32));
        readers.put("einsum", o -> GPUArray.einsum("i,i->i", o.x, o.y));
        readers.put("stack", o -> GPUArray.stack(o.x, o.y));
        readers.put("ElementwiseKernel", o -> {
            COPY.on(o.x.stream()).call(o.z, o.x, o.y);
            return o.z;
        });
        readers.put("ReductionKernel", o -> DOT.on(o.x.stream()).call(o.x, o.y));
        readers.put("InclusiveScanKernel", o -> SCAN.on(o.x.stream()).call(o.y, o.z));
        return readers;
    }

    private static String elements(GPUArray array) {
        return Arrays.toString(array.getFloats());
    }

    /** An operation's result when the device is idle before and after it; this also loads its kernels. */
    private static String calm(Reader operation, Operands o, boolean wanted) {
        o.restore();
        o.write(wanted);
        Context.synchronize();
        GPUArray result = operation.read(o);
        Context.synchronize();
        return elements(result);
    }

    /** An operation sees earlier work on its operands' stream, and later work there does not change its result. The host waits for nothing. */
    @Test
    void anOperandsStreamIsWaitedForAndWaits() {
        for (Streams pair : Streams.pairs()) {
            try (pair) {
                var o = new Operands(pair);
                readers().forEach((name, operation) -> {
                    String expected = calm(operation, o, true);
                    String text = name + " " + pair;
                    assertNotEquals(expected, calm(operation, o, false), text);
                    for (boolean holdsOperands : new boolean[] {true, false}) {
                        o.restore();
                        o.write(!holdsOperands);
                        Context.synchronize();
                        GPUArray result;
                        try (var gate = new Gate(named(holdsOperands ? pair.others() : pair.mine()))) {
                            o.write(true);
                            result = operation.read(o);
                            o.write(false);
                            assertTrue(gate.isClosed(), "the host waited: " + text);
                            assertFalse(named(pair.mine()).isDone(), text);
                            assertFalse(named(pair.others()).isDone(), text);
                        }
                        assertEquals(expected, elements(result), text);
                    }
                });
            }
        }
    }

    /** {@code on} waits for the work queued on the array's stream, however the view is used. */
    @Test
    void aViewOnAnotherStreamWaitsOnce() {
        for (Streams pair : Streams.pairs()) {
            try (pair) {
                var o = new Operands(pair);
                o.write(false);
                o.y.on(pair.mine()).add(1);
                Context.synchronize();
                GPUArray sum;
                try (var gate = new Gate(named(pair.others()))) {
                    o.write(true);
                    sum = o.y.on(pair.mine()).add(1);
                    assertTrue(gate.isClosed(), "the host waited: " + pair);
                }
                assertArrayEquals(new float[] {5, 5, 5, 5}, sum.getFloats());
            }
        }
    }

    /** Two arrays, 2 in each element, and all operations on {@code stream} that write 4 to a given array. */
    private static List<UnaryOperator<GPUArray>> writers(Stream stream, Stream others) {
        var x = GPUArray.toGpu(TWO).on(stream);
        var y = GPUArray.toGpu(TWO).on(others);
        var zero = GPUArray.toGpu(new int[] {0, 0, 0}).on(others);
        var four = GPUArray.toGpu(FOUR).on(stream);
        return List.of(out -> four.maximum(y, out), out -> x.maximum(4, out), out -> x.mulAdd(1, y, 1, out), out -> four.conj(out),
            out -> four.take(zero, out), out -> GPUArray.ifPositive(x, four, y, out), out -> GPUArray.where(zero.on(stream), y, four, out));
    }

    /** Earlier and later work on {@code out}'s stream is ordered with the operation that writes it. */
    @Test
    void theResultsStreamIsOrderedToo() {
        for (Streams pair : Streams.pairs()) {
            try (pair) {
                int cases = writers(pair.mine(), pair.others()).size();
                for (int i = 0; i < cases; i++) {
                    for (Stream slow : Arrays.asList(pair.mine(), pair.others())) {
                        var operation = writers(pair.mine(), pair.others()).get(i);
                        var out = operation.apply(GPUArray.zeros(FLOAT32, 3).on(pair.others()));
                        out.mul(1).close();  // both kernels are loaded by now: not behind the gate
                        out.fill(0);
                        GPUArray read;
                        try (var gate = new Gate(named(slow))) {
                            assertSame(out, operation.apply(out));
                            read = out.mul(1);
                            assertTrue(gate.isClosed(), "the host waited: operation " + i);
                            assertFalse(named(slow == pair.mine() ? pair.others() : pair.mine()).isDone(), "operation " + i + " " + pair);
                        }
                        assertArrayEquals(FOUR, out.get(float[].class));
                        assertArrayEquals(FOUR, read.get(float[].class));
                    }
                }
            }
        }
    }

    /** The default stream is the last one even where another stream is in use now. */
    @Test
    void generatorsAreOrderedWithTheStreamOfTheirLastUse() {
        try (var stream = nonBlocking(); var generator = new XORWOWRandomNumberGenerator()) {
            var first = GPUArray.zeros(FLOAT32, 4);
            var second = GPUArray.zeros(FLOAT32, 4);
            generator.fillUniform(first);
            try (var gate = new Gate(Stream.fromHandle(LEGACY))) {
                generator.fillUniform(first);
                var use = stream.use();
                generator.fillUniform(second);
                assertFalse(stream.isDone());
                assertTrue(gate.isClosed(), "the host waited");
                gate.release();
                use.close();
            }
            try (var gate = new Gate(stream)) {
                generator.on(stream).fillUniform(second);
                generator.fillUniform(first);
                assertFalse(Stream.fromHandle(LEGACY).isDone());
                assertTrue(gate.isClosed(), "the host waited");
            }
        }
    }

    /** Unfinished work of a closed stream is also waited for. */
    @Test
    void aClosedStreamsWorkIsWaitedFor() {
        for (boolean toDefault : new boolean[] {false, true}) {
            try (var stream = nonBlocking()) {
                var closed = new Stream(StreamFlags.NON_BLOCKING);
                var x = GPUArray.toGpu(TWO).on(toDefault ? Stream.DEFAULT : stream);
                var y = GPUArray.toGpu(new float[3]).on(closed);
                assertArrayEquals(TWO, x.add(y).get(float[].class));
                y.fill(0);
                Context.synchronize();
                GPUArray sum;
                var gate = new Gate(closed);
                try {
                    y.fill(2);
                    closed.close();
                    sum = x.add(y);
                    assertTrue(gate.isClosed(), "the host waited");
                } finally {
                    gate.release();
                }
                assertArrayEquals(FOUR, sum.get(float[].class));
            }
        }
    }

    /** A graph that is launched on the stream of its capture runs after the default stream's earlier work. */
    @Test
    void operandsOfTheDefaultStreamInACapture() {
        try (var stream = nonBlocking()) {
            var o = new Operands(new Streams(stream, Stream.DEFAULT));
            for (var reader : readers().entrySet()) {
                String expected = calm(reader.getValue(), o, true);
                o.restore();
                o.write(false);
                Context.synchronize();
                GPUArray result;
                try (var gate = new Gate(named(Stream.DEFAULT))) {
                    o.write(true);
                    Graph graph;
                    try (var capture = stream.capture(CaptureMode.GLOBAL)) {
                        result = reader.getValue().read(o);
                        graph = capture.end();
                    }
                    assertTrue(gate.isClosed(), "the host waited: " + reader.getKey());
                    if (!Devices.isCpu()) {
                        gate.release();  // cuGraphInstantiate may wait for other streams: on an H200 it did, in one of four runs
                    }
                    graph.instantiate().launch(stream);
                }
                assertEquals(expected, elements(result), reader.getKey());
            }
        }
    }
}
