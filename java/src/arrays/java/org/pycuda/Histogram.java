package org.pycuda;

/**
 * The result of {@link GPUArray#histogram(long)}: how many elements are in each bin.
 *
 * <pre>{@code
 * Histogram found = GPUArray.toGpu(new double[] {0, 1, 1, 4}).histogram(2);
 * System.out.println(found.counts());  // [3 1]
 * System.out.println(found.edges());  // [0. 2. 4.]
 * }</pre>
 *
 * @param counts the elements in each bin (INT64), or the sums of their weights, or their density
 * @param edges the edges of the bins, ascending: one more than there are bins
 */
public record Histogram(GPUArray counts, GPUArray edges) {
    /** In bins with new edges, which are closed if that fails. */
    static Histogram between(GPUArray array, GPUArray edges, boolean density) {
        try {
            return new Histogram(CoreCalls.one("histogram", new long[] {CoreCalls.flag(density)}, array, edges), edges);
        } catch (Throwable failure) {
            edges.close();
            throw failure;
        }
    }

    /** In bins with given edges, the second array; a third one has the weights. */
    static Histogram at(boolean density, GPUArray... arrays) {
        CoreCalls.handles("require_bin_edges", new long[0], arrays[0].stream(), arrays[1]);
        return new Histogram(CoreCalls.one("histogram", new long[] {CoreCalls.flag(density)}, arrays), arrays[1]);
    }
}
