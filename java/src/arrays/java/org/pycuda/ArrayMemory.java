package org.pycuda;

import java.util.Objects;

/** Memory that an {@link Allocator} returned for an array; native code requests and releases it. */
final class ArrayMemory {
    private final DevicePointer holder;

    private ArrayMemory(DevicePointer holder) {
        this.holder = holder;
    }

    static ArrayMemory allocate(Allocator allocator, long nbytes) {
        Upcalls.begin();
        try {
            return new ArrayMemory(Objects.requireNonNull(allocator.allocate(nbytes), "an allocator must not give null"));
        } finally {
            Upcalls.end();
        }
    }

    long address() {
        Upcalls.begin();
        try {
            return holder.pointer();
        } finally {
            Upcalls.end();
        }
    }

    /** The core's object behind it, which this object keeps alive; 0 if there is none. */
    long nativeMemory() {
        return holder instanceof DeviceMemory memory ? memory.swigCPtr : 0;
    }

    /** Marks it as unused. */
    void release() {
        if (!(holder instanceof AutoCloseable closeable)) {
            return;
        }
        Upcalls.begin();
        try {
            closeable.close();
        } catch (Exception failure) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } finally {
            Upcalls.end();
        }
    }
}
