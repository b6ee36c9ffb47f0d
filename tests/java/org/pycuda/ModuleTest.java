package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleTest implements WithContext {
    private static final String PTX = """
        .version 7.0
        .target sm_52
        .address_size 64
        .visible .global .align 4 .u32 number = 41;
        .visible .entry increment()
        {
            .reg .b32 %r<3>;
            ld.global.u32 %r1, [number];
            add.u32 %r2, %r1, 1;
            st.global.u32 [number], %r2;
            ret;
        }
        """;

    private static void check(Module module) {
        try (module) {
            var number = module.global("number");
            assertEquals(4, number.sizeInBytes());
            assertEquals(41, Driver.fromDevice(number, 1, int[].class)[0]);
            module.function("increment").launch(Driver.block(1));
            assertEquals(42, Driver.fromDevice(number, 1, int[].class)[0]);
        }
    }

    @Test
    void loadsFromMemoryInEveryForm() {
        byte[] bytes = PTX.getBytes(StandardCharsets.UTF_8);
        check(Driver.moduleFromBuffer(bytes));
        check(Driver.moduleFromBuffer(PTX));
        check(Driver.moduleFromBuffer(ByteBuffer.wrap(bytes)));
        var shifted = ByteBuffer.allocateDirect(bytes.length + 3).position(3).put(bytes).position(3);
        check(Driver.moduleFromBuffer(shifted));
        assertEquals(3, shifted.position());
    }

    @Test
    void loadsFromAFile(@TempDir Path folder) throws java.io.IOException {
        Path file = Files.writeString(folder.resolve("increment.ptx"), PTX);
        check(Driver.moduleFromFile(file));
        check(Driver.moduleFromFile(file.toString()));
        var error = assertThrows(Driver.RuntimeError.class, () -> Driver.moduleFromFile(folder.resolve("missing.ptx")));
        assertTrue(error.getMessage().contains("missing.ptx"), error.getMessage());
    }

    @Test
    void jitOptionsAndMessages() {
        List<String> heard = new ArrayList<>();
        MessageHandler handler = (success, info, error) -> heard.add(success + "|" + (info != null) + "|" + error);
        check(Driver.moduleFromBuffer(PTX, Map.of(JitOption.OPTIMIZATION_LEVEL, 2, JitOption.MAX_REGISTERS, 32), handler));
        assertEquals(1, heard.size());
        assertTrue(heard.get(0).startsWith("true|true|"), heard.get(0));
    }

    @Test
    void invalidCodeIsReportedToTheHandlerAndThrown() {
        List<String> heard = new ArrayList<>();
        var failure = assertThrows(Driver.Error.class, () -> Driver.moduleFromBuffer(PTX.replace("add.u32", "ad.u32"), Map.of(),
            (success, info, error) -> heard.add(success + "|" + error)));
        assertEquals(1, heard.size());
        assertTrue(heard.get(0).startsWith("false|") && heard.get(0).length() > "false|".length(), heard.get(0));
        assertTrue(failure.getMessage().startsWith("cuModuleLoadDataEx failed: "), failure.getMessage());
    }

    @Test
    void missingNamesAreNamedInErrors() {
        try (var module = Driver.moduleFromBuffer(PTX)) {
            var error = assertThrows(Driver.LogicError.class, () -> module.function("decrement"));
            assertTrue(error.getMessage().contains("decrement"), error.getMessage());
            assertThrows(Driver.LogicError.class, () -> module.global("text"));
        }
    }

    @Test
    void kernelsAreListed() {
        try (var module = Driver.moduleFromBuffer(PTX + ".visible .entry second() { ret; }")) {
            assertEquals(Set.of("increment", "second"), Set.copyOf(module.functionNames()));
        }
    }

    @Test
    void functionsEndWithTheModule() {
        var module = Driver.moduleFromBuffer(PTX);
        var function = module.function("increment");
        module.close();
        assertDoesNotThrow(module::close);
        assertThrows(Driver.LogicError.class, () -> module.function("increment"));
        var error = assertThrows(Driver.LogicError.class, () -> function.launch(Driver.block(1)));
        assertTrue(error.getMessage().contains("closed"), error.getMessage());
    }

    @Test
    void invalidCodeIsRejected() {
        byte[] elf = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7, 0, 0, 0, 0, 0, 0, 0, 2, 0, (byte) 190, 0};  // a cubin's first bytes
        assertThrows(Driver.Error.class, () -> Driver.moduleFromBuffer(java.util.Arrays.copyOf(elf, 4096)));
        assertThrows(IllegalArgumentException.class, () -> Driver.moduleFromBuffer(new byte[0]));
        assertThrows(Driver.Error.class, () -> Driver.moduleFromBuffer("not PTX"));
    }

    @Test
    void constantMemoryIsWritten() {
        var weights = Kernels.module().global("weights");
        assertEquals(64, weights.sizeInBytes());
        var values = new float[] {1, 2, 3, 4};
        Driver.memcpyHtod(weights, values);
        assertArrayEquals(values, Driver.fromDevice(weights, 4, float[].class));
    }
}
