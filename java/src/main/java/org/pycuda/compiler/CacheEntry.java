package org.pycuda.compiler;

import java.time.Instant;

/**
 * One compiled image of the cache.
 *
 * @param key the key under which it is stored; unique in a cache
 * @param name name of the source
 * @param kind {@code cubin}, {@code ptx}, {@code fatbin} or {@code ltoir}
 * @param arch architecture as requested; may be empty
 * @param compiler name and version
 * @param nbytes size of the file
 * @param lastUsed time of its last use
 * @see CompilerCache
 */
public record CacheEntry(String key, String name, String kind, String arch, String compiler, long nbytes, Instant lastUsed) {}
