package org.pycuda;

/**
 * Fills of device memory beside those of {@link Driver}: with 16-bit values, and of rows with a pitch.
 *
 * <pre>{@code
 * var rows = Driver.memAllocPitch(100, 20, 4);
 * Fills.memsetD2d8(rows.allocation(), rows.pitch(), 1, 100, 20);
 * rows.allocation().close();
 * }</pre>
 */
public final class Fills extends FillsProxy {
    private Fills() {}
}
