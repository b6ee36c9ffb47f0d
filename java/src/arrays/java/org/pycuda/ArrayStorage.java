package org.pycuda;

/** The C++ array behind one or more {@link GPUArray} objects, deleted when none of them is reachable; and its shape, once asked for. */
final class ArrayStorage {
    private static final int HEADER = 4;

    private final long handle;
    /** What else keeps the memory alive; may be null. */
    final Object keeper;
    /** Type of the elements where they are no numbers; else null. */
    private final StructType struct;
    private volatile long[] form;

    ArrayStorage(long handle, Object keeper, StructType struct) {
        this.handle = handle;
        this.keeper = keeper;
        this.struct = struct;
        Cleanup.register(this, ArrayCalls::arrayDelete, handle);
    }

    /** For a native call; keep this object reachable until that is done. */
    long handle() {
        return handle;
    }

    private long[] form() {
        long[] known = form;
        if (known == null) {
            form = known = ArrayCalls.arrayForm(handle);
        }
        return known;
    }

    CType dtype() {
        return struct != null ? struct : DType.fromValue((int) form()[0]);
    }

    StructType struct() {
        return struct;
    }

    long size() {
        return form()[2];
    }

    boolean isCContiguous() {
        return (form()[3] & 1) != 0;
    }

    boolean isFContiguous() {
        return (form()[3] & 2) != 0;
    }

    int ndim() {
        return (form().length - HEADER) / 2;
    }

    long[] shape() {
        return java.util.Arrays.copyOfRange(form(), HEADER, HEADER + ndim());
    }

    long[] strides() {
        return java.util.Arrays.copyOfRange(form(), HEADER + ndim(), form().length);
    }
}
