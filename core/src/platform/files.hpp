#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pycuda/platform/files.hpp"

namespace pycuda {

// Paths are UTF-8, and their parts are separated by '/' on every platform: "C:/Program Files/x". Functions that return
// paths write them so, whatever the system wrote.

/// Properties of a file. If they are equal, the file is most likely unchanged.
struct FileStamp {
    std::uint64_t nbytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint64_t inode = 0;
    bool operator==(const FileStamp&) const = default;
};

/// The present time in nanoseconds since 1970, as in FileStamp.
std::int64_t now_ns();

/// Empty if `path` is not a regular file; links are followed.
std::optional<FileStamp> file_stamp(const std::string& path);
bool is_file(const std::string& path);
bool is_directory(const std::string& path);
bool is_executable(const std::string& path);

/// Empty (and errno) if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
/// This many bytes from `begin` on; empty if the file has fewer, or cannot be read.
std::optional<std::string> read_part(const std::string& path, std::uint64_t begin, std::size_t nbytes);
/// Creates a folder and its missing parents, which only this user may enter. False (and errno) if that fails.
bool make_private_folder(const std::string& path);
/// Writes to a temporary name in the same folder, then renames the file: readers see the old file, the new file or
/// none, but never an incomplete one. Creates missing folders (make_private_folder). False (and errno) if that fails.
bool write_file_atomically(const std::string& path, std::string_view content);
/// As fopen(path, "w").
std::FILE* open_for_writing(const std::string& path);
/// The steps of write_file_atomically. False (and errno) if the file exists already, or cannot be written.
bool write_new_file(const std::string& path, std::string_view content);
/// Replaces the file `to`, if there is one.
bool rename_file(const std::string& from, const std::string& to) noexcept;
/// True for the temporary names of write_file_atomically. Such a file remains if the process is killed half-way.
bool is_temporary_name(std::string_view name);

/// Sets the time of last change to now, if that is possible.
void touch_file(const std::string& path) noexcept;
/// False (and errno) if the file still exists.
bool remove_file(const std::string& path) noexcept;
/// A no-op if the folder is not empty.
void remove_empty_folder(const std::string& path) noexcept;
/// True if anything of that name exists; links are followed.
bool path_exists(const std::string& path);
/// True if the owner is neither this user nor an administrator (root).
bool belongs_to_another_user(const std::string& path);

/// A file lock between threads and processes. A no-op if the file cannot be created. Waits no longer than `patience`,
/// because the process that holds it may hang. Use it only for work that is wasteful, but harmless, when done twice.
class FileLock {
public:
    FileLock(const std::string& path, std::chrono::nanoseconds patience);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    /// True if another holder had it first, which may have done the work.
    bool waited() const noexcept { return waited_; }

private:
    enum class Attempt { Locked, Busy, Failed };
    /// Negative if it cannot be opened.
    static std::intptr_t open_file(const std::string& path);
    Attempt try_lock() noexcept;
    void unlock() noexcept;

    std::intptr_t file_ = -1;  ///< the system's descriptor or handle
    bool waited_ = false;
};

/// The names in a folder, sorted; empty if it cannot be read.
std::vector<std::string> directory_entries(const std::string& path);

std::string join_path(const std::string& folder, const std::string& name);
std::string parent_path(const std::string& path);
/// Absolute, with "." and ".." resolved as text; links are kept.
std::string absolute_path(const std::string& path);
bool is_absolute_path(const std::string& path) noexcept;
/// False for a name alone, as of a program on PATH.
bool names_a_folder(std::string_view path) noexcept;
/// Links are followed; `path` itself if that is not possible.
std::string real_path(const std::string& path);

/// The folder of the shared object (or program) that contains the core; empty if it cannot be determined.
std::string own_folder();

/// The user's home: the environment's, else the system's; empty if there is neither. A shared folder with a predictable
/// name would not be safe.
std::string home_directory();
/// The folder for this user's caches, such as ~/.cache; empty if there is none.
std::string user_cache_folder();
/// The folder for temporary files.
std::string temporary_folder();

/// Makes a new folder whose name is `path` with some letters appended, which only this user may enter. False (and
/// errno) if that fails.
bool make_unique_folder(std::string& path);
/// Removes a folder with all its contents, as far as possible. Links are removed, not followed.
void remove_tree(const std::string& path) noexcept;

/// A new private folder, removed with its contents at the end of the scope unless it is kept. RuntimeError if it cannot
/// be created.
class TemporaryDirectory {
public:
    TemporaryDirectory();
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::string& path() const noexcept { return path_; }
    void keep() noexcept { kept_ = true; }

private:
    std::string path_;
    bool kept_ = false;
};

}  // namespace pycuda
