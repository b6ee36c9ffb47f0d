#include "pycuda/arrays/memcpy_nd.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes counted(std::size_t count) {
    Bytes bytes(count);
    std::iota(bytes.begin(), bytes.end(), 1);
    return bytes;
}

/// The box of `width` x `height` x `depth` bytes at (x, y, z) in `from`, of rows of `pitch` bytes and slices of `rows`.
Bytes box(const Bytes& from, std::size_t x, std::size_t y, std::size_t z, std::size_t pitch, std::size_t rows,
          std::size_t width, std::size_t height, std::size_t depth) {
    Bytes got;
    for (std::size_t k = 0; k < depth; ++k)
        for (std::size_t j = 0; j < height; ++j)
            for (std::size_t i = 0; i < width; ++i) got.push_back(from[((z + k) * rows + y + j) * pitch + x + i]);
    return got;
}

class MemcpyNd : public ContextTest {
protected:
    static std::shared_ptr<Array> array(std::size_t width, std::size_t height, std::size_t depth = 0) {
        return std::make_shared<Array>(ArrayDescriptor3D{width, height, depth, ArrayFormat::UNSIGNED_INT8, 1, 0});
    }
};

TEST_F(MemcpyNd, RectangleThroughDeviceAndArray) {
    const Bytes given = counted(10 * 6);
    Bytes got(4 * 3);
    const DeviceAllocation memory(16 * 8);
    memset_d8(memory.pointer(), 0, 16 * 8);
    const auto image = array(12, 7);

    Memcpy2D copy;
    copy.src_x_in_bytes = 2, copy.src_y = 1, copy.src_pitch = 10;
    copy.dst_x_in_bytes = 3, copy.dst_y = 2, copy.dst_pitch = 16;
    copy.width_in_bytes = 4, copy.height = 3;
    copy.set_src_host(given.data(), given.size(), nullptr);
    copy.set_dst_device(memory.pointer(), nullptr);
    copy.execute();

    Memcpy2D into_array;
    into_array.src_x_in_bytes = 3, into_array.src_y = 2, into_array.src_pitch = 16;
    into_array.dst_x_in_bytes = 5, into_array.dst_y = 4;
    into_array.width_in_bytes = 4, into_array.height = 3;
    into_array.set_src_device(memory.pointer(), nullptr);
    into_array.set_dst_array(image);
    into_array.execute(false);

    Memcpy2D out;
    out.src_x_in_bytes = 5, out.src_y = 4;
    out.dst_pitch = 4, out.width_in_bytes = 4, out.height = 3;
    out.set_src_array(image);
    out.set_dst_host(got.data(), got.size(), nullptr);
    out.execute();
    EXPECT_EQ(got, box(given, 2, 1, 0, 10, 6, 4, 3, 1));
}

TEST_F(MemcpyNd, BoxThroughDeviceAndArray) {
    const Bytes given = counted(6 * 5 * 4);
    Bytes got(3 * 2 * 2);
    const auto volume = array(8, 5, 4);

    Memcpy3D copy;
    copy.src_x_in_bytes = 1, copy.src_y = 2, copy.src_z = 1, copy.src_pitch = 6, copy.src_height = 5;
    copy.dst_x_in_bytes = 4, copy.dst_y = 1, copy.dst_z = 2;
    copy.width_in_bytes = 3, copy.height = 2, copy.depth = 2;
    copy.set_src_host(given.data(), given.size(), nullptr);
    copy.set_dst_array(volume);
    copy.execute();

    Memcpy3D out;
    out.src_x_in_bytes = 4, out.src_y = 1, out.src_z = 2;
    out.dst_pitch = 3, out.dst_height = 2;
    out.width_in_bytes = 3, out.height = 2, out.depth = 2;
    out.set_src_array(volume);
    out.set_dst_unified(got.data(), got.size(), nullptr);
    if (!Device(0).get_attribute(DeviceAttribute::PAGEABLE_MEMORY_ACCESS))
        out.set_dst_host(got.data(), got.size(), nullptr);
    out.execute();
    EXPECT_EQ(got, box(given, 1, 2, 1, 6, 5, 3, 2, 2));
}

