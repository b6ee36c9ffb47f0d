#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/graphics/image_format.hpp"
#include "state/graphics/resource.hpp"
#include "state/textures/array.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace cpu::state {

namespace {

using opengl::ImageFormat;

constexpr unsigned texture_2d = 0x0DE1, texture_rectangle = 0x84F5, texture_cube_map = 0x8513, texture_3d = 0x806F,
                   texture_2d_array = 0x8C1A, renderbuffer = 0x8D41;
constexpr unsigned first_cube_face = 0x8515;
constexpr unsigned level_width = 0x1000, level_height = 0x1001, level_depth = 0x8071;
constexpr unsigned renderbuffer_width = 0x8D42, renderbuffer_height = 0x8D43, renderbuffer_internal_format = 0x8D44,
                   renderbuffer_samples = 0x8CAB, renderbuffer_binding = 0x8CA7;

/// The name of a target's binding for glGetIntegerv; 0: CUDA has no such images.
unsigned binding_of(unsigned target) {
    switch (target) {
        case texture_2d:
            return 0x8069;
        case texture_rectangle:
            return 0x84F6;
        case texture_cube_map:
            return 0x8514;
        case texture_3d:
            return 0x806A;
        case texture_2d_array:
            return 0x8C1D;
        default:
            return 0;
    }
}

/// Binds a texture for a scope. Throws CUDA_ERROR_INVALID_VALUE if its target is another one.
class BoundTexture {
public:
    BoundTexture(const opengl::Functions& gl, unsigned target, unsigned name)
        : gl_(gl), target_(target), binding_(gl, gl.glBindTexture, target, binding_of(target), name) {
        if (static_cast<unsigned>(gl.integer(binding_of(target))) == name) return;
        gl.glGetError();  // clears the error of the binding; the program had none
        fail(CUDA_ERROR_INVALID_VALUE);
    }

    struct Size {
        int width, height, depth;
    };
    /// All 0 if there is no such level.
    Size size(int level) const {
        return {parameter(level, level_width), parameter(level, level_height), parameter(level, level_depth)};
    }
    int parameter(int level, unsigned what) const {
        int value = 0;
        gl_.glGetTexLevelParameteriv(first_part(), level, what, &value);
        return value;
    }
    ImageFormat format() const {
        return opengl::image_format([this](unsigned what) { return parameter(0, what); });
    }
    /// The number of parts that OpenGL reads separately: the faces of a cube map, otherwise one for the whole level.
    unsigned parts() const { return target_ == texture_cube_map ? 6 : 1; }
    unsigned part(unsigned index) const { return target_ == texture_cube_map ? first_cube_face + index : target_; }

private:
    unsigned first_part() const { return part(0); }

    const opengl::Functions& gl_;
    unsigned target_;
    opengl::Binding binding_;
};

/// A temporary texture with the texels of a renderbuffer, which cannot be read or written directly.
class RenderbufferTexture {
public:
    RenderbufferTexture(const opengl::Functions& gl, unsigned name) : gl_(gl), source_(name) {
        require(gl.version >= 43, CUDA_ERROR_NOT_SUPPORTED);  // glCopyImageSubData
        const opengl::Binding bound(gl, gl.glBindRenderbuffer, renderbuffer, renderbuffer_binding, name);
        const auto parameter = [&](unsigned what) {
            int value = 0;
            gl.glGetRenderbufferParameteriv(renderbuffer, what, &value);
            return value;
        };
        require(parameter(renderbuffer_samples) == 0);
        width_ = parameter(renderbuffer_width);
        height_ = parameter(renderbuffer_height);
        require(width_ > 0 && height_ > 0);
        gl.glGenTextures(1, &name_);
        const opengl::Binding made(gl, gl.glBindTexture, texture_2d, binding_of(texture_2d), name_);
        gl.glTexStorage2D(texture_2d, 1, static_cast<unsigned>(parameter(renderbuffer_internal_format)), width_,
                          height_);
        int width = 0;
        gl.glGetTexLevelParameteriv(texture_2d, 0, level_width, &width);
        if (width == width_) return;
        gl.glGetError();  // clears the error of the storage: a format without sizes
        gl.glDeleteTextures(1, &name_);
        fail(CUDA_ERROR_INVALID_VALUE);
    }
    ~RenderbufferTexture() { gl_.glDeleteTextures(1, &name_); }
    RenderbufferTexture(const RenderbufferTexture&) = delete;
    RenderbufferTexture& operator=(const RenderbufferTexture&) = delete;

