package org.pycuda;

import java.util.Objects;

/**
 * A parameter that is a value.
 * @see VectorArg
 */
public record ScalarArg(CType dtype, String name) implements Argument {
    /** Neither may be null. */
    public ScalarArg {
        Objects.requireNonNull(dtype, "dtype");
        Objects.requireNonNull(name, "name");
    }

    @Override
    public String declarator() {
        return dtype.ctype() + " " + name;
    }

    @Override
    public String structChar() {
        return dtype.structChar();
    }
}
