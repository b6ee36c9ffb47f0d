package org.pycuda.compiler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The compiler's result: code, and the symbol of each name expression. */
record Compilation(byte[] image, Map<String, String> symbols) {
    private static final boolean HAS_FLIGHT_RECORDER = hasFlightRecorder();

    private static boolean hasFlightRecorder() {
        try {
            return jdk.jfr.FlightRecorder.isAvailable();
        } catch (NoClassDefFoundError withoutTheModule) {
            return false;
        }
    }

    /** Compiles with {@code flags} instead of those of the options, to {@code target}; logs what the compiler said. */
    static Compilation run(String source, SourceModule.Options options, List<String> flags, String target) {
        return HAS_FLIGHT_RECORDER ? runRecorded(source, options, flags, target) : compile(source, options, flags, target, null);
    }

    private static Compilation runRecorded(String source, SourceModule.Options options, List<String> flags, String target) {
        var event = new CompilationEvent();
        event.target = target;
        event.begin();
        try {
            return compile(source, options, flags, target, event);
        } finally {
            event.commit();
        }
    }

    /** {@code event} is a {@link CompilationEvent}, or null. */
    private static Compilation compile(String source, SourceModule.Options options, List<String> flags, String target, Object event) {
        var request = new CompileRequest();
        CompileResult result = null;
        try {
            options.fill(request);
            request.setSource(source);
            request.setOptions(flags.toArray(new String[0]));
            request.setTarget(target);
            result = CompilerCore.compile(request);
            show(result);
            if (event != null) {
                note((CompilationEvent) event, result);
            }
            Map<String, String> symbols = new HashMap<>();
            String[] expressions = request.nameExpressions();
            String[] lowered = result.loweredNames();
            for (int i = 0; i < expressions.length; i++) {
                symbols.put(expressions[i], lowered[i]);
            }
            return new Compilation(result.image(), symbols);
        } finally {
            request.delete();
            if (result != null) {
                result.delete();
            }
        }
    }

    private static void note(CompilationEvent event, CompileResult result) {
        event.cacheHit = result.cached();
        event.compiler = result.backend();
    }

    private static void show(CompileResult result) {
        System.Logger logger = System.getLogger("org.pycuda.compiler");
        for (String warning : result.warnings()) {
            logger.log(System.Logger.Level.WARNING, warning);
        }
        if (!result.buildDir().isEmpty()) {
            logger.log(System.Logger.Level.INFO, "compiler output in " + result.buildDir());
        }
    }
}
