#include "files/ptx_image.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ptx_file {
namespace {

const std::map<std::string, std::pair<CUarray_format, std::string>> formats{
    {"u8", {CU_AD_FORMAT_UNSIGNED_INT8, "u8"}},    {"s8", {CU_AD_FORMAT_SIGNED_INT8, "s8"}},
    {"u16", {CU_AD_FORMAT_UNSIGNED_INT16, "u16"}}, {"s16", {CU_AD_FORMAT_SIGNED_INT16, "s16"}},
    {"u32", {CU_AD_FORMAT_UNSIGNED_INT32, "u32"}}, {"s32", {CU_AD_FORMAT_SIGNED_INT32, "s32"}},
    {"f16", {CU_AD_FORMAT_HALF, "b16"}},           {"f32", {CU_AD_FORMAT_FLOAT, "f32"}}};
const std::map<std::string, CUaddress_mode> address_modes{{"wrap", CU_TR_ADDRESS_MODE_WRAP},
                                                          {"clamp", CU_TR_ADDRESS_MODE_CLAMP},
                                                          {"mirror", CU_TR_ADDRESS_MODE_MIRROR},
                                                          {"border", CU_TR_ADDRESS_MODE_BORDER}};
const std::map<std::string, unsigned> sampling_flags{{"integer", CU_TRSF_READ_AS_INTEGER},
                                                     {"normalized", CU_TRSF_NORMALIZED_COORDINATES},
                                                     {"srgb", CU_TRSF_SRGB},
                                                     {"seamless", CU_TRSF_SEAMLESS_CUBEMAP}};
const std::map<std::string, unsigned> array_flags{{"layered", CUDA_ARRAY3D_LAYERED}, {"cube", CUDA_ARRAY3D_CUBEMAP}};
const std::map<std::string, Image::Place> places{
    {"array", Image::Place::Array}, {"memory", Image::Place::Memory}, {"pitch", Image::Place::Pitch}};

/// "1,2.5,3" -> numbers
std::vector<float> numbers(const std::string& text, char separator) {
    std::vector<float> result;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, separator);) {
        std::size_t used = 0;
        result.push_back(std::stof(part, &used));
        if (used != part.size()) throw std::runtime_error("malformed number " + part);
    }
    return result;
}

/// The type that texels are written in.
const std::string& type_of(CUarray_format format) {
    const auto found =
        std::find_if(formats.begin(), formats.end(), [&](const auto& f) { return f.second.first == format; });
    return found->second.second;
}

void read_format(Image& image, std::string word) {
    if (const std::size_t x = word.find('x'); x != word.npos) {
        image.channels = static_cast<unsigned>(std::stoul(word.substr(x + 1)));
        word.resize(x);
    }
    const auto found = formats.find(word);
    if (found == formats.end()) throw std::runtime_error("unknown format " + word);
    image.format = found->second.first;
}

void read_setting(Image& image, const std::string& name, const std::string& text) {
    const std::vector<float> values = numbers(text, ',');
    CUDA_TEXTURE_DESC& sampling = image.sampling;
    if (name == "levels" && values.size() == 1) {
        image.levels = static_cast<unsigned>(values[0]);
    } else if (name == "border" && values.size() == 4) {
        std::copy(values.begin(), values.end(), sampling.borderColor);
    } else if (name == "bias" && values.size() == 1) {
        sampling.mipmapLevelBias = values[0];
    } else if (name == "lods" && values.size() == 2) {
        sampling.minMipmapLevelClamp = values[0];
        sampling.maxMipmapLevelClamp = values[1];
    } else if (name == "anisotropy" && values.size() == 1) {
        sampling.maxAnisotropy = static_cast<unsigned>(values[0]);
    } else {
        throw std::runtime_error("unknown setting " + name + "=" + text);
    }
}

void read_word(Image& image, const std::string& word, unsigned& modes) {
    if (const std::size_t equals = word.find('='); equals != word.npos)
        return read_setting(image, word.substr(0, equals), word.substr(equals + 1));
    if (const auto mode = address_modes.find(word); mode != address_modes.end() && modes < 3) {
        std::fill(image.sampling.addressMode + modes++, image.sampling.addressMode + 3, mode->second);
    } else if (const auto flag = sampling_flags.find(word); flag != sampling_flags.end()) {
        image.sampling.flags |= flag->second;
    } else if (const auto shape = array_flags.find(word); shape != array_flags.end()) {
        image.array_flags |= shape->second;
    } else if (const auto place = places.find(word); place != places.end()) {
        image.place = place->second;
    } else if (word == "linear") {
        image.sampling.filterMode = CU_TR_FILTER_MODE_LINEAR;
    } else if (word == "mip-linear") {
        image.sampling.mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR;
    } else {
        throw std::runtime_error("unknown word " + word);
    }
}

std::size_t halved(std::size_t size, unsigned times) {
    return size == 0 ? 0 : std::max<std::size_t>(size >> times, 1);
}

Array read_texels(const Image& image, const std::string& values) {
    std::istringstream words(values);
    Array texels = read_array(words, type_of(image.format) + ":");
    std::size_t wanted = 0;
    for (unsigned level = 0; level < std::max(image.levels, 1u); ++level) wanted += image.bytes(level);
    if (texels.bytes.size() != wanted)
        throw std::runtime_error(std::to_string(texels.bytes.size()) + " bytes of texels instead of " +
                                 std::to_string(wanted));
    return texels;
}

}  // namespace

std::size_t Image::channel_bytes() const {
    return std::stoul(type_of(format).substr(1)) / 8;
}

std::array<std::size_t, 3> Image::extent(unsigned level) const {
    return {halved(width, level), halved(height, level), array_flags ? depth : halved(depth, level)};
}

std::size_t Image::bytes(unsigned level) const {
    const auto [w, h, d] = extent(level);
    return w * std::max<std::size_t>(h, 1) * std::max<std::size_t>(d, 1) * texel_bytes();
}

Image read_image(const std::string& line) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) throw std::runtime_error("expected ':' before the texels");
    std::istringstream words(line.substr(0, colon));
    std::string kind, format, size;
    words >> kind >> format >> size;
    Image image;
    image.surface = kind == "surf";
    for (CUaddress_mode& mode : image.sampling.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    image.sampling.maxMipmapLevelClamp = 100;
    read_format(image, format);
    unsigned modes = 0;
    for (std::string word; words >> word;) read_word(image, word, modes);
    const std::vector<float> sizes = numbers(size, 'x');
    if (sizes.empty() || sizes.size() > 3) throw std::runtime_error("malformed size " + size);
    image.width = static_cast<std::size_t>(sizes[0]);
    // Layers of rows: the second size counts them.
    const bool rows = (image.array_flags & CUDA_ARRAY3D_LAYERED) && sizes.size() == 2;
    if (sizes.size() > 1) (rows ? image.depth : image.height) = static_cast<std::size_t>(sizes[1]);
    if (sizes.size() > 2) image.depth = static_cast<std::size_t>(sizes[2]);
    image.texels = read_texels(image, line.substr(colon + 1));
    return image;
}

void read_left(Image& image, const std::string& line) {
    image.left = read_texels(image, line.substr(line.find(':') + 1));
}

}  // namespace ptx_file
