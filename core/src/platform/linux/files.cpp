#include "platform/files.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "platform/environment.hpp"

namespace pycuda {

namespace fs = std::filesystem;

std::optional<FileStamp> file_stamp(const std::string& path) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    return FileStamp{static_cast<std::uint64_t>(info.st_size),
                     static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec,
                     static_cast<std::uint64_t>(info.st_ino)};
}

bool is_directory(const std::string& path) {
    struct stat info;
    return !path.empty() && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool is_executable(const std::string& path) {
    return is_file(path) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> read_file(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    struct stat info;
    if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
        close(fd);
        errno = EISDIR;
        return {};
    }
    std::string content(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)) + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
        if (filled == content.size()) content.resize(2 * content.size());
        const ssize_t n = read(fd, content.data() + filled, content.size() - filled);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int why = errno;
            close(fd);
            errno = why;
            return {};
        }
        if (n == 0) break;
        filled += static_cast<std::size_t>(n);
    }
    close(fd);
    content.resize(filled);
    return content;
}

std::optional<std::string> read_part(const std::string& path, std::uint64_t begin, std::size_t nbytes) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string content(nbytes, '\0');
    std::size_t filled = 0;
    for (ssize_t n = 1; filled < nbytes && n != 0;) {
        n = pread(fd, content.data() + filled, nbytes - filled, static_cast<off_t>(begin + filled));
        if (n < 0 && errno != EINTR) break;
        if (n > 0) filled += static_cast<std::size_t>(n);
    }
    close(fd);
    if (filled < nbytes) return {};
    return content;
}

bool make_private_folder(const std::string& path) {
    if (path.empty() || is_directory(path)) return true;
    return make_private_folder(parent_path(path)) && (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

bool write_new_file(const std::string& path, std::string_view content) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    bool ok = true;
    while (ok && !content.empty()) {
        const ssize_t n = write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        ok = n > 0;
        if (ok) content.remove_prefix(static_cast<std::size_t>(n));
    }
    return close(fd) == 0 && ok;
}

std::FILE* open_for_writing(const std::string& path) {
    return std::fopen(path.c_str(), "w");
}

bool rename_file(const std::string& from, const std::string& to) noexcept {
    return rename(from.c_str(), to.c_str()) == 0;
}

std::vector<std::string> directory_entries(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string keep_file_open(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    return file < 0 ? path : "/proc/self/fd/" + std::to_string(file);
}

void touch_file(const std::string& path) noexcept {
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

bool remove_file(const std::string& path) noexcept {
    return unlink(path.c_str()) == 0 || errno == ENOENT;
}

void remove_empty_folder(const std::string& path) noexcept {
    rmdir(path.c_str());
}

bool path_exists(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
}

bool belongs_to_another_user(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 && info.st_uid != geteuid() && info.st_uid != 0;
}

std::intptr_t FileLock::open_file(const std::string& path) {
    return open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

FileLock::Attempt FileLock::try_lock() noexcept {
    while (flock(static_cast<int>(file_), LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR) return errno == EWOULDBLOCK ? Attempt::Busy : Attempt::Failed;
    return Attempt::Locked;
}

/// Closing alone would not unlock it while a child that was forked meanwhile has the file open.
void FileLock::unlock() noexcept {
    flock(static_cast<int>(file_), LOCK_UN);
    close(static_cast<int>(file_));
}

bool is_absolute_path(const std::string& path) noexcept {
    return path.starts_with('/');
}

bool names_a_folder(std::string_view path) noexcept {
    return path.find('/') != path.npos;
}

std::string parent_path(const std::string& path) {
    return fs::path(path).parent_path().string();
}

std::string absolute_path(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return error ? path : absolute.lexically_normal().string();
}

std::string real_path(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    const std::string result = resolved ? resolved : path;
    std::free(resolved);
    return result;
}

std::string home_directory() {
    if (std::string home = environment("HOME"); !home.empty()) return home;
    passwd entry;
    passwd* user = nullptr;
    std::vector<char> strings(16384);
    getpwuid_r(getuid(), &entry, strings.data(), strings.size(), &user);
    return user && user->pw_dir ? user->pw_dir : "";
}

std::string user_cache_folder() {
    if (std::string folder = environment("XDG_CACHE_HOME"); !folder.empty()) return folder;
    const std::string home = home_directory();
    return home.empty() ? home : join_path(home, ".cache");
}

std::string temporary_folder() {
    const std::string folder = environment("TMPDIR");
    return absolute_path(is_directory(folder) ? folder : "/tmp");
}

bool make_unique_folder(std::string& path) {
    path += "XXXXXX";
    return mkdtemp(path.data()) != nullptr;
}

void remove_tree(const std::string& path) noexcept {
    std::error_code error;
    fs::remove_all(path, error);
}

}  // namespace pycuda
