#include "platform/process.hpp"

#include <windows.h>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "platform/windows/text.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

class OwnHandle {
public:
    OwnHandle() = default;
    explicit OwnHandle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
    ~OwnHandle() { close(); }
    OwnHandle(const OwnHandle&) = delete;
    OwnHandle& operator=(const OwnHandle&) = delete;
    HANDLE get() const noexcept { return handle_; }
    HANDLE* receive() noexcept { return &handle_; }
    void close() noexcept {
        if (handle_) CloseHandle(handle_);
        handle_ = nullptr;
    }

private:
    HANDLE handle_ = nullptr;
};

[[noreturn]] void fail(const std::string& what) {
    throw RuntimeError("compile", 0, what + ": " + windows::error_text(GetLastError()));
}

SECURITY_ATTRIBUTES inherited() {
    return {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
}

/// Where a child writes, and this process reads.
struct Pipe {
    OwnHandle read, write;
    Pipe() {
        SECURITY_ATTRIBUTES attributes = inherited();
        if (!CreatePipe(read.receive(), write.receive(), &attributes, 0)) fail("a pipe cannot be made");
        SetHandleInformation(read.get(), HANDLE_FLAG_INHERIT, 0);
    }
    /// Adds what is there, without waiting. False if there was nothing.
    bool take(std::string& text) const {
        char buffer[4096];
        DWORD ready = 0, count = 0;
        if (!PeekNamedPipe(read.get(), nullptr, 0, nullptr, &ready, nullptr) || ready == 0) return false;
        if (!ReadFile(read.get(), buffer, sizeof buffer, &count, nullptr)) return false;
        text.append(buffer, count);
        return count != 0;
    }
};

/// As the C library of the child takes it apart: in quotes, where a backslash before a quote is doubled.
std::wstring quoted(const std::string& argument) {
    std::wstring text = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t letter : windows::wide(argument)) {
        if (letter == L'"') text.append(backslashes + 1, L'\\');
        backslashes = letter == L'\\' ? backslashes + 1 : 0;
        text += letter;
    }
    return text.append(backslashes, L'\\') + L"\"";
}

/// The child inherits these handles only: other threads may start programs at the same time.
class InheritedHandles {
public:
    InheritedHandles(HANDLE* handles, std::size_t count) {
        SIZE_T size = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
        memory_.resize(size);
        if (!InitializeProcThreadAttributeList(list(), 1, 0, &size)) fail("a program cannot be started");
        if (!UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles, count * sizeof *handles,
                                       nullptr, nullptr))
            fail("a program cannot be started");
    }
    ~InheritedHandles() { DeleteProcThreadAttributeList(list()); }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;
    LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data()); }

private:
    std::vector<unsigned char> memory_;
};

void start(const std::vector<std::string>& arguments, const std::string& folder, Pipe& out, Pipe& err,
           OwnHandle& child) {
    SECURITY_ATTRIBUTES attributes = inherited();
    const OwnHandle nothing(
        CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &attributes, OPEN_EXISTING, 0, nullptr));
    HANDLE handles[] = {out.write.get(), err.write.get(), nothing.get()};
    InheritedHandles inherited_handles(handles, std::size(handles));
    STARTUPINFOEXW info{};
    info.StartupInfo.cb = sizeof info;
    info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    info.StartupInfo.hStdInput = nothing.get();
    info.StartupInfo.hStdOutput = out.write.get();
    info.StartupInfo.hStdError = err.write.get();
    info.lpAttributeList = inherited_handles.list();
    std::wstring line;
    for (const std::string& argument : arguments) line += (line.empty() ? L"" : L" ") + quoted(argument);
    const std::wstring program = windows::system_path(arguments[0]), place = windows::system_path(folder);
    PROCESS_INFORMATION started{};
    constexpr DWORD flags = CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
    if (!CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, flags, nullptr,
                        place.empty() ? nullptr : place.c_str(), &info.StartupInfo, &started))
        fail("cannot start " + arguments[0]);
    CloseHandle(started.hThread);
    *child.receive() = started.hProcess;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& folder) {
    constexpr DWORD look_again_ms = 5;
    Pipe out, err;
    OwnHandle child;
    start(arguments, folder, out, err, child);
    out.write.close();
    err.write.close();
    ProcessResult result;
    int reads_left = 512;  // after the end: more than pipes can hold, in case a descendant keeps writing
    for (bool ended = false;;) {
        const bool read_out = out.take(result.stdout_text), read_err = err.take(result.stderr_text);
        if (ended && ((!read_out && !read_err) || --reads_left == 0)) break;
        if (!ended) ended = WaitForSingleObject(child.get(), read_out || read_err ? 0 : look_again_ms) == WAIT_OBJECT_0;
    }
    DWORD status = 0;
    GetExitCodeProcess(child.get(), &status);
    result.status = static_cast<int>(status);
    return result;
}

std::string find_program(const std::string& name) {
    for (const std::string& folder : environment_folders("PATH"))
        for (const char* ending : {"", ".exe", ".cmd", ".bat"})
            if (std::string path = join_path(folder, name + ending);
                is_executable(path) && path.rfind('.') > path.rfind('/'))
                return path;
    return {};
}

std::uint64_t process_id() noexcept {
    return GetCurrentProcessId();
}

}  // namespace pycuda
