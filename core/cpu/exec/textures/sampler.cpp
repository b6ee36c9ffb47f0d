#include "exec/textures/sampler.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exec/textures/texture_coordinates.hpp"
#include "exec/textures/texture_filter.hpp"

namespace cpu::exec {

namespace {

/// A texel of one image; the slice is a layer, or a face of a cube map.
struct TexelPlace {
    std::array<std::int64_t, 3> index{};
    std::uint64_t slice = 0;
};

std::int64_t extent(const TexelImage& image, unsigned dimension) {
    const std::size_t size = dimension == 0 ? image.width : dimension == 1 ? image.height : image.depth;
    return static_cast<std::int64_t>(std::max<std::size_t>(size, 1));
}

bool normalized(const Texture& t) {
    return (t.sampling.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
}
bool seamless(const Texture& t) {
    return (t.sampling.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
}

/// Wrapping and mirroring are defined for normalised coordinates only; others are clamped instead.
CUaddress_mode address_mode(const Texture& t, bool cube, unsigned dimension) {
    const CUaddress_mode mode = t.sampling.addressMode[dimension];
    const bool periodic = mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR;
    return periodic && !normalized(t) && !cube ? CU_TR_ADDRESS_MODE_CLAMP : mode;
}

/// False where a kernel fetches with more dimensions or faces than the image has.
bool exists(const TexelImage& image, const TexelPlace& place) {
    for (unsigned d = 0; d < 3; ++d)
        if (place.index[d] >= extent(image, d)) return false;
    return place.slice < std::max<std::size_t>(image.depth, 1);
}

std::size_t offset_of(const TexelImage& image, const TexelPlace& place) {
    const std::size_t pitch[3] = {texel_size(image), image.row_pitch, image.slice_pitch};
    std::size_t offset = place.slice * image.slice_pitch;
    for (unsigned d = 0; d < 3; ++d) offset += static_cast<std::size_t>(place.index[d]) * pitch[d];
    return offset;
}

/// The texels of a fetch and their weights, from at most two levels.
struct Taps {
    std::array<WeightedTexel, 16> texels;
    std::size_t count = 0;
    std::uint32_t quads = 0;
    void begin_quad() { ++quads; }
    void add(const Texel& texel, std::int32_t weight) { texels[count++] = {texel, weight, quads}; }
    std::span<const WeightedTexel> all() const { return std::span(texels).first(count); }
};

/// One level of a texture, as a fetch reads it.
class Level {
public:
    Level(const Texture& t, const SamplePoint& point, std::size_t level)
        : t_(t), image_(t.levels[level]), point_(point), dimensions_(point.cube ? 2 : point.dimensions) {
        std::copy(point.at.begin(), point.at.end(), at_.begin());
        if (point.cube) {
            const CubePlace place = cube_place(point.at);
            face_ = place.face;
            at_ = {place.at[0], place.at[1], 0};
        }
        const std::size_t faces = point.cube ? 6 : 1;
        const std::size_t layers = std::max<std::size_t>(image_.depth / faces, 1);
        if (point.layered) layer_ = std::min<std::size_t>(point.layer, layers - 1) * faces;
    }

    /// Reads at integer coordinates. Outside it returns zeros, unless a level was given: then coordinates are clamped.
    Texel fetch(bool by_level) const {
        // One-dimensional images can be read at integer coordinates only from linear memory.
        if (dimensions_ == 1 && !point_.layered && !t_.linear_memory) return {};
        if (point_.layered && !by_level && point_.layer >= std::max<std::size_t>(image_.depth, 1)) return {};
        TexelPlace place{{}, layer_};
        for (unsigned d = 0; d < dimensions_; ++d) {
            const std::int64_t i = std::int64_t{point_.index[d]} + point_.offset[d], n = extent(image_, d);
            if (!by_level && (i < 0 || i >= n)) return {};
            place.index[d] = std::clamp<std::int64_t>(i, 0, n - 1);
        }
        return fetched(t_, read(place));
    }

    /// The stored texel; for a cube map always from the face that the direction points at.
    Texel nearest() const {
        std::array<std::int64_t, 3> index{};
        for (unsigned d = 0; d < dimensions_; ++d) index[d] = coordinate(d).nearest() + point_.offset[d];
        return on_face(index, dimensions_);
    }

    /// Adds the texels that linear filtering mixes; their weights add up to `weight`.
    void linear(std::int32_t weight, Taps& taps) const {
        // A one-dimensional image acts as an image of one row, read at its upper edge: half of the sample lies above
        // it.
        const bool row = dimensions_ == 1 && address_mode(t_, false, 1) == CU_TR_ADDRESS_MODE_BORDER;
        const unsigned dimensions = row ? 2 : dimensions_;
        std::array<std::int64_t, 3> low{};
        std::array<std::int32_t, 3> above{};
        for (unsigned d = 0; d < dimensions_; ++d) {
            const Between between = coordinate(d).between();
            low[d] = between.low + point_.offset[d];
            above[d] = between.above;
            if (address_mode(t_, point_.cube, d) != CU_TR_ADDRESS_MODE_CLAMP || across_edges()) continue;
            // Beyond the centre of an outermost texel, only that texel counts, which affects the shares of the others.
            const std::int64_t last = extent(image_, d) - 1;
            if (low[d] < 0 || low[d] >= last) above[d] = 0;
            low[d] = std::clamp<std::int64_t>(low[d], 0, last);
        }
        if (row) low[1] = -1, above[1] = 128;
        const auto weights = corner_weights(weight, std::span(above).first(dimensions));
        for (unsigned n = 0; n < 1u << dimensions; ++n) {
            if (n % 4 == 0) taps.begin_quad();
            std::array<std::int64_t, 3> index = low;
            bool counts = true;  // even if its share is rounded to zero
            for (unsigned d = 0; d < dimensions; ++d) {
                index[d] += n >> d & 1;
                counts = counts && (above[d] != 0 || !(n >> d & 1));
            }
            if (counts) add(index, dimensions, weights[n], taps);
        }
    }

    /// The four texels of `linear` in two dimensions, in the order of `gather`.
    Texel corners(unsigned component) const {
        static constexpr std::int64_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
        Texel result;
        for (unsigned n = 0; n < 4; ++n) {
            std::array<std::int64_t, 3> index{};
            for (unsigned d = 0; d < 2; ++d) index[d] = coordinate(d).between().low + point_.offset[d] + order[n][d];
            Taps taps;
            add(index, 2, 256, taps);
            result[n] = taps.count == 1 ? gathered(t_, taps.texels[0].texel, component)
                                        : weighted_mean(t_, taps.all())[component];
        }
        return result;
    }

private:
    Coordinate coordinate(unsigned d) const {
        return {at_[d], extent(image_, d), normalized(t_) || point_.cube, address_mode(t_, point_.cube, d)};
    }

    bool across_edges() const { return point_.cube && seamless(t_); }

    Texel on_face(const std::array<std::int64_t, 3>& index, unsigned dimensions) const {
        TexelPlace place{{}, layer_ + face_};
        for (unsigned d = 0; d < dimensions; ++d) {
            place.index[d] = addressed(index[d], extent(image_, d), address_mode(t_, point_.cube, d));
            if (place.index[d] < 0) return stored_border(t_);
        }
        return read(place);
    }

    void add(const std::array<std::int64_t, 3>& index, unsigned dimensions, std::int32_t weight, Taps& taps) const {
        if (across_edges()) return add_at_edge(index, weight, taps);
        taps.add(on_face(index, dimensions), weight);
    }

    /// For a cube map whose faces form one surface. Three texels meet at a corner; they share the weight of the missing
    /// fourth.
    void add_at_edge(const std::array<std::int64_t, 3>& index, std::int32_t weight, Taps& taps) const {
        const std::int64_t n = extent(image_, 0), i = index[0], j = index[1];
        const auto add = [&](const CubeTexel& texel, std::int32_t part) {
            taps.add(read({{texel.i, texel.j, 0}, layer_ + texel.face}), part);
        };
        const bool outside_i = i < 0 || i >= n, outside_j = j < 0 || j >= n;
        if (!outside_i && !outside_j) return add({face_, i, j}, weight);
        if (outside_i != outside_j) return add(beyond_edge(face_, i, j, n), weight);
        const std::int64_t inner_i = std::clamp<std::int64_t>(i, 0, n - 1),
                           inner_j = std::clamp<std::int64_t>(j, 0, n - 1);
        const std::int32_t part = corner_share(weight);
        add({face_, inner_i, inner_j}, weight - 2 * part);
        add(beyond_edge(face_, i, inner_j, n), part);
        add(beyond_edge(face_, inner_i, j, n), part);
    }

    Texel read(const TexelPlace& place) const {
        if (image_.missing != 0 && place.slice + image_.missing >= image_.depth) return {};
        if (!exists(image_, place)) return {};
        const std::byte* const texel = image_.data + offset_of(image_, place);
        if (point_.watcher) point_.watcher->reads(texel, texel_size(image_));
        return stored_texel(t_, texel);
    }

    const Texture& t_;
    const TexelImage& image_;
    const SamplePoint& point_;
    unsigned dimensions_;
    std::array<double, 3> at_;
    std::uint32_t face_ = 0;
    std::size_t layer_ = 0;  ///< its first slice
};

/// A level of detail in 256ths, truncated as on a GPU.
std::int64_t in_256ths(float level) {
    if (std::isnan(level)) return 0;
    return static_cast<std::int64_t>(std::clamp(level, -1000.0f, 1000.0f) * 256);
}

/// Mixes level `number` with the next one, which has `above` 256ths of the weight.
Texel sample_levels(const Texture& t, const SamplePoint& point, std::size_t number, std::int32_t above) {
    if (t.linear_memory) return {};  // linear memory is read only at integers
    const bool linear = t.sampling.filterMode == CU_TR_FILTER_MODE_LINEAR;
    const Level low(t, point, number), high(t, point, above ? number + 1 : number);
    const bool mixes = linear || (t.sampling.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && t.levels.size() > 1);
    if (!mixes) return fetched(t, low.nearest());
    Taps taps;
    if (linear) {
        low.linear(256 - above, taps);
        if (above) high.linear(above, taps);
    } else {
        taps.add(low.nearest(), 256 - above);
        taps.begin_quad();
        if (above) taps.add(high.nearest(), above);
    }
    return weighted_mean(t, taps.all());
}

}  // namespace

Texel sample(const Texture& t, const SamplePoint& point, const LevelChoice& choice) {
    if (choice.kind == LevelChoice::Kind::Number)
        return choice.number < t.levels.size() ? Level(t, point, choice.number).fetch(true) : Texel{};
    if (point.integer) return choice.kind == LevelChoice::Kind::Detail ? Texel{} : Level(t, point, 0).fetch(false);
    std::int64_t level = 0;
    if (choice.kind == LevelChoice::Kind::Detail)
        level = in_256ths(choice.detail) + in_256ths(t.sampling.mipmapLevelBias);
    level = std::min(level, in_256ths(t.sampling.maxMipmapLevelClamp));
    level = std::max(level, in_256ths(t.sampling.minMipmapLevelClamp));
    level = std::clamp<std::int64_t>(level, 0, 256 * (static_cast<std::int64_t>(t.levels.size()) - 1));
    if (t.sampling.mipmapFilterMode != CU_TR_FILTER_MODE_LINEAR)
        return sample_levels(t, point, static_cast<std::size_t>((level + 128) >> 8), 0);
    return sample_levels(t, point, static_cast<std::size_t>(level >> 8), static_cast<std::int32_t>(level & 255));
}

Texel gather(const Texture& t, const SamplePoint& point, unsigned component) {
    return Level(t, point, 0).corners(component);
}

namespace {

/// Truncates to nine bits after the leading one, the precision that an H200 keeps of a gradient; a NaN becomes 0.
float shortened(float x) {
    if (std::isnan(x)) return 0;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffc000u);
}

/// The approximation of a vector's length that an H200 uses.
float rough_length(const std::array<float, 3>& v) {
    std::array<float, 3> sizes{};
    for (unsigned d = 0; d < 3; ++d) sizes[d] = std::fabs(shortened(v[d]));
    std::sort(sizes.begin(), sizes.end());
    return sizes[2] + 11.0f / 32 * sizes[1] + 1.0f / 4 * sizes[0];
}

/// In whole 256ths, from a table indexed by the eight bits after the leading one: about the value in the middle of a
/// step.
float rough_log2(float x) {
    if (x == 0 || !std::isfinite(x)) return std::log2(x);
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t step = bits >> 15 & 255;
    const double middle = 256 * std::log2(1 + (step + 0.5) / 256);
    const double fraction = step == 0 || step == 255 ? step : std::floor(middle + 0.4695);
    return static_cast<float>(static_cast<int>(bits >> 23) - 127) + static_cast<float>(fraction) / 256;
}

}  // namespace

float level_of_gradients(const Texture& t, const SamplePoint& point, const std::array<float, 3>& dx,
                         const std::array<float, 3>& dy) {
    std::array<float, 3> steps[4]{dx, dy};  // both steps, and the diagonals of the parallelogram
    if (point.cube)
        for (std::array<float, 3>* const step : {&steps[0], &steps[1]}) {
            const std::array<float, 2> on_face = cube_step(point.at, *step);
            *step = {on_face[0], on_face[1], 0};
        }
    for (unsigned d = 0; d < (point.cube ? 2u : point.dimensions); ++d) {
        const auto size = static_cast<float>(extent(t.levels[0], d));  // applies even if coordinates are not normalised
        steps[0][d] = shortened(steps[0][d] * size);
        steps[1][d] = shortened(steps[1][d] * size);
        steps[2][d] = 11.0f / 16 * (steps[0][d] + steps[1][d]);
        steps[3][d] = 11.0f / 16 * (steps[0][d] - steps[1][d]);
    }
    float longest = 0;
    for (const auto& step : steps) longest = std::max(longest, rough_length(step));
    return rough_log2(longest);  // without any step: minus infinity, the full image
}

}  // namespace cpu::exec
