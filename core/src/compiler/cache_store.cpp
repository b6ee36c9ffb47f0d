#include "compiler/cache_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "compiler/blake2b.hpp"

namespace pycuda {

namespace {

constexpr const char* suffix = ".entry";
/// Headers that are being edited make a variant at each compile; more than these are not worth reading at each look-up.
constexpr std::size_t variants_kept = 8;
/// The time of last use is only as fine as this, so that hits do not write.
constexpr std::int64_t touch_interval_ns = 600'000'000'000;

std::string variant_name(const CacheEntry& entry) {
    Blake2b hash;
    hash.field(entry.compiler);
    for (const Dependency& file : entry.dependencies.files) hash.field(file.hash);
    return hash.hex().substr(0, 16) + suffix;
}

void mark_used(const std::string& path) {
    const auto stamp = file_stamp(path);
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const std::int64_t now_ns = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    if (stamp && stamp->mtime_ns + touch_interval_ns < now_ns) utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

std::vector<CacheFile> entries_of_key(const std::string& folder, const std::string& key) {
    std::vector<CacheFile> files;
    for (const std::string& name : directory_entries(folder)) {
        if (!name.ends_with(suffix)) continue;
        const std::string path = join_path(folder, name);
        if (const auto stamp = file_stamp(path)) files.push_back({path, key, stamp->nbytes, stamp->mtime_ns});
    }
    return files;
}

bool used_earlier(const CacheFile& a, const CacheFile& b) {
    return a.last_used_ns < b.last_used_ns;
}

}  // namespace

CacheLock::CacheLock(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(parent_path(path), error);
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) return;
    if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
    waited_ = errno == EWOULDBLOCK;
    while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
}

CacheLock::~CacheLock() {
    if (fd_ >= 0) close(fd_);
}

std::optional<CacheEntry> CacheStore::lookup(const std::string& key,
                                             const std::function<bool(CacheEntry&, bool&)>& accept) const {
    const std::string folder = key_folder(key);
    for (const std::string& name : directory_entries(folder)) {
        if (!name.ends_with(suffix)) continue;
        const std::string path = join_path(folder, name);
        const std::optional<std::string> text = read_file(path);
        if (!text) continue;
        std::optional<CacheEntry> entry = parse_cache_entry(*text);
        if (!entry) {
            unlink(path.c_str());
            continue;
        }
        bool refreshed = false;
        if (!accept(*entry, refreshed)) continue;
        if (refreshed)
            write_file_atomically(path, serialize(*entry));
        else
            mark_used(path);
        return entry;
    }
    return {};
}

bool CacheStore::store(const std::string& key, const CacheEntry& entry) const {
    const std::string folder = key_folder(key);
    const std::string text = serialize(entry);
    if (!write_file_atomically(join_path(folder, variant_name(entry)), text)) return false;
    std::vector<CacheFile> variants = entries_of_key(folder, key);
    if (variants.size() > variants_kept) remove(*std::min_element(variants.begin(), variants.end(), used_earlier));

    // Looking at every file costs too much to do it each time; outgrowing the limit by a twentieth does not matter.
    static std::atomic<std::uint64_t> written_since_check{UINT64_MAX / 2};
    const std::uint64_t limit = size_limit();
    if (written_since_check.fetch_add(text.size()) + text.size() > limit / 20) {
        written_since_check = 0;
        shrink(limit);
    }
    return true;
}

std::vector<CacheFile> CacheStore::files() const {
    std::vector<CacheFile> found;
    for (const std::string& group : directory_entries(directory_)) {
        if (group.size() != 2) continue;
        const std::string group_folder = join_path(directory_, group);
        for (const std::string& key : directory_entries(group_folder)) {
            std::vector<CacheFile> files = entries_of_key(join_path(group_folder, key), key);
            found.insert(found.end(), files.begin(), files.end());
        }
    }
    return found;
}

bool CacheStore::remove(const CacheFile& file) {
    if (unlink(file.path.c_str()) != 0 && errno != ENOENT) return false;
    rmdir(parent_path(file.path).c_str());  // refused unless that was the last variant
    return true;
}

std::uint64_t CacheStore::size_limit() {
    constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;
    const std::string text = environment("PYCUDA_CACHE_SIZE");
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || number < 0) return default_limit;
    switch (*end) {
        case 'K':
        case 'k':
            return static_cast<std::uint64_t>(number * 1024);
        case 'M':
        case 'm':
            return static_cast<std::uint64_t>(number * (1 << 20));
        case 'G':
        case 'g':
            return static_cast<std::uint64_t>(number * (1 << 30));
        default:
            return static_cast<std::uint64_t>(number);
    }
}

void CacheStore::shrink(std::uint64_t limit) const {
    std::vector<CacheFile> all = files();
    std::uint64_t total = 0;
    for (const CacheFile& file : all) total += file.nbytes;
    if (total <= limit) return;
    std::sort(all.begin(), all.end(), used_earlier);
    for (const CacheFile& file : all) {
        if (total <= limit) return;
        if (remove(file)) total -= file.nbytes;
    }
}

}  // namespace pycuda
