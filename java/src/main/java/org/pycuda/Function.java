package org.pycuda;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.LongToIntFunction;

/**
 * A kernel of a module, which it keeps alive. The context that is current at a launch must be the module's.
 *
 * <p>Arguments of {@link #launch}: boxed primitives are passed by value with their Java size ({@code 3} is an int, {@code 2.0f} a float);
 * device memory, and every object with a device pointer, as its address; {@link In}, {@link Out} and {@link InOut} as device memory that is
 * copied before and after the launch; {@link Driver#bytes} as a structure;
 * {@link TensorMap} as one; {@link TextureObject} and {@link SurfaceObject} as their handles. Number and sizes are checked against the kernel's parameters:
 * IllegalArgumentException names the position. Threads may share a function.
 *
 * <pre>{@code
 * Function twice = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").function("twice");
 * var x = new float[] {1, 2, 3};
 * twice.launch(Driver.block(3), Driver.inOut(x));
 * System.out.println(x[2]);  // 6.0
 * }</pre>
 */
public final class Function extends FunctionProxy {
    private volatile ParameterLayout layout;
    private volatile PreparedArguments prepared;
    private volatile List<TextureReference> preparedTexrefs = List.of();
    /** Texture references of paramSetTexref, kept as long as the function. */
    private final List<TextureReference> texrefs = new CopyOnWriteArrayList<>();

    Function(long cPtr, boolean cMemoryOwn) {
        super(cPtr, cMemoryOwn);
    }

    ParameterLayout layout() {
        ParameterLayout known = layout;
        if (known == null) {
            layout = known = new ParameterLayout(name(), parameterLayout());
        }
        return known;
    }

    /** Queues one grid. With Out or InOut, and no stream, it also waits for the results. */
    public void launch(LaunchConfig config, Object... arguments) {
        requireLaunch(config, arguments);
        if (hasHandlers(arguments)) {
            launchWithHandlers(config, arguments, false);
        } else {
            launchPlain(config, arguments, false);
        }
    }

    /** Launches on the default stream, waits, and returns the time in seconds. */
    public double launchTimed(LaunchConfig config, Object... arguments) {
        requireLaunch(config, arguments);
        requireTimed(config.stream);
        return hasHandlers(arguments) ? launchWithHandlers(config, arguments, true) : launchPlain(config, arguments, true);
    }

    /**
     * Returns how many clusters of a launch run on the device at a time (cuOccupancyMaxActiveClusters). Needs a driver of CUDA 11.8.
     *
     * @param config the launch, whose grid is a multiple of the cluster; its stream does not matter
     * @return number of clusters
     * @throws Driver.LogicError the launch has no clusters, or the kernel cannot be launched so
     */
    public int maxActiveClusters(LaunchConfig config) {
        return aboutClusters(config, this::packedMaxActiveClusters);
    }

    /**
     * Returns the largest cluster that a launch can have (cuOccupancyMaxPotentialClusterSize). Needs a driver of CUDA 11.8.
     *
     * @param config the launch; its clusters and its stream do not matter
     * @return blocks per cluster
     * @throws Driver.LogicError the kernel cannot be launched so
     */
    public int maxPotentialClusterSize(LaunchConfig config) {
        return aboutClusters(config, this::packedMaxPotentialClusterSize);
    }

