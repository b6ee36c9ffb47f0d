package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The C++ array behind one {@link GPUArray}, and behind those that are the same on another stream: deleted when that is unreachable, or
 * when it is closed, if the thread that made it was the only one to use it. And its shape, once asked for.
 */
final class ArrayStorage extends Cleanup {
    private static final int OF_ITS_MAKER = 0;
    private static final int SHARED = 1;
    private static final int CLOSED = 2;
    private static final VarHandle STATE;

    private volatile int state;
    /** The thread that made it; of no interest once another one used it. */
    private Thread maker = Thread.currentThread();
    /** Type of the elements where they are no numbers; else null. */
    private final StructType struct;
    private volatile ArrayForm form;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ArrayStorage.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    ArrayStorage(GPUArray array, long handle, StructType struct) {
        super(array, ArrayCalls::arrayDelete, handle);
        this.struct = struct;
    }

    /** For a native call; keep the array reachable until that is done. LogicError after {@link #close}. */
    long handle() {
        return state == OF_ITS_MAKER && maker == Thread.currentThread() ? pointer : sharedHandle();
    }

    /** Either who closes it finds it kept, or this finds it closed. */
    private long sharedHandle() {
        if (state == OF_ITS_MAKER) {
            if (!keep()) {
                throw closed();
            }
            STATE.compareAndSet(this, OF_ITS_MAKER, SHARED);
            maker = null;
        }
        requireOpen();
        return pointer;
    }

    void requireOpen() {
        if (state == CLOSED) {
            throw closed();
        }
    }

    static Driver.LogicError closed() {
        return new Driver.LogicError("the array is closed", "GPUArray", 0);
    }

    /** Gives the memory back. A second call does nothing. Keep the array reachable until this is done. */
    void close() {
        if (maker == Thread.currentThread() && !Upcalls.areUnderWay() && takeBack()) {
            STATE.setRelease(this, CLOSED);
            ArrayCalls.arrayEnd(pointer);
        } else if (keep() && (int) STATE.getAndSet(this, CLOSED) != CLOSED) {
            ArrayCalls.arrayClose(pointer);  // somebody may be in a call with it
        }
    }

    /** Keep the array reachable until this is done. LogicError after {@link #close}. */
    ArrayForm form() {
        requireOpen();
        ArrayForm known = form;
        if (known == null) {
            form = known = new ArrayForm(ArrayCalls.arrayForm(handle()));
        }
        return known;
    }

    StructType struct() {
        return struct;
    }
}
