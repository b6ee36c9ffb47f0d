package org.pycuda;

/**
 * Limits what a profiler records to a part of the program.
 *
 * <pre>{@code
 * Profiler.startProfiler();
 * Driver.toDevice(new float[] {1, 2, 3}).close();
 * Profiler.stopProfiler();
 * }</pre>
 */
public final class Profiler extends ProfilerProxy {
    private Profiler() {}
}
