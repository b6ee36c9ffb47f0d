package org.pycuda;

/**
 * The messages that the driver logs about errors, from CUDA 12.9 on. Exceptions quote those of their call.
 *
 * <pre>{@code
 * int before = DriverLog.driverLogPosition();
 * assert DriverLog.driverLog(before).isEmpty();
 * }</pre>
 */
public final class DriverLog extends DriverLogProxy {
    private DriverLog() {}
}
