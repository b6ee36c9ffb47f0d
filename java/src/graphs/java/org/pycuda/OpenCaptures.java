package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The core's count of open captures, read in place: while there is one, graphs must record the memory that they use. */
final class OpenCaptures {
    private static final VarHandle COUNT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final ByteBuffer MEMORY = DriverJNI.newDirectBuffer(DriverJNI.openCapturesAddress(), Integer.BYTES);

    private OpenCaptures() {}

    static boolean any() {
        return (int) COUNT.getOpaque(MEMORY, 0) != 0;
    }
}
