#include "platform/windows/text.hpp"

#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace pycuda::windows {

std::wstring wide(std::string_view utf8) {
    const int given = static_cast<int>(utf8.size());
    std::wstring text(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), given, nullptr, 0)), L'\0');
    MultiByteToWideChar(CP_UTF8, 0, utf8.data(), given, text.data(), static_cast<int>(text.size()));
    return text;
}

std::string utf8(std::wstring_view wide) {
    const int given = static_cast<int>(wide.size());
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), given, nullptr, 0, nullptr, nullptr);
    std::string text(static_cast<std::size_t>(size), '\0');
    WideCharToMultiByte(CP_UTF8, 0, wide.data(), given, text.data(), size, nullptr, nullptr);
    return text;
}

std::wstring system_path(std::string_view path) {
    constexpr std::size_t longest_plain = 240;
    std::wstring text = wide(path);
    std::replace(text.begin(), text.end(), L'/', L'\\');
    const bool has_drive = text.size() > 2 && text[1] == L':' && text[2] == L'\\';
    return has_drive && text.size() > longest_plain ? L"\\\\?\\" + text : text;
}

std::string core_path(std::wstring_view path) {
    constexpr std::wstring_view prefix = L"\\\\?\\";
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
    std::string text = utf8(path);
    std::replace(text.begin(), text.end(), '\\', '/');
    return text;
}

void note_error() noexcept {
    struct Pair {
        DWORD error;
        int number;
    };
    constexpr Pair pairs[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
                              {ERROR_PATH_NOT_FOUND, ENOENT},
                              {ERROR_INVALID_DRIVE, ENOENT},
                              {ERROR_BAD_NETPATH, ENOENT},
                              {ERROR_ACCESS_DENIED, EACCES},
                              {ERROR_SHARING_VIOLATION, EBUSY},
                              {ERROR_LOCK_VIOLATION, EBUSY},
                              {ERROR_ALREADY_EXISTS, EEXIST},
                              {ERROR_FILE_EXISTS, EEXIST},
                              {ERROR_DISK_FULL, ENOSPC},
                              {ERROR_HANDLE_DISK_FULL, ENOSPC},
                              {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                              {ERROR_DIRECTORY, ENOTDIR},
                              {ERROR_WRITE_PROTECT, EROFS},
                              {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
                              {ERROR_INVALID_NAME, EINVAL},
                              {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG}};
    const DWORD error = GetLastError();
    const auto* const pair = std::find_if(std::begin(pairs), std::end(pairs), [=](Pair p) { return p.error == error; });
    errno = pair == std::end(pairs) ? EIO : pair->number;
}

std::string error_text(unsigned long error) {
    wchar_t text[512];
    constexpr DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    std::wstring_view found(text, FormatMessageW(flags, nullptr, error, 0, text, std::size(text), nullptr));
    while (!found.empty() && (found.back() == L' ' || found.back() == L'.')) found.remove_suffix(1);
    return found.empty() ? "error " + std::to_string(error) : utf8(found);
}

}  // namespace pycuda::windows
