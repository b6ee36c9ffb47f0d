#include "platform/files.hpp"

#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "platform/environment.hpp"
#include "platform/windows/private_folder.hpp"
#include "platform/windows/text.hpp"

namespace pycuda {

namespace {

using windows::core_path;
using windows::note_error;
using windows::system_path;

constexpr DWORD shared_by_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

class OpenFile {
public:
    OpenFile(const std::string& path, DWORD access, DWORD disposition, DWORD flags = FILE_ATTRIBUTE_NORMAL)
        : handle_(CreateFileW(system_path(path).c_str(), access, shared_by_all, nullptr, disposition, flags, nullptr)) {
        if (!*this) note_error();
    }
    ~OpenFile() { close(); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    explicit operator bool() const noexcept { return handle_ != INVALID_HANDLE_VALUE; }
    HANDLE handle() const noexcept { return handle_; }
    bool close() noexcept {
        const HANDLE closing = std::exchange(handle_, INVALID_HANDLE_VALUE);
        return closing == INVALID_HANDLE_VALUE || CloseHandle(closing);
    }

private:
    HANDLE handle_;
};

DWORD attributes_of(const std::string& path) {
    return path.empty() ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(system_path(path).c_str());
}

std::uint64_t both(DWORD high, DWORD low) {
    return std::uint64_t{high} << 32 | low;
}

bool is_separator(char c) {
    return c == '/' || c == '\\';
}

/// The length of "C:/", "//server/share/" or "/".
std::size_t root_length(std::string_view path) {
    if (path.size() > 1 && path[1] == ':') return path.size() > 2 && is_separator(path[2]) ? 3 : 2;
    if (path.size() > 1 && is_separator(path[0]) && is_separator(path[1])) {
        const std::size_t share = path.find_first_of("/\\", 2);
        const std::size_t end = share == path.npos ? share : path.find_first_of("/\\", share + 1);
        return end == path.npos ? path.size() : end + 1;
    }
    return !path.empty() && is_separator(path[0]) ? 1 : 0;
}

/// Calls `visit` with what is in the folder.
template <class Visit>
void visit_folder(const std::wstring& path, const Visit& visit) {
    WIN32_FIND_DATAW found;
    const HANDLE search = FindFirstFileW((path + L"\\*").c_str(), &found);
    if (search == INVALID_HANDLE_VALUE) return;
    do {
        const std::wstring_view name = found.cFileName;
        if (name != L"." && name != L"..") visit(found);
    } while (FindNextFileW(search, &found));
    FindClose(search);
}

void remove_all(const std::wstring& path, DWORD attributes) {
    if (attributes & FILE_ATTRIBUTE_READONLY) SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_NORMAL);
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY)) {
        DeleteFileW(path.c_str());
        return;
    }
    if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT))
        visit_folder(path, [&](const WIN32_FIND_DATAW& found) {
            remove_all(path + L"\\" + found.cFileName, found.dwFileAttributes);
        });
    RemoveDirectoryW(path.c_str());
}

}  // namespace

std::optional<FileStamp> file_stamp(const std::string& path) {
    constexpr std::int64_t ticks_until_1970 = 116'444'736'000'000'000;
    const OpenFile file(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING);
    BY_HANDLE_FILE_INFORMATION info;
    if (!file || !GetFileInformationByHandle(file.handle(), &info)) return {};
    if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) return {};
    const auto ticks =
        static_cast<std::int64_t>(both(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime));
    return FileStamp{both(info.nFileSizeHigh, info.nFileSizeLow), (ticks - ticks_until_1970) * 100,
                     both(info.nFileIndexHigh, info.nFileIndexLow)};
}

