#include "state/modules/binary.hpp"

#include "exec/environment.hpp"
#include "exec/image.hpp"
#include "platform/process.hpp"
#include "state/device.hpp"
#include "state/error.hpp"
#include "state/modules/decompress.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

namespace cpu::state {

namespace {

constexpr std::uint32_t wrapper_magic = 0x466243b1;  ///< struct __fatBinC_Wrapper_t in the toolkit's headers
constexpr std::uint32_t fat_binary_magic = 0xba55ed50;
constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* data;
    const void* unused;
};

struct FatHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_size;
    std::uint64_t size;  ///< of everything behind the header
};

struct FatEntry {
    std::uint16_t kind;  ///< 1: PTX text, 2: machine code
    std::uint16_t version;
    std::uint32_t header_size;
    std::uint64_t payload_size;
    std::uint32_t compressed_size;
    std::uint32_t options_offset;
    std::uint32_t version_of_text;
    std::uint32_t architecture;
    std::uint32_t name_offset;
    std::uint32_t name_size;
    std::uint64_t flags;
    std::uint64_t reserved;
    std::uint64_t unpacked_size;
};

constexpr std::uint16_t text_kind = 1;
constexpr std::uint64_t max_bytes = 1u << 30;  ///< the limit for a fat binary, and for the text in one
constexpr std::uint64_t lz4_flag = 0x2000;
constexpr std::uint64_t zstd_flag = 0x8000;

template <class T>
T read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// The text after leading blanks and comments.
std::string_view skip_comments(std::string_view text) {
    for (;;) {
        const std::size_t start = text.find_first_not_of(" \t\r\n");
        if (start == std::string_view::npos) return {};
        text.remove_prefix(start);
        const bool line = text.starts_with("//");
        if (!line && !text.starts_with("/*")) return text;
        const std::size_t end = line ? text.find('\n') : text.find("*/", 2);
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + (line ? 1 : 2));
    }
}

/// The text after `directive`, which must come next.
std::string_view after(std::string_view text, std::string_view directive) {
    text = skip_comments(text);
    return text.starts_with(directive) ? skip_comments(text.substr(directive.size())) : std::string_view{};
}

int number(std::string_view& text) {
    int value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
        value = std::min(value * 10 + (text[0] - '0'), 10000);
        text.remove_prefix(1);
    }
    return value;
}

/// The newest PTX version of CUDA 13, as major * 10 + minor. The driver of 13.0 accepts at most 9.0. Usually, code that
/// later compilers emit for sm_90 differs only in the number; the parser rejects new instructions.
constexpr int newest_ptx = 99;

/// Checks that the text is PTX of a version and for an architecture that the device accepts.
void check_header(std::string_view ptx) {
    std::string_view rest = after(ptx, ".version");
    require(!rest.empty(), CUDA_ERROR_INVALID_IMAGE);
    int version = 10 * number(rest);
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        version += number(rest);
    }
    if (version > newest_ptx)
        throw exec::LoadError(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 0,
                              "PTX newer than version 9, which is CUDA 13's, is not supported");
    rest = after(rest, ".target");
    if (!rest.starts_with("sm_")) return;  // the parser reports the error
    rest.remove_prefix(3);
    if (number(rest) > compute_major * 10 + compute_minor)
        throw exec::LoadError(CUDA_ERROR_INVALID_PTX, 0, "the .target is newer than the device, which is sm_90");
}

std::string unpack(const FatEntry& entry, const std::byte* payload) {
    const std::span packed(payload, entry.compressed_size ? entry.compressed_size : entry.payload_size);
    if (entry.flags & lz4_flag) return unpack_lz4(packed, entry.unpacked_size);
    if (entry.flags & zstd_flag) return unpack_zstd(packed, entry.unpacked_size);
    return {reinterpret_cast<const char*>(payload), packed.size()};
}

