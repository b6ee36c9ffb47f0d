#include "state/memory/shared_file.hpp"

#include "platform/process.hpp"
#include "state/error.hpp"

#include <cstring>
#include <utility>

namespace cpu::state {

SharedFile::SharedFile(std::size_t bytes) : size_(bytes) {
    require(platform::can_map_files(), CUDA_ERROR_NOT_SUPPORTED);
    file_ = platform::make_shared_file(bytes);
    require(file_ >= 0, CUDA_ERROR_OUT_OF_MEMORY);
}

SharedFile::~SharedFile() {
    if (file_ >= 0) platform::close_shared_file(file_);
}

SharedFile::SharedFile(SharedFile&& other) noexcept : file_(std::exchange(other.file_, -1)), size_(other.size_) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(size_, other.size_);
    return *this;
}

namespace {

platform::FileNumber known_number(platform::FileHandle file) {
    const auto number = platform::number_of(file);
    require(number.has_value(), CUDA_ERROR_OPERATING_SYSTEM);
    return *number;
}

}  // namespace

SharedFile::Name SharedFile::name(const char* kind) const {
    Name made{};
    std::strncpy(made.kind, kind, sizeof made.kind - 1);
    made.number = known_number(file_);
    made.size = size_;
    return made;
}

SharedFile SharedFile::open(const Name& name, const char* kind, CUresult not_one) {
    require(std::strncmp(name.kind, kind, sizeof name.kind) == 0, not_one);
    SharedFile file;
    file.file_ = platform::open_shared_file(name.number);
    file.size_ = name.size;
    require(static_cast<bool>(file), not_one);
    require(name.size <= platform::size_of(file.file_).value_or(0), not_one);  // it comes from the other process
    return file;
}

SharedFile SharedFile::open_foreign(const Name& name, const char* kind, CUresult not_one) {
    SharedFile file = open(name, kind, not_one);
    require(name.number.process != platform::process_id(), CUDA_ERROR_INVALID_CONTEXT);
    return file;
}

SharedFile SharedFile::copy_of(int descriptor) {
    require(platform::has_file_descriptors, CUDA_ERROR_NOT_SUPPORTED);
    SharedFile file;
    file.file_ = platform::duplicate_shared_file(descriptor);
    require(static_cast<bool>(file));
    file.size_ = platform::size_of(file.file_).value_or(0);
    return file;
}

SharedFile SharedFile::copy_for_import(int descriptor, std::size_t bytes) {
    require(platform::has_file_descriptors, CUDA_ERROR_NOT_SUPPORTED);
    require(platform::may_be_imported(descriptor), CUDA_ERROR_OPERATING_SYSTEM);
    SharedFile file = copy_of(descriptor);
    require(bytes <= file.size_);
    return file;
}

void SharedFile::close_imported(int descriptor) noexcept {
    platform::close_imported(descriptor);
}

int SharedFile::new_descriptor() const {
    require(platform::has_file_descriptors, CUDA_ERROR_NOT_SUPPORTED);
    const int made = platform::new_descriptor(file_);
    require(made >= 0, CUDA_ERROR_OPERATING_SYSTEM);
    return made;
}

void SharedFile::write(std::size_t offset, const void* data, std::size_t bytes) {
    require(platform::write_at(file_, offset, data, bytes), CUDA_ERROR_OUT_OF_MEMORY);
}

bool SharedFile::read(std::size_t offset, void* data, std::size_t bytes) const noexcept {
    return platform::read_at(file_, offset, data, bytes);
}

void SharedFile::map_at(void* address, std::size_t bytes, std::size_t offset) const {
    require(platform::map_file_at(file_, offset, address, bytes), CUDA_ERROR_MAP_FAILED);
}

std::uint64_t SharedFile::inode() const {
    return known_number(file_).inode;
}

}  // namespace cpu::state
