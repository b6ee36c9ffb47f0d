package org.pycuda;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** The parts of an OpenGL program that the tests need (tests/gl). */
final class GlProgram {
    static final int TEXTURE_2D = 0x0DE1;
    private static final int R32F = 0x822E;
    private static final int RED = 0x1903;
    private static final int FLOAT = 0x1406;

    static {
        System.load(System.getenv("PYCUDA_GL_PROGRAM"));
    }

    private GlProgram() {}

    /** Makes an OpenGL context current on this thread. Returns null, or why that failed. */
    static native String start();

    static native void stop();

    /** The vendor of the OpenGL implementation. */
    static native String vendor();

    static native int newBuffer(ByteBuffer data, int nbytes);

    static native void readBuffer(int name, ByteBuffer data, int nbytes);

    static native int newImage(int target, int internalFormat, int width, int height);

    static native void readImage(int target, int name, int format, int type, ByteBuffer data);

    static ByteBuffer direct(float... values) {
        ByteBuffer data = ByteBuffer.allocateDirect(values.length * 4).order(ByteOrder.nativeOrder());
        data.asFloatBuffer().put(values);
        return data;
    }

    private static float[] toArray(ByteBuffer data) {
        FloatBuffer floats = data.asFloatBuffer();
        var array = new float[floats.remaining()];
        floats.get(array);
        return array;
    }

    static int newBuffer(float... values) {
        ByteBuffer data = direct(values);
        return newBuffer(data, data.capacity());
    }

    static float[] readBuffer(int name, int count) {
        ByteBuffer data = direct(new float[count]);
        readBuffer(name, data, data.capacity());
        return toArray(data);
    }

    /** A texture with one float for each texel. */
    static int newImage(int width, int height) {
        return newImage(TEXTURE_2D, R32F, width, height);
    }

    static float[] readImage(int name, int count) {
        ByteBuffer data = direct(new float[count]);
        readImage(TEXTURE_2D, name, RED, FLOAT, data);
        return toArray(data);
    }
}