/// The data after the header; its size comes from the header alone if `size` is 0.
std::span<const std::byte> entries_of_fat_binary(const std::byte* data, std::size_t size) {
    require(size == 0 || size >= sizeof(FatHeader), CUDA_ERROR_INVALID_IMAGE);
    const auto header = read<FatHeader>(data);
    require(header.header_size >= sizeof(FatHeader) && header.size <= max_bytes, CUDA_ERROR_INVALID_IMAGE);
    require(size == 0 || header.header_size + header.size <= size, CUDA_ERROR_INVALID_IMAGE);
    return {data + header.header_size, header.size};
}

/// The text for the newest architecture that the device supports. No field of the file is trusted.
std::string text_of_fat_binary(const std::byte* data, std::size_t size) {
    std::span<const std::byte> rest = entries_of_fat_binary(data, size);
    FatEntry best{};
    const std::byte* best_payload = nullptr;
    while (rest.size() >= sizeof(FatEntry)) {
        const auto entry = read<FatEntry>(rest.data());
        require(entry.header_size >= sizeof(FatEntry) && entry.header_size <= rest.size() &&
                    entry.payload_size <= rest.size() - entry.header_size,
                CUDA_ERROR_INVALID_IMAGE);
        const bool usable = entry.kind == text_kind && entry.architecture <= compute_major * 10 + compute_minor;
        if (usable && (!best_payload || entry.architecture > best.architecture)) {
            best = entry;
            best_payload = rest.data() + entry.header_size;
        }
        rest = rest.subspan(entry.header_size + entry.payload_size);
    }
    if (!best_payload) refuse_machine_code();
    require(best.compressed_size <= best.payload_size && best.unpacked_size <= max_bytes, CUDA_ERROR_INVALID_IMAGE);
    std::string ptx = unpack(best, best_payload);
    ptx.resize(std::min(ptx.size(), ptx.find('\0')));
    check_header(ptx);
    return ptx;
}

}  // namespace

void refuse_machine_code() {
    static constexpr const char* why =
        "machine code (a cubin) cannot run on the CPU device, which executes PTX: compile with -ptx or for "
        "code=compute_90. "
        "If nvJitLink made it, as for numba-cuda and cuda.core, pip uninstall nvidia-nvjitlink: they then link through "
        "the "
        "driver";
    exec::say_once(why);
    throw exec::LoadError(CUDA_ERROR_NO_BINARY_FOR_GPU, 0, why);
}

bool is_machine_code(const void* image, std::size_t size) {
    return size >= elf_magic.size() && std::memcmp(image, elf_magic.data(), elf_magic.size()) == 0;
}

std::string ptx_of(const void* image, std::size_t size) {
    require(image != nullptr);
    const auto* const data = static_cast<const std::byte*>(image);
    const auto* const text = static_cast<const char*>(image);
    if (size == 0 || size >= elf_magic.size()) {
        if (std::strncmp(text, elf_magic.data(), elf_magic.size()) == 0) refuse_machine_code();
    }
    // The bytes of a magic number contain no NUL, so a shorter text ends before they could match.
    const std::size_t known = size ? size : strnlen(text, sizeof(std::uint32_t));
    if (known >= sizeof(std::uint32_t)) {
        const auto magic = read<std::uint32_t>(data);
        if (magic == wrapper_magic) {
            require(size == 0 || size >= sizeof(Wrapper), CUDA_ERROR_INVALID_IMAGE);
            const auto* const wrapped = static_cast<const std::byte*>(read<Wrapper>(data).data);
            require(wrapped && read<std::uint32_t>(wrapped) == fat_binary_magic, CUDA_ERROR_INVALID_IMAGE);
            return text_of_fat_binary(wrapped, 0);
        }
        if (magic == fat_binary_magic) return text_of_fat_binary(data, size);
    }
    std::string ptx(text, size ? strnlen(text, size) : std::strlen(text));
    check_header(ptx);
    return ptx;
}

std::string read_binary(const char* path) {
    std::ifstream file(platform::path_of(path), std::ios::binary);
    require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    require(!bytes.empty(), CUDA_ERROR_INVALID_IMAGE);
    return bytes;
}

}  // namespace cpu::state
