#include "state/modules/decompress.hpp"

#include "exec/image.hpp"
#include "platform/libraries.hpp"

#include <algorithm>

namespace cpu::state {

namespace {

[[noreturn]] void damaged() {
    throw exec::LoadError(CUDA_ERROR_INVALID_IMAGE, 0, "the fat binary's compressed PTX is damaged");
}

/// A reader that cannot leave the packed data.
class Reader {
public:
    explicit Reader(std::span<const std::byte> data) : data_(data) {}
    bool at_end() const noexcept { return data_.empty(); }
    unsigned byte() {
        if (data_.empty()) damaged();
        const auto value = std::to_integer<unsigned>(data_.front());
        data_ = data_.subspan(1);
        return value;
    }
    std::span<const std::byte> bytes(std::size_t count) {
        if (count > data_.size()) damaged();
        const auto taken = data_.first(count);
        data_ = data_.subspan(count);
        return taken;
    }
    /// A four-bit length; 15 continues in further bytes, as long as these are 255.
    std::size_t length(unsigned nibble) {
        std::size_t total = nibble;
        if (nibble == 15) {
            unsigned more = 255;
            while (more == 255) total += more = byte();
        }
        return total;
    }

private:
    std::span<const std::byte> data_;
};

}  // namespace

std::string unpack_lz4(std::span<const std::byte> packed, std::size_t unpacked_size) {
    constexpr std::size_t shortest_match = 4;
    Reader in(packed);
    std::string out;
    out.reserve(unpacked_size);
    while (!in.at_end()) {
        const unsigned token = in.byte();
        const auto literals = in.bytes(in.length(token >> 4));
        out.append(reinterpret_cast<const char*>(literals.data()), literals.size());
        if (in.at_end()) break;  // the last sequence has literals only
        const std::size_t low = in.byte();
        const std::size_t distance = low | (std::size_t{in.byte()} << 8);
        const std::size_t length = in.length(token & 15) + shortest_match;
        if (distance == 0 || distance > out.size() || out.size() + length > unpacked_size) damaged();
        // Source and destination may overlap.
        for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
    }
    if (out.size() != unpacked_size) damaged();
    return out;
}

std::string unpack_zstd(std::span<const std::byte> packed, std::size_t unpacked_size) {
    using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
    static const auto decompress =
        reinterpret_cast<Decompress>(platform::function_of(platform::zstd_library, "ZSTD_decompress"));
    if (!decompress)
        throw exec::LoadError(CUDA_ERROR_NOT_SUPPORTED, 0,
                              "the PTX in this fat binary is compressed with zstd and " +
                                  std::string(platform::zstd_library) +
                                  " is not installed; build it with --no-compress");
    std::string out(unpacked_size, '\0');
    if (decompress(out.data(), out.size(), packed.data(), packed.size()) != unpacked_size) damaged();
    return out;
}

}  // namespace cpu::state
