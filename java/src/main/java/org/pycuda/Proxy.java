package org.pycuda;

import java.util.function.LongConsumer;

/** The base of generated classes: the Java side of one C++ object, which is deleted once the Java object is unreachable; of none, {@link Stream#DEFAULT}. */
abstract class Proxy {
    /** The address of the C++ object, for generated methods. */
    final long swigCPtr;

    Proxy(long cPtr, boolean owned, LongConsumer delete) {
        this(cPtr, owned, delete, null);
    }

    /** @param lifeline the object that must be unreachable before the C++ object is deleted; null: this object */
    Proxy(long cPtr, boolean owned, LongConsumer delete, Object lifeline) {
        if (owned) {
            Cleanup.register(lifeline == null ? this : lifeline, delete, cPtr);
        } else if (cPtr != 0) {
            throw new IllegalStateException(getClass().getName() + " must own its native object");
        }
        swigCPtr = cPtr;
    }

    /** The identity of the driver's object: equal for Java objects that stand for the same one. */
    long identity() {
        return swigCPtr;
    }

    /** Whether both stand for the same object of the driver. */
    @Override
    public final boolean equals(Object other) {
        return other instanceof Proxy proxy && proxy.getClass() == getClass() && proxy.identity() == identity();
    }

    @Override
    public final int hashCode() {
        return Long.hashCode(identity());
    }
}
