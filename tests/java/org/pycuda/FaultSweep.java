package org.pycuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.pycuda.FaultOperations.Operation;
import org.pycuda.FaultOperations.Things;

/**
 * Makes each driver call of each operation fail once, and checks the outcome. <p>A separate program, because its driver fails on demand
 * (tests/faults); PYCUDA_CPU_LIBRARY names it. Prints a line for each operation, with its name and the number of its driver calls, and a line with a
 * leading blank for everything that was wrong.
 */
final class FaultSweep {
    private static final int OUT_OF_MEMORY = 2;
    private static final int LAUNCH_FAILED = 719;
    private static final List<String> KINDS = List.of("context", "stream", "event", "module", "device allocation", "array",
        "mipmapped array", "texture object", "surface object", "pooled memory", "page-locked allocation", "registered host memory",
        "managed allocation", "stream-ordered allocation", "stream-ordered pool", "physical memory", "virtual memory",
        "external memory", "external buffer", "external semaphore",
        "graph", "executable graph", "IPC memory handle", "registered OpenGL object", "OpenGL mapping", "green context");

    /** Calls whose failure need not make the operation fail; the sweep in Python gives the reasons. cuLaunchHostFunc: memory is freed immediately instead. */
    private static final List<String> TOLERATED = List.of("cuCtxGetCurrent", "cuCtxPushCurrent", "cuStreamQuery", "cuEventQuery",
        "cuEventRecord", "cuCtxSynchronize", "cuCtxRecordEvent", "cuStreamGetId", "cuPointerGetAttribute", "cuPointerGetAttributes",
        "cuGLGetDevices", "cuLaunchHostFunc", "cuMemGetAddressRange", "cuStreamGetCaptureInfo", "cuFuncGetName",
        "cuThreadExchangeStreamCaptureMode");

    /** The same for one operation. When a primary context ends, an allocation checks whether another library still retains it. */
    private static final Map<String, List<String>> TOLERATED_IN = Map.of("Context.close.primary", List.of("cuMemAlloc"),
        "ExecutableGraph.update", List.of("cuGraphGetNodes", "cuGraphGetEdges", "cuGraphNodeGetType", "cuGraphKernelNodeGetParams",
            "cuFuncGetParamInfo", "cuGraphMemsetNodeGetParams"));

    /** Calls that release: their failures go to the reporter of clean-up failures. */
    private static final List<String> GIVES_BACK = List.of("Free", "Destroy", "Unload", "Unregister", "PopCurrent", "Release",
        "CloseMemHandle", "cuMemUnmap");

    private record Outcome(String value, Throwable error, List<String> calls, String failed) {}

    private record Held(Map<String, Long> handles, long freeBytes) {
        /** Counts of all live objects. Pools are emptied first. */
        static Held now() {
            try (var pool = DeviceMemoryPool.ofCurrentContext()) {
                pool.freeHeld();
            }
            var handles = new TreeMap<String, Long>();
            KINDS.stream().filter(kind -> Devices.live(kind) != 0).forEach(kind -> handles.put(kind, Devices.live(kind)));
            return new Held(handles, Driver.memGetInfo().free());
        }

        private boolean isWithin(Held before) {
            return freeBytes >= before.freeBytes
                && handles.entrySet().stream().allMatch(kind -> kind.getValue() <= before.handles.getOrDefault(kind.getKey(), 0L));
        }

        /** The counts if they remain higher than before, else null. Objects that streams keep alive are released on another thread. */
        Held leak() throws InterruptedException {
            for (int i = 0;; i++) {
                Held now = now();
                if (now.isWithin(this)) {
                    return null;
                }
                if (i == 200) {
                    return now;
                }
                if (i % 20 == 5) {
                    Cleanup.collectGarbage();
                }
                Thread.sleep(1);
            }
        }
    }

    private FaultSweep() {}

    private static <S extends Things> Outcome attempt(Operation<S> operation, S state, int number, int code) throws Exception {
        String value = null;
        Throwable error = null;
        String calls;
        try (var made = new Things()) {
            Faults.arm(number, code);
            try {
                value = Arrays.deepToString(new Object[] {operation.step().run(state, made)});
            } catch (java.util.concurrent.CompletionException wrapped) {
                error = wrapped.getCause();
            } catch (RuntimeException raised) {
                error = raised;
            } finally {
                calls = Faults.disarm();
            }
        }
        return new Outcome(value, error, calls.isEmpty() ? List.of() : List.of(calls.trim().split(" ")), Faults.failed());
    }

