package org.pycuda;

import java.util.List;

/** Operations of {@link FaultOperations} that compute with arrays. */
final class FaultArrayOperations {
    private FaultArrayOperations() {}

    /** Two matrices, indices and a kernel. */
    static class Numbers extends FaultOperations.Things {
        final GPUArray a = keep(GPUArray.toGpu(HostData.of(new float[] {0, 1, 2, 3, 4, 5}).shape(2, 3)));
        final GPUArray b = keep(GPUArray.toGpu(HostData.of(new float[] {1, 2, 3, 4, 5, 6}).shape(2, 3)));
        final GPUArray keys = keep(GPUArray.toGpu(new int[] {3, 1, 2}));
        final ReductionKernel max = new ReductionKernel(DType.FLOAT32, "0", "fmaxf(a, b)");
        final InclusiveScanKernel running = new InclusiveScanKernel(DType.FLOAT32, "a + b");
        final ElementwiseKernel saxpy = new ElementwiseKernel("float a, const float *x, float *y", "y[i] = a * x[i] + 1");
    }

    /** The matrices, bound to streams that are otherwise unordered. */
    private static final class OnStreams extends Numbers {
        final GPUArray x = keep(a.on(keep(new Stream(StreamFlags.NON_BLOCKING))));
        final GPUArray y = keep(b.on(keep(new Stream(StreamFlags.NON_BLOCKING))));
    }

