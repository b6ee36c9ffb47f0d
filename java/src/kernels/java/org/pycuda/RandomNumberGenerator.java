package org.pycuda;

import java.lang.ref.Reference;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * Many generators of cuRAND on the current device; element i of what they fill comes from generator i. For one thread at a time.
 * @see MRG32k3aRandomNumberGenerator
 */
public abstract class RandomNumberGenerator implements AutoCloseable {
    private static final int UNIFORM = 0;
    private static final int NORMAL = 1;
    private static final int LOG_NORMAL = 2;
    private static final int POISSON = 3;
    private static final int POISSON_IN_PLACE = 4;
    static final int SKIP_AHEAD = 0;
    static final int SKIP_SEQUENCE = 1;
    static final int SKIP_SUBSEQUENCE = 2;

    /** The C++ object of the generators, deleted when unreachable, and the stream that last used their states. */
    private static final class State {
        private final long handle;
        private volatile boolean closed;
        private Stream last = Stream.DEFAULT;

        State(int kind) {
            long made = ArrayCalls.randomMake(kind);
            handle = made;
            Cleanup.register(this, ArrayCalls::randomDelete, made);
        }
    }

    private final State state;
    /** Null: the arrays' own. */
    private final Stream stream;

    /** @param kind as the core's RandomKind */
    RandomNumberGenerator(int kind) {
        state = new State(kind);
        stream = null;
    }

    /** The same generators, on a stream. */
    RandomNumberGenerator(RandomNumberGenerator other, Stream stream) {
        state = other.state;
        this.stream = Stream.required(stream, "newStream");
    }

    /** The same generators, with their work on this stream instead of the arrays'. */
    public abstract RandomNumberGenerator on(Stream newStream);

    /** Returns {@code kind} if the argument is not null. */
    static int given(int kind, Object argument, String name) {
        Objects.requireNonNull(argument, name);
        return kind;
    }

    final long handle() {
        if (state.closed) {
            throw new Driver.LogicError("the generator was closed", "RandomNumberGenerator", 0);
        }
        return state.handle;
    }

    /** The stream for work on this array (null: on the states only), ordered after the last use of both. */
    private Stream queue(GPUArray array) {
        Stream queue = Stream.inUse(stream != null ? stream : array != null ? array.stream() : state.last);
        StreamJoin.awaitExactly(queue, state.last);
        StreamJoin.before(queue, array);
        state.last = queue;
        return queue;
    }

    /** Records that work on the array was queued. */
    private void queued(Stream queue, GPUArray array) {
        StreamJoin.after(queue, array);
        Reference.reachabilityFence(state);
    }

    final void seed(GPUArray seeds, long offset) {
        Stream queue = queue(Objects.requireNonNull(seeds, "seeds"));
        ArrayCalls.randomSeed(handle(), seeds.handle(), offset, GPUArray.handle(queue));
        queued(queue, seeds);
    }

    /** @param scramble null: none */
    final void directions(GPUArray vectors, GPUArray scramble, long offset) {
        Stream queue = queue(Objects.requireNonNull(vectors, "dirVector"));
        StreamJoin.before(queue, scramble);
        long constants = scramble == null ? 0 : scramble.handle();
        ArrayCalls.randomDirections(handle(), vectors.handle(), constants, offset, GPUArray.handle(queue));
        StreamJoin.after(queue, scramble);
        queued(queue, vectors);
    }

    /** cuRAND's direction vectors, and the function that makes scramble constants for this many generators; null: none. */
    final void ownDirections(CuRandom.DirectionVectorSet set, IntFunction<GPUArray> constants) {
        try (GPUArray vectors = CuRandom.generateDirectionVectors(generators(), set);
             GPUArray scramble = constants == null ? null : constants.apply(generators())) {
            directions(vectors, scramble, 0);
            Context.synchronize();
        }
    }

    /** The number of blocks of generators, one for each multiprocessor. */
    public int blockCount() {
        return (int) form(0);
    }

    /** The number of generators in a block. */
    public int generatorsPerBlock() {
        return (int) form(1);
    }

    /** Bits of a number that a generator produces: 32 or 64. */
    public int generatorBits() {
        return (int) form(2);
    }

    private long form(int index) {
        long value = ArrayCalls.randomForm(handle())[index];
        Reference.reachabilityFence(state);
        return value;
    }

    final int generators() {
        return blockCount() * generatorsPerBlock();
    }

    /** C type of a generator's state. */
    public String stateType() {
        String type = ArrayCalls.randomStateType(handle());
        Reference.reachabilityFence(state);
        return type;
    }

