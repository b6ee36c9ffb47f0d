package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Libraries and their kernels: code that belongs to no context. */
class LibraryTest implements WithContext {
    private static void check(Library library) {
        try (library) {
            check(library.kernel("scale"));
        }
    }

    private static void check(Kernel kernel) {
        var y = new float[] {0, 1, 2};
        kernel.launch(Driver.block(3), Driver.inOut(y), 3f);
        assertArrayEquals(new float[] {0, 3, 6}, y);
    }

    @Test
    void loadsInEveryForm(@TempDir Path folder) throws java.io.IOException {
        byte[] bytes = Ptx.SCALE.getBytes(StandardCharsets.UTF_8);
        check(Library.fromBuffer(bytes));
        check(Library.fromBuffer(ByteBuffer.wrap(bytes)));
        check(Library.fromBuffer(Ptx.SCALE));
        check(Library.fromFile(Files.writeString(folder.resolve("scale.ptx"), Ptx.SCALE)));
        Path missing = folder.resolve("missing.ptx");
        assertTrue(assertThrows(Driver.RuntimeError.class, () -> Library.fromFile(missing)).getMessage().contains("missing.ptx"));
    }

    @Test
    void jitOptionsAndMessages() {
        List<Boolean> heard = new ArrayList<>();
        MessageHandler handler = (success, info, error) -> heard.add(success);
        byte[] wrong = Ptx.SCALE.replace("mul.f32", "mull.f32").getBytes(StandardCharsets.UTF_8);
        check(Library.fromBuffer(ByteBuffer.wrap(Ptx.SCALE.getBytes(StandardCharsets.UTF_8)), Map.of(JitOption.OPTIMIZATION_LEVEL, 2), handler));
        if (Devices.isCpu()) {
            assertThrows(Driver.Error.class, () -> Library.fromBuffer(ByteBuffer.wrap(wrong), Map.of(), handler));
            assertEquals(List.of(true, false), heard);
        } else {  // the driver compiles when a kernel is asked for
            assertThrows(Driver.Error.class, () -> Library.fromBuffer(ByteBuffer.wrap(wrong), Map.of(), handler).kernel("scale").function());
        }
    }

    @Test
    void needsNoContext() {
        Context.pop();
        var device = new Device(0);
        try (var library = Library.fromBuffer(Ptx.SCALE)) {
            assertEquals(List.of("nothing", "scale"), library.kernels().stream().map(Kernel::name).sorted().toList());
            Kernel kernel = library.kernel("scale");
            assertThrows(Driver.LogicError.class, kernel::parameters);
            kernel.setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, device);
            assertEquals(1024, kernel.attribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, device));
            kernel.setCacheConfig(FuncCache.PREFER_L1, device);
            assertThrows(Driver.LogicError.class, kernel::function);
            assertThrows(Driver.LogicError.class, library::module);
        }
    }

    @Test
    void everyContextHasItsOwnModule() {
        try (var library = Library.fromBuffer(Ptx.SCALE)) {
            Driver.GlobalSymbol here = library.global("table");
            assertEquals(library.module().global("table"), here);
            assertEquals(library.module(), library.module());
            Context other = new Device(0).makeContext();
            assertNotEquals(here, library.global("table"));
            check(library.kernel("scale"));
            assertEquals(List.of(new Kernel.Parameter(0, 8), new Kernel.Parameter(8, 4)), library.kernel("scale").parameters());
            other.detach();
            check(library.kernel("scale"));
        }
    }

    @Test
    void unknownNames() {
        try (var library = Library.fromBuffer(Ptx.SCALE)) {
            var error = assertThrows(Driver.LogicError.class, () -> library.kernel("missing"));
            assertTrue(error.getMessage().contains("the library has: ") && error.getMessage().contains("scale"), error.getMessage());
            for (Runnable ask : new Runnable[] {() -> library.global("missing"), () -> library.managed("table"),
                                                () -> library.unifiedFunction("scale")}) {
                assertThrows(Driver.LogicError.class, ask::run);
            }
        }
    }

    @Test
    void nothingIsUsableAfterClose() {
        var library = Library.fromBuffer(Ptx.SCALE);
        Kernel kernel = library.kernel("nothing");
        Function function = kernel.function();
        Module module = library.module();
        library.close();
        library.close();
        for (Runnable use : new Runnable[] {() -> library.kernel("nothing"), library::kernels, library::handle, kernel::function, kernel::handle,
                                            () -> kernel.attribute(FunctionAttribute.NUM_REGS, new Device(0)), () -> function.launch(Driver.block(1)),
                                            function::handle, () -> module.function("nothing"), () -> kernel.launch(Driver.block(1))}) {
            assertTrue(assertThrows(Driver.LogicError.class, use::run).getMessage().contains("was closed"));
        }
        assertEquals("nothing", kernel.name());
    }

    @Test
    void closingTheModuleLeavesTheLibrary() {
        try (var library = Library.fromBuffer(Ptx.SCALE)) {
            Module module = library.module();
            module.close();
            assertThrows(Driver.LogicError.class, () -> module.function("scale"));
            check(library.kernel("scale"));
        }
    }

    /** Other threads launch while the library is closed: each launch works, or is a LogicError. */
    @Test
    void closeDuringLaunches() throws InterruptedException {
        Context context = Context.current();
        for (int round = 0; round < 20; round++) {
            var library = Library.fromBuffer(Ptx.SCALE);
            Function function = library.kernel("nothing").function();
            List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 3; i++) {
                threads.add(new Thread(() -> {
                    context.push();
                    try {
                        while (true) {
                            function.launch(Driver.block(1));
                        }
                    } catch (Driver.LogicError closed) {
                        if (!closed.getMessage().contains("was closed")) {
                            failures.add(closed);
                        }
                    } catch (Throwable failure) {
                        failures.add(failure);
                    } finally {
                        Context.pop();
                    }
                }));
            }
            threads.forEach(Thread::start);
            library.close();
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), failures);
        }
        Context.synchronize();
    }
}
