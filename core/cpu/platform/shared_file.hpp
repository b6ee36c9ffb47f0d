#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

/// Memory without a name in the file system that other processes of the same user can map.
namespace cpu::platform {

/// A descriptor or handle of the system; negative for none.
using FileHandle = std::intptr_t;

/// What another process needs to open it.
struct FileNumber {
    std::int32_t process;
    std::int32_t descriptor;
    std::uint64_t inode;
};

/// False if this system's shared memory has no descriptors that programs could pass to each other.
extern const bool has_file_descriptors;

/// False if files cannot take the place of pages at reserved addresses; then nothing below is of use.
bool can_map_files() noexcept;

FileHandle make_shared_file(std::size_t bytes) noexcept;
FileHandle open_shared_file(const FileNumber& number) noexcept;
/// Of a file that a program has a descriptor of, if it is memory or a plain file.
FileHandle duplicate_shared_file(int descriptor) noexcept;
/// True for a program's descriptor of memory that can be read and written, if it is none that these functions opened.
bool may_be_imported(int descriptor) noexcept;
/// Of such a descriptor, which the program has given away.
void close_imported(int descriptor) noexcept;
/// For the program, which closes it.
int new_descriptor(FileHandle file) noexcept;
void close_shared_file(FileHandle file) noexcept;

/// Nothing if the system cannot say.
std::optional<std::size_t> size_of(FileHandle file) noexcept;
std::optional<FileNumber> number_of(FileHandle file) noexcept;

bool write_at(FileHandle file, std::size_t offset, const void* data, std::size_t bytes) noexcept;
bool read_at(FileHandle file, std::size_t offset, void* data, std::size_t bytes) noexcept;
/// Puts the file, from the page at `offset` on, at a part of reserved addresses, instead of what is there.
bool map_file_at(FileHandle file, std::size_t offset, void* address, std::size_t bytes) noexcept;
/// Puts zeroed pages there again.
bool replace_file_by_pages(void* address, std::size_t bytes) noexcept;

}  // namespace cpu::platform