TEST_F(MemcpyNd, UnifiedFindsOutWhereMemoryIs) {
    const Bytes given = counted(12);
    Bytes got(12);
    const DeviceAllocation one(12), other(12);
    memcpy_htod(one.pointer(), given.data(), given.size());
    Memcpy2D copy;
    copy.width_in_bytes = 4, copy.height = 3, copy.src_pitch = 4, copy.dst_pitch = 4;
    copy.set_src_unified(one.pointer(), nullptr);
    copy.set_dst_unified(other.pointer(), nullptr);
    copy.execute();
    memcpy_dtoh(got.data(), got.size(), other.pointer());
    EXPECT_EQ(got, given);
}

TEST_F(MemcpyNd, AsynchronousCopiesKeepTheirEndsUntilTheyAreDone) {
    const auto given = std::make_shared<Bytes>(counted(64 * 64));
    const auto got = std::make_shared<Bytes>(64 * 64);
    auto image = array(64, 64);
    Stream stream;
    {
        Memcpy2D in;
        in.src_pitch = in.width_in_bytes = in.height = 64;
        in.set_src_host(given->data(), given->size(), given);
        in.set_dst_array(image);
        in.execute_async(stream);
        Memcpy3D out;
        out.dst_pitch = out.width_in_bytes = out.height = 64;
        out.depth = 1;
        out.set_src_array(std::exchange(image, nullptr));
        out.set_dst_host(got->data(), got->size(), got);
        out.execute_async(stream);
    }
    stream.synchronize();
    EXPECT_EQ(*got, *given);
    for (int i = 0; i < 1000 && (given.use_count() > 1 || got.use_count() > 1 || live_handles("array") > 0); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(given.use_count(), 1);
    EXPECT_EQ(got.use_count(), 1);
    EXPECT_EQ(live_handles("array"), 0);
}

TEST_F(MemcpyNd, BetweenContexts) {
    const Bytes given = counted(16);
    Bytes got(16);
    const DeviceAllocation here(16);
    memcpy_htod(here.pointer(), given.data(), given.size());
    const auto other = Device(Device::count() - 1).make_context();
    {
        const DeviceAllocation there(16);
        Context::pop();
        Memcpy3DPeer copy;
        copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 4;
        copy.src_height = copy.dst_height = copy.height = 4;
        copy.depth = 1;
        copy.set_src_device(here.pointer(), nullptr);
        copy.set_src_context(context);
        copy.set_dst_device(there.pointer(), nullptr);
        copy.set_dst_context(other);
        copy.execute();
        memcpy_peer(here.pointer(), there.pointer(), 8, context.get(), other.get());
        memset_d8(here.pointer() + 8, 0, 8);
        Context::synchronize();
        memcpy_peer_async(here.pointer() + 8, there.pointer() + 8, 8);
        Context::synchronize();
    }
    memcpy_dtoh(got.data(), got.size(), here.pointer());
    EXPECT_EQ(got, given);
    other->detach();
}

TEST_F(MemcpyNd, HostMemoryThatIsTooSmallIsRefusedBeforeTheDriverIsAsked) {
    Bytes small(10);
    const DeviceAllocation memory(64);
    Memcpy2D copy;
    copy.set_src_device(memory.pointer(), nullptr);
    copy.set_dst_host(small.data(), small.size(), nullptr);
    copy.src_pitch = 8, copy.dst_pitch = 5, copy.width_in_bytes = 5, copy.height = 2;
    copy.execute();
    copy.dst_y = 1;
    EXPECT_HAS(message_of<std::invalid_argument>([&] { copy.execute(); }), "needs 15 bytes of its destination");
    copy.dst_y = 0;
    copy.dst_x_in_bytes = 1;
    EXPECT_HAS(message_of<std::invalid_argument>([&] { copy.execute(); }), "needs 11 bytes");
    copy.dst_x_in_bytes = SIZE_MAX;
    EXPECT_HAS(message_of<std::invalid_argument>([&] { copy.execute(); }), "more bytes than there can be");
    copy.dst_x_in_bytes = 0;
    copy.height = SIZE_MAX / 2;
    EXPECT_HAS(message_of<std::invalid_argument>([&] { copy.execute(); }), "more bytes than there can be");
}

TEST_F(MemcpyNd, UnifiedAddressesWithoutMemoryAreRefused) {
    const DeviceAllocation memory(1 << 12);
    DeviceAllocation freed(1 << 12);
    const DevicePtr gone = freed.pointer();
    freed.free();
    Memcpy3D copy;
    const auto refused = [&](DevicePtr src, DevicePtr dst) {
        copy.set_src_unified(src, nullptr);
        copy.set_dst_unified(dst, nullptr);
        return message_of<LogicError>([&] { copy.execute(); });
    };
    copy.width_in_bytes = copy.height = copy.depth = 1;
    for (const DevicePtr address : {DevicePtr{0}, DevicePtr{8}, gone}) {
        EXPECT_HAS(refused(address, memory.pointer()), "takes bytes 0 to 1 of its source");
        EXPECT_HAS(refused(memory.pointer(), address), "takes bytes 0 to 1 of its destination");
    }
    using Offset = std::size_t Memcpy3D::*;
    for (const Offset offset : {Offset(&Memcpy3D::src_x_in_bytes), Offset(&Memcpy3D::src_y), Offset(&Memcpy3D::src_z)})
        for (const std::size_t far : {std::size_t{1} << 44, SIZE_MAX / 2, SIZE_MAX}) {
            copy.*offset = far;
            EXPECT_HAS(refused(memory.pointer(), memory.pointer()),
                       "of its source, which are not memory of the driver");
            copy.*offset = 0;
        }
    copy.width_in_bytes = SIZE_MAX;
    EXPECT_HAS(refused(memory.pointer(), memory.pointer()), "not memory of the driver, or were freed");
    copy.width_in_bytes = 0;
    copy.set_src_unified(0, nullptr);
    EXPECT_NO_THROW(copy.execute());
}

TEST_F(MemcpyNd, EndsThatAreMissingOrFreedAreNamed) {
    Memcpy3D copy;
    copy.width_in_bytes = copy.height = copy.depth = 1;
    EXPECT_HAS(message_of<LogicError>([&] { copy.execute(); }), "source is not set");
    const auto volume = array(4, 4, 4);
    copy.set_src_array(volume);
    EXPECT_HAS(message_of<LogicError>([&] { copy.execute(); }), "destination is not set");
    copy.set_dst_array(volume);
    volume->free();
    EXPECT_HAS(message_of<LogicError>([&] { copy.execute(); }), "array was freed");
    EXPECT_THROW(copy.set_src_array(nullptr), std::invalid_argument);
}

TEST_F(MemcpyNd, FillsOfRows) {
    constexpr std::size_t pitch = 16, rows = 3;
    const DeviceAllocation memory(pitch * rows);
    Bytes got(pitch * rows);
    Stream stream;
    const auto row = [&](std::size_t y, std::size_t x) { return got[y * pitch + x]; };
    const auto read = [&] { memcpy_dtoh(got.data(), got.size(), memory.pointer()); };
    memset_d8(memory.pointer(), 0xee, pitch * rows);
    memset_d2d8(memory.pointer(), pitch, 7, 5, rows);
    read();
    for (std::size_t y = 0; y < rows; ++y) EXPECT_TRUE(row(y, 0) == 7 && row(y, 4) == 7 && row(y, 5) == 0xee);
    memset_d2d16(memory.pointer(), pitch, 0x0102, 3, rows);
    read();
    for (std::size_t y = 0; y < rows; ++y) EXPECT_TRUE(row(y, 0) == 2 && row(y, 5) == 1 && row(y, 6) == 0xee);
    memset_d2d32(memory.pointer(), pitch, 0x01020304, 2, rows);
    read();
    for (std::size_t y = 0; y < rows; ++y) EXPECT_TRUE(row(y, 0) == 4 && row(y, 7) == 1 && row(y, 8) == 0xee);
    memset_d2d8_async(memory.pointer(), pitch, 1, 5, rows, &stream);
    memset_d2d16_async(memory.pointer(), pitch, 0x0505, 1, 1, &stream);
    memset_d2d32_async(memory.pointer() + pitch, pitch, 0x06060606, 1, 2, &stream);
    stream.synchronize();
    read();
    EXPECT_TRUE(row(0, 0) == 5 && row(0, 2) == 1 && row(1, 3) == 6 && row(2, 3) == 6 && row(2, 4) == 1);
    EXPECT_HAS(message_of<LogicError>([&] { memset_d2d32(memory.pointer() + 1, pitch, 0, 1, 1); }), "pitch 16");
}

}  // namespace
}  // namespace pycuda::test
