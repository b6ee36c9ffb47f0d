package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.Devices;
import org.pycuda.Driver;
import org.pycuda.Function;
import org.pycuda.JitInputType;
import org.pycuda.JitOption;
import org.pycuda.WithContext;

class DynamicModuleTest implements WithContext {
    private static final List<String> RELOCATABLE = List.of("-rdc=true");
    private static final String CALLEE = "__device__ float twice(float x) { return 2 * x; }";
    private static final String CALLER = """
        extern __device__ float twice(float);
        __device__ int answer = 42;
        __global__ void fill(float *a) { a[threadIdx.x] = twice(4); }
        """;

    private static byte[] ptx(String source) {
        return SourceModule.compile(source, new SourceModule.Options().options("-rdc=true").target("ptx"));
    }

    private static void assertFills(float expected, Function fill) {
        var out = new float[2];
        fill.launch(Driver.block(2), Driver.out(out));
        assertEquals(expected, out[0]);
        assertEquals(expected, out[1]);
    }

    @Test
    void sourcesAreLinked() {
        List<String> heard = new ArrayList<>();
        var how = new LinkOptions().logVerbose().options(Map.of(JitOption.OPTIMIZATION_LEVEL, 2))
            .messageHandler((success, info, error) -> heard.add(success + "|" + (info != null && error != null)));
        try (var module = new DynamicModule(new SourceModule.Options(), how)) {
            assertSame(module, module.addSource(CALLEE, RELOCATABLE, "callee"));
            assertSame(module, module.addData(ptx(CALLER), JitInputType.PTX, "caller").link());
            assertFills(8, module.function("fill"));
            assertEquals(4, module.global("answer").sizeInBytes());
            assertEquals(List.of("fill"), module.functionNames());
            assertEquals(List.of("true|true"), heard);
        }
    }

    @Test
    void filesBuffersAndLibrariesAreTaken(@TempDir Path folder) throws Exception {
        Path callee = Files.write(folder.resolve("callee.ptx"), ptx(CALLEE));
        var caller = ByteBuffer.wrap(ptx(CALLER));
        try (var module = new DynamicModule()) {
            module.addFile(callee, JitInputType.PTX).addData(caller, JitInputType.PTX, "caller").addStdlib("cudadevrt").link();
            assertFills(8, module.function("fill"));
            assertEquals(0, caller.position());
        }
        try (var module = new DynamicModule()) {
            var library = assertThrows(Driver.RuntimeError.class, () -> module.addStdlib("no_such_library"));
            assertTrue(library.getMessage().contains("no_such_library"), library.getMessage());
            var file = assertThrows(Driver.RuntimeError.class, () -> module.addFile(folder.resolve("none.ptx"), JitInputType.PTX));
            assertTrue(file.getMessage().contains("none.ptx"), file.getMessage());
            module.addData("no PTX".getBytes(), JitInputType.PTX, "nonsense");
            var image = assertThrows(Driver.Error.class, module::link);
            assertTrue(image.getMessage().contains("nonsense"), image.getMessage());
        }
    }

    @Test
    void undefinedSymbolsAreNamedInErrors() {
        List<Boolean> heard = new ArrayList<>();
        var how = new LinkOptions().messageHandler((success, info, error) -> heard.add(success));
        try (var module = new DynamicModule(new SourceModule.Options().options("-rdc=true"), how).addSource(CALLER)) {
            var error = assertThrows(Driver.Error.class, module::link);
            assertTrue(error.getMessage().contains("twice"), error.getMessage());
            assertEquals(List.of(false), heard);
            var early = assertThrows(Driver.LogicError.class, () -> module.function("fill"));
            assertTrue(early.getMessage().contains("link"), early.getMessage());
        }
    }

    @Test
    void nameExpressionsSelectTemplateInstances() {
        String source = "template <class T> __global__ void fill(T *a) { a[threadIdx.x] = 6; }";
        try (var module = new DynamicModule(new SourceModule.Options().nameExpressions("fill<float>"))) {
            assertFills(6, module.addSource(source, RELOCATABLE).link().function("fill<float>"));
        }
    }

    @Test
    void everyStateRejectsCallsOfOtherStates() {
        var module = new DynamicModule();
        assertThrows(Driver.LogicError.class, () -> module.global("answer"));
        assertThrows(Driver.LogicError.class, module::functionNames);
        module.addSource("__global__ void nothing() {}").link();
        assertThrows(Driver.LogicError.class, module::link);
        assertThrows(Driver.LogicError.class, () -> module.addStdlib("cudadevrt"));
        module.close();
        assertDoesNotThrow(module::close);
        assertThrows(Driver.LogicError.class, () -> module.function("nothing"));
        assertThrows(Driver.LogicError.class, () -> module.addData(new byte[8], JitInputType.PTX));
    }

    @Test
    void nothingIsLeaked() throws InterruptedException {
        long modules = Devices.liveWithoutGarbage("module");
        try (var closedEarly = new DynamicModule(); var linked = new DynamicModule().addSource(CALLEE, RELOCATABLE).link()) {
            assertEquals(modules + 1, Devices.live("module"));
        }
        assertEquals(modules, Devices.live("module"));
        // Unreachable ones are released on the Cleaner's thread, without disturbing the driver's linker.
        for (int i = 0; i < 10; i++) {
            assertNotNull(new DynamicModule().addSource(CALLEE, RELOCATABLE));
        }
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(10);
        }
        aSingleSourceIsLinkedImmediately();
    }

    @Test
    void linkTimeOptimised() {
        Assumptions.assumeTrue(CompilerCore.hasNvjitlink(), "nvJitLink is not installed");
        try (var module = new DynamicModule()) {
            for (String source : List.of(CALLEE, CALLER)) {
                module.addSource(source, List.of("-rdc=true", "-dlto"));
            }
            assertFills(8, module.link().function("fill"));
        }
    }

    @Test
    void aSingleSourceIsLinkedImmediately() {
        String source = "__global__ void fill(float *a) { a[threadIdx.x] = VALUE; }";
        try (var module = new DynamicSourceModule(source, new SourceModule.Options().options("-DVALUE=7"))) {
            assertFills(7, module.function("fill"));
        }
    }

    @Test
    void kernelsLaunchKernels() {
        try (var module = new DynamicSourceModule("""
            __global__ void child(float *a) { a[threadIdx.x] = 9; }
            __global__ void fill(float *a) { if (threadIdx.x == 0) child<<<1, 2>>>(a); }
            """)) {
            assertFills(9, module.function("fill"));
        }
    }

    @Test
    void failedConstructionLeaksNothing() {
        long before = Devices.liveWithoutGarbage("module");
        assertThrows(Driver.CompileError.class, () -> new DynamicSourceModule("this is no program"));
        assertEquals(before, Devices.live("module"));
    }
}
