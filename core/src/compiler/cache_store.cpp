#include "compiler/cache_store.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "compiler/blake2b.hpp"
#include "platform/environment.hpp"
#include "platform/files.hpp"

namespace pycuda {

namespace {

constexpr const char* suffix = ".entry";
/// Each edit of a header adds a variant. Reading more variants than this at each look-up costs more than it saves.
constexpr std::size_t max_variants = 8;
/// The time of last use is updated no more often than this, so that most hits write nothing.
constexpr std::int64_t touch_interval_ns = 600'000'000'000;
/// Temporary files of this age were left behind: no writer takes this long.
constexpr std::int64_t writer_lifetime_ns = 600'000'000'000;

std::string variant_name(const CacheEntry& entry) {
    Blake2b hash;
    hash.field(entry.compiler);
    for (const Dependency& file : entry.dependencies.files) hash.field(file.hash);
    return hash.hex().substr(0, 16) + suffix;
}

void mark_used(const std::string& path) {
    const auto stamp = file_stamp(path);
    if (stamp && stamp->mtime_ns + touch_interval_ns < now_ns()) touch_file(path);
}

bool is_entry_name(const std::string& name) {
    return name.ends_with(suffix);
}

/// Append the files of a key's folder whose names `wanted` accepts.
void add_files(std::vector<CacheFile>& files, const std::string& folder, const std::string& key,
               bool (*wanted)(const std::string&)) {
    for (const std::string& name : directory_entries(folder)) {
        if (!wanted(name)) continue;
        const std::string path = join_path(folder, name);
        if (const auto stamp = file_stamp(path)) files.push_back({path, key, stamp->nbytes, stamp->mtime_ns});
    }
}

/// The same for all keys of a cache.
void add_files_of_keys(std::vector<CacheFile>& files, const std::string& directory,
                       bool (*wanted)(const std::string&)) {
    for (const std::string& group : directory_entries(directory)) {
        if (group.size() != 2) continue;
        const std::string group_folder = join_path(directory, group);
        for (const std::string& key : directory_entries(group_folder))
            add_files(files, join_path(group_folder, key), key, wanted);
    }
}

/// A number with a unit of bytes: "500M", "1.5g", "4096".
std::optional<std::uint64_t> parse_size(const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !(number >= 0)) return {};
    constexpr std::string_view units = "kmg";
    double factor = 1;
    if (const std::size_t unit = units.find(static_cast<char>(std::tolower(*end))); *end && unit != units.npos)
        factor = static_cast<double>(std::uint64_t{1024} << (10 * unit));
    return static_cast<std::uint64_t>(std::min(number * factor, 9e18));
}

bool used_earlier(const CacheFile& a, const CacheFile& b) {
    return a.last_used_ns < b.last_used_ns;
}

}  // namespace

std::string CacheStore::reason_not_to_use() const {
    if (directory_.empty()) return "this user has no home directory; set PYCUDA_CACHE_DIR to a folder";
    if (!path_exists(directory_)) return {};  // it is created later
    if (!is_directory(directory_)) return directory_ + " is not a folder";
    if (belongs_to_another_user(directory_)) return directory_ + " belongs to another user";
    return {};
}

std::string CacheStore::reason_not_to_write() const {
    const std::string probe = join_path(directory_, "probe");
    if (!write_file_atomically(probe, {})) return std::strerror(errno);
    remove_file(probe);
    return {};
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
            remove_file(path);
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
    std::vector<CacheFile> variants;
    add_files(variants, folder, key, is_entry_name);
    if (variants.size() > max_variants) remove(*std::min_element(variants.begin(), variants.end(), used_earlier));

    // Checking every file each time costs too much; exceeding the limit by 5 % does not matter.
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
    if (reason_not_to_use().empty()) add_files_of_keys(found, directory_, is_entry_name);
    return found;
}

std::vector<CacheFile> CacheStore::temporary_files() const {
    const auto is_temporary = [](const std::string& name) { return is_temporary_name(name); };
    std::vector<CacheFile> found;
    if (!reason_not_to_use().empty()) return found;
    add_files_of_keys(found, directory_, is_temporary);
    add_files(found, compilers_folder(), "", is_temporary);
    return found;
}

bool CacheStore::remove(const CacheFile& file) {
    if (!remove_file(file.path)) return false;
    remove_empty_folder(parent_path(file.path));  // unless that was not the last variant
    return true;
}

std::uint64_t CacheStore::size_limit() {
    constexpr std::uint64_t default_limit = std::uint64_t{1} << 30;
    return parse_size(environment("PYCUDA_CACHE_SIZE")).value_or(default_limit);
}

std::chrono::nanoseconds CacheStore::lock_patience() {
    constexpr double default_seconds = 120, longest = 1e6;
    const std::string text = environment("PYCUDA_CACHE_WAIT");
    char* end = nullptr;
    double seconds = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !(seconds >= 0)) seconds = default_seconds;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(seconds, longest) * 1e9));
}

void CacheStore::shrink(std::uint64_t limit) const {
    std::uint64_t total = 0;
    for (const CacheFile& file : temporary_files())
        if (file.last_used_ns + writer_lifetime_ns > now_ns() || !remove(file)) total += file.nbytes;
    std::vector<CacheFile> all = files();
    for (const CacheFile& file : all) total += file.nbytes;
    if (total <= limit) return;
    std::sort(all.begin(), all.end(), used_earlier);
    for (const CacheFile& file : all) {
        if (total <= limit) return;
        if (remove(file)) total -= file.nbytes;
    }
}

}  // namespace pycuda
