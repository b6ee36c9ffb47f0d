#include "state/graphics/image_format.hpp"

#include "state/error.hpp"

#include <algorithm>
#include <iterator>

namespace cpu::state::opengl {

namespace {

constexpr unsigned compressed = 0x86A1, red_type = 0x8C10;
constexpr unsigned channel_sizes[] = {0x805C, 0x805D, 0x805E, 0x805F};  // red, green, blue, alpha

enum Kind { Float = 0x1406, Integer = 0x1404, Unsigned = 0x1405, Normalized = 0x8C17, SignedNormalized = 0x8F9C };

struct Channel {
    int kind;
    int bits;
    CUarray_format plain;
    unsigned type;
};
constexpr Channel known_channels[] = {{Normalized, 8, CU_AD_FORMAT_UNSIGNED_INT8, 0x1401},
                                      {Normalized, 16, CU_AD_FORMAT_UNSIGNED_INT16, 0x1403},
                                      {SignedNormalized, 8, CU_AD_FORMAT_SIGNED_INT8, 0x1400},
                                      {SignedNormalized, 16, CU_AD_FORMAT_SIGNED_INT16, 0x1402},
                                      {Unsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8, 0x1401},
                                      {Unsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16, 0x1403},
                                      {Unsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32, 0x1405},
                                      {Integer, 8, CU_AD_FORMAT_SIGNED_INT8, 0x1400},
                                      {Integer, 16, CU_AD_FORMAT_SIGNED_INT16, 0x1402},
                                      {Integer, 32, CU_AD_FORMAT_SIGNED_INT32, 0x1404},
                                      {Float, 16, CU_AD_FORMAT_HALF, 0x140B},
                                      {Float, 32, CU_AD_FORMAT_FLOAT, 0x1406}};

struct Layout {
    unsigned channels;
    unsigned plain;
    unsigned integer;
};
constexpr Layout layouts[] = {{1, 0x1903, 0x8D94}, {2, 0x8227, 0x8228}, {4, 0x1908, 0x8D99}};

}  // namespace

ImageFormat image_format(const std::function<int(unsigned)>& parameter) {
    require(parameter(compressed) == 0);
    int sizes[4];
    std::transform(std::begin(channel_sizes), std::end(channel_sizes), sizes, parameter);
    const auto channels = static_cast<unsigned>(std::count_if(sizes, sizes + 4, [](int bits) { return bits > 0; }));
    const bool alike = std::all_of(sizes, sizes + channels, [&](int bits) { return bits == sizes[0]; });
    const int kind = parameter(red_type);
    const auto channel = std::find_if(std::begin(known_channels), std::end(known_channels), [&](const Channel& known) {
        return known.kind == kind && known.bits == sizes[0];
    });
    const auto layout = std::find_if(std::begin(layouts), std::end(layouts),
                                     [&](const Layout& known) { return known.channels == channels; });
    require(alike && channel != std::end(known_channels) && layout != std::end(layouts));
    const bool integer = kind == Integer || kind == Unsigned;
    return {channel->plain, channels, integer ? layout->integer : layout->plain, channel->type};
}

}  // namespace cpu::state::opengl
