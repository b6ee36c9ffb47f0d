#include "compiler/tar.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pycuda {

namespace {

constexpr std::size_t block_bytes = 512;

struct Header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2];
    char user[32], group[32], major[8], minor[8], prefix[155], padding[12];
};
static_assert(sizeof(Header) == block_bytes);

template <std::size_t n>
void put_octal(char (&field)[n], std::uint64_t value) {
    std::snprintf(field, n, "%0*llo", static_cast<int>(n - 1), static_cast<unsigned long long>(value));
}

template <std::size_t n>
std::uint64_t get_octal(const char (&field)[n]) {
    char text[n + 1] = {};
    std::memcpy(text, field, n);
    return std::strtoull(text, nullptr, 8);
}

unsigned checksum_of(Header header) {
    std::memset(header.checksum, ' ', sizeof header.checksum);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
    unsigned sum = 0;
    for (std::size_t i = 0; i < sizeof header; ++i) sum += bytes[i];
    return sum;
}

std::size_t padded(std::size_t nbytes) {
    return (nbytes + block_bytes - 1) / block_bytes * block_bytes;
}

}  // namespace

void TarWriter::add(const std::string& name, std::string_view content, std::int64_t mtime_seconds) {
    Header header{};
    std::memcpy(header.name, name.data(), std::min(name.size(), sizeof header.name));
    put_octal(header.mode, 0644);
    put_octal(header.uid, 0);
    put_octal(header.gid, 0);
    put_octal(header.size, content.size());
    put_octal(header.mtime, static_cast<std::uint64_t>(mtime_seconds));
    header.type = '0';
    std::memcpy(header.magic, "ustar", 6);
    std::memcpy(header.version, "00", 2);
    std::snprintf(header.checksum, sizeof header.checksum, "%06o", checksum_of(header));
    header.checksum[7] = ' ';
    text_.append(reinterpret_cast<const char*>(&header), sizeof header);
    text_ += content;
    text_.append(padded(content.size()) - content.size(), '\0');
}

std::string TarWriter::finish() {
    text_.append(2 * block_bytes, '\0');
    return std::move(text_);
}

std::optional<TarReader::Member> TarReader::next() {
    while (rest_.size() >= block_bytes) {
        Header header;
        std::memcpy(&header, rest_.data(), sizeof header);
        if (header.name[0] == '\0') return {};
        rest_.remove_prefix(block_bytes);
        const std::uint64_t nbytes = get_octal(header.size);
        if (get_octal(header.checksum) != checksum_of(header) || nbytes > rest_.size()) break;
        const std::string_view content = rest_.substr(0, nbytes);
        rest_.remove_prefix(std::min(padded(nbytes), rest_.size()));
        const bool regular = header.type == '0' || header.type == '\0';
        if (regular) return Member{std::string(header.name, strnlen(header.name, sizeof header.name)), content};
    }
    failed_ = true;
    return {};
}

}  // namespace pycuda
