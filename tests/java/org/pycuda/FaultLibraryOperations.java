package org.pycuda;

import java.util.List;
import java.util.function.BiFunction;

/** Operations of {@link FaultOperations} on libraries, core dumps and functions that the driver calls. */
final class FaultLibraryOperations {
    private FaultLibraryOperations() {}

    private static void plain(String name, FaultOperations.Step<FaultOperations.Things> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, FaultOperations.Things::new, step));
    }

    private static final class Loaded extends FaultOperations.Things {
        final Library library = keep(Library.fromBuffer(Ptx.SCALE));
    }

    private static void library(String name, BiFunction<Library, FaultOperations.Things, Object> step) {
        FaultOperations.ALL.add(new FaultOperations.Operation<>(name, Loaded::new, (loaded, made) -> step.apply(loaded.library, made)));
    }

    static void add() {
        plain("Library.fromBuffer", (nothing, made) -> made.keep(Library.fromBuffer(Ptx.SCALE)).kernel("scale").parameters());
        library("Library.module", (library, made) -> library.module().global("table").sizeInBytes());
        library("Library.kernels", (library, made) -> library.kernels().stream().map(Kernel::name).sorted().toList());
        library("Kernel", (library, made) -> {
            Kernel kernel = library.kernel("nothing");
            kernel.setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, new Device(0));
            return kernel.function().attribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES);
        });
        plain("CoreDumps", (nothing, made) -> {
            try (var dumps = new CoreDumps()) {
                dumps.setFlags(CoreDumpFlag.SKIP_ABORT);
                return List.of(dumps.flags(), dumps.enabled());
            }
        });
        plain("Device.onOverBudget", (nothing, made) -> {
            DriverCallback listener = new Device(0).onOverBudget(bytes -> { });
            listener.unregister();
            return listener.isRegistered();
        });
    }
}
