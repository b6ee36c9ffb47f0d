package org.pycuda;

import java.util.Objects;

/** A parameter that is a pointer to the elements of an array. */
public record VectorArg(CType dtype, String name) implements Argument {
    /** Neither may be null. */
    public VectorArg {
        Objects.requireNonNull(dtype, "dtype");
        Objects.requireNonNull(name, "name");
    }

    @Override
    public String declarator() {
        return dtype.ctype() + " *" + name;
    }

    @Override
    public String structChar() {
        return "P";
    }
}
