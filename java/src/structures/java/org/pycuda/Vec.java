package org.pycuda;

import java.util.ArrayList;
import java.util.List;

/**
 * CUDA's vector types: structures that every kernel knows. Host data is an array of their components, one after another, or a ByteBuffer.
 * <pre>{@code
 * var points = GPUArray.toGpu(HostData.of(new float[] {1, 2, 3, 4, 5, 6}).as(Vec.FLOAT3));
 * new ElementwiseKernel("float3 *p, float3 by", "p[i].x += by.x").call(points, Vec.FLOAT3.value(10, 0, 0));
 * System.out.println(points.field("x").getFloats()[1]);  // 14.0
 * }</pre>
 */
public final class Vec {
    /** {@code char1}: x. */
    public static final StructType CHAR1 = of("char1", DType.INT8, 1, 1);
    /** {@code char2}: x, y. */
    public static final StructType CHAR2 = of("char2", DType.INT8, 2, 2);
    /** {@code char3}: x, y, z. */
    public static final StructType CHAR3 = of("char3", DType.INT8, 3, 1);
    /** {@code char4}: x, y, z, w. */
    public static final StructType CHAR4 = of("char4", DType.INT8, 4, 4);
    /** {@code uchar1}: x. */
    public static final StructType UCHAR1 = of("uchar1", DType.UINT8, 1, 1);
    /** {@code uchar2}: x, y. */
    public static final StructType UCHAR2 = of("uchar2", DType.UINT8, 2, 2);
    /** {@code uchar3}: x, y, z. */
    public static final StructType UCHAR3 = of("uchar3", DType.UINT8, 3, 1);
    /** {@code uchar4}: x, y, z, w. */
    public static final StructType UCHAR4 = of("uchar4", DType.UINT8, 4, 4);
    /** {@code short1}: x. */
    public static final StructType SHORT1 = of("short1", DType.INT16, 1, 2);
    /** {@code short2}: x, y. */
    public static final StructType SHORT2 = of("short2", DType.INT16, 2, 4);
    /** {@code short3}: x, y, z. */
    public static final StructType SHORT3 = of("short3", DType.INT16, 3, 2);
    /** {@code short4}: x, y, z, w. */
    public static final StructType SHORT4 = of("short4", DType.INT16, 4, 8);
    /** {@code ushort1}: x. */
    public static final StructType USHORT1 = of("ushort1", DType.UINT16, 1, 2);
    /** {@code ushort2}: x, y. */
    public static final StructType USHORT2 = of("ushort2", DType.UINT16, 2, 4);
    /** {@code ushort3}: x, y, z. */
    public static final StructType USHORT3 = of("ushort3", DType.UINT16, 3, 2);
    /** {@code ushort4}: x, y, z, w. */
    public static final StructType USHORT4 = of("ushort4", DType.UINT16, 4, 8);
    /** {@code int1}: x. */
    public static final StructType INT1 = of("int1", DType.INT32, 1, 4);
    /** {@code int2}: x, y. */
    public static final StructType INT2 = of("int2", DType.INT32, 2, 8);
    /** {@code int3}: x, y, z. */
    public static final StructType INT3 = of("int3", DType.INT32, 3, 4);
    /** {@code int4}: x, y, z, w. */
    public static final StructType INT4 = of("int4", DType.INT32, 4, 16);
    /** {@code uint1}: x. */
    public static final StructType UINT1 = of("uint1", DType.UINT32, 1, 4);
    /** {@code uint2}: x, y. */
    public static final StructType UINT2 = of("uint2", DType.UINT32, 2, 8);
    /** {@code uint3}: x, y, z. */
    public static final StructType UINT3 = of("uint3", DType.UINT32, 3, 4);
    /** {@code uint4}: x, y, z, w. */
    public static final StructType UINT4 = of("uint4", DType.UINT32, 4, 16);
    /** {@code long1}: x. */
    public static final StructType LONG1 = of("long1", DType.INT64, 1, 8);
    /** {@code long2}: x, y. */
    public static final StructType LONG2 = of("long2", DType.INT64, 2, 16);
    /** {@code long3}: x, y, z. */
    public static final StructType LONG3 = of("long3", DType.INT64, 3, 8);
    /** {@code long4}: x, y, z, w. */
    public static final StructType LONG4 = of("long4", DType.INT64, 4, 16);
    /** {@code ulong1}: x. */
    public static final StructType ULONG1 = of("ulong1", DType.UINT64, 1, 8);
    /** {@code ulong2}: x, y. */
    public static final StructType ULONG2 = of("ulong2", DType.UINT64, 2, 16);
    /** {@code ulong3}: x, y, z. */
    public static final StructType ULONG3 = of("ulong3", DType.UINT64, 3, 8);
    /** {@code ulong4}: x, y, z, w. */
    public static final StructType ULONG4 = of("ulong4", DType.UINT64, 4, 16);
    /** {@code float1}: x. */
    public static final StructType FLOAT1 = of("float1", DType.FLOAT32, 1, 4);
    /** {@code float2}: x, y. */
    public static final StructType FLOAT2 = of("float2", DType.FLOAT32, 2, 8);
    /** {@code float3}: x, y, z. */
    public static final StructType FLOAT3 = of("float3", DType.FLOAT32, 3, 4);
    /** {@code float4}: x, y, z, w. */
    public static final StructType FLOAT4 = of("float4", DType.FLOAT32, 4, 16);
    /** {@code longlong1}: x. */
    public static final StructType LONGLONG1 = of("longlong1", DType.INT64, 1, 8);
    /** {@code longlong2}: x, y. */
    public static final StructType LONGLONG2 = of("longlong2", DType.INT64, 2, 16);
    /** {@code ulonglong1}: x. */
    public static final StructType ULONGLONG1 = of("ulonglong1", DType.UINT64, 1, 8);
    /** {@code ulonglong2}: x, y. */
    public static final StructType ULONGLONG2 = of("ulonglong2", DType.UINT64, 2, 16);
    /** {@code double1}: x. */
    public static final StructType DOUBLE1 = of("double1", DType.FLOAT64, 1, 8);
    /** {@code double2}: x, y. */
    public static final StructType DOUBLE2 = of("double2", DType.FLOAT64, 2, 16);

    static final List<StructType> ALL = List.of(
        CHAR1, CHAR2, CHAR3, CHAR4, UCHAR1, UCHAR2, UCHAR3, UCHAR4, SHORT1, SHORT2, SHORT3, SHORT4, USHORT1, USHORT2, USHORT3,
        USHORT4, INT1, INT2, INT3, INT4, UINT1, UINT2, UINT3, UINT4, LONG1, LONG2, LONG3, LONG4, ULONG1, ULONG2, ULONG3, ULONG4,
        FLOAT1, FLOAT2, FLOAT3, FLOAT4, LONGLONG1, LONGLONG2, ULONGLONG1, ULONGLONG2, DOUBLE1, DOUBLE2);

    private Vec() {}

    private static StructType of(String name, DType base, int count, int alignment) {
        List<StructType.Field> fields = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            fields.add(StructType.field("xyzw".substring(i, i + 1), base));
        }
        return new StructType(name, List.copyOf(fields), alignment);
    }
}
