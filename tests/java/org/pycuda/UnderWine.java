package org.pycuda;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Aborts tests that need memory which the CPU device lacks under wine: it refuses VirtualAlloc2's placeholders. */
class UnderWine implements TestExecutionExceptionHandler {
    private static final boolean IS_WINDOWS = System.getProperty("os.name").startsWith("Windows");

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable error) throws Throwable {
        if (IS_WINDOWS && error instanceof Driver.LogicError
                && error.getMessage().matches("(?s)cu(MemCreate|IpcGetMemHandle|IpcGetEventHandle) failed: operation not supported.*")) {
            throw new TestAbortedException(error.getMessage());
        }
        throw error;
    }
}