bool is_directory(const std::string& path) {
    const DWORD attributes = attributes_of(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/// Names say it, not permissions.
bool is_executable(const std::string& path) {
    return is_file(path);
}

std::optional<std::string> read_file(const std::string& path) {
    const OpenFile file(path, GENERIC_READ, OPEN_EXISTING);
    LARGE_INTEGER size;
    if (!file) {
        if (is_directory(path)) errno = EISDIR;
        return {};
    }
    if (!GetFileSizeEx(file.handle(), &size)) {
        note_error();
        return {};
    }
    std::string content(static_cast<std::size_t>(size.QuadPart) + 1, '\0');
    std::size_t filled = 0;
    for (;;) {
        if (filled == content.size()) content.resize(2 * content.size());
        constexpr std::size_t largest_read = 1 << 30;
        DWORD count = 0;
        const auto wanted = static_cast<DWORD>(std::min(content.size() - filled, largest_read));
        if (!ReadFile(file.handle(), content.data() + filled, wanted, &count, nullptr)) {
            note_error();
            return {};
        }
        if (count == 0) break;
        filled += count;
    }
    content.resize(filled);
    return content;
}

std::optional<std::string> read_part(const std::string& path, std::uint64_t begin, std::size_t nbytes) {
    const OpenFile file(path, GENERIC_READ, OPEN_EXISTING);
    LARGE_INTEGER at;
    at.QuadPart = static_cast<LONGLONG>(begin);
    if (!file || !SetFilePointerEx(file.handle(), at, nullptr, FILE_BEGIN)) return {};
    std::string content(nbytes, '\0');
    for (std::size_t filled = 0; filled < nbytes;) {
        constexpr std::size_t largest_read = 1 << 30;
        DWORD count = 0;
        const auto wanted = static_cast<DWORD>(std::min(nbytes - filled, largest_read));
        if (!ReadFile(file.handle(), content.data() + filled, wanted, &count, nullptr) || count == 0) return {};
        filled += count;
    }
    return content;
}

bool make_private_folder(const std::string& path) {
    if (path.empty() || is_directory(path)) return true;
    const std::string parent = parent_path(path);
    if (parent == path) {  // a drive or a share that is not there
        errno = ENOENT;
        return false;
    }
    if (!make_private_folder(parent)) return false;
    if (windows::make_folder(system_path(path)) || GetLastError() == ERROR_ALREADY_EXISTS) return true;
    note_error();
    return false;
}

bool write_new_file(const std::string& path, std::string_view content) {
    OpenFile file(path, GENERIC_WRITE, CREATE_NEW);
    if (!file) return false;
    while (!content.empty()) {
        constexpr std::size_t largest_write = 1 << 30;
        DWORD count = 0;
        const auto size = static_cast<DWORD>(std::min(content.size(), largest_write));
        if (!WriteFile(file.handle(), content.data(), size, &count, nullptr) || count == 0) {
            note_error();
            return false;
        }
        content.remove_prefix(count);
    }
    if (file.close()) return true;
    note_error();
    return false;
}

std::FILE* open_for_writing(const std::string& path) {
    return _wfopen(system_path(path).c_str(), L"w");
}

/// Also replaces a file that readers have open: since Windows 10, on NTFS.
bool replace_open_file(const std::wstring& from, const std::wstring& to) {
    constexpr auto rename_information = static_cast<FILE_INFO_BY_HANDLE_CLASS>(22);  // FileRenameInfoEx
    constexpr DWORD replace_existing = 1, posix_semantics = 2;
    struct {
        DWORD flags;
        HANDLE folder;
        DWORD name_bytes;
        wchar_t name[1 << 10];
    } rename{replace_existing | posix_semantics, nullptr, static_cast<DWORD>(to.size() * sizeof(wchar_t)), {}};
    if (to.size() >= std::size(rename.name)) return false;
    std::copy(to.begin(), to.end(), rename.name);
    const HANDLE file =
        CreateFileW(from.c_str(), DELETE | SYNCHRONIZE, shared_by_all, nullptr, OPEN_EXISTING, 0, nullptr);
    if (file == INVALID_HANDLE_VALUE) return false;
    const bool renamed = SetFileInformationByHandle(file, rename_information, &rename, sizeof rename);
    CloseHandle(file);
    return renamed;
}

/// Elsewhere it has to wait for readers, which take only moments here.
bool rename_file(const std::string& from, const std::string& to) noexcept {
    constexpr ULONGLONG patience_ms = 2000;
    const ULONGLONG start = GetTickCount64();
    const std::wstring old_name = system_path(from), new_name = system_path(to);
    if (replace_open_file(old_name, new_name)) return true;
    for (;;) {
        if (MoveFileExW(old_name.c_str(), new_name.c_str(), MOVEFILE_REPLACE_EXISTING)) return true;
        const DWORD error = GetLastError();
        const bool may_be_read = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
        if (may_be_read && !is_directory(to) && GetTickCount64() - start < patience_ms) {
            Sleep(1);
            continue;
        }
        SetLastError(error);
        note_error();
        return false;
    }
}

std::vector<std::string> directory_entries(const std::string& path) {
    std::vector<std::string> names;
    visit_folder(system_path(path),
                 [&](const WIN32_FIND_DATAW& found) { names.push_back(windows::utf8(found.cFileName)); });
    std::sort(names.begin(), names.end());
    return names;
}

/// A loaded library's file cannot be deleted, and without FILE_SHARE_DELETE nor can any other that is open. It is so
/// until the process ends.
std::string keep_file_open(const std::string& path) {
    CreateFileW(system_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL,
                nullptr);
    return path;
}

void touch_file(const std::string& path) noexcept {
    const OpenFile file(path, FILE_WRITE_ATTRIBUTES, OPEN_EXISTING);
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    if (file) SetFileTime(file.handle(), nullptr, nullptr, &now);
}

bool remove_file(const std::string& path) noexcept {
    if (DeleteFileW(system_path(path).c_str())) return true;
    note_error();
    return errno == ENOENT;
}

void remove_empty_folder(const std::string& path) noexcept {
    RemoveDirectoryW(system_path(path).c_str());
}

bool path_exists(const std::string& path) {
    return attributes_of(path) != INVALID_FILE_ATTRIBUTES;
}

bool belongs_to_another_user(const std::string& path) {
    return windows::is_of_another_user(system_path(path));
}

std::intptr_t FileLock::open_file(const std::string& path) {
    return reinterpret_cast<std::intptr_t>(CreateFileW(system_path(path).c_str(), GENERIC_READ | GENERIC_WRITE,
                                                       shared_by_all, nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL,
                                                       nullptr));
}

FileLock::Attempt FileLock::try_lock() noexcept {
    OVERLAPPED whole{};
    constexpr DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    if (LockFileEx(reinterpret_cast<HANDLE>(file_), flags, 0, MAXDWORD, MAXDWORD, &whole)) return Attempt::Locked;
    const DWORD error = GetLastError();
    return error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING ? Attempt::Busy : Attempt::Failed;
}

void FileLock::unlock() noexcept {
    OVERLAPPED whole{};
    UnlockFileEx(reinterpret_cast<HANDLE>(file_), 0, MAXDWORD, MAXDWORD, &whole);
    CloseHandle(reinterpret_cast<HANDLE>(file_));
}

bool is_absolute_path(const std::string& path) noexcept {
    const std::size_t root = root_length(path);
    return root > 2 || (root == 1 && path.size() == 1);
}

bool names_a_folder(std::string_view path) noexcept {
    return path.find_first_of("/\\") != path.npos;
}

std::string parent_path(const std::string& path) {
    const std::size_t root = root_length(path);
    std::size_t end = path.size();
    while (end > root && !is_separator(path[end - 1])) --end;
    while (end > root && is_separator(path[end - 1])) --end;
    return path.substr(0, end);
}

std::string absolute_path(const std::string& path) {
    const std::wstring given = windows::wide(path);
    std::wstring full(GetFullPathNameW(given.c_str(), 0, nullptr, nullptr), L'\0');
    if (full.empty()) return path;
    full.resize(GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
    return core_path(full);
}

std::string real_path(const std::string& path) {
    const OpenFile file(path, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
    if (!file) return path;
    std::wstring real(GetFinalPathNameByHandleW(file.handle(), nullptr, 0, FILE_NAME_NORMALIZED), L'\0');
    if (real.empty()) return path;
    real.resize(
        GetFinalPathNameByHandleW(file.handle(), real.data(), static_cast<DWORD>(real.size()), FILE_NAME_NORMALIZED));
    return core_path(real);
}

std::string home_directory() {
    for (const char* variable : {"HOME", "USERPROFILE"})
        if (const std::string folder = environment(variable); !folder.empty()) return absolute_path(folder);
    return {};
}

std::string user_cache_folder() {
    if (const std::string folder = environment("LOCALAPPDATA"); !folder.empty()) return absolute_path(folder);
    const std::string profile = environment("USERPROFILE");
    return profile.empty() ? profile : join_path(absolute_path(profile), "AppData/Local");
}

std::string temporary_folder() {
    std::wstring folder(GetTempPathW(0, nullptr), L'\0');
    folder.resize(GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()));
    return core_path(folder);
}

bool make_unique_folder(std::string& path) {
    constexpr int attempts = 100;
    for (int n = 0; n < attempts; ++n) {
        LARGE_INTEGER ticks;
        QueryPerformanceCounter(&ticks);
        const auto mixed = (static_cast<std::uint64_t>(ticks.QuadPart) ^ std::uint64_t{GetCurrentThreadId()} << 32) *
                           0x9e3779b97f4a7c15ull;
        std::string made = path;
        for (int shift = 59; shift > 29; shift -= 5) made += "abcdefghijklmnopqrstuvwxyz234567"[mixed >> shift & 31];
        if (windows::make_folder(system_path(made))) {
            path = made;
            return true;
        }
        if (GetLastError() != ERROR_ALREADY_EXISTS) break;
    }
    note_error();
    return false;
}

void remove_tree(const std::string& path) noexcept {
    if (const DWORD attributes = attributes_of(path); attributes != INVALID_FILE_ATTRIBUTES)
        remove_all(system_path(path), attributes);
}

}  // namespace pycuda
