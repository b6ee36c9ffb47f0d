#pragma once

#include "platform/shared_file.hpp"

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace cpu::state {

/// Memory that another process of the same user can map.
class SharedFile {
public:
    SharedFile() = default;
    /// A new file of `bytes`. Throws CUDA_ERROR_OUT_OF_MEMORY, or CUDA_ERROR_NOT_SUPPORTED where there are none.
    explicit SharedFile(std::size_t bytes);
    ~SharedFile();
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&& other) noexcept;

    /// What another process needs to open it; fits into a CUDA IPC handle.
    struct Name {
        char kind[8];
        platform::FileNumber number;
        std::uint64_t size;
    };
    /// `kind` distinguishes memory from events; at most 7 characters.
    Name name(const char* kind) const;
    /// Throws `not_one` if the name is invalid or of another kind, or its file is gone.
    static SharedFile open(const Name& name, const char* kind, CUresult not_one);
    /// The same, but throws CUDA_ERROR_INVALID_CONTEXT in the process that created it, as the driver does.
    static SharedFile open_foreign(const Name& name, const char* kind, CUresult not_one);
    /// The file of a descriptor, which the caller keeps. Throws CUDA_ERROR_INVALID_VALUE for an invalid descriptor, and
    /// CUDA_ERROR_NOT_SUPPORTED where there are none.
    static SharedFile copy_of(int descriptor);
    /// The same for a descriptor that an import takes over. Throws CUDA_ERROR_OPERATING_SYSTEM for one that is not of
    /// memory (memfd_create) that can be read and written, CUDA_ERROR_INVALID_VALUE for memory of less than `bytes`.
    static SharedFile copy_for_import(int descriptor, std::size_t bytes);
    /// The import is done: its descriptor is the driver's. Another import of the same number then fails.
    static void close_imported(int descriptor) noexcept;
    /// A descriptor for the caller. Throws CUDA_ERROR_OPERATING_SYSTEM or CUDA_ERROR_NOT_SUPPORTED.
    int new_descriptor() const;

    /// Throws CUDA_ERROR_OUT_OF_MEMORY.
    void write(std::size_t offset, const void* data, std::size_t bytes);
    /// False if the file is shorter.
    bool read(std::size_t offset, void* data, std::size_t bytes) const noexcept;
    /// Replaces what is at a part of reserved addresses by the file from the page at `offset` on. Throws
    /// CUDA_ERROR_MAP_FAILED.
    void map_at(void* address, std::size_t bytes, std::size_t offset = 0) const;

    std::uint64_t inode() const;
    std::size_t size() const noexcept { return size_; }
    explicit operator bool() const noexcept { return file_ >= 0; }

private:
    platform::FileHandle file_ = -1;
    std::size_t size_ = 0;
};

}  // namespace cpu::state
