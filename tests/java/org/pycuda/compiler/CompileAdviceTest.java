package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.pycuda.Driver;
import org.pycuda.WithContext;

/** What the errors of compilers advise; programs/test_headers.py has more, of the same core. */
class CompileAdviceTest implements WithContext {
    private static String lastLine(String source) {
        var error = assertThrows(Driver.CompileError.class, () -> new SourceModule(source));
        return error.getMessage().stripTrailing().lines().reduce((first, second) -> second).orElseThrow();
    }

    @Test
    void linkageNamesTheOption() {
        String line = lastLine("template <class T> __device__ T twice(T x) { return x + x; }\n__global__ void f(int *x) { *x = twice(*x); }");
        assertTrue(line.contains("call noExternC() of SourceModule.Options, and write extern \"C\""), line);
    }

    @Test
    void missingHeadersOfTheProgramNameTheOption() {
        String line = lastLine("#include \"no_such.h\"\n__global__ void f() {}");
        assertTrue(line.contains("no_such.h was not found") && line.contains("name its folder with includeDirs of SourceModule.Options"), line);
    }

    @Test
    void byteOrderMarksAndHeadersOfTheHost() {
        try (var module = new SourceModule("\ufeff#include <stdio.h>\n#include <cmath>\n__global__ void f(float *x) { x[0] = std::sqrt(x[0]); }")) {
            float[] numbers = {4};
            module.function("f").launch(Driver.block(1), Driver.inOut(numbers));
            assertEquals(2, numbers[0]);
        }
    }
}
