#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pycuda {

/// BLAKE2b (RFC 7693) with a 32-byte digest: names cache entries and recognises changed headers.
class Blake2b {
public:
    Blake2b();
    void update(const void* data, std::size_t nbytes);
    /// A length-prefixed field, so that ("ab", "c") and ("a", "bc") differ.
    void field(std::string_view text);
    /// 64 hex digits. The object cannot be used afterwards.
    std::string hex();

private:
    void compress(const std::uint8_t* block, bool last);

    std::uint64_t h_[8];
    std::uint64_t counter_ = 0;
    std::uint8_t buffer_[128];
    std::size_t filled_ = 0;
};

std::string blake2b_hex(std::string_view text);

}  // namespace pycuda
