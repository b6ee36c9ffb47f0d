#include "platform/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <set>

namespace cpu::platform {

namespace {

int descriptor_of(FileHandle file) noexcept {
    return static_cast<int>(file);
}

std::optional<struct stat> status_of(int descriptor) noexcept {
    struct stat status{};
    return fstat(descriptor, &status) == 0 ? std::optional(status) : std::nullopt;
}

/// The descriptors that are open here: their numbers are no program's to give away.
struct OwnDescriptors {
    std::mutex mutex;
    std::set<int> open;
};

OwnDescriptors& own_descriptors() {
    static auto* const instance = new OwnDescriptors;
    return *instance;
}

/// Closes it and returns -1 if there is no memory for the entry.
FileHandle owned(int descriptor) noexcept {
    if (descriptor < 0) return -1;
    try {
        OwnDescriptors& own = own_descriptors();
        const std::lock_guard lock(own.mutex);
        own.open.insert(descriptor);
        return descriptor;
    } catch (const std::bad_alloc&) {
        close(descriptor);
        return -1;
    }
}

/// True for memory of memfd_create, not for files that the program happens to have open.
bool is_memory(int descriptor) noexcept {
    char path[64], target[8] = {};
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return readlink(path, target, sizeof target - 1) > 0 && std::strncmp(target, "/memfd:", sizeof target) == 0;
}

}  // namespace

const bool has_file_descriptors = true;

bool can_map_files() noexcept {
    return true;
}

FileHandle make_shared_file(std::size_t bytes) noexcept {
    const int made = memfd_create("pycuda-cpu", MFD_CLOEXEC);
    if (made < 0 || ftruncate(made, static_cast<off_t>(bytes)) == 0) return owned(made);
    close(made);
    return -1;
}

/// Through /proc/<pid>/fd.
FileHandle open_shared_file(const FileNumber& number) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/fd/%d", number.process, number.descriptor);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    // The number may name another file by now.
    const auto status = status_of(file);
    if (status && status->st_ino == number.inode) return owned(file);
    if (file >= 0) close(file);
    return -1;
}

FileHandle duplicate_shared_file(int descriptor) noexcept {
    const auto status = status_of(descriptor);
    return status && S_ISREG(status->st_mode) ? owned(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)) : -1;
}

bool may_be_imported(int descriptor) noexcept {
    OwnDescriptors& own = own_descriptors();
    const std::lock_guard lock(own.mutex);
    return !own.open.contains(descriptor) && is_memory(descriptor) &&
           (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
}

void close_imported(int descriptor) noexcept {
    close(descriptor);
}

int new_descriptor(FileHandle file) noexcept {
    return fcntl(descriptor_of(file), F_DUPFD_CLOEXEC, 0);
}

void close_shared_file(FileHandle file) noexcept {
    OwnDescriptors& own = own_descriptors();
    const std::lock_guard lock(own.mutex);
    own.open.erase(descriptor_of(file));
    close(descriptor_of(file));
}

std::optional<std::size_t> size_of(FileHandle file) noexcept {
    const auto status = status_of(descriptor_of(file));
    return status ? std::optional(static_cast<std::size_t>(status->st_size)) : std::nullopt;
}

std::optional<FileNumber> number_of(FileHandle file) noexcept {
    const auto status = status_of(descriptor_of(file));
    if (!status) return std::nullopt;
    return FileNumber{getpid(), descriptor_of(file), status->st_ino};
}

bool write_at(FileHandle file, std::size_t offset, const void* data, std::size_t bytes) noexcept {
    for (std::size_t done = 0; done < bytes;) {
        const auto* const rest = static_cast<const std::byte*>(data) + done;
        const ssize_t written = pwrite(descriptor_of(file), rest, bytes - done, static_cast<off_t>(offset + done));
        if (written <= 0) return false;
        done += static_cast<std::size_t>(written);
    }
    return true;
}

bool read_at(FileHandle file, std::size_t offset, void* data, std::size_t bytes) noexcept {
    return pread(descriptor_of(file), data, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

bool map_file_at(FileHandle file, std::size_t offset, void* address, std::size_t bytes) noexcept {
    constexpr int flags = MAP_SHARED | MAP_FIXED;
    return mmap(address, bytes, PROT_READ | PROT_WRITE, flags, descriptor_of(file), static_cast<off_t>(offset)) !=
           MAP_FAILED;
}

bool replace_file_by_pages(void* address, std::size_t bytes) noexcept {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    return mmap(address, bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED;
}

}  // namespace cpu::platform
