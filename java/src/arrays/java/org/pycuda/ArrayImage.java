package org.pycuda;

import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The serialized form of a {@link GPUArray}: its elements, which are copied to the current context when it is read. */
final class ArrayImage implements Serializable {
    @Serial private static final long serialVersionUID = 1;

    private final DType dtype;
    private final long[] shape;
    private final boolean bigEndian = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    /** In C order. */
    private final byte[] elements;

    ArrayImage(GPUArray array) throws NotSerializableException {
        if (!(array.dtype() instanceof DType numbers)) {
            throw new NotSerializableException("GPUArray of " + array.dtype() + ": only arrays of numbers are serialized");
        } else if (array.nbytes() > Integer.MAX_VALUE - 8) {
            throw new NotSerializableException("GPUArray of " + array.nbytes() + " bytes: serialize parts of less than 2 GiB");
        }
        dtype = numbers;
        shape = array.shape();
        elements = new byte[(int) array.nbytes()];
        array.getInto(ByteBuffer.wrap(elements));
    }

    @Serial
    private Object readResolve() throws java.io.InvalidObjectException {
        if (bigEndian != (ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN)) {
            throw new java.io.InvalidObjectException("this GPUArray was serialized on a machine with another byte order");
        }
        return GPUArray.empty(dtype, shape).set(ByteBuffer.wrap(elements));
    }
}
