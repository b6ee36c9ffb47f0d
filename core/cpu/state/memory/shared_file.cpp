#include "state/memory/shared_file.hpp"

#include "state/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

namespace cpu::state {

SharedFile::SharedFile(std::size_t bytes) : descriptor_(memfd_create("pycuda-cpu", MFD_CLOEXEC)), size_(bytes) {
    require(descriptor_ >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
        close(std::exchange(descriptor_, -1));
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
}

SharedFile::~SharedFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(size_, other.size_);
    return *this;
}

namespace {

struct stat status_of(int descriptor) {
    struct stat status{};
    require(fstat(descriptor, &status) == 0, CUDA_ERROR_OPERATING_SYSTEM);
    return status;
}

}  // namespace

SharedFile::Name SharedFile::name(const char* kind) const {
    Name made{};
    std::strncpy(made.kind, kind, sizeof made.kind - 1);
    made.process = getpid();
    made.descriptor = descriptor_;
    made.inode = status_of(descriptor_).st_ino;
    made.size = size_;
    return made;
}

SharedFile SharedFile::open(const Name& name, const char* kind, CUresult not_one) {
    require(std::strncmp(name.kind, kind, sizeof name.kind) == 0, not_one);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.descriptor);
    SharedFile file;
    file.descriptor_ = ::open(path, O_RDWR | O_CLOEXEC);
    file.size_ = name.size;
    // The number may name another file by now, and the size comes from the other process.
    require(static_cast<bool>(file), not_one);
    const struct stat status = status_of(file.descriptor_);
    require(status.st_ino == name.inode && name.size <= static_cast<std::size_t>(status.st_size), not_one);
    return file;
}

SharedFile SharedFile::open_foreign(const Name& name, const char* kind, CUresult not_one) {
    SharedFile file = open(name, kind, not_one);
    require(name.process != getpid(), CUDA_ERROR_INVALID_CONTEXT);
    return file;
}

SharedFile SharedFile::copy_of(int descriptor) {
    struct stat status{};
    require(fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode));
    SharedFile file;
    file.descriptor_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    file.size_ = static_cast<std::size_t>(status.st_size);
    require(file.descriptor_ >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    return file;
}

std::uint64_t SharedFile::inode() const {
    return status_of(descriptor_).st_ino;
}

}  // namespace cpu::state
