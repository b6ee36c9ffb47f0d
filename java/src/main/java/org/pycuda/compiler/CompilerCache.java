package org.pycuda.compiler;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The disk cache of compiled images, which Python shares. Safe between threads and processes. Its size is limited (PYCUDA_CACHE_SIZE): the
 * least recently used images are removed first. Nothing is created until an image is stored.
 *
 * <pre>{@code
 * var cache = new CompilerCache();
 * System.out.println(cache.directory() + ": " + cache.size() + " bytes");
 * }</pre>
 */
public final class CompilerCache {
    private static final int FIELDS = 7;

    private final String folder;

    /** The cache in the default folder: PYCUDA_CACHE_DIR, else the user's. */
    public CompilerCache() {
        folder = "";
    }

    /** The cache in another folder. */
    public CompilerCache(Path directory) {
        folder = Objects.requireNonNull(directory, "directory").toString();
    }

    /** The folder; it need not exist. */
    public Path directory() {
        return Path.of(CompilerCore.cacheDirectory(folder));
    }

    /** All entries, most recently used first. */
    public List<CacheEntry> list() {
        String[] texts = CompilerCore.cacheList(folder);
        List<CacheEntry> entries = new ArrayList<>();
        for (int i = 0; i < texts.length; i += FIELDS) {
            entries.add(new CacheEntry(texts[i], texts[i + 1], texts[i + 2], texts[i + 3], texts[i + 4],
                Long.parseLong(texts[i + 5]), Instant.ofEpochSecond(Long.parseLong(texts[i + 6]))));
        }
        return List.copyOf(entries);
    }

    /** Bytes of all entries. */
    public long size() {
        return CompilerCore.cacheSize(folder);
    }

    /** Removes all entries; returns their number. RuntimeError if the folder is not writable. */
    public long clear() {
        return CompilerCore.cacheClear(folder);
    }

    /** Writes all entries into a tar file, for a machine without a compiler; returns their number. RuntimeError if that fails. */
    public long exportTo(Path filename) {
        return CompilerCore.cacheExport(folder, Objects.requireNonNull(filename, "filename").toString());
    }

    /**
     * Adds the entries of such a file; returns the number of those that were new.
     *
     * @throws org.pycuda.Driver.RuntimeError if the file cannot be read, or was not written by {@link #exportTo}
     */
    public long importFrom(Path filename) {
        return CompilerCore.cacheImport(folder, Objects.requireNonNull(filename, "filename").toString());
    }

    @Override
    public String toString() {
        return "CompilerCache[" + directory() + "]";
    }
}
