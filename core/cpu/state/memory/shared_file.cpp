#include "state/memory/shared_file.hpp"

#include "state/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace cpu::state {

namespace {

/// The descriptors of this device, which no import may take over.
struct OwnDescriptors {
    std::mutex mutex;
    std::set<int> open;
};

OwnDescriptors& own_descriptors() {
    static auto* const instance = new OwnDescriptors;
    return *instance;
}

/// Throws CUDA_ERROR_OPERATING_SYSTEM for none.
int owned(int descriptor) {
    require(descriptor >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    const std::lock_guard lock(own_descriptors().mutex);
    own_descriptors().open.insert(descriptor);
    return descriptor;
}

void close_owned(int descriptor) noexcept {
    const std::lock_guard lock(own_descriptors().mutex);
    own_descriptors().open.erase(descriptor);
    close(descriptor);
}

bool is_owned(int descriptor) {
    const std::lock_guard lock(own_descriptors().mutex);
    return own_descriptors().open.contains(descriptor);
}

}  // namespace

SharedFile::SharedFile(std::size_t bytes) : descriptor_(owned(memfd_create("pycuda-cpu", MFD_CLOEXEC))), size_(bytes) {
    if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
        close_owned(std::exchange(descriptor_, -1));
        fail(CUDA_ERROR_OUT_OF_MEMORY);
    }
}

SharedFile::~SharedFile() {
    if (descriptor_ >= 0) close_owned(descriptor_);
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
    const int descriptor = ::open(path, O_RDWR | O_CLOEXEC);
    // The number may name another file by now, and the size comes from the other process.
    require(descriptor >= 0, not_one);
    file.descriptor_ = owned(descriptor);
    file.size_ = name.size;
    const struct stat status = status_of(file.descriptor_);
    require(status.st_ino == name.inode && name.size <= static_cast<std::size_t>(status.st_size), not_one);
    return file;
}

SharedFile SharedFile::open_foreign(const Name& name, const char* kind, CUresult not_one) {
    SharedFile file = open(name, kind, not_one);
    require(name.process != getpid(), CUDA_ERROR_INVALID_CONTEXT);
    return file;
}

namespace {

/// True for memory of memfd_create, not for files that the program happens to have open.
bool is_memory(int descriptor) {
    char path[64], target[8] = {};
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return readlink(path, target, sizeof target - 1) > 0 && std::strncmp(target, "/memfd:", sizeof target) == 0;
}

}  // namespace

SharedFile SharedFile::copy_for_import(int descriptor, std::size_t bytes) {
    require(!is_owned(descriptor) && is_memory(descriptor) && (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR,
            CUDA_ERROR_OPERATING_SYSTEM);
    require(bytes <= static_cast<std::size_t>(status_of(descriptor).st_size));
    return copy_of(descriptor);
}

void SharedFile::close_imported(int descriptor) noexcept {
    ::close(descriptor);
}

SharedFile SharedFile::copy_of(int descriptor) {
    struct stat status{};
    require(fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode));
    SharedFile file;
    file.descriptor_ = owned(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    file.size_ = static_cast<std::size_t>(status.st_size);
    return file;
}

std::uint64_t SharedFile::inode() const {
    return status_of(descriptor_).st_ino;
}

}  // namespace cpu::state
