package org.pycuda.arguments;

import static org.pycuda.arguments.Kind.refused;
import static org.pycuda.arguments.Kind.works;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.pycuda.AlignedMemory;
import org.pycuda.DType;
import org.pycuda.Driver;

/** The kinds of values for parameters that take host memory: arrays and buffers. */
final class HostKinds {
    private HostKinds() {}

    static final List<Kind> ALL = new ArrayList<>();

    private static ByteBuffer heap(byte[] content) {
        return ByteBuffer.wrap(content.clone()).order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer direct(byte[] content) {
        return ByteBuffer.allocateDirect(content.length).order(ByteOrder.nativeOrder()).put(content).flip().order(ByteOrder.nativeOrder());
    }

    private static ByteBuffer foreign(ByteBuffer buffer) {
        return buffer.order(buffer.order() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    private static void host(String name, Function<byte[], Object> make) {
        ALL.add(works(name, content -> Memory.host(make.apply(content))));
    }

    private static void readOnly(String name, Function<byte[], Object> make) {
        ALL.add(new Kind(name, content -> Memory.host(make.apply(content)), null, true));
    }

    /** The content between other bytes, selected by position and limit. */
    private static ByteBuffer inTheMiddle(Function<byte[], ByteBuffer> make, byte[] content) {
        byte[] around = new byte[content.length + 16];
        System.arraycopy(content, 0, around, 8, content.length);
        return make.apply(around).position(8).limit(8 + content.length);
    }

    static {
        arrays();
        nested();
        buffers();
        memory();
        foreign();
        ALL.add(refused(IllegalArgumentException.class, "null", content -> null));
        no("String", content -> "x".repeat(content.length));
        no("Integer", content -> 64);
        no("Object", content -> new Object());
        no("Object[]", content -> new Object[content.length]);
        no("Integer[]", content -> new Integer[content.length]);
        no("int[][] with rows of several lengths", content -> new int[][] {new int[content.length / 4 - 1], new int[1]});
        no("IntBuffer of another byte order", content -> foreign(direct(content)).asIntBuffer());
        no("heap FloatBuffer of another byte order", content -> foreign(heap(content)).asFloatBuffer());
        no("CharBuffer of another byte order", content -> foreign(direct(content)).asCharBuffer());
        no("ShortBuffer of another byte order", content -> foreign(direct(content)).asShortBuffer());
        no("LongBuffer of another byte order", content -> foreign(direct(content)).asLongBuffer());
        no("DoubleBuffer of another byte order", content -> foreign(direct(content)).asDoubleBuffer());
    }

    private static void no(String name, Function<byte[], Object> make) {
        ALL.add(refused(IllegalArgumentException.class, name, make));
    }

    private static void arrays() {
        host("byte[]", content -> content.clone());
        host("short[]", content -> {
            var array = new short[content.length / 2];
            heap(content).asShortBuffer().get(array);
            return array;
        });
        host("char[]", content -> {
            var array = new char[content.length / 2];
            heap(content).asCharBuffer().get(array);
            return array;
        });
        host("int[]", content -> {
            var array = new int[content.length / 4];
            heap(content).asIntBuffer().get(array);
            return array;
        });
        host("long[]", content -> {
            var array = new long[content.length / 8];
            heap(content).asLongBuffer().get(array);
            return array;
        });
        host("float[]", content -> {
            var array = new float[content.length / 4];
            heap(content).asFloatBuffer().get(array);
            return array;
        });
        host("double[]", content -> {
            var array = new double[content.length / 8];
            heap(content).asDoubleBuffer().get(array);
            return array;
        });
    }

    private static void nested() {
        host("int[][]", content -> {
            var rows = new int[content.length / 8][2];
            var numbers = heap(content).asIntBuffer();
            for (int[] row : rows) {
                numbers.get(row);
            }
            return rows;
        });
        host("byte[][][]", content -> {
            var blocks = new byte[2][content.length / 4][2];
            var bytes = heap(content);
            for (byte[][] rows : blocks) {
                for (byte[] row : rows) {
                    bytes.get(row);
                }
            }
            return blocks;
        });
    }

    static boolean hasSegments() {
        return ALL.stream().anyMatch(kind -> kind.name().contains("segment"));
    }

    /** Memory of java.lang.foreign, if this JVM supports it: the class that uses it is compiled for newer versions. */
    @SuppressWarnings("unchecked")
    private static void foreign() {
        try {
            var kinds = Class.forName("org.pycuda.arguments.ForeignKinds").getConstructor().newInstance();
            ALL.addAll(((java.util.function.Supplier<List<Kind>>) kinds).get());
        } catch (ClassNotFoundException older) {
            return;
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError(failure);
        }
    }

    private static void buffers() {
        host("heap ByteBuffer", HostKinds::heap);
        host("direct ByteBuffer", HostKinds::direct);
        host("heap ByteBuffer of another byte order", content -> foreign(heap(content)));
        host("direct ByteBuffer of another byte order", content -> foreign(direct(content)));
        host("part of a heap ByteBuffer", content -> inTheMiddle(HostKinds::heap, content));
        host("part of a direct ByteBuffer", content -> inTheMiddle(HostKinds::direct, content));
        host("slice of a heap ByteBuffer", content -> inTheMiddle(HostKinds::heap, content).slice());
        host("slice of a direct ByteBuffer", content -> inTheMiddle(HostKinds::direct, content).slice());
        host("duplicate of a direct ByteBuffer", content -> direct(content).duplicate());
        host("direct IntBuffer", content -> direct(content).asIntBuffer());
        host("direct ShortBuffer", content -> direct(content).asShortBuffer());
        host("direct CharBuffer", content -> direct(content).asCharBuffer());
        host("direct LongBuffer", content -> direct(content).asLongBuffer());
        host("direct FloatBuffer", content -> direct(content).asFloatBuffer());
        host("direct DoubleBuffer", content -> direct(content).asDoubleBuffer());
        host("part of a direct IntBuffer", content -> inTheMiddle(HostKinds::direct, content).slice().order(ByteOrder.nativeOrder()).asIntBuffer());
        host("wrapped IntBuffer", content -> {
            var array = new int[content.length / 4];
            heap(content).asIntBuffer().get(array);
            return IntBuffer.wrap(array);
        });
        host("part of a wrapped FloatBuffer", content -> {
            var array = new float[content.length / 4 + 4];
            heap(content).asFloatBuffer().get(array, 2, content.length / 4);
            return FloatBuffer.wrap(array, 2, content.length / 4);
        });
        readOnly("read-only heap ByteBuffer", content -> heap(content).asReadOnlyBuffer());
        readOnly("read-only direct ByteBuffer", content -> direct(content).asReadOnlyBuffer());
        readOnly("read-only direct IntBuffer", content -> direct(content).asIntBuffer().asReadOnlyBuffer());
        readOnly("CharBuffer of a String", content -> CharBuffer.wrap(heap(content).asCharBuffer().toString()));
    }

    private static void memory() {
        ALL.add(works("buffer of page-locked memory", content -> {
            var memory = Driver.pagelockedEmpty(DType.UINT8, content.length);
            return Memory.host(memory.buffer().put(content).flip(), memory);
        }));
        ALL.add(works("buffer of aligned memory", content -> {
            var memory = AlignedMemory.of(DType.UINT8, content.length).alignment(64).empty();
            return Memory.host(memory.buffer().put(content).flip(), memory);
        }));
        ALL.add(works("buffer of managed memory", content -> {
            var memory = Driver.managedEmpty(DType.UINT8, content.length);
            return Memory.host(memory.buffer().put(content).flip(), memory);
        }));
        ALL.add(works("buffer of registered memory", content -> {
            var aligned = AlignedMemory.of(DType.UINT8, 4096).alignment(4096).empty();
            var memory = org.pycuda.Memory.registerHostMemory(aligned.buffer());
            memory.buffer().put(content);
            return Memory.host(memory.buffer(0, content.length), memory, aligned);
        }));
    }
}
