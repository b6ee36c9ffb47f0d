package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.compiler.SourceModule;

class SourceModuleTest implements WithContext {
    private static int run(SourceModule module, String kernel) {
        try (module) {
            var out = new int[1];
            module.function(kernel).launch(Driver.block(1), Driver.out(out));
            return out[0];
        }
    }

    private static SourceModule.Options options() {
        return new SourceModule.Options();
    }

    @Test
    void compilesAndLoads() {
        assertEquals(5, run(new SourceModule("__global__ void five(int *out) { *out = 5; }"), "five"));
    }

    @Test
    void symbolsAreFound() {
        try (var module = new SourceModule("__device__ int answer = 42; __global__ void nothing() {}")) {
            assertEquals(42, Driver.fromDevice(module.global("answer"), 1, int[].class)[0]);
            assertThrows(Driver.LogicError.class, () -> module.function("something"));
        }
    }

    @Test
    void compilerOptionsAreUsed() {
        String source = "__global__ void value(int *out) { *out = VALUE; }";
        assertEquals(17, run(new SourceModule(source, options().options("-DVALUE=17")), "value"));
        assertEquals(18, run(new SourceModule(source, options().options("-DVALUE=18")), "value"));
    }

    @Test
    void defaultFlagsReplaceMissingOptions() {
        var before = SourceModule.defaultNvccFlags();
        try {
            SourceModule.setDefaultNvccFlags(List.of("-DVALUE=19"));
            assertEquals(List.of("-DVALUE=19"), SourceModule.defaultNvccFlags());
            assertEquals(19, run(new SourceModule("__global__ void value(int *out) { *out = VALUE; }"), "value"));
        } finally {
            SourceModule.setDefaultNvccFlags(before);
        }
    }

    @Test
    void includeFoldersAreSearched(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("value.h"), "#define VALUE 20\n");
        String source = "#include \"value.h\"\nextern \"C\" __global__ void value(int *out) { *out = VALUE; }";
        assertEquals(20, run(new SourceModule(source, options().includeDirs(folder).noExternC().noCache()), "value"));
    }

    @Test
    void cacheFolderIsFilled(@TempDir Path folder) throws IOException {
        var options = options().cacheDir(folder);
        String source = "__global__ void five(int *out) { *out = 5; }";
        byte[] first = SourceModule.compile(source, options);
        if (System.getenv("PYCUDA_DISABLE_CACHE") == null) {
            try (var files = Files.walk(folder)) {
                assertTrue(files.anyMatch(Files::isRegularFile), "nothing was written");
            }
        }
        org.junit.jupiter.api.Assertions.assertArrayEquals(first, SourceModule.compile(source, options));
    }

    @Test
    void invalidSourceIsACompileErrorWithTheCompilersMessage() {
        var error = assertThrows(Driver.CompileError.class,
            () -> new SourceModule("__global__ void broken(int *out) { *out = undeclared_name; }"));
        assertTrue(error.stderr().contains("undeclared_name") || error.stdout().contains("undeclared_name"),
            error.getMessage());
        assertFalse(error.msg().isEmpty());
        assertFalse(error.commandLine().isEmpty());
        assertTrue(error.getMessage().contains("undeclared_name"), error.getMessage());
        assertEquals(0, error.code());
    }

    @Test
    void missingCompilerIsACompileError() {
        var error = assertThrows(Driver.CompileError.class,
            () -> new SourceModule("__global__ void f() {}", options().nvcc("/no/such/nvcc").noCache()));
        assertTrue(error.getMessage().contains("/no/such/nvcc"), error.getMessage());
    }

    @Test
    void nullOptionsAreNamed() {
        var error = assertThrows(NullPointerException.class, () -> options().cacheDir(null));
        assertEquals("cacheDir: to compile without a cache, call noCache()", error.getMessage());
        assertEquals("arch", assertThrows(NullPointerException.class, () -> options().arch(null)).getMessage());
    }

    @Test
    void closesLikeAModule() {
        var module = new SourceModule("__global__ void five(int *out) { *out = 5; }");
        var five = module.function("five");
        module.close();
        assertDoesNotThrow(module::close);
        assertThrows(Driver.LogicError.class, () -> five.launch(Driver.block(1), 0L));
    }
}
