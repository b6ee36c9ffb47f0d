package org.pycuda.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.pycuda.Autoinit;
import org.pycuda.Context;

class RandomCallsTest {
    private static int number(String variable, int usual) {
        String text = System.getenv(variable);
        return text == null ? usual : Integer.parseInt(text);
    }

    @Test
    void nothingEndsTheProcess() throws InterruptedException {
        Autoinit.init();
        assertEquals("", RandomCalls.run(number("PYCUDA_RANDOM_SEED", 1), number("PYCUDA_RANDOM_CALLS", 1500), 4));
        Context.synchronize();
    }
}
