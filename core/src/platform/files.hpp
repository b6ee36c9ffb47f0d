#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pycuda {

/// Properties that, if equal, mean that a file is most likely unchanged.
struct FileStamp {
    std::uint64_t nbytes = 0;
    std::int64_t mtime_ns = 0;
    std::uint64_t inode = 0;
    bool operator==(const FileStamp&) const = default;
};

/// The time now in nanoseconds since 1970, as FileStamp has it.
std::int64_t now_ns();

/// Nothing when `path` is no regular file (links are followed).
std::optional<FileStamp> file_stamp(const std::string& path);
bool is_file(const std::string& path);
bool is_directory(const std::string& path);
bool is_executable(const std::string& path);

/// Empty (and errno) if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
/// Makes a folder and the missing ones above it, which only this user may enter. False (and errno) if that fails.
bool make_private_folder(const std::string& path);
/// Writes to a temporary name in the same folder, then renames: readers see the old file, the new file or none, never a
/// part. Makes missing folders (make_private_folder). False (and errno) if that fails.
bool write_file_atomically(const std::string& path, std::string_view content);
/// True for the temporary names of write_file_atomically. Such a file remains if the process is killed half-way.
bool is_temporary_name(std::string_view name);

/// Its time of last change becomes now, if that is possible.
void touch_file(const std::string& path) noexcept;
/// False (and errno) when the file is still there.
bool remove_file(const std::string& path) noexcept;
/// Nothing happens to a folder that is not empty.
void remove_empty_folder(const std::string& path) noexcept;
/// Whether there is anything of that name; links are followed.
bool path_exists(const std::string& path);
/// True if the owner is neither this user nor root.
bool belongs_to_another_user(const std::string& path);

/// A lock between threads and processes, by a file. Does nothing if the file cannot be created, and waits no longer
/// than `patience`, as the process that holds it may hang. Use it only for work that is wasteful, but harmless, when
/// done twice.
class FileLock {
public:
    FileLock(const std::string& path, std::chrono::nanoseconds patience);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    /// True when another holder had it first, so what was to be done may have been done.
    bool waited() const noexcept { return waited_; }

private:
    int file_ = -1;
    bool waited_ = false;
};

/// Names in a folder, sorted; empty when it cannot be read.
std::vector<std::string> directory_entries(const std::string& path);

std::string join_path(const std::string& folder, const std::string& name);
std::string parent_path(const std::string& path);
/// Absolute, with "." and ".." resolved as text; links are kept.
std::string absolute_path(const std::string& path);

/// Folder of the shared object (or program) that the core is in; empty when the system cannot tell.
std::string own_folder();

/// The environment variable, or empty.
std::string environment(const char* name);

/// HOME, else what the passwd database says; empty when there is neither. A shared folder with a predictable name is no
/// substitute.
std::string home_directory();

/// A new private folder, removed with all in it at the end of the scope unless kept. RuntimeError when none can be
/// made.
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
