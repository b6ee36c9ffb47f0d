#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace cpu::state {

/// Memory that another process of the same user can map: an anonymous file, found through /proc/<pid>/fd.
class SharedFile {
public:
    SharedFile() = default;
    /// A new file of `bytes`. Throws CUDA_ERROR_OPERATING_SYSTEM.
    explicit SharedFile(std::size_t bytes);
    ~SharedFile();
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&& other) noexcept;

    /// What another process needs to open it; fits into a CUDA IPC handle.
    struct Name {
        char kind[8];
        std::int32_t process;
        std::int32_t descriptor;
        std::uint64_t inode;
        std::uint64_t size;
    };
    /// `kind` distinguishes memory from events; at most 7 characters.
    Name name(const char* kind) const;
    /// Throws `not_one` if the name is invalid or of another kind, or its file is gone.
    static SharedFile open(const Name& name, const char* kind, CUresult not_one);
    /// The same, but throws CUDA_ERROR_INVALID_CONTEXT in the process that created it, as the driver does.
    static SharedFile open_foreign(const Name& name, const char* kind, CUresult not_one);
    /// The file of a descriptor, which the caller keeps. Throws CUDA_ERROR_INVALID_VALUE for an invalid descriptor.
    static SharedFile copy_of(int descriptor);
    /// The same for a descriptor that an import takes over. Throws CUDA_ERROR_OPERATING_SYSTEM for one that is not of
    /// memory (memfd_create) that can be read and written, CUDA_ERROR_INVALID_VALUE for memory of less than `bytes`.
    static SharedFile copy_for_import(int descriptor, std::size_t bytes);
    /// The import is done: its descriptor is the driver's. Another import of the same number then fails.
    static void close_imported(int descriptor) noexcept;

    std::uint64_t inode() const;

    int descriptor() const noexcept { return descriptor_; }
    std::size_t size() const noexcept { return size_; }
    explicit operator bool() const noexcept { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
    std::size_t size_ = 0;
};

}  // namespace cpu::state
