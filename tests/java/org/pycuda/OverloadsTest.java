package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which overloads the compiler chooses, and what it converts. */
class OverloadsTest implements WithContext {
    /** Parameters of type Object: the type of the argument depends on the kernel. */
    private static final Set<String> ANY_OBJECT = Set.of("equals", "Invocation.set", "HostData.ofObject", "Driver.fromDeviceLike");

    private static Stream<Executable> members() {
        return Samples.publicClasses().stream().flatMap(type -> Stream.<Executable>concat(Arrays.stream(type.getConstructors()), Arrays.stream(type.getMethods())))
            .filter(member -> member.getDeclaringClass().getName().startsWith("org.pycuda") && !member.isSynthetic());
    }

    private static String nameOf(Executable member) {
        String owner = member.getDeclaringClass().getSimpleName();
        return member instanceof Method ? owner + "." + member.getName() : "new " + owner;
    }

    @Test
    void theCompilerRejectsWrongTypes() {
        List<String> open = members().filter(member -> Arrays.asList(member.getParameterTypes()).contains(Object.class))
            .filter(member -> !ANY_OBJECT.contains(member.getName()) && !ANY_OBJECT.contains(nameOf(member))).map(Executable::toString).distinct().toList();
        assertEquals(List.of(), open);
    }

    private static String signature(Executable member, boolean ofInts) {
        List<String> types = Arrays.stream(member.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.toCollection(ArrayList::new));
        if (ofInts) {
            types.set(types.size() - 1, "int[]");
        }
        return nameOf(member).replaceAll("(Proxy|Overloads)", "").replaceAll("^Driver.*\\.", "Driver.") + types;
    }

    @Test
    void longParametersAcceptInts() {
        Set<String> all = members().filter(Executable::isVarArgs).map(member -> signature(member, false)).collect(Collectors.toSet());
        List<Executable> longs = members().filter(member -> member.isVarArgs() && member.getParameterTypes()[member.getParameterCount() - 1] == long[].class).toList();
        assertTrue(longs.size() > 30, longs.size() + " methods");
        assertEquals(List.of(), longs.stream().map(member -> signature(member, true)).filter(twin -> !all.contains(twin)).distinct().toList());
    }

    @Test
    void shapesMayBeInts() {
        int[] shape = {2, 3};
        try (var scope = new ArrayScope()) {
            assertArrayEquals(new long[] {2, 3}, GPUArray.zeros(DType.FLOAT32, shape).shape());
            assertArrayEquals(new long[] {2, 3}, GPUArray.factory().order(Order.F).ones(DType.INT8, shape).shape());
            assertArrayEquals(new long[] {3, 2}, GPUArray.toGpu(HostData.of(new float[6]).shape(shape)).reshape(3, -1).shape());
            assertArrayEquals(new long[0], GPUArray.zeros(DType.FLOAT32).shape());
            assertArrayEquals(new long[] {2, 3}, GPUArray.zeros(DType.FLOAT32, 3).broadcastTo(shape).shape());
            assertEquals(5, GPUArray.toGpu(HostData.of(new int[] {0, 1, 2, 3, 4, 5}).shape(shape)).at(new int[] {1, 2}).getInt());
            assertArrayEquals(new long[] {4, 9}, GPUArray.zeros(DType.FLOAT32, 2, 3).tile(2, 3).shape());
            assertArrayEquals(new long[] {2, 3}, CuRandom.rand(DType.FLOAT64, shape).shape());
            assertArrayEquals(new long[] {2, 3}, GPUArray.wrap(GPUArray.zeros(DType.FLOAT32, 6), DType.FLOAT32, shape).shape());
            assertArrayEquals(new long[] {7}, GPUArray.multiPut(List.of(GPUArray.zeros(DType.FLOAT32, 3)), GPUArray.arange(DType.UINT32, 3), 7).get(0).shape());
        }
        try (var pinned = Driver.pagelockedZeros(DType.FLOAT32, shape)) {
            assertEquals(24, pinned.size());
        }
    }

    @Test
    void dataOfAnUnknownStaticTypeIsAccepted() {
        for (Object data : new Object[] {new float[] {1, 2, 3}, new float[][] {{1, 2, 3}}, java.nio.FloatBuffer.wrap(new float[] {1, 2, 3})}) {
            var host = HostData.ofObject(data);
            try (var memory = Driver.toDevice(host); var array = GPUArray.toGpu(host)) {
                assertArrayEquals(new float[] {1, 2, 3}, Driver.fromDevice(memory, 3, float[].class));
                assertEquals(6, array.sum().getFloat());
                assertEquals(data, array.fill(7).getInto(host).data());
                Driver.memcpyHtod(memory, host);
                assertArrayEquals(new float[] {7, 7, 7}, Driver.fromDeviceLike(memory, new float[3]));
            }
        }
    }
}
