package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Tensor maps as arguments of every kind of launch, the lifetime of their memory, and their requirements. */
class TensorMapTest implements WithContext {
    private static final int BYTES = 8 * 16 * 4;
    private static final String COPY = """
        struct alignas(64) Map { unsigned long long words[16]; };
        __global__ void copy(const __grid_constant__ Map in, const __grid_constant__ Map out, int bytes, int x, int y)
        {
          __shared__ alignas(128) float tile[8][16];
          __shared__ alignas(8) unsigned long long object;
          unsigned barrier = (unsigned) __cvta_generic_to_shared(&object), place = (unsigned) __cvta_generic_to_shared(tile);
          if (threadIdx.x == 0) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                         :: "r"(place), "l"(&in), "r"(x), "r"(y), "r"(barrier) : "memory");
          }
          __syncthreads();
          unsigned done = 0;
          while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(barrier) : "memory");
          __syncthreads();
          if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                         :: "l"(&out), "r"(x), "r"(y), "r"(place) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
          }
        }
        """;

    private Function copy;
    private GPUArray x;
    private GPUArray y;

    @BeforeEach
    void prepare() {
        assumeTrue(new Device(0).attribute(DeviceAttribute.TENSOR_MAP_ACCESS_SUPPORTED) != 0, "no tensor maps before compute capability 9.0");
        copy = new SourceModule(COPY).function("copy");
        x = GPUArray.arange(DType.FLOAT32, 24 * 32).reshape(24, 32);
        y = GPUArray.zeros(DType.FLOAT32, 24, 32);
    }

    private void assertCopied() {
        float[][] from = x.get(float[][].class);
        float[][] to = y.get(float[][].class);
        for (int i = 0; i < 24; i++) {
            for (int k = 0; k < 32; k++) {
                boolean copied = i >= 3 && i < 11 && k >= 4 && k < 20;
                assertEquals(copied ? from[i][k] : 0, to[i][k]);
            }
        }
        y.fill(0);
    }

    @Test
    void everyKindOfLaunchAcceptsATensorMap() {
        var in = TensorMap.tiled(x, 8, 16);
        var out = TensorMap.tiled(y, 8, 16);
        copy.launch(Driver.block(32), in, out, BYTES, 4, 3);
        assertCopied();
        copy.prepare("TTiii").preparedCall(Driver.block(32), in, out, BYTES, 4, 3);
        assertCopied();
        copy.prepare("128s128siii").invocation().set(0, in).set(1, out).set(2, BYTES).set(3, 4).set(4, 3).launch(Driver.block(32));
        assertCopied();
        try (var stream = new Stream(); var graph = new Graph()) {
            graph.kernel(copy, Driver.block(32), in, out, BYTES, 4, 3);
            try (var run = graph.instantiate()) {
                run.launch(stream);
                stream.synchronize();
            }
        }
        assertCopied();
    }

    @Test
    void freedMemoryIsRejected() {
        var in = TensorMap.tiled(x, 8, 16);
        var out = TensorMap.tiled(y, 8, 16);
        Invocation kept = copy.prepare("TTiii").invocation().set(0, in).set(1, out).set(2, BYTES).set(3, 4).set(4, 3);
        x.close();
        assertThrows(Driver.LogicError.class, () -> copy.launch(Driver.block(32), in, out, BYTES, 4, 3));
        assertThrows(Driver.LogicError.class, () -> copy.preparedCall(Driver.block(32), in, out, BYTES, 4, 3));
        assertThrows(Driver.LogicError.class, () -> kept.launch(Driver.block(32)));
        assertThrows(Driver.LogicError.class, () -> TensorMap.tiled(x, 8, 16));
    }

    @Test
    void movedMemoryIsRejected() {
        long[] address = {x.pointer()};
        DevicePointer holder = () -> address[0];
        var in = TensorMap.of(holder).dtype(TensorMapDataType.FLOAT32).shape(24, 32).tiled(8, 16);
        address[0] = y.pointer();
        var moved = assertThrows(Driver.LogicError.class, () -> copy.launch(Driver.block(32), in, in, BYTES, 4, 3));
        assertTrue(moved.getMessage().contains("replace"), moved.getMessage());
        assertEquals(y.pointer(), in.replaceAddress(holder).address());
        assertEquals(x.pointer(), in.address());
    }

    @Test
    void violatedRulesAreNamed() {
        TensorMap.Tensor tensor = TensorMap.of(DevicePointer.of(1 << 20)).dtype(TensorMapDataType.FLOAT32).shape(64, 128);
        assertEquals("TensorMap of float32 (64, 128), box (8, 16) at 0x100000", tensor.tiled(8, 16).toString());
        var narrow = assertThrows(IllegalArgumentException.class, () -> tensor.tiled(8, 6));
        assertTrue(narrow.getMessage().contains("multiple of 16 bytes"), narrow.getMessage());
        assertThrows(IllegalArgumentException.class, () -> tensor.tiled(8));
        assertThrows(IllegalArgumentException.class, () -> tensor.tiled(8, 512));
        assertThrows(IllegalArgumentException.class, () -> tensor.im2col(new int[] {0}, new int[] {0}, 16, 16));
        assertThrows(IllegalArgumentException.class, () -> TensorMap.of(x.transpose()));
        assertThrows(IllegalArgumentException.class, () -> TensorMap.tiled(GPUArray.zeros(DType.COMPLEX64, 16, 32), 8, 16));
        tensor.shape(2, 32, 64).swizzle(TensorMapSwizzle.BYTES_128).im2col(new int[] {-1}, new int[] {-1}, 32, 64);
        var wide = assertThrows(RuntimeException.class, () -> tensor.swizzle(TensorMapSwizzle.BYTES_32).im2colWide(0, 0, 8, 64, TensorMapIm2colWideMode.W));
        assertTrue(wide.getMessage().contains("wide map"), wide.getMessage());
    }

    @Test
    void elementStridesAndFillValuesWork() {
        var in = TensorMap.of(x).fill(TensorMapFill.NAN_REQUEST_ZERO_FMA).l2Promotion(TensorMapL2Promotion.L2_128B)
            .interleave(TensorMapInterleave.NONE).elementStrides(1, 1).tiled(8, 16);
        copy.launch(Driver.block(32), in, TensorMap.tiled(y, 8, 16), BYTES, 16, 0);
        assertArrayEquals(java.util.Arrays.copyOfRange(x.get(float[][].class)[7], 16, 32), java.util.Arrays.copyOfRange(y.get(float[][].class)[7], 16, 32));
    }
}
