package org.pycuda.compiler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pycuda.Driver;

class CompilerCacheTest {
    private static final String SOURCE = "__global__ void five(int *out) { *out = 5; }";

    @TempDir Path folder;

    @BeforeEach
    void cacheIsOn() {
        Assumptions.assumeTrue(System.getenv("PYCUDA_DISABLE_CACHE") == null, "PYCUDA_DISABLE_CACHE is set");
    }

    private SourceModule.Options options(String target) {
        return new SourceModule.Options().arch("sm_90").target(target).cacheDir(folder.resolve("one"));
    }

    private CompilerCache filled() {
        SourceModule.compile(SOURCE, options("ptx"));
        SourceModule.compile(SOURCE, options("cubin"));
        return new CompilerCache(folder.resolve("one"));
    }

    @Test
    void entriesDescribeThemselves() {
        Instant start = Instant.now().minus(Duration.ofSeconds(2));
        var cache = filled();
        List<CacheEntry> entries = cache.list();
        assertEquals(Set.of("ptx", "cubin"), entries.stream().map(CacheEntry::kind).collect(Collectors.toSet()));
        for (CacheEntry entry : entries) {
            assertEquals("sm_90", entry.arch());
            assertEquals("kernel.cu", entry.name());
            assertFalse(entry.compiler().isEmpty());
            assertTrue(entry.lastUsed().isAfter(start), entry.toString());
        }
        assertEquals(cache.size(), entries.stream().mapToLong(CacheEntry::nbytes).sum());
        assertTrue(cache.size() > 0);
        assertEquals(2, entries.stream().map(CacheEntry::key).distinct().count());
    }

    @Test
    void clearRemovesAllEntries() {
        var cache = filled();
        assertEquals(2, cache.clear());
        assertEquals(List.of(), cache.list());
        assertEquals(0, cache.size());
        assertEquals(0, cache.clear());
    }

    @Test
    void entriesCanBeExportedAndImported() throws Exception {
        var cache = filled();
        Path file = folder.resolve("all.tar");
        assertEquals(2, cache.exportTo(file));
        var other = new CompilerCache(folder.resolve("other"));
        assertEquals(2, other.importFrom(file));
        assertEquals(0, other.importFrom(file));
        assertEquals(keys(cache), keys(other));
        var error = assertThrows(Driver.RuntimeError.class, () -> other.importFrom(folder.resolve("missing.tar")));
        assertTrue(error.getMessage().contains("missing.tar"), error.getMessage());
        Files.writeString(file, "no tar");
        assertThrows(Driver.RuntimeError.class, () -> other.importFrom(file));
        assertThrows(Driver.RuntimeError.class, () -> cache.exportTo(file.resolve("below-a-file.tar")));
    }

    private static Set<String> keys(CompilerCache cache) {
        return cache.list().stream().map(CacheEntry::key).collect(Collectors.toSet());
    }

    @Test
    void folderIsTheGivenOneOrTheDefault() {
        assertEquals(folder, new CompilerCache(folder).directory());
        assertEquals(List.of(), new CompilerCache(folder.resolve("nothing")).list());
        assertFalse(Files.exists(folder.resolve("nothing")));
        String named = System.getenv("PYCUDA_CACHE_DIR");
        Path users = new CompilerCache().directory();
        assertTrue(named != null ? users.equals(Path.of(named)) : users.endsWith("pycuda/compiler-cache"), users.toString());
    }
}
