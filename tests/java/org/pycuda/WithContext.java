package org.pycuda;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test class whose methods start with Autoinit's context current. */
@ExtendWith(UnderWine.class)
public interface WithContext {
    @BeforeEach
    default void init() {
        Autoinit.init();
    }
}