    unsigned name() const noexcept { return name_; }
    void read() const { copy(source_, renderbuffer, name_, texture_2d); }
    void write() const { copy(name_, texture_2d, source_, renderbuffer); }

private:
    void copy(unsigned from, unsigned from_target, unsigned to, unsigned to_target) const {
        gl_.glCopyImageSubData(from, from_target, 0, 0, 0, 0, to, to_target, 0, 0, 0, 0, width_, height_, 1);
    }

    const opengl::Functions& gl_;
    const unsigned source_;
    unsigned name_ = 0;
    int width_ = 0;
    int height_ = 0;
};

class Image final : public GraphicsResource {
public:
    Image(Context& context, unsigned name, unsigned target, unsigned flags)
        : GraphicsResource(context, flags & ~array_flags), name_(name), target_(target), register_flags_(flags) {}
    ~Image() override { Image::drop(); }

    bool exists(const opengl::Functions& gl) const override {
        return target_ == renderbuffer ? gl.glIsRenderbuffer(name_) : gl.glIsTexture(name_);
    }
    /// Throws CUDA_ERROR_INVALID_VALUE if CUDA does not support it.
    void check(const opengl::Functions& gl) const {
        with_texture(gl, [](const BoundTexture& texture, const RenderbufferTexture*) { texture.format(); });
    }

    static constexpr unsigned array_flags =
        CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST | CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER;

private:
    /// Calls work(texture, renderbuffer or nullptr) with the texture, or that of the renderbuffer, bound.
    template <class Work>
    void with_texture(const opengl::Functions& gl, Work work) const {
        if (target_ != renderbuffer) {
            const BoundTexture texture(gl, target_, name_);
            return work(texture, nullptr);
        }
        const RenderbufferTexture copied(gl, name_);
        const BoundTexture texture(gl, texture_2d, copied.name());
        work(texture, &copied);
    }

    void make(const opengl::Functions& gl, bool fill) override {
        with_texture(gl, [&](const BoundTexture& texture, const RenderbufferTexture* copied) {
            if (fill && copied) copied->read();
            const ImageFormat format = texture.format();
            const auto [width, height, depth] = texture.size(0);
            const auto longest = static_cast<unsigned>(std::max({width, height, depth, 1}));
            const int levels = target_ == texture_rectangle ? 1 : std::bit_width(longest);
            for (int level = 0; level < levels; ++level) {
                const BoundTexture::Size size = texture.size(level);
                if (size.width == 0) break;
                make_level(format, size);
                if (fill) read_level(gl, texture, format, level);
            }
        });
    }

    void make_level(const ImageFormat& format, const BoundTexture::Size& size) {
        const auto count = [](int number) { return static_cast<std::size_t>(number); };
        const CUDA_ARRAY3D_DESCRIPTOR descriptor{.Width = count(size.width),
                                                 .Height = count(size.height),
                                                 .Depth = target_ == texture_3d ? count(size.depth) : 0,
                                                 .Format = format.plain,
                                                 .NumChannels = format.channels,
                                                 .Flags = flags_of_arrays()};
        std::size_t images = 1;
        if (target_ == texture_cube_map) images = 6;
        if (target_ == texture_2d_array) images = count(size.depth);
        levels_.emplace_back();
        for (std::size_t i = 0; i < images; ++i) {
            auto array = std::make_shared<Array>(context_, descriptor);
            array->is_level = true;  // it is destroyed with the mapping
            levels_.back().push_back({arrays().add(array), array});
        }
    }

