#include "compiler/blake2b.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pycuda {

static_assert(std::endian::native == std::endian::little, "the block and digest words are little-endian");

namespace {

constexpr std::uint64_t initial_state[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                            0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                            0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr std::uint8_t sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

constexpr std::size_t digest_bytes = 32;

inline void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d, std::uint64_t x,
                std::uint64_t y) {
    a += b + x;
    d = std::rotr(d ^ a, 32);
    c += d;
    b = std::rotr(b ^ c, 24);
    a += b + y;
    d = std::rotr(d ^ a, 16);
    c += d;
    b = std::rotr(b ^ c, 63);
}

}  // namespace

Blake2b::Blake2b() {
    std::memcpy(h_, initial_state, sizeof h_);
    h_[0] ^= 0x01010000 ^ digest_bytes;
}

void Blake2b::update(const void* data, std::size_t nbytes) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    while (nbytes > 0) {
        // The last block is compressed differently, so a full buffer waits until more comes.
        if (filled_ == sizeof buffer_) {
            counter_ += sizeof buffer_;
            compress(buffer_, false);
            filled_ = 0;
        }
        const std::size_t n = std::min(nbytes, sizeof buffer_ - filled_);
        std::memcpy(buffer_ + filled_, bytes, n);
        filled_ += n;
        bytes += n;
        nbytes -= n;
    }
}

void Blake2b::field(std::string_view text) {
    const std::uint64_t length = text.size();
    update(&length, sizeof length);
    update(text.data(), text.size());
}

std::string Blake2b::hex() {
    counter_ += filled_;
    std::memset(buffer_ + filled_, 0, sizeof buffer_ - filled_);
    compress(buffer_, true);
    std::uint8_t digest[sizeof h_];
    std::memcpy(digest, h_, sizeof h_);
    std::string text;
    text.reserve(2 * digest_bytes);
    for (std::size_t i = 0; i < digest_bytes; ++i) {
        text += "0123456789abcdef"[digest[i] >> 4];
        text += "0123456789abcdef"[digest[i] & 15];
    }
    return text;
}

void Blake2b::compress(const std::uint8_t* block, bool last) {
    std::uint64_t m[16], v[16];
    std::memcpy(m, block, sizeof m);
    std::memcpy(v, h_, sizeof h_);
    std::memcpy(v + 8, initial_state, sizeof initial_state);
    v[12] ^= counter_;
    if (last) v[14] = ~v[14];
    for (int round = 0; round < 12; ++round) {
        const std::uint8_t* s = sigma[round % 10];
        mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
        mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
        mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
        mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
        mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
        mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
        mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
        mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; ++i) h_[i] ^= v[i] ^ v[i + 8];
}

std::string blake2b_hex(std::string_view text) {
    Blake2b hash;
    hash.update(text.data(), text.size());
    return hash.hex();
}

}  // namespace pycuda
