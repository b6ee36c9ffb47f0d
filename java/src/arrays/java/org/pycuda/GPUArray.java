package org.pycuda;

import java.lang.ref.Reference;
import java.nio.Buffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * An array of numbers on the device, of any number of axes. Operations work element by element, broadcast by NumPy's rules, and give a
 * new array; those that end in {@code InPlace} change this one and return it. A number takes the type of the array, if that can hold it.
 *
 * <p>An array owns its memory or is a view of another's, which it keeps alive. {@link #close} frees the memory now; without it, it goes
 * when neither owner nor view is reachable. An operation runs on the stream of the array it is called on ({@link #on}), and its result
 * is bound to the same stream; copies to the host wait for it. The context of the memory must be current (else LogicError).
 * IllegalArgumentException for shapes and types that do not fit, IndexOutOfBoundsException for an index outside an axis.
 */
public final class GPUArray extends GPUArrayProxy implements PointerHolderBase, AutoCloseable {
    private static final int SCAN_SUM = 0;  // as the core's Scan
    private static final int SCAN_PROD = 1;

    private final ArrayStorage storage;
    private final Stream stream;
    /** The owner of the memory; null when this is the owner. */
    private final GPUArray base;
    private volatile boolean closed;

    private GPUArray(ArrayStorage storage, Stream stream, GPUArray base) {
        this.storage = storage;
        this.stream = stream;
        this.base = base;
    }

    // Making --------------------------------------------------------------------------------------------------------------

    /** Makes arrays in C order, on the default stream; see {@link ArrayFactory} for others. */
    public static ArrayFactory factory() {
        return ArrayFactory.DEFAULT;
    }

    /** A new array that is not initialised. */
    public static GPUArray empty(DType type, long... shape) {
        return factory().empty(type, shape);
    }

    /** A new array of zeros. */
    public static GPUArray zeros(DType type, long... shape) {
        return factory().zeros(type, shape);
    }

    /** A new array of ones. */
    public static GPUArray ones(DType type, long... shape) {
        return factory().ones(type, shape);
    }

    /** The numbers 0, 1, ... before {@code stop}. */
    public static GPUArray arange(DType type, long stop) {
        return factory().arange(type, stop);
    }

    /** The numbers from {@code start} until before {@code stop}. */
    public static GPUArray arange(DType type, long start, long stop) {
        return factory().arange(type, start, stop);
    }

    /** Every {@code step}th number from {@code start} until before {@code stop}. */
    public static GPUArray arange(DType type, long start, long stop, long step) {
        return factory().arange(type, start, stop, step);
    }

    /** The numbers from {@code start} until before {@code stop}, in steps of {@code step}. */
    public static GPUArray arange(DType type, double start, double stop, double step) {
        return factory().arange(type, start, stop, step);
    }

    /** A new array of this one's shape, that is not initialised. */
    public static GPUArray emptyLike(GPUArray other) {
        return emptyLike(other, Objects.requireNonNull(other, "other").dtype(), Order.K);
    }

    /** A new array of this one's shape, with elements of another type, that is not initialised. */
    public static GPUArray emptyLike(GPUArray other, DType type) {
        return emptyLike(other, type, Order.K);
    }

    /** A new array of this one's shape, with elements of another type in another order, that is not initialised. */
    public static GPUArray emptyLike(GPUArray other, DType type, Order order) {
        Objects.requireNonNull(other, "other");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(order, "order");
        long made = ArrayCalls.arrayLike(other.handle(), type.value(), order.ordinal(), handle(other.stream));
        Reference.reachabilityFence(other.storage);
        return made(made, other.stream);
    }

    /** A new array of zeros of this one's shape and type. */
    public static GPUArray zerosLike(GPUArray other) {
        return emptyLike(other).fill(0);
    }

    /** A new array of ones of this one's shape and type. */
    public static GPUArray onesLike(GPUArray other) {
        return emptyLike(other).fill(1);
    }

    /** A view of memory of somebody else, which it keeps reachable and does not free. */
    public static GPUArray wrap(PointerHolderBase memory, DType type, long... shape) {
        return wrap(memory, type, shape, new long[0]);
    }

    /** A view of memory of somebody else with these strides, in bytes. */
    public static GPUArray wrap(PointerHolderBase memory, DType type, long[] shape, long[] strides) {
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(strides, "strides");
        if (strides.length == 0 && shape.length > 0 || strides.length == shape.length) {
            long made = ArrayCalls.arrayWrap(memory.getPointer(), type.value(), shape, strides);
            return new GPUArray(new ArrayStorage(made, memory), null, null);
        }
        throw new IllegalArgumentException("there must be as many strides as axes: " + shape.length + ", not " + strides.length);
    }

    /** A new owner of its memory. */
    static GPUArray made(long handle, Stream stream) {
        var array = new GPUArray(new ArrayStorage(handle, null), stream, null);
        ArrayScope.enter(array);
        return array;
    }

    private GPUArray view(long handle) {
        Reference.reachabilityFence(storage);
        return new GPUArray(new ArrayStorage(handle, storage.keeper), stream, base == null ? this : base);
    }

    // Attributes ----------------------------------------------------------------------------------------------------------

    /** Lengths of the axes. */
    public long[] shape() {
        return storage.shape();
    }

    /** Length of an axis; -1 is the last. */
    public long shape(int axis) {
        long[] shape = storage.shape();
        return shape[Objects.checkIndex(axis < 0 ? axis + shape.length : axis, shape.length)];
    }

    /** Bytes from an element to the next, for each axis. */
    public long[] strides() {
        return storage.strides();
    }

    /** Type of the elements. */
    public DType dtype() {
        return storage.dtype();
    }

    /** Number of elements. */
    public long size() {
        return storage.size();
    }

    /** Bytes of all elements. */
    public long nbytes() {
        return size() * itemsize();
    }

    /** Bytes of an element. */
    public int itemsize() {
        return dtype().itemsize();
    }

    /** Number of axes. */
    public int ndim() {
        return storage.ndim();
    }

    /** Length of the first axis. LogicError when there is none. */
    public long length() {
        if (ndim() == 0) {
            throw new Driver.LogicError("an array of no axes has no length", "length", 0);
        }
        return shape(0);
    }

    /** Whether the elements lie without gaps, the last index running fastest. */
    public boolean isCContiguous() {
        return storage.isCContiguous();
    }

    /** Whether the elements lie without gaps, the first index running fastest. */
    public boolean isFContiguous() {
        return storage.isFContiguous();
    }

    /** Whether either holds. */
    public boolean isContiguous() {
        return isCContiguous() || isFContiguous();
    }

    /** The device address of the first element; 0 when there is none. LogicError after {@link #close}. */
    @Override
    public long getPointer() {
        long address = ArrayCalls.arrayAddress(handle());
        Reference.reachabilityFence(storage);
        return address;
    }

    /** What owns the memory: another array, or what {@link #wrap} was given; null when this array does. */
    public Object base() {
        return base != null ? base : storage.keeper;
    }

    /** The stream that operations go to; null is the default stream. */
    public Stream stream() {
        return stream;
    }

    /** The same elements for work on another stream, which waits for what is queued on this one's. Null is the default stream. */
    public GPUArray on(Stream newStream) {
        requireOpen();
        StreamJoin.await(newStream, stream);
        return new GPUArray(storage, newStream, base == null ? this : base);
    }

    /** How kernels over this array's elements are launched, one thread for some of them, on its stream. */
    public LaunchConfig launchConfig() {
        return splay(size()).stream(stream);
    }

    /** A launch for {@code n} elements on the current device, each thread in a loop over {@code i += total threads}. */
    public static LaunchConfig splay(long n) {
        return splay(n, Context.getDevice());
    }

    /** A launch for {@code n} elements on this device. */
    public static LaunchConfig splay(long n, Device device) {
        int most = 8 * Objects.requireNonNull(device, "device").getAttribute(DeviceAttribute.MULTIPROCESSOR_COUNT);
        int threads = n < 32 ? 32 : (int) Math.min(128, (n + 31) / 32 * 32);
        return Driver.block(threads).grid((int) Math.max(1, Math.min(most, (n + threads - 1) / threads)));
    }

    // Copies --------------------------------------------------------------------------------------------------------------

    /** The elements in C order: FLOAT32, or COMPLEX64 as real and imaginary parts in turn. */
    public float[] getFloats() {
        return getInto(new float[ArrayHost.length(this, Float.BYTES)]);
    }

    /** The elements in C order: FLOAT64, or COMPLEX128 as real and imaginary parts in turn. */
    public double[] getDoubles() {
        return getInto(new double[ArrayHost.length(this, Double.BYTES)]);
    }

    /** The elements in C order: INT32, or UINT32 as the same bits. */
    public int[] getInts() {
        return getInto(new int[ArrayHost.length(this, Integer.BYTES)]);
    }

    /** The elements in C order: INT64, or UINT64 as the same bits. */
    public long[] getLongs() {
        return getInto(new long[ArrayHost.length(this, Long.BYTES)]);
    }

    /** The elements in C order: INT16, UINT16, or the bits of FLOAT16 and BFLOAT16. */
    public short[] getShorts() {
        return getInto(new short[ArrayHost.length(this, Short.BYTES)]);
    }

    /** The elements in C order: UINT16. */
    public char[] getChars() {
        return getInto(new char[ArrayHost.length(this, Character.BYTES)]);
    }

    /** The elements in C order: INT8, UINT8 or BOOL. */
    public byte[] getBytes() {
        return getInto(new byte[ArrayHost.length(this, Byte.BYTES)]);
    }

    /** The elements in C order: BOOL. */
    public boolean[] getBooleans() {
        return getInto(new boolean[ArrayHost.length(this, Byte.BYTES)]);
    }

    /** Copies the elements in C order into an array or buffer of exactly their size, which is returned. */
    public <T> T getInto(T host) {
        ArrayHost.read(this, host);
        return host;
    }

    /** Queues a copy of the elements into a direct buffer of exactly their size. LogicError unless this array is C contiguous. */
    public void getAsync(Buffer host) {
        HostElements.requireSize(host, this);
        if (!isCContiguous()) {
            throw new Driver.LogicError("only an array without gaps can be copied asynchronously: copy it on the device first", "getAsync", 0);
        }
        Driver.memcpyDtohAsync(host, this, stream);
    }

    /** The one element of an array of size 1: of an integer type that int holds. */
    public int getInt() {
        return ArrayHost.intValue(this);
    }

    /** The one element of an array of size 1: of an integer type, UINT64 as the same bits. */
    public long getLong() {
        return ArrayHost.longValue(this);
    }

    /** The one element of an array of size 1: FLOAT32 or a narrower type. */
    public float getFloat() {
        return ArrayHost.floatValue(this);
    }

    /** The one element of an array of size 1, of any real type. */
    public double getDouble() {
        return ArrayHost.doubleValue(this);
    }

    /** The one element of an array of size 1. */
    public Complex getComplex() {
        return ArrayHost.complexValue(this);
    }

    /** Whether the one element of an array of size 1 is not zero. */
    public boolean getBoolean() {
        return ArrayHost.booleanValue(this);
    }

    /** Copies host data of exactly this array's size, in C order, to the elements. It may be changed afterwards. */
    public GPUArray set(Object host) {
        if (host instanceof GPUArray array) {
            return set(array);
        }
        ArrayHost.write(this, host);
        return this;
    }

    /** Copies another array, broadcast to this one's shape, to the elements. Both types must be equal. */
    public GPUArray set(GPUArray other) {
        Objects.requireNonNull(other, "other");
        if (other.dtype() != dtype()) {
            throw new IllegalArgumentException(
                "an array of " + dtype() + " cannot be set to one of " + other.dtype() + "; convert that with astype");
        }
        StreamJoin.await(stream, joined(other));
        ArrayCalls.arrayAssign(handle(), other.handle(), handle(stream));
        return finished(other, this);
    }

    /** Queues a copy of a direct buffer of exactly this array's size, which must not be changed before the stream is done. */
    public GPUArray setAsync(Buffer host) {
        HostElements.requireSize(host, this);
        if (!isCContiguous()) {
            throw new Driver.LogicError("only an array without gaps can be copied asynchronously", "setAsync", 0);
        }
        Driver.memcpyHtodAsync(this, host, stream);
        return this;
    }

    /** Sets all elements to a whole number. */
    public GPUArray fill(long value) {
        return fill(Scalars.WHOLE, value, 0);
    }

    /** Sets all elements to a number, which integer types do not take. */
    public GPUArray fill(double value) {
        return fill(Scalars.REAL, Scalars.bits(value), 0);
    }

    /** Sets all elements to a complex number, which complex types take. */
    public GPUArray fill(Complex value) {
        return fill(Scalars.COMPLEX, Scalars.bits(Objects.requireNonNull(value, "value").re()), Scalars.bits(value.im()));
    }

    /** Sets all elements to 1 or 0. */
    public GPUArray fill(boolean value) {
        return fill(value ? 1 : 0);
    }

    private GPUArray fill(int kind, long first, long second) {
        ArrayCalls.arrayFill(handle(), kind, first, second, handle(stream));
        Reference.reachabilityFence(storage);
        return this;
    }

    /** A packed copy with the axes in this array's order. */
    public GPUArray copy() {
        return converted(dtype(), Order.K);
    }

    /** A packed copy with elements of another type, converted as C does. */
    public GPUArray astype(DType type) {
        return converted(Objects.requireNonNull(type, "type"), Order.K);
    }

    GPUArray converted(DType type, Order order) {
        long made = ArrayCalls.arrayConverted(handle(), type.value(), order.ordinal(), handle(stream));
        Reference.reachabilityFence(storage);
        return made(made, stream);
    }

    // Views ---------------------------------------------------------------------------------------------------------------

    /** The part of this array at these indices of the first axes; with all of them, one element, good as a result of operations. */
    public GPUArray at(long... index) {
        Objects.requireNonNull(index, "index");
        return slice(Arrays.stream(index).mapToObj(Slice::at).toArray(Slice[]::new));
    }

    /** From {@code start} until before {@code stop} of the first axis; negative numbers count from the end. */
    public GPUArray slice(long start, long stop) {
        return slice(Slice.of(start, stop));
    }

    /** Every {@code step}th element of the first axis from {@code start} until before {@code stop}. */
    public GPUArray slice(long start, long stop, long step) {
        return slice(Slice.of(start, stop).by(step));
    }

    /** The part that these say, an axis each. */
    public GPUArray slice(Slice... parts) {
        return view(ArrayCalls.arrayIndexed(handle(), Slice.flat(parts)));
    }

    /** The same elements in C order with another shape, in which one axis may be -1. LogicError where they would have to be copied. */
    public GPUArray reshape(long... shape) {
        return reshape(Order.C, shape);
    }

    /** The same elements with another shape, taken in this order. */
    public GPUArray reshape(Order order, long... shape) {
        Objects.requireNonNull(order, "order");
        return view(ArrayCalls.arrayReshaped(handle(), Objects.requireNonNull(shape, "shape"), order.ordinal()));
    }

    /** The same elements along one axis. LogicError where they would have to be copied. */
    public GPUArray ravel() {
        return reshape(-1);
    }

    /** The same bytes as elements of another type; a type of another size changes the length of the last axis. */
    public GPUArray view(DType type) {
        return view(ArrayCalls.arrayViewed(handle(), Objects.requireNonNull(type, "type").value()));
    }

    /** Without axes of length 1. */
    public GPUArray squeeze() {
        return view(ArrayCalls.arraySqueezed(handle()));
    }

    /** Axis {@code axes[i]} becomes axis i; without any, their order is reversed. */
    public GPUArray transpose(int... axes) {
        long[] wide = Arrays.stream(Objects.requireNonNull(axes, "axes")).asLongStream().toArray();
        return view(ArrayCalls.arrayTransposed(handle(), wide));
    }

    /** Seen with this shape, repeating elements. Cannot be written. */
    public GPUArray broadcastTo(long... shape) {
        return view(ArrayCalls.arrayBroadcast(handle(), Objects.requireNonNull(shape, "shape")));
    }

    // Operations ----------------------------------------------------------------------------------------------------------

    @Override
    GPUArray self() {
        return this;
    }

    /** The number with the other sign. */
    public GPUArray neg() {
        return apply(ArrayCodes.NEG, false, null);
    }

    /** The distance from 0; real for complex numbers. */
    public GPUArray abs() {
        return apply(ArrayCodes.ABS, false, null);
    }

    /** Whether an element is zero (BOOL). */
    public GPUArray logicalNot() {
        return apply(ArrayCodes.LOGICAL_NOT, false, null);
    }

    /** The real parts: a new array of complex ones, else a view. */
    public GPUArray real() {
        return dtype().isComplex() ? apply(ArrayCodes.REAL, false, null) : slice(Slice.REST);
    }

    /** The imaginary parts. */
    public GPUArray imag() {
        return apply(ArrayCodes.IMAG, false, null);
    }

    /** With the opposite imaginary part: a new array of complex ones, else a view. */
    public GPUArray conj() {
        return dtype().isComplex() ? apply(ArrayCodes.CONJ, false, null) : slice(Slice.REST);
    }

    /** With the opposite imaginary part, in this array, which is returned. */
    public GPUArray conjInPlace() {
        return dtype().isComplex() ? apply(ArrayCodes.CONJ, false, this) : this;
    }

    /** The elements in opposite order of all axes. */
    public GPUArray reverse() {
        Slice[] backwards = new Slice[ndim()];
        Arrays.fill(backwards, Slice.ALL.by(-1));
        return slice(backwards).converted(dtype(), Order.C);
    }

    /** {@code f} times this plus {@code g} times {@code b}, in one pass. */
    public GPUArray mulAdd(long f, GPUArray b, long g) {
        return mulAdd(b, Scalars.WHOLE, f, 0, g, 0);
    }

    /** {@code f} times this plus {@code g} times {@code b}, in one pass. */
    public GPUArray mulAdd(double f, GPUArray b, double g) {
        return mulAdd(b, Scalars.REAL, Scalars.bits(f), 0, Scalars.bits(g), 0);
    }

    private GPUArray mulAdd(GPUArray b, int kind, long f, long f2, long g, long g2) {
        Objects.requireNonNull(b, "b");
        StreamJoin.await(stream, joined(b));
        long made = ArrayCalls.arrayMulAdd(0, handle(), b.handle(), kind, f, f2, g, g2, handle(stream));
        return finished(b, made(made, stream));
    }

    /** The sum of the products of both arrays' elements; an array of no axes. */
    public GPUArray dot(GPUArray b) {
        return reduce(ArrayCodes.REDUCE_DOT, Objects.requireNonNull(b, "b"), Axis.ALL, null);
    }

    /** The sum of the products of both arrays' elements, accumulated in {@code type}. */
    public GPUArray dot(GPUArray b, DType type) {
        return reduce(ArrayCodes.REDUCE_DOT, Objects.requireNonNull(b, "b"), Axis.ALL, Objects.requireNonNull(type, "type"));
    }

    /** Running sums of all elements in C order; one axis. */
    public GPUArray cumsum() {
        return scanned(SCAN_SUM);
    }

    /** Running sums along an axis. */
    public GPUArray cumsum(int axis) {
        return scanned(SCAN_SUM, axis);
    }

    /** Running products of all elements in C order; one axis. */
    public GPUArray cumprod() {
        return scanned(SCAN_PROD);
    }

    /** Running products along an axis. */
    public GPUArray cumprod(int axis) {
        return scanned(SCAN_PROD, axis);
    }

    private GPUArray scanned(int op) {
        if (isCContiguous()) {
            return ravel().scanned(op, 0);
        }
        try (var packed = converted(dtype(), Order.C)) {
            return packed.ravel().scanned(op, 0);
        }
    }

    private GPUArray scanned(int op, int axis) {
        long made = ArrayCalls.arrayScanned(op, false, 0, handle(), axis, handle(stream));
        return finished(null, made, null);
    }

    /** The elements at these places in C order, which whole numbers say; negative ones count from the end. Places are not checked. */
    public GPUArray take(GPUArray indices) {
        return taken(indices, null);
    }

    /** {@link #take(GPUArray)} into {@code out}, which is returned. */
    public GPUArray take(GPUArray indices, GPUArray out) {
        return taken(indices, Objects.requireNonNull(out, "out"));
    }

    private GPUArray taken(GPUArray indices, GPUArray out) {
        Objects.requireNonNull(indices, "indices");
        StreamJoin.await(stream, joined(indices));
        long made = ArrayCalls.arrayTaken(handle(out), handle(), indices.handle(), handle(stream));
        return finished(out, made, indices);
    }

    /** Elements of each array at these places. */
    public static List<GPUArray> multiTake(List<GPUArray> arrays, GPUArray indices) {
        Objects.requireNonNull(indices, "indices");
        return Objects.requireNonNull(arrays, "arrays").stream().map(array -> array.take(indices)).toList();
    }

    /** Sets the elements at these places in C order to {@code values}; of several for one place, any stays. */
    public GPUArray put(GPUArray indices, GPUArray values) {
        Objects.requireNonNull(indices, "indices");
        Objects.requireNonNull(values, "values");
        StreamJoin.await(stream, joined(indices));
        StreamJoin.await(stream, joined(values));
        ArrayCalls.arrayPut(handle(), indices.handle(), values.handle(), handle(stream));
        finished(indices, this);
        return finished(values, this);
    }

    /** Elements of {@code then} where {@code condition} is not zero, else of {@code otherwise}. */
    public static GPUArray where(GPUArray condition, GPUArray then, GPUArray otherwise) {
        return choose(ArrayCodes.WHERE, condition, then, otherwise);
    }

    /** Elements of {@code then} where {@code criterion} is positive, else of {@code otherwise}. */
    public static GPUArray ifPositive(GPUArray criterion, GPUArray then, GPUArray otherwise) {
        return choose(ArrayCodes.IF_POSITIVE, criterion, then, otherwise);
    }

    private static GPUArray choose(int op, GPUArray condition, GPUArray then, GPUArray otherwise) {
        Objects.requireNonNull(condition, op == ArrayCodes.WHERE ? "condition" : "criterion");
        Objects.requireNonNull(then, "then");
        Objects.requireNonNull(otherwise, "otherwise");
        Stream stream = condition.stream;
        StreamJoin.await(stream, condition.joined(then));
        StreamJoin.await(stream, condition.joined(otherwise));
        long made = ArrayCalls.arrayApply(op, false, 0, condition.handle(), then.handle(), otherwise.handle(), handle(stream));
        condition.finished(then, condition);
        return condition.finished(otherwise, made(made, stream));
    }

    /** The arrays one after another along the first axis. */
    public static GPUArray concatenate(GPUArray... arrays) {
        return concatenate(Arrays.asList(Objects.requireNonNull(arrays, "arrays")), 0);
    }

    /** The arrays one after another along an axis, in their common type. */
    public static GPUArray concatenate(List<GPUArray> arrays, int axis) {
        return ArrayJoins.concatenate(arrays, axis);
    }

    /** The arrays, all of one shape, along a new first axis. */
    public static GPUArray stack(GPUArray... arrays) {
        return stack(Arrays.asList(Objects.requireNonNull(arrays, "arrays")), 0);
    }

    /** The arrays, all of one shape, along a new axis. */
    public static GPUArray stack(List<GPUArray> arrays, int axis) {
        return ArrayJoins.stack(arrays, axis);
    }

    GPUArray apply(int op, boolean common, GPUArray out) {
        long made = ArrayCalls.arrayApply(op, common, handle(out), handle(), 0, 0, handle(stream));
        return finished(out, made, null);
    }

    GPUArray apply(int op, boolean common, GPUArray out, GPUArray b) {
        StreamJoin.await(stream, joined(Objects.requireNonNull(b, "b")));
        long made = ArrayCalls.arrayApply(op, common, handle(out), handle(), b.handle(), 0, handle(stream));
        return finished(out, made, b);
    }

    GPUArray apply(int op, boolean common, GPUArray out, long b) {
        return applyScalar(op, common, out, Scalars.WHOLE, b, 0, false);
    }

    GPUArray apply(int op, boolean common, GPUArray out, double b) {
        return applyScalar(op, common, out, Scalars.REAL, Scalars.bits(b), 0, false);
    }

    GPUArray apply(int op, boolean common, GPUArray out, Complex b) {
        Objects.requireNonNull(b, "b");
        return applyScalar(op, common, out, Scalars.COMPLEX, Scalars.bits(b.re()), Scalars.bits(b.im()), false);
    }

    GPUArray applyReversed(int op, long s) {
        return applyScalar(op, false, null, Scalars.WHOLE, s, 0, true);
    }

    GPUArray applyReversed(int op, double s) {
        return applyScalar(op, false, null, Scalars.REAL, Scalars.bits(s), 0, true);
    }

    GPUArray applyReversed(int op, Complex s) {
        Objects.requireNonNull(s, "s");
        return applyScalar(op, false, null, Scalars.COMPLEX, Scalars.bits(s.re()), Scalars.bits(s.im()), true);
    }

    private GPUArray applyScalar(int op, boolean common, GPUArray out, int kind, long first, long second, boolean reversed) {
        long made = ArrayCalls.arrayApplyScalar(op, common, handle(out), handle(), kind, first, second, reversed, handle(stream));
        return finished(out, made, null);
    }

    GPUArray reduce(int op, GPUArray b, Axis axis, DType type) {
        Objects.requireNonNull(axis, "axis");
        StreamJoin.await(stream, joined(b));
        long made = ArrayCalls.arrayReduced(op, handle(), handle(b), axis.axes, axis.keep, type == null ? -1 : type.value(), handle(stream));
        return finished(null, made, b);
    }

    /** A function of floating-point numbers, of arrays that hold such. */
    static GPUArray floating(int op, GPUArray a, GPUArray out) {
        Objects.requireNonNull(a, "a").requireFloating();
        return a.apply(op, false, out);
    }

    static GPUArray floating(int op, GPUArray a, GPUArray b, GPUArray out) {
        Objects.requireNonNull(a, "a").requireFloating();
        return a.apply(op, false, out, b);
    }

    private void requireFloating() {
        if (!dtype().isFloating() && !dtype().isComplex()) {
            throw new IllegalArgumentException("this function takes floating-point numbers, not " + dtype() + "; convert them with astype");
        }
    }

    // What operations share -----------------------------------------------------------------------------------------------

    /** The stream to wait for before {@code other} is used on this array's stream; this array's own when there is nothing to wait for. */
    private Stream joined(GPUArray other) {
        return other == null || other.stream == null ? stream : other.stream;
    }

    private GPUArray finished(GPUArray out, long made, GPUArray other) {
        GPUArray result = finished(other, out != null ? out : made(made, stream));
        return result;
    }

    /** Keeps operands alive until here, and lets the other's stream come after this one's. */
    private GPUArray finished(GPUArray other, GPUArray result) {
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(other);
        if (other != null && other.stream != null) {
            StreamJoin.await(other.stream, stream);
        }
        return result;
    }

    long handle() {
        requireOpen();
        return storage.handle();
    }

    private static long handle(GPUArray array) {
        return array == null ? 0 : array.handle();
    }

    static long handle(Stream stream) {
        return stream == null ? 0 : stream.getHandle();
    }

    private void requireOpen() {
        if (closed || (base != null && base.closed)) {
            throw new Driver.LogicError("the array is closed", "GPUArray", 0);
        }
    }

    /** Frees the memory now, of an owner; ends a view. Any other use is a LogicError afterwards. A second call does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (base == null) {
                ArrayCalls.arrayClose(storage.handle());
                Reference.reachabilityFence(storage);
            }
        }
    }

    /** Same as {@link #close}. */
    public void free() {
        close();
    }

    @Override
    public String toString() {
        return "GPUArray[" + dtype() + ", shape " + Arrays.toString(shape()) + (closed ? ", closed" : "") + "]";
    }
}
