package org.pycuda;

import java.util.ArrayList;
import java.util.List;
import org.pycuda.compiler.SourceModule;

/** A kernel of one's own: its source, compiled for a context when it is first called there. */
final class KernelCode {
    private record Loaded(Context context, Function function) {}

    private final String source;
    private final String name;
    private final KernelOptions options;
    private volatile List<Loaded> loaded = List.of();

    KernelCode(String source, String name, KernelOptions options) {
        this.source = source;
        this.name = name;
        this.options = options;
    }

    /** The kernel in the current context. */
    Function function() {
        Context current = Context.current();
        for (Loaded one : loaded) {
            if (one.context.equals(current)) {
                return one.function;
            }
        }
        return load(current);
    }

    private synchronized Function load(Context current) {
        List<Loaded> alive = new ArrayList<>();
        for (Loaded one : loaded) {
            if (one.context.equals(current)) {
                return one.function;
            } else if (one.context.isValid()) {
                alive.add(one);
            }
        }
        Function function = new SourceModule(source, options.compiler()).getFunction(name);
        alive.add(new Loaded(current, function));
        loaded = alive;
        return function;
    }
}
