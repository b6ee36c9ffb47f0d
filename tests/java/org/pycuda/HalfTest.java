package org.pycuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HalfTest {
    private static double value(int bits) {
        int exponent = bits >> 10 & 31;
        int mantissa = bits & 0x3ff;
        double magnitude = exponent == 0 ? Math.scalb(mantissa, -24) : Math.scalb(1024 + mantissa, exponent - 25);
        return bits < 0x8000 ? magnitude : -magnitude;
    }

    @Test
    void everyHalfSurvivesARoundTrip() {
        for (int bits = 0; bits < 0x10000; bits++) {
            if ((bits & 0x7c00) != 0x7c00) {
                assertEquals(bits, Half.bits(value(bits)) & 0xffff);
            }
        }
        assertEquals(0x7c00, Half.bits(Double.POSITIVE_INFINITY));
        assertEquals(0xfc00, Half.bits(Double.NEGATIVE_INFINITY) & 0xffff);
        assertEquals(0x7e00, Half.bits(Double.NaN) & 0x7e00);
    }

    @Test
    void otherValuesRoundToNearestEven() {
        for (int bits = 0; bits < 0x7bff; bits++) {
            double middle = (value(bits) + value(bits + 1)) / 2;
            assertEquals(bits + (bits & 1), Half.bits(middle));
            assertEquals(bits, Half.bits(Math.nextDown(middle)));
            assertEquals(bits + 1, Half.bits(Math.nextUp(middle)));
        }
    }

    @Test
    void finiteNumbersThatOverflowAreRejected() {
        assertTrue(Half.fits(65519.9) && Half.fits(-65504) && Half.fits(Double.NaN) && Half.fits(Double.POSITIVE_INFINITY));
        assertFalse(Half.fits(65520) || Half.fits(-1e300));
        assertEquals(0x7bff, Half.bits(65519.9));
    }
}
