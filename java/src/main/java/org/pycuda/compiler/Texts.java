package org.pycuda.compiler;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Lists of texts from callers. */
final class Texts {
    private Texts() {}

    /** An immutable copy. NullPointerException that names the parameter, or the element of it that is null. */
    static List<String> copyOf(List<String> texts, String parameter) {
        List<String> copy = new ArrayList<>(Objects.requireNonNull(texts, parameter));
        for (int i = 0; i < copy.size(); i++) {
            if (copy.get(i) == null) {
                throw new NullPointerException(parameter + "[" + i + "]");
            }
        }
        return List.copyOf(copy);
    }
}
