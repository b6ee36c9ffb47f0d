package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentHandlerTest implements WithContext {
    private static final LaunchConfig FOUR = Driver.block(4);

    @Test
    void inOutAndInOut() {
        var x = new float[] {1, 2, 3, 4};
        var y = new float[] {10, 20, 30, 40};
        Kernels.get("axpy").launch(FOUR, new InOut(y), new In(x), 2f, 4);
        assertArrayEquals(new float[] {12, 24, 36, 48}, y);
        assertArrayEquals(new float[] {1, 2, 3, 4}, x);
        var out = new int[4];
        Kernels.get("fill").launch(FOUR, new Out(out), 7, 4);
        assertArrayEquals(new int[] {7, 7, 7, 7}, out);
    }

    @Test
    void arraysAreReadyAfterALaunchOnAStream() {
        try (var stream = new Stream()) {
            for (int round = 0; round < 20; round++) {
                var y = new float[] {0, 1, 2, 3};
                Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(new float[] {1, 1, 1, 1}), (float) round, 4);
                assertArrayEquals(new float[] {round, 1 + round, 2 + round, 3 + round}, y);
            }
        }
    }

    @Test
    void directBuffersAreWrittenWhenTheStreamGetsThere() {
        try (var stream = new Stream()) {
            var y = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer();
            var x = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer().put(0, 3f);
            Kernels.get("axpy").launch(FOUR.stream(stream), Driver.inOut(y), Driver.in(x), 2f, 4);
            x.put(0, -1f);  // was read already
            stream.synchronize();
            assertEquals(6f, y.get(0));
        }
    }

    @Test
    void memoryIsGivenBack() {
        try (var stream = new Stream()) {
            var host = new float[1 << 20];
            Kernels.get("fill").launch(FOUR, Driver.inOut(host), 1, 4);
            Kernels.get("fill").launch(FOUR.stream(stream), Driver.inOut(host), 1, 4);
            stream.synchronize();
            long before = Devices.liveWithoutGarbage("device allocation");
            for (int i = 0; i < 10; i++) {
                Kernels.get("fill").launch(FOUR, Driver.inOut(host), 1, 4);
                Kernels.get("fill").launch(FOUR.stream(stream), Driver.inOut(host), 1, 4);
                assertThrows(IllegalArgumentException.class, () -> Kernels.get("fill").launch(FOUR, Driver.in(host), 1));
            }
            stream.synchronize();
            assertEquals(before, Devices.live("device allocation"));
        }
    }

    /** Doubles on the way in, and counts. */
    private static final class Doubled extends ArgumentHandler {
        final List<String> calls = new ArrayList<>();

        Doubled(int[] host) {
            super(host);
        }

        @Override
        protected void preCall(Stream stream) {
            calls.add("pre");
            int[] twice = ((int[]) getArray()).clone();
            for (int i = 0; i < twice.length; i++) {
                twice[i] *= 2;
            }
            Driver.memcpyHtod(getDeviceAlloc(), twice);
        }

        @Override
        protected void postCall(Stream stream) {
            calls.add("post");
            Driver.memcpyDtoh(getArray(), getDeviceAlloc());
        }
    }

    @Test
    void subclassesDoAsTheyLike() {
        var host = new int[] {1, 2, 3, 4};
        var doubled = new Doubled(host);
        Kernels.get("fill").launch(FOUR, doubled, 9, 2);
        assertArrayEquals(new int[] {9, 9, 6, 8}, host);
        assertEquals(List.of("pre", "post"), doubled.calls);
    }

    @Test
    void onlyHostDataIsWrapped() {
        assertThrows(IllegalArgumentException.class, () -> new In("text"));
        assertThrows(IllegalArgumentException.class, () -> new InOut(new boolean[3]));
        assertThrows(IllegalArgumentException.class, () -> Driver.out((float[]) null));
    }

    @Test
    @org.junit.jupiter.api.Timeout(60)
    void resultsInAnArrayWaitForTheirStreamOnly() {
        var wait = Kernels.module("""
            __global__ void wait_for(volatile int *flag) { for (long i = 0; i < 1l << 40 && *flag == 0; i++); }
            """).getFunction("wait_for");
        var values = new int[4];
        try (var flag = Driver.toDevice(new int[1]); var busy = new Stream(StreamFlags.NON_BLOCKING);
             var stream = new Stream(StreamFlags.NON_BLOCKING)) {
            wait.launch(Driver.block(1).stream(busy), flag);
            try {
                Kernels.get("fill").launch(Driver.block(4).stream(stream), Driver.out(values), 7, 4);
                assertArrayEquals(new int[] {7, 7, 7, 7}, values);
                assertFalse(busy.isDone());
            } finally {
                Driver.memsetD32Async(flag, 1, 1, stream);
                busy.synchronize();
            }
        }
    }
}
