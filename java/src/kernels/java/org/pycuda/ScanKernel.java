package org.pycuda;

import java.util.Objects;

/**
 * A prefix scan with a custom operation, over all elements in their order in memory: {@link InclusiveScanKernel} and
 * {@link ExclusiveScanKernel}. Immutable; threads may share it.
 */
public class ScanKernel {
    private final CType type;
    private final ScanCode code;
    /** Null: the arrays' own. */
    private final Stream stream;
    private final Allocator allocator;

    ScanKernel(CType type, String scanExpr, String neutral, boolean exclusive, KernelOptions options) {
        this.type = Objects.requireNonNull(type, "type");
        code = new ScanCode(type, scanExpr, neutral, "", "", exclusive ? "out[i] = prev_item" : "", "", options);
        stream = null;
        allocator = null;
    }

    private ScanKernel(ScanKernel other, Stream stream, Allocator allocator) {
        type = other.type;
        code = other.code;
        this.stream = stream;
        this.allocator = allocator;
    }

    /** The same kernel on this stream instead of the array's. */
    public ScanKernel on(Stream newStream) {
        return new ScanKernel(this, Stream.required(newStream, "newStream"), allocator);
    }

    /** The same kernel with this allocator for its results, instead of the array's. */
    public ScanKernel allocator(Allocator newAllocator) {
        return new ScanKernel(this, stream, Objects.requireNonNull(newAllocator, "newAllocator"));
    }

    /** A new array with the results. */
    public GPUArray call(GPUArray array) {
        Stream queue = queue(Objects.requireNonNull(array, "array"));
        Allocator from = allocator != null ? allocator : array.allocator();
        Order order = array.isCContiguous() ? Order.C : Order.F;
        return call(array, ArrayFactory.DEFAULT.on(queue).allocator(from).order(order).empty(array.dtype(), array.shape()));
    }

    private Stream queue(GPUArray array) {
        return Stream.inUse(stream != null ? stream : array.stream());
    }

    /** The array itself, with its elements replaced by the results. */
    public GPUArray callInPlace(GPUArray array) {
        return call(array, array);
    }

    /** The array {@code out}, with the results; it may be the same array. Both must have the kernel's type and be contiguous. */
    public GPUArray call(GPUArray array, GPUArray out) {
        require(Objects.requireNonNull(array, "array"));
        require(Objects.requireNonNull(out, "out"));
        if (out.size() != array.size()) {
            throw new IllegalArgumentException("expected an output array of " + array.size() + " elements, not " + out.size());
        }
        if (array.size() == 0) {
            return out;
        }
        Stream queue = queue(array);
        StreamJoin.before(queue, array, out);
        code.launch(queue, array.size(), array, out);
        StreamJoin.after(queue, array, out);
        return out;
    }

    private void require(GPUArray array) {
        if (!array.dtype().equals(type) || !array.isContiguous()) {
            throw new IllegalArgumentException("this kernel expects arrays of " + type + " without gaps, not " + array.describe());
        }
    }
}
