#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

#ifndef SWIG
/// One end of a structured copy: its memory or array, and the objects that must live until the copy is complete.
class CopyEnd {
public:
    enum class Kind { None, Host, Array, Device, Unified };

    static CopyEnd host(void* memory, std::size_t nbytes, std::shared_ptr<void> owner);
    static CopyEnd of_array(std::shared_ptr<Array> array);
    static CopyEnd device(DevicePtr pointer, std::shared_ptr<void> owner);
    static CopyEnd unified(void* memory, std::size_t nbytes, std::shared_ptr<void> owner);
    static CopyEnd unified(DevicePtr pointer, std::shared_ptr<void> owner);

    Kind kind() const noexcept { return kind_; }
    bool is_set() const noexcept { return kind_ != Kind::None; }
    /// The address; not for kind Array.
    DevicePtr address() const noexcept { return address_; }
    /// The array of kind Array; null for other kinds.
    const Array* array() const noexcept { return array_; }
    Array::Use use() const { return array_ ? array_->use() : Array::Use(); }
    /// std::invalid_argument if the copy would exceed the host memory, LogicError if Unified's address is
    /// not memory of the driver; `side` is "source" or "destination".
    /// Offsets, pitch and sizes are bytes, y, z, height and depth rows and slices; no product of them overflows.
    void check_room(const char* side, std::size_t x, std::size_t y, std::size_t z, std::size_t pitch,
                    std::size_t slice_height, std::size_t width, std::size_t height, std::size_t depth) const;
    const std::shared_ptr<void>& owner() const noexcept { return owner_; }
    /// The address or handle by which graphs know its memory or array; they keep that if it is freed.
    std::uint64_t key() const;

private:
    void check_known(const char* side, std::size_t begin, std::size_t end) const;

    Kind kind_ = Kind::None;
    DevicePtr address_ = 0;
    std::size_t nbytes_ = 0;
    bool is_bounded_ = false;
    const Array* array_ = nullptr;
    std::shared_ptr<void> owner_;  ///< for an array: the array
};
#endif

#ifndef SWIG
/// The arrays of a copy's source and destination, which are not destroyed meanwhile.
using ArraysInUse = std::pair<Array::Use, Array::Use>;
#endif

/// Base of copies of boxes between pitched host memory, pitched device memory and arrays. Offsets, pitches
/// and widths are bytes, whatever the ends are; a pitch of 0 stands for rows without gaps.
///
/// The `owner` of an address, which may be null, is kept until another end is set and all copies queued before are
/// complete.
class StructuredCopy {
public:
    std::size_t src_x_in_bytes = 0;
    std::size_t src_y = 0;
    std::size_t src_pitch = 0;
    std::size_t dst_x_in_bytes = 0;
    std::size_t dst_y = 0;
    std::size_t dst_pitch = 0;
    std::size_t width_in_bytes = 0;
    std::size_t height = 0;

    /// `nbytes` bytes of host memory. A copy beyond them raises std::invalid_argument.
    void set_src_host(const void* src, std::size_t nbytes, std::shared_ptr<void> owner);
    void set_src_array(std::shared_ptr<Array> array);
    void set_src_device(DevicePtr devptr, std::shared_ptr<void> owner);
    /// Memory that the driver locates itself.
    void set_src_unified(const void* src, std::size_t nbytes, std::shared_ptr<void> owner);
    void set_src_unified(DevicePtr devptr, std::shared_ptr<void> owner);
    void set_dst_host(void* dest, std::size_t nbytes, std::shared_ptr<void> owner);
    void set_dst_array(std::shared_ptr<Array> array);
    void set_dst_device(DevicePtr devptr, std::shared_ptr<void> owner);
    void set_dst_unified(void* dest, std::size_t nbytes, std::shared_ptr<void> owner);
    void set_dst_unified(DevicePtr devptr, std::shared_ptr<void> owner);

#ifndef SWIG
    /// The copy as a node of a graph. LogicError for a copy between contexts, which cannot be one.
    virtual ArraysInUse describe(CUDA_MEMCPY3D& node) const;
    /// Those that are set.
    std::vector<const CopyEnd*> ends() const;
    const CopyEnd& source() const noexcept { return src_; }
    const CopyEnd& destination() const noexcept { return dst_; }
#endif

protected:
    StructuredCopy() = default;
    virtual ~StructuredCopy() = default;
    CopyEnd src_, dst_;
};

/// A copy of a rectangle.
class Memcpy2D : public StructuredCopy {
public:
    /// Copy and wait (cuMemcpy2D). With `aligned` false, copies within the device accept any pitch, but may be slower
    /// (cuMemcpy2DUnaligned). LogicError if an end is not set, is freed or does not contain the rectangle.
    void execute(bool aligned = true) const;
    /// Queue the copy (cuMemcpy2DAsync). Host memory must be page-locked for it to overlap with other work.
    void execute_async(const Stream& stream) const;
#ifndef SWIG
    ArraysInUse describe(CUDA_MEMCPY3D& node) const override;
#endif
};

/// Members of copies of boxes that copies of rectangles lack.
class StructuredCopy3D : public StructuredCopy {
public:
    std::size_t src_height = 0;  ///< rows in a slice; 0: slices have no gaps; ignored for arrays
    std::size_t src_z = 0;
    std::size_t dst_height = 0;
    std::size_t dst_z = 0;
    std::size_t depth = 0;

protected:
    StructuredCopy3D() = default;
    ~StructuredCopy3D() override = default;
};

/// A copy of a box. For layered arrays z counts layers, for cube maps faces.
class Memcpy3D : public StructuredCopy3D {
public:
    void execute() const;                            ///< cuMemcpy3D; otherwise as Memcpy2D::execute
    void execute_async(const Stream& stream) const;  ///< cuMemcpy3DAsync
#ifndef SWIG
    /// Replace the ends in `description` that are set here. Arrays live as long as the
    /// result. std::invalid_argument if host memory is too short.
    ArraysInUse set_ends(CUDA_MEMCPY3D& description) const;
    ArraysInUse describe(CUDA_MEMCPY3D& node) const override;
#endif
};

/// A copy of a box between two contexts. A context that is not set is that of the end's array, else the current one.
class Memcpy3DPeer : public StructuredCopy3D {
public:
    void set_src_context(std::shared_ptr<Context> context) { src_context_ = std::move(context); }
    void set_dst_context(std::shared_ptr<Context> context) { dst_context_ = std::move(context); }
    void execute() const;                            ///< cuMemcpy3DPeer
    void execute_async(const Stream& stream) const;  ///< cuMemcpy3DPeerAsync

private:
    std::shared_ptr<Context> src_context_, dst_context_;
};

}  // namespace pycuda
