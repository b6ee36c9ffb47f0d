package org.pycuda;

import java.util.ArrayList;
import java.util.List;
import org.pycuda.compiler.SourceModule;

/** A custom kernel: its source, compiled for each context at the first call there, or earlier. */
final class KernelCode {
    /** @param number number of the context ({@link ArrayCalls#contextNumber}) */
    private record Loaded(long number, Context context, SourceModule module, Function function) {}

    private final String source;
    private final String name;
    private final KernelOptions options;
    private volatile List<Loaded> loaded = List.of();
    private volatile Loaded last = new Loaded(0, null, null, null);

    KernelCode(String source, String name, KernelOptions options) {
        this.source = source;
        this.name = name;
        this.options = options;
    }

    /** Compiles now if a context is current, so that errors in the source are reported where the kernel is created. */
    void compile() {
        if (ArrayCalls.hasContext()) {
            loaded();
        }
    }

    /** The kernel in the current context, which has this {@link ArrayCalls#contextNumber}. */
    Function function(long number) {
        Loaded known = last;
        return (number != 0 && known.number == number ? known : loaded()).function;
    }

    /** The kernel in the current context. */
    Function function() {
        return function(ArrayCalls.contextNumber());
    }

    /** The module of the kernel. */
    SourceModule module() {
        return loaded().module;
    }

    private Loaded loaded() {
        Context current = Context.current();
        for (Loaded one : loaded) {
            if (one.context.equals(current)) {
                last = one;
                return one;
            }
        }
        return load(current);
    }

    private synchronized Loaded load(Context current) {
        List<Loaded> alive = new ArrayList<>();
        for (Loaded one : loaded) {
            if (one.context.equals(current)) {
                return one;
            } else if (one.context.isValid()) {
                alive.add(one);
            }
        }
        var module = new SourceModule(source, options.compiler());
        var made = new Loaded(ArrayCalls.contextNumber(), current, module, module.function(name));
        alive.add(made);
        loaded = alive;
        return made;
    }
}
