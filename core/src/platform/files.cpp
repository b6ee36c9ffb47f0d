#include "platform/files.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "platform/libraries.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace fs = std::filesystem;

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::optional<FileStamp> file_stamp(const std::string& path) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    return FileStamp{static_cast<std::uint64_t>(info.st_size),
                     static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec,
                     static_cast<std::uint64_t>(info.st_ino)};
}

bool is_file(const std::string& path) {
    return file_stamp(path).has_value();
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

namespace {

constexpr std::string_view temporary_mark = ".tmp.";

}  // namespace

bool is_temporary_name(std::string_view name) {
    return name.find(temporary_mark) != std::string_view::npos;
}

bool write_file_atomically(const std::string& path, std::string_view content) {
    static std::atomic<unsigned> serial{0};
    if (!make_private_folder(parent_path(path))) return false;
    const std::string temporary =
        path + std::string(temporary_mark) + std::to_string(getpid()) + "." + std::to_string(serial++);
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    bool ok = true;
    while (ok && !content.empty()) {
        const ssize_t n = write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        ok = n > 0;
        if (ok) content.remove_prefix(static_cast<std::size_t>(n));
    }
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary.c_str(), path.c_str()) == 0;
    if (!ok) {
        const int why = errno;
        unlink(temporary.c_str());
        errno = why;
    }
    return ok;
}

std::vector<std::string> directory_entries(const std::string& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
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

FileLock::FileLock(const std::string& path, std::chrono::nanoseconds patience) {
    make_private_folder(parent_path(path));
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) return;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    constexpr std::chrono::milliseconds longest_pause(20);
    std::chrono::milliseconds pause(1);
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline) return;
        waited_ = true;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_pause);
    }
}

/// Closing alone would not unlock it while a child that was forked meanwhile has the file open.
FileLock::~FileLock() {
    if (file_ < 0) return;
    flock(file_, LOCK_UN);
    close(file_);
}

std::string join_path(const std::string& folder, const std::string& name) {
    return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

std::string parent_path(const std::string& path) {
    return fs::path(path).parent_path().string();
}

std::string absolute_path(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return error ? path : absolute.lexically_normal().string();
}

std::string own_folder() {
    const std::string path = path_of_own_library();
    return path.empty() ? path : parent_path(absolute_path(path));
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string home_directory() {
    if (std::string home = environment("HOME"); !home.empty()) return home;
    passwd entry;
    passwd* user = nullptr;
    std::vector<char> strings(16384);
    getpwuid_r(getuid(), &entry, strings.data(), strings.size(), &user);
    return user && user->pw_dir ? user->pw_dir : "";
}

TemporaryDirectory::TemporaryDirectory() {
    std::string base = environment("TMPDIR");
    if (!is_directory(base)) base = "/tmp";
    path_ = join_path(absolute_path(base), "pycuda-XXXXXX");
    if (!mkdtemp(path_.data()))
        throw RuntimeError("compile", 0, "no temporary folder could be made in " + base + ": " + std::strerror(errno));
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;
    if (!kept_) fs::remove_all(path_, error);
}

}  // namespace pycuda