    unsigned flags_of_arrays() const {
        return (register_flags_ & CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST ? CUDA_ARRAY3D_SURFACE_LDST : 0u) |
               (register_flags_ & CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u);
    }

    void read_level(const opengl::Functions& gl, const BoundTexture& texture, const ImageFormat& format, int level) {
        const opengl::PackedPixels packed(gl);
        auto image = levels_.back().begin();
        const std::size_t images = levels_.back().size() / texture.parts();
        const std::size_t bytes = image->array->bytes();
        std::vector<std::byte> texels(bytes * images);
        for (unsigned part = 0; part < texture.parts(); ++part) {
            gl.glGetTexImage(texture.part(part), level, format.layout, format.type, texels.data());
            for (std::size_t i = 0; i < images; ++i, ++image) {
                std::memcpy(image->array->data(), texels.data() + i * bytes, bytes);
                exec::written_bytes::set(reinterpret_cast<std::uintptr_t>(image->array->data()), bytes);
            }
        }
    }

    void write(const opengl::Functions& gl) const override {
        with_texture(gl, [&](const BoundTexture& texture, const RenderbufferTexture* copied) {
            const ImageFormat format = texture.format();
            const opengl::PackedPixels packed(gl);
            for (std::size_t level = 0; level < levels_.size(); ++level)
                for (std::size_t index = 0; index < levels_[level].size(); ++index)
                    write_image(gl, texture, format, static_cast<int>(level), static_cast<int>(index));
            if (copied) copied->write();
        });
    }

    void write_image(const opengl::Functions& gl, const BoundTexture& texture, const ImageFormat& format, int level,
                     int index) const {
        const Array& image = *levels_[static_cast<std::size_t>(level)][static_cast<std::size_t>(index)].array;
        const CUDA_ARRAY3D_DESCRIPTOR& shape = image.descriptor();
        // OpenGL would reject an image that the program has since made smaller.
        const BoundTexture::Size now = texture.size(level);
        require(
            static_cast<std::size_t>(now.width) == shape.Width && static_cast<std::size_t>(now.height) == shape.Height,
            CUDA_ERROR_UNMAP_FAILED);
        const int width = now.width, height = now.height;
        if (target_ == texture_3d)
            gl.glTexSubImage3D(target_, level, 0, 0, 0, width, height, static_cast<int>(shape.Depth), format.layout,
                               format.type, image.data());
        else if (target_ == texture_2d_array)
            gl.glTexSubImage3D(target_, level, 0, 0, index, width, height, 1, format.layout, format.type, image.data());
        else
            gl.glTexSubImage2D(texture.part(static_cast<unsigned>(index)), level, 0, 0, width, height, format.layout,
                               format.type, image.data());
    }

    CUarray mapped_array(unsigned index, unsigned level) const override {
        require(level < levels_.size() && index < levels_[level].size());
        return levels_[level][index].handle;
    }

    void drop() noexcept override {
        for (const auto& level : levels_) {
            for (const Part& part : level) {
                arrays().take(part.handle);
                part.array->freed = true;
            }
        }
        levels_.clear();
    }

    struct Part {
        CUarray handle;
        std::shared_ptr<Array> array;
    };
    const unsigned name_;
    const unsigned target_;
    const unsigned register_flags_;
    std::vector<std::vector<Part>> levels_;  ///< the layers or faces of each level, while it is mapped
};

}  // namespace

std::shared_ptr<GraphicsResource> register_image(Context& context, unsigned name, unsigned target, unsigned flags) {
    require((flags & ~Image::array_flags) <= CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
    require(flags <= (CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD | Image::array_flags));
    require(name != 0 && (target == renderbuffer || binding_of(target) != 0));
    const opengl::Functions gl = opengl::of_this_thread();
    auto image = std::make_shared<Image>(context, name, target, flags);
    require(image->exists(gl), CUDA_ERROR_INVALID_HANDLE);
    image->check(gl);
    return image;
}

}  // namespace cpu::state
