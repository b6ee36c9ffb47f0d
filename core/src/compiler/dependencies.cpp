#include "compiler/dependencies.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "compiler/blake2b.hpp"
#include "pycuda/platform/forks.hpp"

namespace pycuda {

namespace {

/// `path` relative to `folder`; empty if it is outside.
std::optional<std::string> relative_to(const std::string& path, const std::string& folder) {
    if (folder.empty() || path.size() <= folder.size() || path[folder.size()] != '/' || !path.starts_with(folder))
        return {};
    return path.substr(folder.size() + 1);
}

struct HashedFile {
    std::string hash;
    FileStamp stamp;
};

/// On file systems with coarse time stamps, two changes within this time have the same stamp.
constexpr std::int64_t stamp_granularity_ns = 2'000'000'000;

/// The hash of the contents, cached by stamp for the life of the process. Empty if the file cannot be read.
std::optional<HashedFile> hash_file(const std::string& path) {
    static auto* mutex = fork_safe(new std::mutex);
    static auto* known = new std::unordered_map<std::string, HashedFile>;
    const std::optional<FileStamp> before = file_stamp(path);
    if (!before) return {};
    {
        std::lock_guard lock(*mutex);
        if (auto it = known->find(path); it != known->end() && it->second.stamp == *before) return it->second;
    }
    const std::optional<std::string> content = read_file(path);
    if (!content) return {};
    HashedFile file{blake2b_hex(*content), *before};
    if (file_stamp(path) != before || before->mtime_ns + stamp_granularity_ns > now_ns()) {
        file.stamp = {};
        return file;
    }
    std::lock_guard lock(*mutex);
    (*known)[path] = file;
    return file;
}

Dependency classify(const std::string& path, const std::vector<std::string>& user_dirs, const HeaderRoots& roots) {
    Dependency dependency;
    dependency.path = path;
    for (const std::string& dir : user_dirs)
        if (relative_to(path, dir)) return dependency;
    if (auto name = relative_to(path, roots.device_dir)) {
        dependency.kind = Dependency::Kind::Device;
        dependency.path = *name;
        return dependency;
    }
    // The innermost folder names it: include/cccl/cub/x is "cub/x", as the source says.
    std::optional<std::string> shortest;
    for (const std::string& dir : roots.system_dirs)
        if (auto name = relative_to(path, dir); name && (!shortest || name->size() < shortest->size())) shortest = name;
    if (shortest) {
        dependency.kind = Dependency::Kind::System;
        dependency.path = *shortest;
    } else if (path.starts_with("/usr/")) {
        dependency.kind = Dependency::Kind::Host;
    }
    return dependency;
}

/// A file of this machine.
struct Located {
    std::string path;
    FileStamp stamp;
};

std::optional<Located> at(std::string path) {
    if (const auto stamp = file_stamp(path)) return Located{std::move(path), *stamp};
    return {};
}

/// The path of `dependency` on this machine; empty if it is not found.
std::optional<Located> locate(const Dependency& dependency, const HeaderRoots& roots) {
    switch (dependency.kind) {
        case Dependency::Kind::User:
        case Dependency::Kind::Host:
            return at(dependency.path);
        case Dependency::Kind::Device:
            return roots.device_dir.empty() ? std::nullopt : at(join_path(roots.device_dir, dependency.path));
        case Dependency::Kind::System:
            break;
    }
    for (const std::string& dir : roots.system_dirs)
        if (auto found = at(join_path(dir, dependency.path))) return found;
    return {};
}

bool is_compilers_own(const Dependency& dependency) {
    return dependency.kind == Dependency::Kind::System || dependency.kind == Dependency::Kind::Host;
}

}  // namespace

std::optional<Dependencies> record_dependencies(const std::vector<std::string>& files, std::vector<std::string> absent,
                                                const std::vector<std::string>& user_dirs, const HeaderRoots& roots) {
    Dependencies dependencies;
    dependencies.absent = std::move(absent);
    for (const std::string& path : files) {
        const std::optional<HashedFile> file = hash_file(path);
        if (!file) return {};
        Dependency dependency = classify(path, user_dirs, roots);
        dependency.hash = file->hash;
        dependency.stamp = file->stamp;
        dependencies.files.push_back(std::move(dependency));
    }
    return dependencies;
}

bool up_to_date(Dependencies& dependencies, const HeaderRoots& roots, bool& refreshed) {
    if (std::any_of(dependencies.absent.begin(), dependencies.absent.end(), is_file)) return false;
    for (Dependency& dependency : dependencies.files) {
        if (is_compilers_own(dependency) && !roots.has_compiler) continue;
        const std::optional<Located> located = locate(dependency, roots);
        if (!located) return false;
        if (located->stamp == dependency.stamp) continue;
        const std::optional<HashedFile> file = hash_file(located->path);
        if (!file || file->hash != dependency.hash) return false;
        if (file->stamp == FileStamp{}) continue;
        dependency.stamp = file->stamp;
        refreshed = true;
    }
    return true;
}

std::int64_t newest_user_change(const Dependencies& dependencies) {
    std::int64_t newest = 0;
    for (const Dependency& dependency : dependencies.files)
        if (dependency.kind == Dependency::Kind::User)
            if (const auto stamp = file_stamp(dependency.path)) newest = std::max(newest, stamp->mtime_ns);
    return newest;
}

std::vector<std::string> shadowing_places(const std::vector<std::string>& files,
                                          const std::vector<std::string>& user_dirs, const HeaderRoots& roots) {
    std::vector<std::string> searched = user_dirs;
    searched.push_back(roots.device_dir);
    searched.insert(searched.end(), roots.system_dirs.begin(), roots.system_dirs.end());
    std::vector<std::string> places;
    for (const std::string& path : files)
        for (std::size_t i = 0; i < searched.size(); ++i) {
            const auto name = relative_to(path, searched[i]);
            if (!name) continue;
            for (std::size_t before = 0; before < std::min(i, user_dirs.size()); ++before)
                places.push_back(join_path(user_dirs[before], *name));
            break;
        }
    return places;
}

}  // namespace pycuda
