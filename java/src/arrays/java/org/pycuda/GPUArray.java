package org.pycuda;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.ObjectStreamException;
import java.io.Serial;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * An array of numbers on the device, with any number of axes. Operations work element by element, broadcast by NumPy's rules, and return a
 * new array; those that end in {@code InPlace} change this one and return it. A number is converted to
 * the array's dtype if that dtype can represent it.
 *
 * <p>An array owns its memory or is a view of another's, which it keeps alive. {@link #close} frees the memory at once; otherwise it is
 * freed when neither owner nor view is reachable. An operation runs on the stream of the array that it is called on ({@link #on}), and its
 * result is bound to the same stream; copies to the host wait for it. The context of the memory must be current (else LogicError).
 * IllegalArgumentException for shapes and types that do not fit, IndexOutOfBoundsException for an index outside an axis.
 *
 * <p>An array of numbers is serialized with its elements, and read into new memory of the context that is current then.
 *
 * <pre>{@code
 * var x = GPUArray.arange(DType.FLOAT32, 6).reshape(2, 3);
 * var y = x.mul(2).add(GPUArray.ones(DType.FLOAT32, 3));
 * assert y.sum().getFloat() == 36;
 * float[][] rows = y.get(float[][].class);
 * assert rows[1][2] == 11;
 * }</pre>
 */
public final class GPUArray extends GPUArrayProxy implements DevicePointer, AutoCloseable, Serializable {
    @Serial private static final long serialVersionUID = 1;

    private transient ArrayStorage storage;
    private transient long generation;
    private final transient Stream stream;
    /** The owner of the memory; null when this is the owner. */
    private final transient GPUArray base;

    private GPUArray(ArrayMaker maker, long handle, Object keeper, StructType struct, Stream stream, GPUArray base) {
        this.stream = stream;
        this.base = base;
        storage = ArrayMaker.ofThisThread(maker).take();
        generation = storage.begin(handle, keeper, struct);
    }

    private GPUArray(GPUArray same, Stream stream) {
        this.stream = stream;
        base = same.owner();
        generation = same.generation;
        storage = same.storage;
    }

    // Creating --------------------------------------------------------------------------------------------------------------

    /** The factory of arrays in C order on the default stream; {@link ArrayFactory} has other settings. */
    public static ArrayFactory factory() {
        return ArrayFactory.DEFAULT;
    }

    /** A matrix of zeros with ones on its diagonal. */
    public static GPUArray eye(DType type, long rows) {
        return eye(type, rows, rows, 0);
    }

    /** A matrix of zeros with ones on its k-th diagonal; negative k is below the main diagonal. */
    public static GPUArray eye(DType type, long rows, long columns, long k) {
        GPUArray matrix = zeros(type, rows, columns);
        matrix.diagonal(k).fill(1);
        return matrix;
    }

    /** {@code count} evenly spaced numbers from {@code start} to {@code stop}, which is the last one. */
    public static GPUArray linspace(DType type, double start, double stop, long count) {
        return linspace(type, start, stop, count, true);
    }

    /** {@code count} evenly spaced numbers from {@code start} to {@code stop}, which is the last one if {@code endpoint}. */
    public static GPUArray linspace(DType type, double start, double stop, long count, boolean endpoint) {
        GPUArray line = empty(type, count);
        CoreCalls.all("fill_linspace", new long[] {Scalars.bits(start), 0, Scalars.bits(stop), 0, CoreCalls.flag(endpoint)}, line);
        return line;
    }

    /**
     * Arrays of one axis, broadcast to one grid: the first along axis 1, the second along axis 0, the others in their order, as NumPy's
     * meshgrid.
     */
    public static List<GPUArray> meshgrid(GPUArray... arrays) {
        return meshgrid("xy", arrays);
    }

    /** The same; for {@code "ij"} the k-th along axis k. */
    public static List<GPUArray> meshgrid(String indexing, GPUArray... arrays) {
        Objects.requireNonNull(indexing, "indexing");
        Objects.requireNonNull(arrays, "arrays");
        if (!"xy".equals(indexing) && !"ij".equals(indexing)) {
            throw new IllegalArgumentException("expected indexing \"xy\" or \"ij\", given \"" + indexing + "\"");
        }
        if (arrays.length == 0) {
            return List.of();
        }
        return List.of(CoreCalls.all("meshgrid", new long[] {CoreCalls.flag("xy".equals(indexing))}, arrays));
    }

    /** A new uninitialised array with the shape of {@code other} and elements of this type in this order. */
    public static GPUArray emptyLike(GPUArray other, CType type, Order order) {
        Objects.requireNonNull(other, "other");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(order, "order");
        long made = ArrayCalls.arrayLike(other.handle(), Scalars.typeCode(type), order.ordinal(), handle(other.stream));
        Reference.reachabilityFence(other);
        return made(made, other.stream, type);
    }

    /** A new array of one axis with these records, as structures ({@link StructType#of(Class)}). */
    public static <R extends Record> GPUArray toGpu(R[] records) {
        return ArrayHost.ofRecords(Objects.requireNonNull(records, "records"));
    }

    /** A view of existing memory, which it keeps reachable and does not free. An address is {@link DevicePointer#of}. */
    public static GPUArray wrap(DevicePointer memory, CType type, long... shape) {
        return wrap(memory, type, shape, new long[0]);
    }

    /** A view of existing memory with these strides, in bytes. */
    public static GPUArray wrap(DevicePointer memory, CType type, long[] shape, long[] strides) {
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(strides, "strides");
        if (strides.length == 0 && shape.length > 0 || strides.length == shape.length) {
            long made = ArrayCalls.arrayWrap(memory.pointer(), Scalars.typeCode(type), shape, strides);
            return owning(null, made, memory, structure(type), Stream.DEFAULT, null);
        }
        throw new IllegalArgumentException("expected one stride for each axis: " + shape.length + ", not " + strides.length);
    }

    /** A function whose operations run in one kernel ({@link FusedFunction}). */
    public static FusedFunction fuse(UnaryOperator<GPUArray> function) {
        Objects.requireNonNull(function, "function");
        return fuse(1, arguments -> function.apply(arguments[0]));
    }

    /** The same of two arrays. */
    public static FusedFunction fuse(BinaryOperator<GPUArray> function) {
        Objects.requireNonNull(function, "function");
        return fuse(2, arguments -> function.apply(arguments[0], arguments[1]));
    }

    /** The same of any number of arrays. */
    public static FusedFunction fuse(int arguments, Function<GPUArray[], GPUArray> function) {
        Objects.requireNonNull(function, "function");
        return FusedFunction.of(arguments, given -> new GPUArray[] {function.apply(given)});
    }

    /** A new array of numbers that owns its memory. */
    static GPUArray made(long handle, Stream stream) {
        return made(handle, stream, null);
    }

    /** A new array that owns its memory; a null type is the core's type. */
    static GPUArray made(long handle, Stream stream, CType type) {
        return made(null, handle, stream, structure(type));
    }

    private static GPUArray made(ArrayMaker maker, long handle, Stream stream, StructType struct) {
        GPUArray array = owning(maker, handle, null, struct, stream, null);
        ArrayScope.enter(array);
        return array;
    }

    /** The same for several arrays; {@code struct} is the type of elements that are structures. */
    static GPUArray[] made(long[] handles, Stream stream, StructType struct) {
        int next = 0;
        try {
            GPUArray[] arrays = new GPUArray[handles.length];
            while (next < handles.length) {
                boolean isStruct = struct != null && new ArrayForm(ArrayCalls.arrayForm(handles[next])).isStruct();
                int index = next++;
                arrays[index] = made(null, handles[index], stream, isStruct ? struct : null);
            }
            return arrays;
        } catch (VirtualMachineError full) {
            while (next < handles.length) {
                ArrayCalls.arrayDelete(handles[next++]);
            }
            throw full;
        }
    }

    /** Takes over a C++ array, which ends with the result; or at once, if the JVM has no memory for that. */
    private static GPUArray owning(ArrayMaker maker, long handle, Object keeper, StructType struct, Stream stream, GPUArray base) {
        try {
            return new GPUArray(maker, handle, keeper, struct, stream, base);
        } catch (VirtualMachineError full) {
            ArrayCalls.arrayDelete(handle);
            throw full;
        }
    }

    /** A new array that owns its memory and that no scope closes. */
    static GPUArray unscoped(long handle, Stream stream, CType type) {
        return owning(null, handle, null, structure(type), stream, null);
    }

    /** Memory from the context's pool. */
    static GPUArray pooled(long bytes) {
        long made = ArrayCalls.arrayEmpty(Scalars.typeCode(DType.UINT8), new long[] {bytes}, Order.C.ordinal(), 0, null);
        return unscoped(made, Stream.DEFAULT, DType.UINT8);
    }

    private static StructType structure(CType type) {
        return type instanceof StructType struct ? struct : null;
    }

    private GPUArray view(long handle) {
        return view(handle, storage.struct());
    }

    private GPUArray view(long handle, StructType struct) {
        Reference.reachabilityFence(this);
        return owning(storage.maker(), handle, storage.keeper(), struct, stream, owner());
    }

    GPUArray viewed(String name, long... numbers) {
        return view(CoreCalls.handles(name, numbers, stream, this)[0]);
    }

    private GPUArray owner() {
        return base == null ? this : base;
    }

    // Attributes ----------------------------------------------------------------------------------------------------------

    private ArrayForm form() {
        ArrayForm form = storage.form(generation);
        Reference.reachabilityFence(this);
        return form;
    }

    /** Lengths of the axes. */
    public long[] shape() {
        return form().shape();
    }

    /** Length of an axis; -1 is the last. */
    public long shape(int axis) {
        long[] shape = form().shape();
        return shape[Objects.checkIndex(axis < 0 ? axis + shape.length : axis, shape.length)];
    }

    /** Bytes from one element to the next along each axis. */
    public long[] strides() {
        return form().strides();
    }

    /** Type of the elements. */
    public CType dtype() {
        ArrayForm form = form();
        return storage.struct() != null ? storage.struct() : form.dtype();
    }

    /** The same for an array of numbers. */
    DType numbers() {
        return Scalars.requireNumbers(dtype());
    }

    /** Number of elements. */
    public long size() {
        return form().size();
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
        return form().ndim();
    }

    /** Length of the first axis. LogicError if there is none. */
    public long length() {
        if (ndim() == 0) {
            throw new Driver.LogicError("an array without axes has no length: its one element is read with getDouble, getLong and similar methods", "length", 0);
        }
        return shape(0);
    }

    /** Whether the elements are contiguous in C order. */
    public boolean isCContiguous() {
        return form().isCContiguous();
    }

    /** Whether the elements are contiguous in Fortran order. */
    public boolean isFContiguous() {
        return form().isFContiguous();
    }

    /** Whether the elements are contiguous in C or Fortran order. */
    public boolean isContiguous() {
        return isCContiguous() || isFContiguous();
    }

    /** The device address of the first element; 0 for an empty array. LogicError after {@link #close}. */
    @Override
    public long pointer() {
        long address = ArrayCalls.arrayAddress(handle());
        Reference.reachabilityFence(this);
        return address;
    }

    @Override
    public long pointerFor(Stream user) {
        long address = ArrayCalls.arrayAddressFor(handle(), handle(Stream.required(user, "user")));
        if (user != stream && storage.keeper() instanceof DevicePointer wrapped) {
            Holders.ask(wrapped, user);
        }
        Reference.reachabilityFence(this);
        return address;
    }

    /** The owner of the memory: another array, or the argument of {@link #wrap}; null if this array owns it. */
    public @Nullable Object base() {
        return base != null ? base : storage.keeper();
    }

    /** The stream of operations: {@link Stream#DEFAULT} if the array is bound to none. */
    public Stream stream() {
        return stream;
    }

    /** The allocator of this array and of results computed from it. */
    public Allocator allocator() {
        Allocator own = ArrayCalls.arrayAllocator(handle());
        Reference.reachabilityFence(this);
        return own == null ? Allocator.DEFAULT : own;
    }

    /** The same elements for work on another stream, which waits for the work queued on this array's stream. {@link Stream#DEFAULT} binds it to none. */
    public GPUArray on(Stream newStream) {
        requireOpen();
        Stream.required(newStream, "newStream").handle();  // LogicError if it is closed
        StreamJoin.await(newStream, stream);
        return new GPUArray(this, newStream);
    }

    /** Geometry and stream for kernels over this array's elements, of which each thread computes several. */
    public LaunchConfig launchConfig() {
        return splay(size()).stream(stream);
    }

    /** Geometry for {@code n} elements on the current device; each thread loops with {@code i += total threads}. */
    public static LaunchConfig splay(long n) {
        return launchOf(ArrayCalls.launchGeometry(n, 0, 0));
    }

    /** Geometry for {@code n} elements on this device. */
    public static LaunchConfig splay(long n, Device device) {
        int multiprocessors = Objects.requireNonNull(device, "device").attribute(DeviceAttribute.MULTIPROCESSOR_COUNT);
        return launchOf(ArrayCalls.launchGeometry(n, multiprocessors, device.attribute(DeviceAttribute.WARP_SIZE)));
    }

    private static LaunchConfig launchOf(long geometry) {
        return Driver.block((int) geometry).grid((int) (geometry >>> Integer.SIZE));
    }

    // Copies --------------------------------------------------------------------------------------------------------------

    /**
     * The elements in this array's shape: {@code float[][] rows = table.get(float[][].class)}. IllegalArgumentException for an array type with
     * another number of axes, or whose elements do not match.
     */
    public <T> T get(Class<T> arrayType) {
        return ArrayHost.shaped(this, Objects.requireNonNull(arrayType, "arrayType"));
    }

    /** The elements of an array of structures in C order, as records. */
    public <R extends Record> List<R> getRecords(Class<R> type) {
        return ArrayHost.records(this, Objects.requireNonNull(type, "type"));
    }

    /** The elements in C order in page-locked memory. */
    public PagelockedHostAllocation getPagelocked() {
        PagelockedHostAllocation host = getAsync();
        Stream queue = Stream.inUse(stream);
        if (queue == Stream.DEFAULT) {
            Context.synchronize();
        } else {
            queue.synchronize();
        }
        return host;
    }

    /** Page-locked memory to which a copy of the elements in C order is queued. */
    public PagelockedHostAllocation getAsync() {
        var host = new PagelockedHostAllocation(Math.max(1, nbytes()), 0);
        if (size() > 0) {
            try (GPUArray packed = isCContiguous() ? slice(Slice.REST) : converted(dtype(), Order.C)) {
                HostCopies.dtohAsync(host, nbytes(), packed, Stream.inUse(stream));
            }
        }
        return host;
    }

    /** Copies another array, broadcast to this one's shape, to the elements. Both types must be equal. */
    public GPUArray set(GPUArray other) {
        Objects.requireNonNull(other, "other");
        if (!other.dtype().equals(dtype())) {
            throw new IllegalArgumentException(
                "an array of " + dtype() + " cannot be set to one of " + other.dtype() + "; convert that with astype");
        }
        StreamJoin.before(stream, other);
        ArrayCalls.arrayAssign(handle(), other.handle(), handle(stream));
        return finished(other, this);
    }

    /** Sets all elements to an integer. */
    public GPUArray fill(long value) {
        return fill(Scalars.WHOLE, value, 0);
    }

    /** Sets all elements to a number; IllegalArgumentException for integer types. */
    public GPUArray fill(double value) {
        return fill(Scalars.REAL, Scalars.bits(value), 0);
    }

    /** Sets all elements to a complex number; IllegalArgumentException if the type is not complex. */
    public GPUArray fill(Complex value) {
        return fill(Scalars.COMPLEX, Scalars.bits(Objects.requireNonNull(value, "value").re()), Scalars.bits(value.im()));
    }

    /** Sets all elements to 1 or 0. */
    public GPUArray fill(boolean value) {
        return fill(value ? 1 : 0);
    }

    /** Sets all elements to a value of their structure. */
    public GPUArray fill(StructValue value) {
        if (!Objects.requireNonNull(value, "value").type().equals(dtype())) {
            throw new IllegalArgumentException("an array of " + dtype() + " cannot be filled with " + value);
        }
        try (GPUArray one = ArrayFactory.DEFAULT.on(stream).unscoped(value.type())) {
            one.set(value.toBuffer());
            return set(one);
        }
    }

    /** Sets the elements of an array of one axis to start, start + step, ... */
    GPUArray range(int kind, long start, long step) {
        ArrayCalls.arrayArange(handle(), kind, start, step, handle(stream));
        Reference.reachabilityFence(this);
        return this;
    }

    /** Sets all bytes of a packed array of any type to 0. */
    GPUArray clear() {
        if (size() > 0) {
            Driver.memsetD8Async(this, 0, nbytes(), Stream.inUse(stream));
        }
        return this;
    }

    private GPUArray fill(int kind, long first, long second) {
        ArrayCalls.arrayFill(handle(), kind, first, second, handle(stream));
        Reference.reachabilityFence(this);
        return this;
    }

    /** A packed copy with the axes in this array's order. */
    public GPUArray copy() {
        return converted(dtype(), Order.K);
    }

    /** A packed copy with elements of another type, converted as C does. */
    public GPUArray astype(CType type) {
        boolean structures = !(Objects.requireNonNull(type, "type") instanceof DType) || storage.struct() != null;
        if (structures && !type.equals(dtype())) {
            throw new IllegalArgumentException("elements of " + dtype() + " cannot be converted to " + type + "; view() reinterprets their bytes");
        }
        return converted(type, Order.K);
    }

    GPUArray converted(CType type, Order order) {
        long made = ArrayCalls.arrayConverted(handle(), Scalars.typeCode(type), order.ordinal(), handle(stream));
        Reference.reachabilityFence(this);
        return made(made, stream, type);
    }

    // Views ---------------------------------------------------------------------------------------------------------------

    /** A view at these indices of the first axes; with all indices, one element, which can receive results. */
    public GPUArray at(long... index) {
        Objects.requireNonNull(index, "index");
        return slice(Arrays.stream(index).mapToObj(Slice::at).toArray(Slice[]::new));
    }

    /** A view of the first axis from {@code start} up to {@code stop}, which is excluded; negative numbers count from the end. */
    public GPUArray slice(long start, long stop) {
        return slice(Slice.of(start, stop));
    }

    /** A view of every {@code step}th element of the first axis from {@code start} up to {@code stop}, which is excluded. */
    public GPUArray slice(long start, long stop, long step) {
        return slice(Slice.of(start, stop).by(step));
    }

    /** A view with one slice per axis. */
    public GPUArray slice(Slice... parts) {
        return view(ArrayCalls.arrayIndexed(handle(), Slice.flat(Slice.basic(parts))));
    }

    /** A view of the elements in C order with another shape, in which one axis may be -1. LogicError if they would have to be copied. */
    public GPUArray reshape(long... shape) {
        return reshape(Order.C, shape);
    }

    /** A view of the elements with another shape, taken in this order. */
    public GPUArray reshape(Order order, long... shape) {
        Objects.requireNonNull(order, "order");
        return view(ArrayCalls.arrayReshaped(handle(), Objects.requireNonNull(shape, "shape"), order.ordinal()));
    }

    /** A view of the elements along one axis. LogicError if they would have to be copied. */
    public GPUArray ravel() {
        return reshape(-1);
    }

    /** A view of one field of an array of structures. IllegalArgumentException for a field of several elements. */
    public GPUArray field(String name) {
        Objects.requireNonNull(name, "name");
        if (!(dtype() instanceof StructType struct)) {
            throw new IllegalArgumentException("elements of " + dtype() + " have no fields: expected an array of structures");
        }
        StructType.Field field = struct.field(name);
        if (field.count() != 1) {
            throw new IllegalArgumentException("field " + name + " of " + struct + " is an array of " + field.count() + " elements, which cannot be viewed as one element each");
        }
        long made = ArrayCalls.arrayField(handle(), Scalars.typeCode(field.type()), struct.offset(name));
        return view(made, structure(field.type()));
    }

    /** A view of the bytes as elements of another type; a type of another size changes the length of the last axis. */
    public GPUArray view(CType type) {
        long made = ArrayCalls.arrayViewed(handle(), Scalars.typeCode(Objects.requireNonNull(type, "type")));
        return view(made, structure(type));
    }

    /** A view without axes of length 1. */
    public GPUArray squeeze() {
        return view(ArrayCalls.arraySqueezed(handle()));
    }

    /** A view in which axis {@code axes[i]} becomes axis i; without arguments, the order of axes is reversed. */
    public GPUArray transpose(int... axes) {
        long[] wide = Arrays.stream(Objects.requireNonNull(axes, "axes")).asLongStream().toArray();
        return view(ArrayCalls.arrayTransposed(handle(), wide));
    }

    /** A read-only view with this shape, which repeats elements. */
    public GPUArray broadcastTo(long... shape) {
        return view(ArrayCalls.arrayBroadcast(handle(), Objects.requireNonNull(shape, "shape")));
    }

    // Operations ----------------------------------------------------------------------------------------------------------

    @Override
    GPUArray self() {
        return this;
    }

    private boolean isComplex() {
        return dtype() instanceof DType number && number.isComplex();
    }

    /** The real parts: a new array for complex elements, else a view. */
    public GPUArray real() {
        return isComplex() ? apply(ArrayCodes.REAL, false, null) : slice(Slice.REST);
    }

    /** The imaginary parts. */
    public GPUArray imag() {
        return apply(ArrayCodes.IMAG, false, null);
    }

    /** The complex conjugate: a new array for complex elements, else a view. */
    public GPUArray conj() {
        return isComplex() ? apply(ArrayCodes.CONJ, false, null) : slice(Slice.REST);
    }

    /** Writes the complex conjugate to {@code out} and returns it. */
    public GPUArray conj(GPUArray out) {
        return apply(ArrayCodes.CONJ, false, Objects.requireNonNull(out, "out"));
    }

    /** Replaces the elements by their complex conjugates and returns this array. */
    public GPUArray conjInPlace() {
        return isComplex() ? apply(ArrayCodes.CONJ, false, this) : this;
    }

    /** The elements with all axes reversed. */
    public GPUArray reverse() {
        Slice[] backwards = new Slice[ndim()];
        Arrays.fill(backwards, Slice.ALL.by(-1));
        return slice(backwards).converted(dtype(), Order.C);
    }

    GPUArray combined(GPUArray out, long f, GPUArray b, long g) {
        return combined(out, b, Scalars.WHOLE, f, 0, g, 0);
    }

    GPUArray combined(GPUArray out, double f, GPUArray b, double g) {
        return combined(out, b, Scalars.REAL, Scalars.bits(f), 0, Scalars.bits(g), 0);
    }

    GPUArray combined(GPUArray out, Complex f, GPUArray b, Complex g) {
        Objects.requireNonNull(f, "f");
        Objects.requireNonNull(g, "g");
        return combined(out, b, Scalars.COMPLEX, Scalars.bits(f.re()), Scalars.bits(f.im()), Scalars.bits(g.re()), Scalars.bits(g.im()));
    }

    private GPUArray combined(GPUArray out, GPUArray b, int kind, long f, long f2, long g, long g2) {
        StreamJoin.before(stream, b);
        long made = ArrayCalls.arrayMulAdd(into(out), handle(), b.handle(), kind, f, f2, g, g2, handle(stream));
        return finished(out, made, b);
    }

    /** The results of {@link #divmod}, as {@link #floorDiv} and {@link #mod} compute them. */
    public record DivMod(GPUArray quotient, GPUArray remainder) {}

    /** The elements, limited to the bounds. */
    public GPUArray clip(long min, long max) {
        return clipped(Scalars.WHOLE, min, max);
    }

    /** The elements, limited to the bounds. */
    public GPUArray clip(double min, double max) {
        return clipped(Scalars.REAL, Scalars.bits(min), Scalars.bits(max));
    }

    /** The elements, limited to the bounds, which are broadcast. */
    public GPUArray clip(GPUArray min, GPUArray max) {
        return choose(ArrayCodes.CLIP, null, this, Objects.requireNonNull(min, "min"), Objects.requireNonNull(max, "max"));
    }

    private GPUArray clipped(int kind, long min, long max) {
        long made = ArrayCalls.arrayClipped(handle(), kind, min, max, handle(stream));
        return finished(null, made, null);
    }

    /** Running sums of all elements in C order; one axis. */
    public GPUArray cumsum() {
        return inOneAxis(line -> line.cumsum(0));
    }

    /** Running products of all elements in C order; one axis. */
    public GPUArray cumprod() {
        return inOneAxis(line -> line.cumprod(0));
    }

    /** Runs a scan over all elements in C order. */
    private GPUArray inOneAxis(java.util.function.UnaryOperator<GPUArray> operation) {
        if (isCContiguous()) {
            return operation.apply(ravel());
        }
        try (var packed = converted(dtype(), Order.C)) {
            return operation.apply(packed.ravel());
        }
    }

    /** The elements in the order that sorts {@code keys}; both have one axis and the same length. */
    public GPUArray sort(GPUArray keys) {
        if (ndim() != 1 || !Arrays.equals(Objects.requireNonNull(keys, "keys").shape(), shape())) {
            throw new IllegalArgumentException("sorting by keys needs arrays of one axis and one length, not " + this + " and " + keys);
        }
        try (GPUArray order = keys.argsort()) {
            return take(order);
        }
    }

    /** The indices of the nonzero elements of an array with one axis (INT64). Waits for the stream. */
    public GPUArray nonzero() {
        if (ndim() != 1) {
            throw new IllegalArgumentException("nonzero needs an array of one axis, not " + describe());
        }
        return CoreCalls.one("flatnonzero", this);
    }

    /**
     * Sets the elements where {@code mask} is not zero to the values in order: one for each, or one for all. The mask has this array's
     * shape, and both types must be equal. Waits for the stream, unless there is one value.
     */
    public GPUArray setWhere(GPUArray mask, GPUArray values) {
        Objects.requireNonNull(mask, "mask");
        if (!Objects.requireNonNull(values, "values").dtype().equals(dtype())) {
            throw new IllegalArgumentException("an array of " + dtype() + " cannot be set to one of " + values.dtype());
        }
        return CoreCalls.into(stream, "assign_selected", this, mask, values);
    }

    /** Sets the elements where {@code mask} is not zero to an integer. The mask has this array's shape. */
    public GPUArray fillWhere(GPUArray mask, long value) {
        return filledWhere(mask, one -> one.fill(value));
    }

    /** Sets the elements where {@code mask} is not zero to a number; IllegalArgumentException for integer types. */
    public GPUArray fillWhere(GPUArray mask, double value) {
        return filledWhere(mask, one -> one.fill(value));
    }

    /** Sets the elements where {@code mask} is not zero to a complex number; IllegalArgumentException if the type is not complex. */
    public GPUArray fillWhere(GPUArray mask, Complex value) {
        Objects.requireNonNull(mask, "mask");
        Objects.requireNonNull(value, "value");
        return filledWhere(mask, one -> one.fill(value));
    }

    private GPUArray filledWhere(GPUArray mask, java.util.function.Consumer<GPUArray> fill) {
        Objects.requireNonNull(mask, "mask");
        try (GPUArray one = ArrayFactory.DEFAULT.on(stream).unscoped(dtype())) {
            fill.accept(one);
            return setWhere(mask, one);
        }
    }

    GPUArray product(GPUArray b, GPUArray out) {
        return out == null ? CoreCalls.one("matmul", this, b) : CoreCalls.into(stream, "matmul_into", out, this, b);
    }

    /** The sum of the elements at these indices, accumulated in {@code type}. */
    public GPUArray subsetSum(GPUArray subset, DType type) {
        Objects.requireNonNull(type, "type");
        return ofSubset(subset, part -> part.sum(type));
    }

    /** The sum of the products of both arrays' elements at these indices, accumulated in {@code type}. */
    public GPUArray subsetDot(GPUArray subset, GPUArray b, DType type) {
        Objects.requireNonNull(b, "b");
        Objects.requireNonNull(type, "type");
        return ofSubset(subset, part -> b.ofSubset(subset, other -> part.dot(other, type)));
    }

    GPUArray ofSubset(GPUArray subset, java.util.function.UnaryOperator<GPUArray> reduction) {
        try (GPUArray part = take(Objects.requireNonNull(subset, "subset"))) {
            return reduction.apply(part);
        }
    }

    GPUArray taken(GPUArray indices, GPUArray out) {
        if (out != null && !out.dtype().equals(dtype())) {
            throw new IllegalArgumentException("elements of " + dtype() + " cannot be taken to an array of " + out.dtype());
        }
        return out == null ? CoreCalls.one("take", this, indices) : CoreCalls.into(stream, "take_into", out, this, indices);
    }

    /** The sums of products along the last {@code count} axes of this array and the first ones of another. */
    public GPUArray tensordot(GPUArray b, int count) {
        int first = ndim() - Objects.checkIndex(count, ndim() + 1);
        return tensordot(b, IntStream.range(first, first + count).toArray(), IntStream.range(0, count).toArray());
    }

    /** The sums of products along pairs of axes; the others of this array come first in the result. */
    public GPUArray tensordot(GPUArray b, int[] axes, int[] axesOfB) {
        long[] first = Shapes.of(axes, "axes");
        long[] second = Shapes.of(axesOfB, "axesOfB");
        if (first.length != second.length) {
            throw new IllegalArgumentException("expected the same number of axes of both, given " + first.length + " and " + second.length);
        }
        return CoreCalls.one("tensordot", CoreCalls.lists(first, second), this, Objects.requireNonNull(b, "b"));
    }

    /** The elements moved along several axes: by a shift for each, or by one along all. */
    public GPUArray roll(long[] shifts, int... axes) {
        return CoreCalls.one("roll", CoreCalls.lists(Objects.requireNonNull(shifts, "shifts"), Shapes.of(axes, "axes")), this);
    }

    /** The array repeated {@code repetitions} times along each of the last axes. */
    public GPUArray tile(long... repetitions) {
        return CoreCalls.one("tile", Objects.requireNonNull(repetitions, "repetitions"), this);
    }

    /** The elements in C order along one axis, each repeated {@code times} times. */
    public GPUArray repeat(long times) {
        return inOneAxis(line -> line.repeat(times, 0));
    }

    /** A view with these axes reversed; all axes if none is given. */
    public GPUArray flip(int... axes) {
        Objects.requireNonNull(axes, "axes");
        Slice[] parts = new Slice[ndim()];
        Arrays.fill(parts, axes.length == 0 ? Slice.ALL.by(-1) : Slice.ALL);
        for (int axis : axes) {
            parts[Objects.checkIndex(axis < 0 ? axis + parts.length : axis, parts.length)] = Slice.ALL.by(-1);
        }
        return slice(parts);
    }

    /** A view with an axis moved; the others keep their order. */
    public GPUArray moveaxis(int source, int destination) {
        return moveaxis(new int[] {source}, destination);
    }

    /** A view with several axes moved; the others keep their order. */
    public GPUArray moveaxis(int[] sources, int... destinations) {
        return viewed("moveaxis", CoreCalls.lists(Shapes.of(sources, "sources"), Shapes.of(destinations, "destinations")));
    }

    /** A view with a new axis of length 1 at this index of its shape. */
    public GPUArray expandDims(int axis) {
        int index = Objects.checkIndex(axis < 0 ? axis + ndim() + 1 : axis, ndim() + 1);
        Slice[] parts = new Slice[index + 1];
        Arrays.fill(parts, Slice.ALL);
        parts[index] = Slice.NEW_AXIS;
        return slice(parts);
    }

    /**
     * The results of {@link #uniqueAll}.
     *
     * @param values the distinct elements, ascending
     * @param indices the index in C order of the first of each (INT64)
     * @param inverseIndices the index into the values for each element, in the array's shape (INT64)
     * @param counts how often each value occurs (INT64)
     */
    public record UniqueAll(GPUArray values, GPUArray indices, GPUArray inverseIndices, GPUArray counts) {}

    /** Sets element {@code to[i]} of this array to {@code source[from[i] + offset]}. */
    void takePut(GPUArray to, GPUArray source, GPUArray from, long offset) {
        CoreCalls.handles("take_put_into", new long[] {offset}, stream, this, to, source, from);
    }

    /** The elements of each array at these indices. */
    public static List<GPUArray> multiTake(List<GPUArray> arrays, GPUArray indices) {
        Objects.requireNonNull(indices, "indices");
        return Objects.requireNonNull(arrays, "arrays").stream().map(array -> array.take(indices)).toList();
    }

    /** Sets the elements at these indices in C order to {@code values}. With duplicate indices, which value wins is unspecified. */
    public GPUArray put(GPUArray indices, GPUArray values) {
        Objects.requireNonNull(indices, "indices");
        return CoreCalls.into(stream, "put_into", this, indices, ofSameType(values));
    }

    GPUArray putAt(GPUArray values, Slice[] parts) {
        CoreCalls.handles("put_at", Slice.flat(parts), stream, Slice.arrays(parts, this, ofSameType(values)));
        return this;
    }

    private GPUArray ofSameType(GPUArray values) {
        if (!Objects.requireNonNull(values, "values").dtype().equals(dtype())) {
            throw new IllegalArgumentException("elements of " + values.dtype() + " cannot be put to an array of " + dtype());
        }
        return values;
    }

    static GPUArray choose(int op, GPUArray out, GPUArray first, GPUArray then, GPUArray otherwise) {
        Objects.requireNonNull(then, "then");
        Objects.requireNonNull(otherwise, "otherwise");
        Stream stream = first.stream;
        StreamJoin.before(stream, first, then, otherwise);
        long made = ArrayCalls.arrayApply(op, false, first.into(out), first.handle(), then.handle(), otherwise.handle(), handle(stream));
        GPUArray result = first.finished(out, made, null);
        StreamJoin.after(stream, then, otherwise);
        return result;
    }

    GPUArray apply(int op, boolean common, GPUArray out) {
        long made = ArrayCalls.arrayApply(op, common, into(out), handle(), 0, 0, handle(stream));
        return finished(out, made, null);
    }

    GPUArray apply(int op, boolean common, GPUArray out, GPUArray b) {
        StreamJoin.before(stream, Objects.requireNonNull(b, "b"));
        long made = ArrayCalls.arrayApply(op, common, into(out), handle(), b.handle(), 0, handle(stream));
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
        long made = ArrayCalls.arrayApplyScalar(op, common, into(out), handle(), kind, first, second, reversed, handle(stream));
        return finished(out, made, null);
    }

    GPUArray reduce(int op, GPUArray b, Axis axis, DType type) {
        Objects.requireNonNull(axis, "axis");
        StreamJoin.before(stream, b);
        int value = type == null ? -1 : type.value();
        long made = axis == Axis.ALL ? ArrayCalls.arrayReducedFully(op, handle(), handle(b), value, handle(stream))
            : ArrayCalls.arrayReduced(op, handle(), handle(b), axis.axes, axis.keep, value, handle(stream));
        return finished(null, made, b);
    }

    /** A floating-point function of arrays of floating-point numbers. */
    static GPUArray floating(int op, GPUArray a, GPUArray out) {
        Objects.requireNonNull(a, "a").requireFloating();
        return a.apply(op, false, out);
    }

    static GPUArray floating(int op, GPUArray a, GPUArray b, GPUArray out) {
        Objects.requireNonNull(a, "a").requireFloating();
        return a.apply(op, false, out, b);
    }

    private void requireFloating() {
        if (!numbers().isFloating() && !isComplex()) {
            throw new IllegalArgumentException("this function expects floating-point numbers, not " + dtype() + "; convert them with astype");
        }
    }

    // Shared by operations ------------------------------------------------------------------------------------------------

    /** The address of {@code out}'s C++ object, 0 for null. Orders this array's stream after {@code out}'s. */
    private long into(GPUArray out) {
        if (out == null) {
            return 0;
        }
        StreamJoin.before(stream, out);
        return out.handle();
    }

    private GPUArray finished(GPUArray out, long made, GPUArray other) {
        return finished(other, out != null ? finished(out, out) : made(storage.maker(), made, stream, null));
    }

    /** Keeps operands alive until here, and orders the other's stream after this one's. */
    private GPUArray finished(GPUArray other, GPUArray result) {
        Reference.reachabilityFence(this);
        StreamJoin.after(stream, other);
        return result;
    }

    long handle() {
        if (base != null) {
            base.requireOpen();
        }
        long open = storage.handle(generation);
        if (storage.keeper() instanceof DevicePointer wrapped) {
            Holders.ask(wrapped, Stream.inUse(stream));  // LogicError if it is closed; its pool records the stream, and a graph keeps it
        }
        return open;
    }

    /** Another object that keeps the memory alive; may be null. */
    Object keeper() {
        return storage.keeper();
    }

    private static long handle(GPUArray array) {
        return array == null ? 0 : array.handle();
    }

    static long handle(Stream stream) {
        return stream.swigCPtr;
    }

    private void requireOpen() {
        if (base != null) {
            base.requireOpen();
        }
        storage.requireOpen(generation);
    }

    /**
     * Frees the memory of an owner now; ends a view. Afterwards any use throws LogicError, except {@link #toString} and the
     * shape and type of views. A second call does nothing. Any thread may call it; it is cheapest on the thread that created the array.
     */
    @Override
    public void close() {
        if (base != null) {
            generation = ArrayStorage.NO_GENERATION;
        } else if (storage.close(generation)) {
            storage = ArrayStorage.OF_CLOSED;
        }
        Reference.reachabilityFence(this);
    }

    /** Same as {@link #close}. */
    public void free() {
        close();
    }

    /**
     * The elements as NumPy prints them, for a large array those at the ends of its axes; type and shape for an array of structures, and if
     * the elements cannot be read, for example on a thread without the array's context.
     */
    @Override
    public String toString() {
        try {
            return storage.struct() == null ? ArrayText.of(this) : describe();
        } catch (Driver.Error unreadable) {
            return describe();
        }
    }

    /** Its type and shape, for messages. */
    String describe() {
        try {
            return "GPUArray[" + dtype() + ", shape " + Arrays.toString(shape()) + "]";
        } catch (Driver.LogicError ended) {
            return "GPUArray[closed]";
        }
    }

    /**
     * Replaces the array by its elements in host memory, for serialization.
     *
     * @return the object written instead
     * @throws ObjectStreamException never
     */
    @Serial
    private Object writeReplace() throws ObjectStreamException {
        return new ArrayImage(this);
    }

    /**
     * Refuses to read an array that was not written by this class.
     *
     * @param stream the stream
     * @throws InvalidObjectException always
     */
    @Serial
    private void readObject(ObjectInputStream stream) throws InvalidObjectException {
        throw new InvalidObjectException("a GPUArray is read from its elements");
    }
}
