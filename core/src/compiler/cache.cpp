#include "pycuda/compiler/cache.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/cache_store.hpp"
#include "compiler/tar.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

std::uint64_t total_bytes(const std::vector<CacheFile>& files) {
    std::uint64_t total = 0;
    for (const CacheFile& file : files) total += file.nbytes;
    return total;
}

void remove_all(const std::vector<CacheFile>& files) {
    for (const CacheFile& file : files)
        if (!CacheStore::remove(file))
            throw RuntimeError("CompilerCache.clear", 0, "cannot remove " + file.path + ": " + std::strerror(errno));
}

/// "ab/abcd.../0123.entry": the only names that an archive may hold. Others could write outside the cache.
bool is_entry_path(const std::string& path) {
    const std::size_t last = path.rfind('/');
    return path.size() > 3 && path[2] == '/' && last == 67 && path.ends_with(".entry") &&
           path.starts_with(path.substr(3, 2)) && path.find('/', 3) == last && path.find("..") == std::string::npos;
}

}  // namespace

CompilerCache::CompilerCache(std::string directory) : directory_(directory.empty() ? default_directory() : directory) {
    if (!directory_.empty()) directory_ = absolute_path(directory_);
    while (directory_.size() > 1 && directory_.back() == '/') directory_.pop_back();
}

std::string CompilerCache::default_directory() {
    if (std::string folder = environment("PYCUDA_CACHE_DIR"); !folder.empty()) return folder;
    const std::string folder = user_cache_folder();
    return folder.empty() ? folder : join_path(folder, "pycuda/compiler-cache");
}

bool CompilerCache::is_disabled() {
    return environment_has("PYCUDA_DISABLE_CACHE");
}

std::vector<CacheEntryInfo> CompilerCache::list() const {
    std::vector<CacheEntryInfo> infos;
    for (const CacheFile& file : CacheStore(directory_).files()) {
        const auto text = read_file(file.path);
        const auto entry = text ? parse_cache_entry(*text) : std::nullopt;
        if (!entry) continue;
        const std::size_t name = file.path.rfind('/') + 1;
        const std::string variant = file.path.substr(name, file.path.rfind('.') - name);
        infos.push_back({file.key + "-" + variant, entry->name, entry->kind, entry->arch, entry->compiler, file.nbytes,
                         file.last_used_ns / 1'000'000'000});
    }
    std::stable_sort(infos.begin(), infos.end(),
                     [](const CacheEntryInfo& a, const CacheEntryInfo& b) { return a.last_used > b.last_used; });
    return infos;
}

std::uint64_t CompilerCache::size() const {
    const CacheStore store(directory_);
    return total_bytes(store.files()) + total_bytes(store.temporary_files());
}

std::size_t CompilerCache::clear() {
    const CacheStore store(directory_);
    remove_all(store.temporary_files());
    const std::vector<CacheFile> entries = store.files();
    remove_all(entries);
    return entries.size();
}

std::size_t CompilerCache::export_to(const std::string& filename) const {
    const CacheStore store(directory_);
    TarWriter archive;
    std::size_t count = 0;
    for (const CacheFile& file : store.files()) {
        const auto text = read_file(file.path);
        if (!text || !parse_cache_entry(*text)) continue;
        archive.add(store.relative_path(file), *text, file.last_used_ns / 1'000'000'000);
        ++count;
    }
    if (!write_file_atomically(absolute_path(filename), archive.finish()))
        throw RuntimeError("CompilerCache.export_to", 0, "cannot write " + filename + ": " + std::strerror(errno));
    return count;
}

std::size_t CompilerCache::import_from(const std::string& filename) {
    if (const std::string reason = CacheStore(directory_).reason_not_to_use(); !reason.empty())
        throw RuntimeError("CompilerCache.import_from", 0, "the cache folder cannot be used: " + reason);
    const auto text = read_file(filename);
    if (!text)
        throw RuntimeError("CompilerCache.import_from", 0, "cannot read " + filename + ": " + std::strerror(errno));
    std::size_t count = 0;
    TarReader archive(*text);
    while (const auto member = archive.next()) {
        if (!is_entry_path(member->name) || !parse_cache_entry(member->content))
            throw RuntimeError(
                "CompilerCache.import_from", 0,
                filename + ": member '" + member->name + "' is not a valid cache entry; export the cache again");
        const std::string path = join_path(directory_, member->name);
        if (is_file(path)) continue;
        if (!write_file_atomically(path, member->content))
            throw RuntimeError("CompilerCache.import_from", 0, "cannot write " + path + ": " + std::strerror(errno));
        ++count;
    }
    if (archive.failed()) throw RuntimeError("CompilerCache.import_from", 0, filename + " is not a complete tar file");
    return count;
}

}  // namespace pycuda