    /** What is wrong with the outcome of a fault in the call {@code name}; null if nothing is. */
    private static String judge(String operation, String name, int code, Throwable error) {
        if (error == null) {
            boolean fine = TOLERATED.contains(name) || TOLERATED_IN.getOrDefault(operation, List.of()).contains(name) || GIVES_BACK.stream().anyMatch(name::contains) || code == OUT_OF_MEMORY;
            return fine ? null : "no exception";
        }
        Class<?> wanted = code == OUT_OF_MEMORY ? Driver.MemoryError.class : Driver.LaunchError.class;
        if (error.getClass() != wanted) {
            return error.getClass().getSimpleName() + ", not " + wanted.getSimpleName() + ": " + error.getMessage();
        }
        var raised = (Driver.Error) error;
        boolean named = raised.routine().equals(name) && raised.code() == code && raised.getMessage().contains(name);
        return named ? null : "the exception names " + raised.routine() + " " + raised.code() + ": " + raised.getMessage();
    }

    /** The contexts of this thread, the current one first. */
    private static List<Context> stack() {
        var contexts = new ArrayList<Context>();
        while (DriverProxy.currentContext() != 0) {
            contexts.add(Context.current());
            Context.pop();
        }
        for (int i = contexts.size() - 1; i >= 0; i--) {
            contexts.get(i).push();
        }
        return contexts;
    }

    /** What a failed operation has done to the stack of contexts; null if it is as before. */
    private static String changeOfStack(List<Context> before, Outcome outcome) {
        if (outcome.error() == null || outcome.failed().contains("PopCurrent")) {
            return null;
        }
        List<Context> after = stack();
        return after.equals(before) ? null : "the stack of contexts was " + before + ", and is " + after;
    }

    private static void restore(Context base) {
        while (!base.equals(Context.current())) {
            Context.pop();
        }
    }

    private static <S extends Things> int sweep(Operation<S> operation, Context base, List<String> problems) throws Exception {
        try (var state = operation.setup().get()) {
            attempt(operation, state, 0, 0);  // compiles kernels and fills caches
            restore(base);
        }
        var before = Held.now();
        Outcome clean;
        try (var state = operation.setup().get()) {
            clean = attempt(operation, state, 0, 0);
            restore(base);
        }
        Held more = before.leak();
        if (clean.error() != null || more != null) {
            problems.add("without a fault: " + clean.error() + ", held before " + before + ", after " + more);
            return clean.calls().size();
        }
        for (int number = 1; number <= clean.calls().size(); number++) {
            String name = clean.calls().get(number - 1);
            for (int code : name.contains("Alloc") ? new int[] {LAUNCH_FAILED, OUT_OF_MEMORY} : new int[] {LAUNCH_FAILED}) {
                String fault = name + " (call " + number + ") fails with " + code + ": ";
                try (var state = operation.setup().get()) {
                    List<Context> contexts = stack();
                    var first = attempt(operation, state, number, code);
                    String changed = changeOfStack(contexts, first);
                    restore(base);
                    String wrong = first.failed().isEmpty() ? null : judge(operation.name(), first.failed(), code, first.error());
                    java.util.stream.Stream.of(wrong, changed).filter(Objects::nonNull)  // some calls depend on timing
                        .forEach(problem -> problems.add(fault + first.failed() + ": " + problem));
                    var second = attempt(operation, state, 0, 0);
                    if (second.error() != null || !second.value().equals(clean.value())) {
                        problems.add(fault + "the second try gives " + second.value() + " " + second.error() + ", not " + clean.value());
                    }
                }
                restore(base);
                more = before.leak();
                if (more != null) {
                    problems.add(fault + "held before " + before + ", after " + more);
                    before = more;
                }
            }
        }
        return clean.calls().size();
    }

    public static void main(String[] names) throws Exception {
        Driver.init();
        var context = new Device(0).makeContext();
        FaultArrayOperations.add();
        FaultSharingOperations.add();
        FaultGlOperations.add();
        FaultContextOperations.add();
        FaultLibraryOperations.add();
        FaultExternalOperations.add();
        FaultGraphOperations.add();
        for (Operation<?> operation : FaultOperations.ALL) {
            if (names.length > 0 && !List.of(names).contains(operation.name())) {
                continue;
            }
            var problems = new ArrayList<String>();
            int calls = sweep(operation, context, problems);
            System.out.println(operation.name() + " " + calls);
            problems.forEach(problem -> System.out.println(" " + problem.replace('\n', ' ')));
        }
        context.close();
        System.out.println("done 0");
    }
}