    private static void streams(String name, FaultOperations.Step<OnStreams> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, OnStreams::new, step));
    }

    private static void arrays(String name, FaultOperations.Step<Numbers> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, Numbers::new, step));
    }

    static void add() {
        arrays("GPUArray.empty", (n, made) -> made.keep(GPUArray.empty(DType.FLOAT32, 3, 4)).size());
        arrays("GPUArray.toGpu", (n, made) -> made.keep(GPUArray.toGpu(new float[] {1, 2})).getFloats());
        arrays("GPUArray.zeros", (n, made) -> made.keep(GPUArray.zeros(DType.FLOAT32, 3)).getFloats());
        arrays("GPUArray.arange", (n, made) -> made.keep(GPUArray.arange(DType.INT32, 5)).getInts());
        arrays("GPUArray.add", (n, made) -> made.keep(n.a.add(n.b)).getFloats());
        arrays("GPUArray.mul", (n, made) -> made.keep(n.a.mul(2)).getFloats());
        arrays("GPUArray.addInPlace", (n, made) -> made.keep(n.a.copy()).addInPlace(n.b).getFloats());
        arrays("GPUArray.slice", (n, made) -> made.keep(made.keep(n.a.transpose()).add(made.keep(n.b.transpose()))).getFloats());
        arrays("GPUArray.astype", (n, made) -> made.keep(n.a.astype(DType.INT16)).getShorts());
        arrays("GPUArray.sum", (n, made) -> made.keep(n.a.sum()).getFloat());
        arrays("GPUArray.sum.axis", (n, made) -> made.keep(n.a.sum(Axis.of(0))).getFloats());
        arrays("GPUArray.dot", (n, made) -> made.keep(n.a.dot(n.b)).getFloat());
        arrays("GPUArray.argmax", (n, made) -> made.keep(n.a.argmax()).getLong());
        arrays("GPUArray.take", (n, made) -> made.keep(made.keep(n.b.ravel()).take(n.keys)).getFloats());
        arrays("GPUArray.where", (n, made) -> made.keep(GPUArray.where(n.a, n.a, n.b)).getFloats());
        arrays("GPUArray.concatenate", (n, made) -> made.keep(GPUArray.concatenate(List.of(n.a, n.b), 0)).getFloats());
        arrays("GPUArray.cumsum", (n, made) -> made.keep(n.a.cumsum()).getFloats());
        arrays("GPUArray.on", (n, made) -> {
            var stream = made.keep(new Stream(StreamFlags.NON_BLOCKING));
            return made.keep(made.keep(n.a.on(stream)).mul(3)).getFloats();
        });
        streams("GPUArray.add.streams", (n, made) -> made.keep(n.x.add(n.y)).getFloats());
        streams("GPUArray.add.default", (n, made) -> made.keep(n.x.add(n.b)).getFloats());
        streams("GPUArray.add.onDefault", (n, made) -> made.keep(n.a.add(n.x)).getFloats());
        streams("Stream.use", (n, made) -> {
            try (var use = n.x.stream().use()) {
                return made.keep(n.a.add(n.b)).getFloats();
            }
        });
        streams("GPUArray.where.streams", (n, made) -> made.keep(GPUArray.where(n.x, n.y, n.x)).getFloats());
        streams("GPUArray.vecdot.streams", (n, made) -> made.keep(n.x.vecdot(n.y)).getFloats());
        streams("GPUArray.concatenate.streams", (n, made) -> made.keep(GPUArray.concatenate(n.x, n.y)).getFloats());
        arrays("ElementwiseKernel.call", (n, made) -> {
            n.saxpy.call(2f, n.a, n.b);
            return n.b.getFloats();
        });
        arrays("GPUArray.sort", (n, made) -> made.keep(n.a.transpose().sort(0)).getFloats());
        arrays("GPUArray.argsort", (n, made) -> made.keep(n.keys.argsort()).getLongs());
        arrays("GPUArray.unique", (n, made) -> made.keep(n.keys.unique()).getInts());
        arrays("GPUArray.select", (n, made) -> made.keep(n.b.select(n.a)).getFloats());
        arrays("GPUArray.setWhere", (n, made) -> made.keep(n.a.copy()).setWhere(n.b, n.b.ravel()).getFloats());
        arrays("GPUArray.pad", (n, made) -> made.keep(n.a.pad(Padding.REFLECT, 1)).getFloats());
        arrays("GPUArray.pad.mean", (n, made) -> made.keep(n.a.pad(Padding.mean(), 1)).getFloats());
        arrays("GPUArray.histogram", (n, made) -> {
            Histogram found = n.a.histogram(3);
            made.keep(found.edges());
            return made.keep(found.counts()).getLongs();
        });
        arrays("GPUArray.einsum", (n, made) -> made.keep(GPUArray.einsum("ij,kj->ik", n.a, n.b)).getFloats());
        arrays("GPUArray.allclose", (n, made) -> n.a.allclose(n.b));
        arrays("GPUArray.nanstd", (n, made) -> made.keep(n.a.nanstd(Axis.of(0))).getFloats());
        arrays("GPUArray.nanargmax", (n, made) -> made.keep(n.a.nanargmax()).getLong());
        arrays("GPUArray.matmul", (n, made) -> made.keep(n.a.matmul(n.b.transpose())).getFloats());
        arrays("LinAlg.svdvals", (n, made) -> made.keep(LinAlg.svdvals(n.a)).getFloats());
        arrays("Fft.rfft", (n, made) -> made.keep(made.keep(Fft.rfft(n.a)).real()).getFloats());
        arrays("GPUArray.subsetSum", (n, made) -> made.keep(n.a.subsetSum(n.keys)).getFloat());
        arrays("GPUArray.multiPut", (n, made) -> {
            var out = made.keep(GPUArray.zeros(DType.INT32, 4));
            GPUArray.multiPutInto(List.of(out), List.of(n.keys), n.keys);
            return out.getInts();
        });
        arrays("GPUArray.fill.structures", (n, made) -> made.keep(GPUArray.empty(Vec.FLOAT3, 2)).fill(Vec.FLOAT3.value(1, 2, 3)).getFloats());
        arrays("ArrayFactory.allocator", (n, made) -> {
            var a = made.keep(GPUArray.factory().allocator(Allocator.DRIVER).toGpu(new float[] {1, 2, 3}));
            return made.keep(made.keep(a.add(a)).sum()).getFloat();
        });
        arrays("ReductionKernel.call", (n, made) -> made.keep(n.max.call(n.a)).getFloat());
        arrays("InclusiveScanKernel.call", (n, made) -> made.keep(n.running.call(n.a.ravel())).getFloats());
        arrays("GPUArray.inANewContext", (n, made) -> {
            made.keep(new Device(0).makeContext());
            var a = made.keep(GPUArray.toGpu(new float[] {1, 2, 3}));
            return made.keep(made.keep(a.add(a)).sum()).getFloat();
        });
    }
}
