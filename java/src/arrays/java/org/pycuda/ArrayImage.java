package org.pycuda;

import java.io.InvalidObjectException;
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
    private Object readResolve() throws InvalidObjectException {
        if (bigEndian != (ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN)) {
            throw new InvalidObjectException("this GPUArray was serialized on a machine with another byte order");
        } else if (dtype == null || shape == null || elements == null || !isWhole()) {
            throw new InvalidObjectException("the stream is damaged: the elements of a GPUArray do not match its type and shape");
        }
        return GPUArray.empty(dtype, shape).set(ByteBuffer.wrap(elements));
    }

    /** Whether the number of elements matches the shape: otherwise a damaged stream could allocate any amount of device memory. */
    private boolean isWhole() {
        try {
            return HostMemory.bytes(dtype, shape) == elements.length;
        } catch (IllegalArgumentException impossible) {
            return false;
        }
    }
}
