#include "platform/libraries.hpp"

#include <windows.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/windows/text.hpp"

namespace pycuda {
namespace {

/// A program or library file begins so.
struct FileStart {
    explicit FileStart(const std::string& path) {
        IMAGE_DOS_HEADER dos;
        const auto start = read_part(path, 0, sizeof dos);
        if (!start) return;
        std::memcpy(&dos, start->data(), sizeof dos);
        if (dos.e_magic != IMAGE_DOS_SIGNATURE || dos.e_lfanew < 0) return;
        const auto rest = read_part(path, static_cast<std::uint64_t>(dos.e_lfanew), sizeof headers);
        if (!rest) return;
        std::memcpy(&headers, rest->data(), sizeof headers);
        is_one = headers.Signature == IMAGE_NT_SIGNATURE;
    }
    IMAGE_NT_HEADERS64 headers{};
    bool is_one = false;
};

template <class T>
T* at(void* library, DWORD offset) {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(library) + offset);
}

/// Calls `visit` with the slot and the name of each function that a loaded library imports by name.
template <class Visit>
void visit_imports(void* library, const Visit& visit) {
    const auto* const dos = at<IMAGE_DOS_HEADER>(library, 0);
    const auto* const headers = at<IMAGE_NT_HEADERS64>(library, static_cast<DWORD>(dos->e_lfanew));
    const IMAGE_DATA_DIRECTORY& table = headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    if (table.VirtualAddress == 0) return;
    for (const auto* from = at<IMAGE_IMPORT_DESCRIPTOR>(library, table.VirtualAddress); from->Name != 0; ++from) {
        if (from->OriginalFirstThunk == 0) continue;
        const auto* name = at<IMAGE_THUNK_DATA64>(library, from->OriginalFirstThunk);
        auto* slot = at<void*>(library, from->FirstThunk);
        for (; name->u1.AddressOfData != 0; ++name, ++slot)
            if (!IMAGE_SNAP_BY_ORDINAL64(name->u1.Ordinal))
                visit(slot, at<IMAGE_IMPORT_BY_NAME>(library, static_cast<DWORD>(name->u1.AddressOfData))->Name);
    }
}

void write_slot(void** slot, void* function) noexcept {
    DWORD before = 0;
    if (!VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &before)) return;
    *slot = function;
    VirtualProtect(slot, sizeof *slot, before, &before);
}

using SignalHandler = void (*)(int);

SignalHandler leave_signal(int, SignalHandler) noexcept {
    return nullptr;
}

BOOL WINAPI leave_console_handlers(PHANDLER_ROUTINE, BOOL) noexcept {
    return TRUE;
}

HMODULE load(const std::wstring& path, bool is_file) {
    // A file's own folder is searched for what it needs; the current folder never is.
    const DWORD flags = LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (is_file ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0);
    return LoadLibraryExW(path.c_str(), nullptr, flags);
}

}  // namespace

std::string library_prefix(const std::string& name) {
    return name + (name == "nvJitLink" ? "_" : "64_");
}

std::string library_file(const std::string& name, int version) {
    return library_prefix(name) + std::to_string(version) + ".dll";
}

std::string library_file(const std::string& name) {
    return name + ".dll";
}

/// "nvrtc64_130_0.alt.dll" is one for other programs.
bool is_library_file(const std::string& name) noexcept {
    return name.ends_with(".dll") && !name.ends_with(".alt.dll");
}

/// 13 of "nvrtc64_130_0.dll"
int library_major_version(const std::string& path) {
    const std::size_t name = path.rfind('/') + 1;
    const std::size_t version = path.find('_', name);
    return version == std::string::npos ? 0 : std::atoi(path.c_str() + version + 1) / 10;
}

std::string program_file(const std::string& name) {
    return name + ".exe";
}

/// Its time stamp may be a hash. The checksum covers the whole file where it is set, as in what NVIDIA signs.
std::string linked_build_id(const std::string& path) {
    const FileStart start(path);
    if (!start.is_one || start.headers.OptionalHeader.CheckSum == 0) return {};
    std::string id;
    for (const DWORD number : {start.headers.FileHeader.TimeDateStamp, start.headers.OptionalHeader.CheckSum,
                               start.headers.OptionalHeader.SizeOfImage}) {
        char digits[16];
        const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
        id.append(8 - static_cast<std::size_t>(end - digits), '0').append(digits, end);
    }
    return id;
}

void* load_library(const std::string& path, std::string* why) {
    const bool is_file = names_a_folder(path);
    HMODULE library = load(windows::system_path(is_file ? absolute_path(path) : path), is_file);
    const DWORD error = GetLastError();
    if (!library && !is_file)
        for (const std::string& folder : environment_folders("PATH"))
            if (const std::string file = join_path(folder, path); !library && pycuda::is_file(file))
                library = load(windows::system_path(file), true);
    if (!library && why) *why = path + " cannot be opened: " + windows::error_text(error);
    return library;
}

void* library_symbol(void* library, const char* name) noexcept {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void forbid_signal_handlers(void* library) noexcept {
    visit_imports(library, [](void** slot, const char* name) {
        if (std::strcmp(name, "signal") == 0) write_slot(slot, reinterpret_cast<void*>(leave_signal));
        if (std::strcmp(name, "SetConsoleCtrlHandler") == 0)
            write_slot(slot, reinterpret_cast<void*>(leave_console_handlers));
    });
}

bool has_opengl() {
    const HMODULE library = load(L"opengl32.dll", false);
    if (library) FreeLibrary(library);
    return library != nullptr;
}

bool is_for_another_processor(const std::string& path) {
    const FileStart start(path);
    return start.is_one && start.headers.FileHeader.Machine != IMAGE_FILE_MACHINE_AMD64;
}

void stay_loaded() noexcept {
    HMODULE own = nullptr;
    const auto here = reinterpret_cast<const wchar_t*>(reinterpret_cast<void*>(&stay_loaded));
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, here, &own);
}

std::string path_of_own_library() {
    HMODULE own = nullptr;
    constexpr DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    const auto here = reinterpret_cast<const wchar_t*>(reinterpret_cast<void*>(&path_of_own_library));
    if (!GetModuleHandleExW(flags, here, &own)) return {};
    std::wstring path(1 << 15, L'\0');
    path.resize(GetModuleFileNameW(own, path.data(), static_cast<DWORD>(path.size())));
    return windows::core_path(path);
}

}  // namespace pycuda
