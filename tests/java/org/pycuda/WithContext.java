package org.pycuda;

import org.junit.jupiter.api.BeforeEach;

/** A test class whose methods start with Autoinit's context current. */
public interface WithContext {
    @BeforeEach
    default void init() {
        Autoinit.init();
    }
}
