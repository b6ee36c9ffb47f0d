#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/graphics/resource.hpp"
#include "state/memory/memory.hpp"

namespace cpu::state {

namespace {

constexpr unsigned copy_read_buffer = 0x8F36, copy_write_buffer = 0x8F37;  // the bindings have the same values
constexpr unsigned buffer_size = 0x8764, buffer_mapped = 0x88BC, buffer_access_flags = 0x911F;
constexpr unsigned stream_draw = 0x88E0;
constexpr std::int64_t map_persistent = 0x40;

std::int64_t parameter(const opengl::Functions& gl, unsigned what) {
    std::int64_t value = 0;
    gl.glGetBufferParameteri64v(copy_read_buffer, what, &value);
    return value;
}

class Buffer final : public GraphicsResource {
public:
    Buffer(Context& context, unsigned name, unsigned flags) : GraphicsResource(context, flags), name_(name) {}
    ~Buffer() override { Buffer::drop(); }

private:
    bool exists(const opengl::Functions& gl) const override { return gl.glIsBuffer(name_); }
    Memory mapped_memory() const override {
        return {copy_ ? static_cast<CUdeviceptr>(copy_->base) : 0, copy_ ? copy_->size : 0};
    }

    void make(const opengl::Functions& gl, bool fill) override {
        const opengl::Binding bound(gl, gl.glBindBuffer, copy_read_buffer, copy_read_buffer, name_);
        // OpenGL rejects copies of a buffer that is mapped for the host.
        const bool in_use = parameter(gl, buffer_mapped) && !(parameter(gl, buffer_access_flags) & map_persistent);
        require(!in_use, CUDA_ERROR_MAP_FAILED);
        const auto bytes = static_cast<std::size_t>(parameter(gl, buffer_size));
        if (bytes == 0) return;
        copy_ = memory::allocate_device(context_, bytes);
        if (!fill) return;
        gl.glGetBufferSubData(copy_read_buffer, 0, static_cast<std::ptrdiff_t>(bytes), copy_->data());
        exec::written_bytes::set(copy_->base, bytes);
    }

    /// Goes through a temporary buffer: some buffers accept data from other buffers only.
    void write(const opengl::Functions& gl) const override {
        if (!copy_) return;
        const auto bytes = static_cast<std::ptrdiff_t>(copy_->size);
        unsigned staging = 0;
        gl.glGenBuffers(1, &staging);
        {
            const opengl::Binding from(gl, gl.glBindBuffer, copy_read_buffer, copy_read_buffer, staging);
            const opengl::Binding to(gl, gl.glBindBuffer, copy_write_buffer, copy_write_buffer, name_);
            gl.glBufferData(copy_read_buffer, bytes, copy_->data(), stream_draw);
            gl.glCopyBufferSubData(copy_read_buffer, copy_write_buffer, 0, 0, bytes);
        }
        gl.glDeleteBuffers(1, &staging);
    }

    void drop() noexcept override {
        if (!copy_) return;
        AddressSpace::instance().remove(copy_->base, [this](const Allocation& held) { return &held == copy_.get(); });
        copy_.reset();
    }

    const unsigned name_;
    std::shared_ptr<Allocation> copy_;  ///< while it is mapped and not empty
};

}  // namespace

std::shared_ptr<GraphicsResource> register_buffer(Context& context, unsigned name, unsigned flags) {
    require(name != 0 && flags <= CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD);
    const opengl::Functions gl = opengl::of_this_thread();
    require(gl.glIsBuffer(name));
    return std::make_shared<Buffer>(context, name, flags);
}

}  // namespace cpu::state
