package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ErrorsTest implements WithContext {
    @Test
    void exceptionHierarchyMatchesPython() {
        assertSame(java.lang.RuntimeException.class, Driver.Error.class.getSuperclass());
        for (Class<?> type : new Class<?>[] {Driver.LogicError.class, Driver.MemoryError.class, Driver.LaunchError.class,
            Driver.RuntimeError.class, Driver.CompileError.class}) {
            assertSame(Driver.Error.class, type.getSuperclass());
        }
    }

    @Test
    void driverFailureHasCodeRoutineAndText() {
        var error = assertThrows(Driver.LogicError.class, () -> new Device(4711));
        assertEquals(101, error.code());  // CUDA_ERROR_INVALID_DEVICE
        assertEquals("cuDeviceGet", error.routine());
        assertTrue(error.getMessage().startsWith("cuDeviceGet failed: "), error.getMessage());
    }

    @Test
    void tooLargeAllocationIsAMemoryErrorThatNamesTheBytes() {
        var error = assertThrows(Driver.MemoryError.class, () -> Driver.memAlloc(1L << 52));
        assertEquals(2, error.code());
        assertTrue(error.getMessage().contains(Long.toString(1L << 52)), error.getMessage());
    }

    @Test
    void errorsWithoutADriverCallHaveNoCode() {
        var allocation = Driver.memAlloc(4);
        allocation.free();
        var error = assertThrows(Driver.LogicError.class, allocation::pointer);
        assertEquals(0, error.code());
    }

    @Test
    void negativeSizesAreRejectedBeforeADriverCall() {
        assertThrows(IllegalArgumentException.class, () -> Driver.memAlloc(-1));
        assertThrows(IllegalArgumentException.class, () -> Driver.memcpyDtod(DevicePointer.of(8), DevicePointer.of(16), -1));
    }

    @Test
    void unicodeTextSurvives() {
        String name = "k\u00e9rnel_\u6838_\ud835\udd1e";
        var error = assertThrows(Driver.LogicError.class, () -> Kernels.module().function(name));
        assertTrue(error.getMessage().contains(name), error.getMessage());
    }

    @Test
    void nullIsANullPointerException() {
        assertThrows(NullPointerException.class, () -> new Device((String) null));
        assertThrows(NullPointerException.class, () -> Kernels.module().function(null));
        assertThrows(NullPointerException.class, () -> Context.limit(null));
    }

    @Test
    void errorsAreCaughtAsOneFamily() {
        Driver.Error error = assertThrows(Driver.Error.class, () -> Kernels.get("no_such_kernel"));
        assertInstanceOf(Driver.LogicError.class, error);
    }
}
