#include "platform/shared_file.hpp"

#include "platform/windows/placeholders.hpp"

#include <windows.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

namespace cpu::platform {

namespace {

/// A section of the page file, whose name says its number.
struct Section {
    HANDLE handle;
    FileNumber number;
    std::size_t size;
};

struct SectionName {
    wchar_t text[96];
    explicit SectionName(const FileNumber& number) noexcept {
        std::swprintf(text, std::size(text), L"Local\\pycuda-cpu-%d-%d-%llx", number.process, number.descriptor,
                      static_cast<unsigned long long>(number.inode));
    }
};

const Section& section_of(FileHandle file) noexcept {
    return *reinterpret_cast<const Section*>(file);
}

FileHandle made_of(HANDLE handle, const FileNumber& number, std::size_t size) noexcept {
    auto* const section = handle ? new (std::nothrow) Section{handle, number, size} : nullptr;
    if (section) return reinterpret_cast<FileHandle>(section);
    if (handle) CloseHandle(handle);
    return -1;
}

/// In whole pages; 0 if it cannot be mapped.
std::size_t size_of_section(HANDLE handle) noexcept {
    void* const view = MapViewOfFile(handle, FILE_MAP_READ, 0, 0, 0);
    MEMORY_BASIC_INFORMATION info{};
    if (view && !VirtualQuery(view, &info, sizeof info)) info.RegionSize = 0;
    if (view) UnmapViewOfFile(view);
    return info.RegionSize;
}

/// A view of a part of the section while it exists.
class View {
public:
    View(const Section& section, std::size_t offset, std::size_t bytes, DWORD access) noexcept {
        constexpr std::size_t granularity = 1 << 16;
        if (offset > section.size || bytes > section.size - offset) return;
        const std::size_t start = offset / granularity * granularity;
        view_ = MapViewOfFile(section.handle, access, static_cast<DWORD>(start >> 32), static_cast<DWORD>(start),
                              offset - start + bytes);
        if (view_) data_ = static_cast<std::byte*>(view_) + (offset - start);
    }
    ~View() {
        if (view_) UnmapViewOfFile(view_);
    }
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    std::byte* data() const noexcept { return data_; }

private:
    void* view_ = nullptr;
    std::byte* data_ = nullptr;
};

}  // namespace

const bool has_file_descriptors = false;

bool can_map_files() noexcept {
    return placeholders::exist();
}

FileHandle make_shared_file(std::size_t bytes) noexcept {
    static std::atomic<std::int32_t> serial{0};
    LARGE_INTEGER ticks;
    QueryPerformanceCounter(&ticks);
    const FileNumber number{static_cast<std::int32_t>(GetCurrentProcessId()), ++serial,
                            static_cast<std::uint64_t>(ticks.QuadPart)};
    const HANDLE made =
        CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, static_cast<DWORD>(bytes >> 32),
                           static_cast<DWORD>(bytes), SectionName(number).text);
    return made_of(made, number, bytes);
}

FileHandle open_shared_file(const FileNumber& number) noexcept {
    const HANDLE opened = OpenFileMappingW(FILE_MAP_READ | FILE_MAP_WRITE, FALSE, SectionName(number).text);
    return made_of(opened, number, opened ? size_of_section(opened) : 0);
}

FileHandle duplicate_shared_file(int) noexcept {
    return -1;
}

bool may_be_imported(int) noexcept {
    return false;
}

void close_imported(int) noexcept {}

int new_descriptor(FileHandle) noexcept {
    return -1;
}

void close_shared_file(FileHandle file) noexcept {
    CloseHandle(section_of(file).handle);
    delete &section_of(file);
}

std::optional<std::size_t> size_of(FileHandle file) noexcept {
    return section_of(file).size;
}

std::optional<FileNumber> number_of(FileHandle file) noexcept {
    return section_of(file).number;
}

bool write_at(FileHandle file, std::size_t offset, const void* data, std::size_t bytes) noexcept {
    const View view(section_of(file), offset, bytes, FILE_MAP_WRITE);
    if (view.data()) std::memcpy(view.data(), data, bytes);
    return view.data() != nullptr;
}

bool read_at(FileHandle file, std::size_t offset, void* data, std::size_t bytes) noexcept {
    const View view(section_of(file), offset, bytes, FILE_MAP_READ);
    if (view.data()) std::memcpy(data, view.data(), bytes);
    return view.data() != nullptr;
}

bool map_file_at(FileHandle file, std::size_t offset, void* address, std::size_t bytes) noexcept {
    return placeholders::exist() && placeholders::clear(address, bytes) &&
           placeholders::put_file(section_of(file).handle, offset, address, bytes);
}

bool replace_file_by_pages(void* address, std::size_t bytes) noexcept {
    return placeholders::clear(address, bytes) && placeholders::put_pages(address, bytes);
}

}  // namespace cpu::platform
