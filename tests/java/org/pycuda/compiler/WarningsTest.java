package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pycuda.ChildJvm;

@Tag("child")
class WarningsTest {
    /** Compiles code with and without a compiler warning. */
    static final class Compiles {
        public static void main(String[] arguments) {
            SourceModule.compile(arguments[0], new SourceModule.Options().arch("sm_90").noCache());
        }
    }

    private static ChildJvm compile(String source) {
        return ChildJvm.run(Compiles.class, Map.of("PYCUDA_QUIET", "1"), source);
    }

    @Test
    void compilerWarningsAreLogged() {
        var child = compile("__global__ void f(float *a) {\n  int unused; a[0] = 1; }");
        assertEquals(0, child.status(), child.err());
        assertTrue(child.err().contains("WARNING") && child.err().contains("kernel.cu(2)"), child.err());
        assertEquals("", child.out());
    }

    @Test
    void nothingIsPrintedByDefault() {
        var child = compile("__global__ void f(float *a) { a[0] = 1; }");
        assertEquals(0, child.status(), child.err());
        assertEquals("", child.err() + child.out());
    }
}
