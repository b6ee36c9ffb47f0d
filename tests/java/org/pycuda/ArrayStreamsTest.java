package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Operations whose operands and results are bound to different streams. */
class ArrayStreamsTest implements WithContext {
    private static final float[] TWO = {2, 2, 2};
    private static final float[] FOUR = {4, 4, 4};

    /** Two arrays, 2 in each element, of {@code stream}, and all operations that write 4 to a given array. */
    private static List<UnaryOperator<GPUArray>> operations(Stream stream) {
        var x = GPUArray.toGpu(TWO).on(stream);
        var y = GPUArray.toGpu(TWO);
        var zero = GPUArray.toGpu(new int[] {0, 0, 0});
        var four = GPUArray.toGpu(FOUR).on(stream);
        return List.of(out -> four.maximum(y, out), out -> x.maximum(4, out), out -> x.mulAdd(1, y, 1, out), out -> four.conj(out),
            out -> four.take(zero, out), out -> GPUArray.ifPositive(x, four, y, out), out -> GPUArray.where(zero.on(stream), y, four, out));
    }

    /** What reads {@code out} on its stream, and what was queued there before, is ordered with the operation that writes it. */
    @Test
    void theResultsStreamIsOrderedToo() {
        try (var stream = new Stream(); var others = new Stream()) {
            int cases = operations(stream).size();
            for (int i = 0; i < cases; i++) {
                for (Stream slow : List.of(stream, others)) {
                    var operation = operations(stream).get(i);
                    var out = operation.apply(GPUArray.zeros(DType.FLOAT32, 3).on(others));  // loads its kernel: not behind the gate
                    out.fill(0);
                    try (var gate = new Gate(slow)) {
                        assertSame(out, operation.apply(out));
                        assertFalse((slow == stream ? others : stream).isDone(), "operation " + i);
                    }
                    assertArrayEquals(FOUR, out.get(float[].class));
                }
            }
        }
    }
}
