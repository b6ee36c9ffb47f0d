package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The C++ array of one {@link GPUArray}, and of its views on other streams. It is deleted when the last of them is unreachable. When the
 * thread that created an array closes it, and no other thread has used it, the C++ array ends at once, and this object is reused for that
 * thread's next array. Arrays therefore hold a generation number; arrays of an earlier generation are closed.
 */
final class ArrayStorage {
    /** The storage of arrays whose own storage has been reused. */
    static final ArrayStorage OF_CLOSED = new ArrayStorage();
    /** The generation of closed views. */
    static final long NO_GENERATION = Long.MIN_VALUE;

    // Flags in the state, added to the generation, which is a multiple of STEP.
    private static final long SHARED = 1;
    private static final long CLOSED = 2;
    private static final long STEP = 4;
    private static final VarHandle STATE;

    private volatile long state;
    private final ArrayMaker maker;
    private final Cleanup cleanup;
    private StructType struct;
    private Object keeper;
    private volatile ArrayForm form;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(ArrayStorage.class, "state", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private ArrayStorage() {
        state = CLOSED;
        maker = null;
        cleanup = null;
    }

    ArrayStorage(ArrayMaker maker) {
        this.maker = maker;
        cleanup = new Cleanup(this, ArrayStorage::delete, 0);
    }

    private static void delete(long handle) {
        if (handle != 0) {
            ArrayCalls.arrayDelete(handle);
        }
    }

    /**
     * Begin a generation with a new array.
     *
     * @param keeper another object that keeps the memory alive; may be null
     * @param struct type of the elements if they are structures; else null
     * @return the generation, an argument of all other methods
     */
    long begin(long handle, Object keeper, StructType struct) {
        cleanup.pointer = handle;
        this.keeper = keeper;
        this.struct = struct;
        return state;
    }

    /** The address for a native call. Keep the array reachable until the call returns. LogicError after {@link #close}. */
    long handle(long generation) {
        return state == generation && maker.isOfThisThread() ? cleanup.pointer : sharedHandle(generation);
    }

    /** Either a concurrent close finds it shared, or this finds it closed. */
    private long sharedHandle(long generation) {
        STATE.compareAndSet(this, generation, generation + SHARED);
        requireOpen(generation);
        return cleanup.pointer;
    }

    void requireOpen(long generation) {
        long now = state;
        if (now != generation && now != generation + SHARED) {
            throw new Driver.LogicError("the array was closed", "GPUArray", 0);
        }
    }

    /** Free the memory. A second call is a no-op. Keep the array reachable until this returns. True if the generation ended. */
    boolean close(long generation) {
        if (maker != null && maker.isOfThisThread() && !Upcalls.areUnderWay() && STATE.compareAndSet(this, generation, generation + STEP)) {
            end();
            return true;
        }
        STATE.compareAndSet(this, generation, generation + SHARED);
        if (STATE.compareAndSet(this, generation + SHARED, generation + CLOSED)) {
            ArrayCalls.arrayClose(cleanup.pointer);  // another thread may be in a call with it
        }
        return false;
    }

    private void end() {
        long ended = cleanup.pointer;
        cleanup.pointer = 0;
        keeper = null;
        if (form != null) {
            form = null;
        }
        ArrayCalls.arrayEnd(ended);
        if (!maker.give(this)) {
            cleanup.cancel();
        }
    }

    /** Keep the array reachable until this returns. LogicError after {@link #close}. */
    ArrayForm form(long generation) {
        long handle = handle(generation);
        ArrayForm known = form;
        if (known == null) {
            form = known = new ArrayForm(ArrayCalls.arrayForm(handle));
        }
        return known;
    }

    ArrayMaker maker() {
        return maker;
    }

    // Valid during a generation.

    Object keeper() {
        return keeper;
    }

    StructType struct() {
        return struct;
    }
}
