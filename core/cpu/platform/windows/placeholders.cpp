#include "platform/windows/placeholders.hpp"

#include <windows.h>

#include <algorithm>
#include <cstdint>

namespace cpu::platform::placeholders {

namespace {

// mingw-w64's import libraries lack these functions, and older systems, too.
constexpr ULONG replace_placeholder = 0x4000, reserve_placeholder = 0x40000, preserve_placeholder = 2;

struct AddressRequirements {
    void* lowest;
    void* highest;
    SIZE_T alignment;
};
struct Parameter {
    std::uint64_t type;
    void* pointer;
};
constexpr std::uint64_t address_requirements = 1;

struct Functions {
    void*(WINAPI* allocate)(HANDLE, void*, SIZE_T, ULONG, ULONG, Parameter*, ULONG);
    void*(WINAPI* map)(HANDLE, HANDLE, void*, ULONG64, SIZE_T, ULONG, ULONG, Parameter*, ULONG);
    BOOL(WINAPI* unmap)(HANDLE, void*, ULONG);
    bool exist = false;

    Functions() noexcept {
        const HMODULE library = GetModuleHandleW(L"kernelbase.dll");
        const auto find = [&]<class Function>(const char* name, Function& function) {
            function = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
            return function != nullptr;
        };
        if (!find("VirtualAlloc2", allocate) || !find("MapViewOfFile3", map) || !find("UnmapViewOfFile2", unmap))
            return;
        // Wine has the functions, but refuses placeholders.
        void* const tried = allocate(GetCurrentProcess(), nullptr, 1 << 16, MEM_RESERVE | reserve_placeholder,
                                     PAGE_NOACCESS, nullptr, 0);
        exist = tried && VirtualFree(tried, 0, MEM_RELEASE);
    }
};

const Functions& functions() noexcept {
    static const Functions known;
    return known;
}

}  // namespace

bool exist() noexcept {
    return functions().exist;
}

void* reserve(void* address, std::size_t bytes, std::size_t alignment) noexcept {
    AddressRequirements wanted{nullptr, nullptr, alignment};
    Parameter parameter{address_requirements, &wanted};
    return functions().allocate(GetCurrentProcess(), address, bytes, MEM_RESERVE | reserve_placeholder, PAGE_NOACCESS,
                                alignment ? &parameter : nullptr, alignment ? 1 : 0);
}

bool clear(void* address, std::size_t bytes) noexcept {
    // Each of what is there, then all of it as one.
    auto* const start = static_cast<unsigned char*>(address);
    bool several = false;
    for (unsigned char* at = start; at < start + bytes;) {
        MEMORY_BASIC_INFORMATION info;
        if (!VirtualQuery(at, &info, sizeof info) || info.State == MEM_FREE) return false;
        auto* const end = std::min(static_cast<unsigned char*>(info.BaseAddress) + info.RegionSize, start + bytes);
        const auto size = static_cast<SIZE_T>(end - at);
        const bool is_view = info.State == MEM_COMMIT && info.Type == MEM_MAPPED;
        const bool done = is_view ? functions().unmap(GetCurrentProcess(), at, preserve_placeholder)
                                  : VirtualFree(at, size, MEM_RELEASE | preserve_placeholder);
        // A reservation of exactly this size is already one of its own.
        if (!done && (is_view || GetLastError() != ERROR_INVALID_ADDRESS)) return false;
        several |= at != start || end != start + bytes;
        at = end;
    }
    constexpr DWORD coalesce_placeholders = 1;
    return !several || VirtualFree(address, bytes, MEM_RELEASE | coalesce_placeholders);
}

bool put_pages(void* address, std::size_t bytes) noexcept {
    return functions().allocate(GetCurrentProcess(), address, bytes, MEM_RESERVE | MEM_COMMIT | replace_placeholder,
                                PAGE_READWRITE, nullptr, 0) != nullptr;
}

bool put_file(void* section, std::size_t offset, void* address, std::size_t bytes) noexcept {
    return functions().map(section, GetCurrentProcess(), address, offset, bytes, replace_placeholder, PAGE_READWRITE,
                           nullptr, 0) != nullptr;
}

}  // namespace cpu::platform::placeholders
