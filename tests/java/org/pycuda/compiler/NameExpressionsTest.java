package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.pycuda.Driver;
import org.pycuda.WithContext;

class NameExpressionsTest implements WithContext {
    private static final String SOURCE = """
        template <class T> __global__ void scale(T *a, T k) { a[threadIdx.x] *= k; }
        namespace n { __device__ int g[3]; }
        """;

    private static SourceModule.Options expressions(String... values) {
        return new SourceModule.Options().nameExpressions(values);
    }

    @Test
    void instancesAndVariablesAreFoundByTheirCxxNames() {
        try (var module = new SourceModule(SOURCE, expressions("scale<float>", "scale<int>", "n::g"))) {
            float[] floats = {1, 2, 3};
            int[] ints = {1, 2, 3};
            module.function("scale<float>").launch(Driver.block(3), Driver.inOut(floats), 1.5f);
            module.function("scale<int>").launch(Driver.block(3), Driver.inOut(ints), 4);
            assertArrayEquals(new float[] {1.5f, 3, 4.5f}, floats);
            assertArrayEquals(new int[] {4, 8, 12}, ints);
            assertEquals(12, module.global("n::g").sizeInBytes());
            assertEquals(2, module.functionNames().size());
            assertThrows(Driver.LogicError.class, () -> module.function("scale<double>"));
        }
    }

    @Test
    void symbolsStillWork() {
        try (var module = new SourceModule(SOURCE, expressions("scale<float>"))) {
            float[] numbers = {1, 2};
            module.function(module.functionNames().get(0)).launch(Driver.block(2), Driver.inOut(numbers), 3f);
            assertArrayEquals(new float[] {3, 6}, numbers);
        }
    }

    @Test
    void unresolvedNameExpressionsAreCompileErrors() {
        var error = assertThrows(Driver.CompileError.class, () -> new SourceModule(SOURCE, expressions("missing<float>")));
        assertEquals(true, error.getMessage().contains("missing"), error.getMessage());
    }
}