    private static int aboutClusters(LaunchConfig config, LongToIntFunction ask) {
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            return ask.applyAsInt(block.addressFor(Objects.requireNonNull(config, "config")));
        } finally {
            block.release();
            Reference.reachabilityFence(config);
        }
    }

    private static void requireLaunch(LaunchConfig config, Object[] arguments) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(arguments, "arguments");
    }

    private static boolean hasHandlers(Object[] arguments) {
        for (Object argument : arguments) {
            if (argument instanceof ArgumentHandler) {
                return true;
            }
        }
        return false;
    }

    private double launchPlain(LaunchConfig config, Object[] arguments, boolean timed) {
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            int nbytes = ArgumentPacker.pack(block, layout(), arguments, config.stream);
            if (timed) {
                config.checkTexrefs(this);
                double seconds = launchPackedTimed(block.addressFor(config), nbytes);
                Reference.reachabilityFence(config);
                return seconds;
            }
            launchPacked(config, block, nbytes);
            return 0;
        } finally {
            block.release();
            // An argument must not be collected, and its memory freed, between reading its address and the launch.
            Reference.reachabilityFence(arguments);
        }
    }

    private double launchWithHandlers(LaunchConfig config, Object[] arguments, boolean timed) {
        ArgumentHandler[] handlers = Arrays.stream(arguments).filter(ArgumentHandler.class::isInstance).toArray(ArgumentHandler[]::new);
        Stream stream = config.stream;
        try {
            for (ArgumentHandler handler : handlers) {
                handler.begin(handlers, this, stream);
            }
            for (ArgumentHandler handler : handlers) {
                handler.preCall(stream);
            }
            double seconds = launchPlain(config, arguments, timed);
            for (ArgumentHandler handler : handlers) {
                handler.postCall(stream);
            }
            return seconds;
        } finally {
            try {
                keepHostData(handlers, stream);
            } finally {
                for (ArgumentHandler handler : handlers) {
                    handler.end(handlers);
                }
            }
        }
    }

    /** Keeps host data alive until the stream has completed the launch's copies. */
    private static void keepHostData(ArgumentHandler[] handlers, Stream stream) {
        Object[] used = null;
        for (int i = 0; i < handlers.length; i++) {
            Object host = handlers[i].takeHostInUse(handlers);
            if (host instanceof HostUse held) {
                Stream.keepUntilDone(stream, held);
            } else if (host != null) {
                used = used == null ? new Object[handlers.length] : used;
                used[i] = host;
            }
        }
        if (used != null) {
            Stream.keepUntilDone(stream, used);
        }
    }

    void launchPacked(LaunchConfig config, ArgumentBlock block, int nbytes) {
        config.checkTexrefs(this);
        launchPacked(block.addressFor(config), nbytes);
        Reference.reachabilityFence(config);
    }

    /**
     * Sets the argument types for {@link #preparedCall}.
     *
     * @param argTypes one character for each argument: those of Python's struct module ({@code P} a pointer, {@code i} an int, {@code f}
     *     a float, {@code e} a half, {@code 16s} a struct of 16 bytes, {@code 3i} three ints, ...), and {@code F} and {@code D} for
     *     complex numbers, which are given as an array of two, and {@code T} for a {@link TensorMap}. A struct is given
     *     as a {@code byte[]} or a ByteBuffer.
     * @param texrefs texture references of the kernel's module, to which something must be bound when it is called
     * @return this
     */
    public Function prepare(String argTypes, TextureReference... texrefs) {
        List<TextureReference> references = List.of(Objects.requireNonNull(texrefs, "texrefs"));
        references.forEach(reference -> reference.checkFor(this, false));
        prepared = new PreparedArguments(name(), prepareSlots(argTypes));
        preparedTexrefs = references;
        return this;
    }

    private PreparedArguments prepared(String routine) {
        PreparedArguments arguments = prepared;
        if (arguments == null) {
            throw new Driver.LogicError(routine + " failed: prepare was not called on '" + name() + "'", routine, 0);
        }
        return arguments;
    }

    /** Queues one grid with the argument types of {@link #prepare}. */
    public void preparedCall(LaunchConfig config, Object... arguments) {
        requireLaunch(config, arguments);
        PreparedArguments types = prepared("preparedCall");
        preparedTexrefs.forEach(reference -> reference.checkFor(this, true));
        ArgumentBlock block = ArgumentBlock.acquire();
        try {
            types.putAll(block, arguments, config.stream);
            launchPacked(config, block, types.nbytes);
        } finally {
            block.release();
            Reference.reachabilityFence(arguments);
        }
    }

    /** The same as {@link #preparedCall} on {@code stream}. */
    public void preparedAsyncCall(LaunchConfig config, Stream stream, Object... arguments) {
        preparedCall(Objects.requireNonNull(config, "config").stream(stream), arguments);
    }

    /** Runs {@link #preparedCall}, and returns a function that waits and returns the device time in seconds. */
    public DoubleSupplier preparedTimedCall(LaunchConfig config, Object... arguments) {
        requireLaunch(config, arguments);
        var timing = new LaunchTiming(config.stream);
        try {
            preparedCall(config, arguments);
            timing.end();
            return timing;
        } catch (RuntimeException failure) {
            timing.close();
            throw failure;
        }
    }

    /** A launch with the types of {@link #prepare} whose arguments persist between launches; launching allocates nothing. */
    public Invocation invocation() {
        return new Invocation(this, prepared("invocation"));
    }

    /**
     * The kernel with arguments that are a record's components.
     *
     * @param arguments the record: a component for each parameter, of its size
     * @param <R> the record
     * @return the kernel
     * @throws IllegalArgumentException the kernel has other parameters, as far as the driver reports them (since CUDA 12.4)
     */
    public <R extends Record> TypedKernel<R> typed(Class<R> arguments) {
        return new TypedKernel<>(this, arguments);
    }

    /** Adds a texture reference of the function's module; the kernel reads what is bound to it at the launch. */
    public void paramSetTexref(TextureReference texref) {
        Objects.requireNonNull(texref, "texref").checkFor(this, false);
        texrefs.add(texref);
    }

    /** Bytes of local memory per thread. */
    public int localSizeBytes() {
        return attribute(FunctionAttribute.LOCAL_SIZE_BYTES);
    }

    /** Bytes of static shared memory per block. */
    public int sharedSizeBytes() {
        return attribute(FunctionAttribute.SHARED_SIZE_BYTES);
    }

    /** Number of 32-bit registers per thread. */
    public int numRegs() {
        return attribute(FunctionAttribute.NUM_REGS);
    }
}
