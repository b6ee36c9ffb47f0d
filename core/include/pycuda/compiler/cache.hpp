#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pycuda {

/// The cache's description of one compiled image.
struct CacheEntryInfo {
    std::string key;             ///< hex digest; unique in a cache
    std::string name;            ///< source name given to compile
    std::string kind;            ///< "cubin", "ptx", "fatbin"
    std::string arch;            ///< as requested; may be empty
    std::string compiler;        ///< identity, e.g. "nvcc 13.0.88"
    std::uint64_t nbytes = 0;    ///< size of the file
    std::int64_t last_used = 0;  ///< seconds since 1970
};

/// The disk cache of compiled images: content-addressed, safe between threads and processes, bounded in size (least
/// recently used go first; PYCUDA_CACHE_SIZE, e.g. "500M", default 1G). Folders are created for this user only. A
/// folder that is not writable is only read; a folder of another user, except root, is not used.
class CompilerCache {
public:
    /// Empty: the default folder. Nothing is created until something is stored.
    explicit CompilerCache(std::string directory = {});

    /// PYCUDA_CACHE_DIR, else XDG_CACHE_HOME/pycuda/compiler-cache, else ~/.cache/pycuda/compiler-cache; empty, which
    /// means no cache, if this user has no home folder.
    static std::string default_directory();
    /// True when PYCUDA_DISABLE_CACHE is set in the environment, to anything.
    static bool is_disabled();

    const std::string& directory() const noexcept { return directory_; }
    /// Most recently used first. Corrupted entries are not listed.
    std::vector<CacheEntryInfo> list() const;
    /// Bytes of all entries, and of temporary files that killed writers left behind.
    std::uint64_t size() const;
    /// Remove every entry, and the temporary files; the number of entries removed. RuntimeError if the folder is not
    /// writable.
    std::size_t clear();
    /// Write all entries into one tar file, so that a machine without a compiler can run what was compiled here; the
    /// number of entries. RuntimeError if the file cannot be written.
    std::size_t export_to(const std::string& filename) const;
    /// Add the entries of such a file, without replacing existing ones; the number added. RuntimeError if
    /// an entry's checksum is wrong, after those before it were added, or if the folder cannot be used.
    std::size_t import_from(const std::string& filename);

private:
    std::string directory_;
};

}  // namespace pycuda
