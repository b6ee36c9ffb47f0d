package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class VersionTest {
    @Test
    void textConsistsOfNumbersAndStatus() {
        String numbers = Driver.VERSION.stream().map(String::valueOf).collect(Collectors.joining("."));
        assertEquals(numbers + Driver.VERSION_STATUS, Driver.VERSION_TEXT);
        assertThrows(UnsupportedOperationException.class, () -> Driver.VERSION.add(1));
    }

    @Test
    void cudaVersionOfTheHeaders() {
        Driver.Version version = Driver.version();
        assertTrue(version.major() >= 12, version.toString());
        assertTrue(version.minor() >= 0 && version.revision() >= 0);
    }

    @Test
    void driverVersionNeedsNoInit() {
        assertTrue(Driver.driverVersion() >= 12000);
    }

    @Test
    void initIsIdempotentAndRejectsFlags() {
        Driver.init();
        Driver.init();
        Driver.init(0);
        assertTrue(Device.count() >= 1);
    }
}
