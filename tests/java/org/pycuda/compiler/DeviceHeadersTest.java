package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.Autoinit;
import org.pycuda.ChildJvm;
import org.pycuda.DType;
import org.pycuda.Driver;
import org.pycuda.GPUArray;
import org.pycuda.WithContext;

class DeviceHeadersTest implements WithContext {
    private static final String SQUARE = """
        #include <pycuda-complex.hpp>
        __global__ void square(pycuda::complex<float> *z) { z[threadIdx.x] = z[threadIdx.x] * z[threadIdx.x]; }
        """;

    @Test
    void complexHeaderIsAvailable() {
        try (var module = new SourceModule(SQUARE)) {
            float[] numbers = {1, 2, 0, 1};  // 1 + 2i, i
            module.function("square").launch(Driver.block(2), Driver.inOut(numbers));
            assertArrayEquals(new float[] {-3, 4, -1, 0}, numbers);
        }
    }

    /** Compiles code that includes a header, and prints where the headers are and the permissions of their folder. */
    static final class Compiles {
        public static void main(String[] arguments) throws Exception {
            SourceModule.compile(SQUARE, new SourceModule.Options().arch("sm_90").noCache());
            Path folder = Path.of(CompilerCore.deviceIncludeDir());
            boolean hasModes = folder.getFileSystem().supportedFileAttributeViews().contains("posix");  // not on Windows
            System.out.println(folder + " " + (hasModes ? Files.getPosixFilePermissions(folder).size() : 3));
        }
    }

    /** Uses an array before anything else is compiled: its kernels include the headers too. */
    static final class UsesArraysFirst {
        public static void main(String[] arguments) {
            Autoinit.init();
            System.out.println(GPUArray.ones(DType.FLOAT32, 2).mul(3).getFloats()[1]);
        }
    }

    @Tag("child")
    @Test
    void arraysFindTheHeaders() {
        var child = ChildJvm.run(UsesArraysFirst.class, Map.of("PYCUDA_DISABLE_CACHE", "1"));
        assertEquals("3.0", child.out().trim(), child.err());
    }

    @Tag("child")
    @Test
    void extractedHeadersArePrivateAndGoWithTheJvm(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(System.getProperty("org.pycuda.library") == null, "in this run they are beside the library");
        var child = ChildJvm.run(Compiles.class, Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + folder));
        assertEquals(0, child.status(), child.err());
        assertTrue(child.out().startsWith(folder.toString()), child.out());
        assertTrue(child.out().trim().endsWith(" 3"), "mode 700: " + child.out());
        try (var files = Files.list(folder)) {
            assertEquals(List.of(), files.filter(file -> file.getFileName().toString().startsWith("pycuda-include")).toList());
        }
    }

    @Tag("child")
    @Test
    void foldersCanBeNamed(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("pycuda-complex.hpp"),
            "extern \"C++\" { namespace pycuda { template <class T> struct complex { T r; };\n"
            + "template <class T> __device__ complex<T> operator*(complex<T> a, complex<T> b) { return {a.r * b.r}; } } }\n");
        for (var environment : List.of(Map.of("PYCUDA_DEVICE_INCLUDE_DIR", folder.toString()),
            Map.of("JDK_JAVA_OPTIONS", "-Dorg.pycuda.device.include=" + folder))) {
            var child = ChildJvm.run(Compiles.class, environment);
            assertEquals(0, child.status(), child.err());
            assertTrue(child.out().startsWith(folder + " "), child.out());
        }
        assertFalse(CompilerCore.deviceIncludeDir().equals(folder.toString()));
    }
}
