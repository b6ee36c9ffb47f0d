package org.pycuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The core's number of open captures, read where it stands: while there is one, graphs have to know what memory they use. */
final class OpenCaptures {
    private static final VarHandle COUNT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final ByteBuffer MEMORY = DriverJNI.newDirectBuffer(DriverJNI.openCapturesAddress(), Integer.BYTES);

    private OpenCaptures() {}

    static boolean any() {
        return (int) COUNT.getOpaque(MEMORY, 0) != 0;
    }
}
