package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pycuda.compiler.SourceModule;

/** Records as C structures, and serialised arrays. */
class RecordTypesTest implements WithContext {
    private record Point(float x, double y) {}

    private record Everything(boolean flag, byte b, short s, char c, int i, long l, float f, double d, Complex z, Point point) {}

    private static final Everything ONE = new Everything(true, (byte) -2, (short) -300, 'x', -70000, 1L << 40, 1.5f, -2.25, new Complex(1, -1), new Point(3, 4));

    @Test
    void recordsMatchTheStructureOfTheirComponents() {
        StructType type = StructType.of(Everything.class);
        assertEquals("Everything", type.ctype());
        assertEquals(List.of("flag", "b", "s", "c", "i", "l", "f", "d", "z", "point"), type.fields().stream().map(StructType.Field::name).toList());
        assertEquals(List.of(DType.BOOL, DType.INT8, DType.INT16, DType.UINT16, DType.INT32, DType.INT64, DType.FLOAT32, DType.FLOAT64, DType.COMPLEX128, StructType.of(Point.class)),
            type.fields().stream().map(StructType.Field::type).toList());
        assertEquals(8, type.offset("i"));
        assertEquals(ONE, type.value(ONE).toRecord(Everything.class));
    }

    @Test
    void kernelsTakeRecordsByValueAndInArrays() {
        StructType.of(Point.class);
        var f = new SourceModule("""
            struct Point { float x; double y; };
            extern "C" __global__ void f(Point *points, Point by) { points[threadIdx.x].x += by.x; points[threadIdx.x].y *= by.y; }
            """, new SourceModule.Options()).function("f");
        var points = GPUArray.toGpu(new Point[] {new Point(1, 2), new Point(3, 4)});
        f.launch(Driver.block(2), points, new Point(10, 100));
        assertEquals(List.of(new Point(11, 200), new Point(13, 400)), points.getRecords(Point.class));
        assertEquals(0, GPUArray.toGpu(new Point[0]).getRecords(Point.class).size());
    }

    @Test
    void otherStructuresMapToRecordsByPosition() {
        record Wide(long n, double[] parts) {}
        var type = StructType.of("WideForRecords", StructType.field("n", DType.UINT32), StructType.field("parts", DType.FLOAT32, 3));
        var back = type.value(new Wide(4_000_000_000L, new double[] {1, 2, 3.5})).toRecord(Wide.class);
        assertEquals(4_000_000_000L, back.n);
        assertEquals(3.5, back.parts[2]);
    }

    private record WithText(int i, String text) {}

    private record Two(int a, int b) {}

    @Test
    void unsupportedRecordsAreRejected() {
        var error = assertThrows(IllegalArgumentException.class, () -> StructType.of(WithText.class));
        assertTrue(error.getMessage().contains("component text of"), error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> StructType.of(Point.class).value(ONE));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.zeros(DType.FLOAT32, 2).getRecords(Point.class));
        assertThrows(NullPointerException.class, () -> GPUArray.toGpu(new Two[] {null}));
        assertThrows(IllegalArgumentException.class, () -> GPUArray.toGpu(new Record[] {new Two(1, 2)}));
        assertThrows(IllegalArgumentException.class, () -> StructType.of(Point.class).value(new Point(1, 2)).toRecord(WithText.class));
    }

    private record Endless(int i, Endless more) {}

    private record Positive(int value) {
        Positive {
            if (value < 0) {
                throw new IllegalStateException("negative");
            }
        }
    }

    @Test
    void recordsThatHaveNoStructureAreNamed() {
        var error = assertThrows(IllegalArgumentException.class, () -> StructType.of(Endless.class));
        assertTrue(error.getMessage().contains("Endless contains itself"), error.getMessage());
        var array = GPUArray.toGpu(new Positive[] {new Positive(1)});
        array.field("value").fill(-1);
        error = assertThrows(IllegalArgumentException.class, () -> array.getRecords(Positive.class));
        assertTrue(error.getMessage().contains("its constructor threw java.lang.IllegalStateException: negative"), error.getMessage());
        assertEquals("negative", error.getCause().getMessage());
    }

    @Test
    void recordsWithATakenNameGetAnotherOne() {
        record Point(int only) {}
        StructType.of(RecordTypesTest.Point.class);
        var error = assertThrows(IllegalArgumentException.class, () -> StructType.of(Point.class));
        assertTrue(error.getMessage().contains("another type as Point, a structure of the fields x (FLOAT32), y (FLOAT64): give the record"), error.getMessage());
        StructType type = StructType.of("PointOfOne", Point.class);
        assertEquals("PointOfOne", type.ctype());
        assertEquals(type, StructType.of(Point.class), "its name from now on");
        assertEquals(type, GPUArray.toGpu(new Point[] {new Point(1)}).dtype());
        assertThrows(IllegalArgumentException.class, () -> StructType.of("PointOfTwo", Point.class));
    }

    private static Object copied(Object object) throws Exception {
        return read(written(object));
    }

    private static byte[] written(Object object) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("maxarray=10000"));
            return in.readObject();
        }
    }

    @Test
    void arraysAreSerializedWithTheirElements() throws Exception {
        for (DType type : DType.values()) {
            var array = GPUArray.arange(DType.INT32, 6).astype(type).reshape(2, 3).transpose();
            var copy = (GPUArray) copied(array);
            assertEquals(type, copy.dtype());
            assertEquals(array.toString(), copy.toString());
            assertTrue(copy.pointer() != array.pointer());
        }
        assertEquals(0, ((GPUArray) copied(GPUArray.zeros(DType.FLOAT32, 0, 3))).size());
        assertThrows(NotSerializableException.class, () -> copied(GPUArray.zeros(Vec.FLOAT2, 3)));
        var closed = GPUArray.zeros(DType.FLOAT32, 3);
        closed.close();
        assertThrows(Driver.LogicError.class, () -> copied(closed));
    }

    @Test
    void damagedStreamsAreRefused() throws Exception {
        byte[] whole = written(GPUArray.arange(DType.INT32, 3));
        int refused = 0;
        for (int i = 0; i < whole.length; i++) {
            for (int change : new int[] {1, 0x40, 0x80}) {
                byte[] damaged = whole.clone();
                damaged[i] ^= (byte) change;
                try {
                    assertEquals(12, ((GPUArray) read(damaged)).nbytes());
                } catch (IOException | ClassNotFoundException | ClassCastException expected) {
                    refused++;
                } catch (RuntimeException | OutOfMemoryError error) {
                    assertFalse(error.getStackTrace()[0].getClassName().startsWith("org.pycuda"), "byte " + i + ": " + error);
                    assertFalse(error instanceof Driver.Error, "byte " + i + ": " + error);
                }
            }
        }
        assertTrue(refused > 100, refused + " of " + whole.length);
    }
}