    /** The device address of the states, valid while these generators are open. */
    public DevicePointer state() {
        long handle = handle();
        long address = ArrayCalls.randomState(handle);
        State kept = state;
        return () -> {
            Reference.reachabilityFence(kept);
            return address;
        };
    }

    private GPUArray fill(int distribution, GPUArray array, double first, double second) {
        Stream queue = queue(Objects.requireNonNull(array, "array"));
        ArrayCalls.randomFillArray(handle(), distribution, array.handle(), first, second, GPUArray.handle(queue));
        queued(queue, array);
        return array;
    }

    private GPUArray filled(int distribution, DType type, double first, double second, long[] shape) {
        GPUArray array = GPUArray.factory().on(stream != null ? stream : Stream.DEFAULT).empty(type, shape);
        try {
            return fill(distribution, array, first, second);
        } catch (RuntimeException failure) {
            array.close();
            throw failure;
        }
    }

    /** Fills with uniform numbers: greater than 0 and up to 1 for floating types, all values for integers. Returns the array. */
    public GPUArray fillUniform(GPUArray array) {
        return fill(UNIFORM, array, 0, 0);
    }

    /** Fills with numbers of the standard normal distribution. Returns the array. */
    public GPUArray fillNormal(GPUArray array) {
        return fill(NORMAL, array, 0, 0);
    }

    /** Fills with numbers whose logarithms are normal. Returns the array. */
    public GPUArray fillLogNormal(GPUArray array, double mean, double stddev) {
        return fill(LOG_NORMAL, array, mean, stddev);
    }

    /** Fills with numbers of a Poisson distribution. Returns the array. */
    public GPUArray fillPoisson(GPUArray array, double lambda) {
        return fill(POISSON, array, lambda, 0);
    }

    /** Replaces each element by a number of the Poisson distribution with the element as its mean. Returns the array. */
    public GPUArray fillPoisson(GPUArray array) {
        return fill(POISSON_IN_PLACE, array, 0, 0);
    }

    /** A new array of uniform numbers. */
    public GPUArray genUniform(DType type, long... shape) {
        return filled(UNIFORM, type, 0, 0, shape);
    }

    /** A new array of uniform numbers. */
    public GPUArray genUniform(DType type, int... shape) {
        return genUniform(type, Shapes.of(shape, "shape"));
    }

    /** A new array of normal numbers. */
    public GPUArray genNormal(DType type, long... shape) {
        return filled(NORMAL, type, 0, 0, shape);
    }

    /** A new array of normal numbers. */
    public GPUArray genNormal(DType type, int... shape) {
        return genNormal(type, Shapes.of(shape, "shape"));
    }

    /** A new array of numbers whose logarithms are normal. */
    public GPUArray genLogNormal(DType type, double mean, double stddev, long... shape) {
        return filled(LOG_NORMAL, type, mean, stddev, shape);
    }

    /** A new array of numbers whose logarithms are normal. */
    public GPUArray genLogNormal(DType type, double mean, double stddev, int... shape) {
        return genLogNormal(type, mean, stddev, Shapes.of(shape, "shape"));
    }

    /** A new array of numbers of a Poisson distribution. */
    public GPUArray genPoisson(DType type, double lambda, long... shape) {
        return filled(POISSON, type, lambda, 0, shape);
    }

    /** A new array of numbers of a Poisson distribution. */
    public GPUArray genPoisson(DType type, double lambda, int... shape) {
        return genPoisson(type, lambda, Shapes.of(shape, "shape"));
    }

    /** All generators skip {@code count} numbers. */
    public void callSkipAhead(long count) {
        skip(SKIP_AHEAD, count);
    }

    /** Each generator skips the number of values in its element of the array. */
    public void callSkipAheadArray(GPUArray counts) {
        skip(SKIP_AHEAD, counts);
    }

    final void skip(int what, long count) {
        if (count < 0) {
            throw new IllegalArgumentException("cannot skip " + count);
        }
        Stream queue = queue(null);
        ArrayCalls.randomSkip(handle(), what, count, GPUArray.handle(queue));
        queued(queue, null);
    }

    final void skip(int what, GPUArray counts) {
        Stream queue = queue(Objects.requireNonNull(counts, "counts"));
        ArrayCalls.randomSkipEach(handle(), what, counts.handle(), GPUArray.handle(queue));
        queued(queue, counts);
    }

    /** Closes the generators on every stream; the states are freed when unreachable. */
    @Override
    public void close() {
        state.closed = true;
    }
}
