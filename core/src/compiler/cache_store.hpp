#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cache_entry.hpp"

namespace pycuda {

/// A file of the cache, as listed for the clean-up.
struct CacheFile {
    std::string path;
    std::string key;
    std::uint64_t nbytes;
    std::int64_t last_used_ns;
};

/// Files of the cache: <folder>/<2 digits>/<key>/<variant>.entry. A key identifies a request; its variants differ in
/// the compiler and in the contents of headers.
class CacheStore {
public:
    explicit CacheStore(std::string directory) : directory_(std::move(directory)) {}

    /// Why the folder must not be used; empty if it may be. Entries are code that this process will run, so a folder of
    /// another user, except root, is ignored; so is an empty name.
    std::string reason_not_to_use() const;
    /// Tries to write to the folder. Returns why that fails; empty if it does not.
    std::string reason_not_to_write() const;

    /// The first intact variant that `accept` accepts. `accept` may refresh the entry and set its flag; the entry is
    /// then written back. Corrupted files are removed. Marks the file as used.
    std::optional<CacheEntry> lookup(const std::string& key,
                                     const std::function<bool(CacheEntry&, bool&)>& accept) const;
    /// False if the folder is not writable. Removes the least recently used entries if the cache exceeds its limit.
    bool store(const std::string& key, const CacheEntry& entry) const;
    /// For FileLock, which serialises the compiles of one key. Keys share a few files: two compiles sometimes wait for
    /// each other needlessly, but never deadlock.
    std::string lock_path(const std::string& key) const { return directory_ + "/locks/" + key.substr(0, 3); }

    /// All entries, in no order.
    std::vector<CacheFile> files() const;
    /// Existing temporary files, of running and of killed writers.
    std::vector<CacheFile> temporary_files() const;
    /// Removes one entry, and the key's folder if it was the last. False if that fails.
    static bool remove(const CacheFile& file);
    /// "<2 digits>/<key>/<variant>.entry": the file's place in any cache, for export and import.
    std::string relative_path(const CacheFile& file) const { return file.path.substr(directory_.size() + 1); }

    const std::string& directory() const noexcept { return directory_; }
    /// Where compilers' identities are stored (nvcc_identity).
    std::string compilers_folder() const { return join_path(directory_, "compilers"); }
    /// PYCUDA_CACHE_SIZE in bytes.
    static std::uint64_t size_limit();
    /// PYCUDA_CACHE_WAIT: how long to wait for another process that compiles the same source.
    static std::chrono::nanoseconds lock_patience();
    /// Removes temporary files of killed writers, then least recently used entries until the cache is within `limit`.
    void shrink(std::uint64_t limit) const;

private:
    std::string key_folder(const std::string& key) const { return directory_ + "/" + key.substr(0, 2) + "/" + key; }

    std::string directory_;
};

}  // namespace pycuda
