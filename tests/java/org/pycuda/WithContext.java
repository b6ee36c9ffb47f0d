package org.pycuda;

import org.junit.jupiter.api.BeforeEach;

/** A test class whose methods start with the context of Autoinit current. */
public interface WithContext {
    @BeforeEach
    default void init() {
        Autoinit.init();
    }
}
