package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The C++ array behind one {@link GPUArray}, and behind those that are the same on another stream: deleted when no array has this object
 * any more. When the thread that made an array closes it, and was the only one to use it, the C++ array ends at once, and this object
 * serves that thread's next array. So arrays say which use of it they mean; those of an earlier use are closed.
 */
final class ArrayStorage {
    /** What arrays have whose own serves others. */
    static final ArrayStorage OF_CLOSED = new ArrayStorage();
    /** The use that closed views mean. */
    static final long NO_USE = Long.MIN_VALUE;

    // What the state adds to the use, a multiple of STEP.
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
     * Serves a new array.
     *
     * @param keeper what else keeps the memory alive; may be null
     * @param struct type of the elements where they are no numbers; else null
     * @return the use, for all else
     */
    long begin(long handle, Object keeper, StructType struct) {
        cleanup.pointer = handle;
        this.keeper = keeper;
        this.struct = struct;
        return state;
    }

    /** For a native call; keep the array reachable until that is done. LogicError after {@link #close}. */
    long handle(long use) {
        return state == use && maker.isOfThisThread() ? cleanup.pointer : sharedHandle(use);
    }

    /** Either who closes it finds it shared, or this finds it closed. */
    private long sharedHandle(long use) {
        STATE.compareAndSet(this, use, use + SHARED);
        requireOpen(use);
        return cleanup.pointer;
    }

    void requireOpen(long use) {
        long now = state;
        if (now != use && now != use + SHARED) {
            throw new Driver.LogicError("the array is closed", "GPUArray", 0);
        }
    }

    /** Gives the memory back. A second call does nothing. Keep the array reachable until this is done. Whether the use is over. */
    boolean close(long use) {
        if (maker != null && maker.isOfThisThread() && !Upcalls.areUnderWay() && STATE.compareAndSet(this, use, use + STEP)) {
            end();
            return true;
        }
        STATE.compareAndSet(this, use, use + SHARED);
        if (STATE.compareAndSet(this, use + SHARED, use + CLOSED)) {
            ArrayCalls.arrayClose(cleanup.pointer);  // somebody may be in a call with it
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
            cleanup.takeBack();
        }
    }

    /** Keep the array reachable until this is done. LogicError after {@link #close}. */
    ArrayForm form(long use) {
        long handle = handle(use);
        ArrayForm known = form;
        if (known == null) {
            form = known = new ArrayForm(ArrayCalls.arrayForm(handle));
        }
        return known;
    }

    ArrayMaker maker() {
        return maker;
    }

    // While the use goes on.

    Object keeper() {
        return keeper;
    }

    StructType struct() {
        return struct;
    }
}
