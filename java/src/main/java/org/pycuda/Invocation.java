package org.pycuda;

import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A launch of a prepared function whose arguments persist between launches: set those that change, then launch, without allocation. For one
 * thread at a time. {@link Function#invocation} creates it.
 *
 * <pre>{@code
 * var twice = new SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }").function("twice");
 * try (var x = Driver.toDevice(new float[] {1, 2, 3})) {
 *     Invocation twiceX = twice.prepare("P").invocation().set(0, x);
 *     twiceX.launch(Driver.block(3));
 *     twiceX.launch(Driver.block(3));
 *     assert Driver.fromDevice(x, 3, float[].class)[2] == 12;
 * }
 * }</pre>
 */
public final class Invocation {
    private final Function function;
    private final PreparedArguments arguments;
    private final ArgumentBlock block;
    /** Memory arguments: kept alive; their addresses are read at each launch, so that freed memory is detected. */
    private final DevicePointer[] holders;
    /** Tensor maps, textures and surfaces, which are checked in the same way; null if there are none. */
    private Object[] others;
    private final boolean[] isSet;
    private int missing;

    Invocation(Function function, PreparedArguments arguments) {
        this.function = function;
        this.arguments = arguments;
        block = new ArgumentBlock(arguments.nbytes);
        holders = new DevicePointer[arguments.count()];
        isSet = new boolean[arguments.count()];
        missing = arguments.count();
    }

    /** Sets argument {@code index}, counted from 0, to an integer. */
    public Invocation set(int index, int value) {
        return set(index, (long) value);
    }

    /** Sets argument {@code index} to an integer, or to a device address. */
    public Invocation set(int index, long value) {
        arguments.putInteger(block.bytes, index, value);
        return done(index, null);
    }

    /** Sets argument {@code index} to a floating point number. */
    public Invocation set(int index, float value) {
        return set(index, (double) value);
    }

    /** Sets argument {@code index} to a floating point number. */
    public Invocation set(int index, double value) {
        arguments.putReal(block.bytes, index, value);
        return done(index, null);
    }

    /**
     * Sets argument {@code index} to anything that {@link Function#preparedCall} takes: a complex number as an array of two, a struct
     * as a {@code byte[]} or a ByteBuffer, which is copied.
     */
    public Invocation set(int index, Object value) {
        if (value instanceof DevicePointer holder) {
            return set(index, holder);
        }
        arguments.put(block.bytes, index, value instanceof TensorMap map && map.runsProgramCode() ? map.settled(Stream.DEFAULT) : value, Stream.DEFAULT);
        Invocation same = done(index, null);
        if (value instanceof TensorMap || value instanceof DriverObject) {
            others = others == null ? new Object[holders.length] : others;
            others[index] = value;
        }
        return same;
    }

    /** Sets argument {@code index} to device memory. */
    public Invocation set(int index, DevicePointer value) {
        Objects.requireNonNull(value, "value");
        arguments.putPointer(block.bytes, index, 0);  // launch asks for the address, for its stream
        return done(index, value);
    }

    private Invocation done(int index, DevicePointer holder) {
        holders[index] = holder;
        if (others != null) {
            others[index] = null;
        }
        if (!isSet[index]) {
            isSet[index] = true;
            missing--;
        }
        return this;
    }

    /** The code of the program, which has run, may have closed memory whose address was read before. */
    private void checkOwnMemory(Stream stream) {
        for (DevicePointer holder : holders) {
            if (holder != null && !Holders.runProgramCode(holder)) {
                holder.pointerFor(stream);
            }
        }
    }

    /** Queues one launch with the current arguments. IllegalArgumentException if one was never set. */
    public void launch(LaunchConfig config) {
        Objects.requireNonNull(config, "config");
        if (missing > 0) {
            throw new IllegalArgumentException(missing + " of the " + isSet.length + " arguments of '" + function.name()
                + "' were never set");
        }
        boolean ranProgramCode = false;
        for (int i = 0; i < holders.length; i++) {
            DevicePointer holder = holders[i];
            if (holder != null) {
                arguments.putPointer(block.bytes, i, Holders.ask(holder, config.stream));
                ranProgramCode |= Holders.runProgramCode(holder);
            }
        }
        for (int i = 0; others != null && i < others.length; i++) {
            if (others[i] instanceof TensorMap map) {
                map.checkMemory(config.stream);
                ranProgramCode |= map.runsProgramCode();
            } else if (others[i] != null) {
                arguments.put(block.bytes, i, others[i], config.stream);
            }
        }
        if (ranProgramCode) {
            checkOwnMemory(config.stream);
        }
        function.launchPacked(config, block, arguments.nbytes);
        Reference.reachabilityFence(this);
    }
}
