package org.pycuda;

import java.util.Objects;

/**
 * Creates arrays with a given element order, stream and allocator: {@code GPUArray.factory().order(Order.F).on(stream)}. Immutable: each
 * setting returns a new factory.
 * <pre>{@code
 * ArrayFactory factory = GPUArray.factory().order(Order.F);
 * try (var columns = factory.zeros(DType.FLOAT32, 2, 3)) {
 *     System.out.println(columns.strides()[0]);  // 4
 * }
 * }</pre>
 */
public final class ArrayFactory extends ArrayFactoryProxy {
    static final ArrayFactory DEFAULT = new ArrayFactory(Order.C, Stream.DEFAULT, null);

    private final Order order;
    private final Stream stream;
    /** Null: the context's pool. */
    private final Allocator allocator;

    private ArrayFactory(Order order, Stream stream, Allocator allocator) {
        this.order = order;
        this.stream = stream;
        this.allocator = allocator;
    }

    /** A factory with the same settings and C order. */
    static ArrayFactory like(GPUArray array) {
        return DEFAULT.on(array.stream()).allocator(array.allocator());
    }

    /** A factory that uses this allocator for its arrays and for all results computed from them. The allocator is never asked for 0 bytes. */
    public ArrayFactory allocator(Allocator newAllocator) {
        Objects.requireNonNull(newAllocator, "newAllocator");
        return new ArrayFactory(order, stream, newAllocator == Allocator.DEFAULT ? null : newAllocator);
    }

    /** A factory of arrays with this order of elements, C or F. */
    public ArrayFactory order(Order newOrder) {
        if (Objects.requireNonNull(newOrder, "newOrder") == Order.K) {
            throw new IllegalArgumentException("the order of a new array must be Order.C or Order.F, not Order.K");
        }
        return new ArrayFactory(newOrder, stream, allocator);
    }

    /** A factory of arrays that are bound to this stream. */
    public ArrayFactory on(Stream newStream) {
        return new ArrayFactory(order, Stream.required(newStream, "newStream"), allocator);
    }

    /** An uninitialised array. */
    public GPUArray empty(CType type, long... shape) {
        Objects.requireNonNull(type, "type");
        return GPUArray.made(memory(type, Objects.requireNonNull(shape, "shape")), stream, type);
    }

    /** An uninitialised element, which no {@link ArrayScope} closes. */
    GPUArray unscoped(CType type) {
        return GPUArray.unscoped(memory(type, new long[0]), stream, type);
    }

    private long memory(CType type, long[] shape) {
        return ArrayCalls.arrayEmpty(Scalars.typeCode(type), shape, order.ordinal(), GPUArray.handle(stream), allocator);
    }

    /** An array of zeros. */
    public GPUArray zeros(CType type, long... shape) {
        return empty(type, shape).clear();
    }

    /** An array of ones. */
    public GPUArray ones(DType type, long... shape) {
        return empty(type, shape).fill(1);
    }

    /** Every {@code step}th number from {@code start} up to {@code stop}, which is excluded. */
    public GPUArray arange(DType type, long start, long stop, long step) {
        Objects.requireNonNull(type, "type");
        requireStep(step);
        long first = step > 0 ? start : stop;
        long last = step > 0 ? stop : start;
        long way = last - first;
        if (first < last && way < 0) {
            throw tooLong(start, stop, step);
        }
        long size = Math.abs(step);
        long count = first >= last ? 0 : (way - 1) / size + 1;
        return ranged(empty(type, count), Scalars.WHOLE, start, step);
    }

    /** The numbers from {@code start} up to {@code stop}, which is excluded, in steps of {@code step}. */
    public GPUArray arange(DType type, double start, double stop, double step) {
        Objects.requireNonNull(type, "type");
        requireStep(step);
        double count = Math.ceil((stop - start) / step);
        if (!(count < Long.MAX_VALUE)) {
            throw tooLong(start, stop, step);
        }
        return ranged(empty(type, Math.max(0, (long) count)), Scalars.REAL, Scalars.bits(start), Scalars.bits(step));
    }

    private static GPUArray ranged(GPUArray array, int kind, long start, long step) {
        try {
            return array.range(kind, start, step);
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    private static IllegalArgumentException tooLong(Number start, Number stop, Number step) {
        return new IllegalArgumentException("arange from " + start + " to " + stop + " in steps of " + step + " is too long");
    }

    private static void requireStep(double step) {
        if (step == 0 || Double.isNaN(step)) {
            throw new IllegalArgumentException("the step of arange must not be " + step);
        }
    }

    @Override
    ArrayFactory self() {
        return this;
    }

    GPUArray make(Object host) {
        return make(HostData.ofObject(host));
    }

    GPUArray make(HostData host) {
        Objects.requireNonNull(host, "host");
        return filled(host.data(), host.type(), host.shape());
    }

    /** An array to which the copy of direct memory is queued. */
    GPUArray makeAsync(HostData host) {
        Objects.requireNonNull(host, "host");
        return makeAsync(host.data(), host.type(), host.shape());
    }

    GPUArray makeAsync(Object host) {
        DType type = HostElements.typeOf(host);
        return makeAsync(host, type, new long[] {HostCopies.nbytes(host) / type.itemsize()});
    }

    private GPUArray makeAsync(Object host, CType type, long[] shape) {
        GPUArray array = empty(type, shape);
        try {
            ArrayHost.writeAsync(array, Objects.requireNonNull(host, "host"));
            return array;
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    GPUArray filled(Object host, CType type, long[] shape) {
        GPUArray array = empty(type, shape);
        try {
            ArrayHost.write(array, host);
            return array;
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "ArrayFactory[order=" + order + (stream == Stream.DEFAULT ? "" : ", on a stream") + (allocator == null ? "" : ", " + allocator) + "]";
    }
}
