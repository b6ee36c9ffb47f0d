#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"

#include <cuda.h>

#include <numeric>

#include "support.hpp"

namespace pycuda::test {
namespace {

using MemcpyTest = ContextTest;

std::vector<std::uint8_t> bytes_on(const DeviceAllocation& memory) {
    std::vector<std::uint8_t> bytes(memory.size());
    memcpy_dtoh(bytes.data(), bytes.size(), memory.pointer());
    return bytes;
}

TEST_F(MemcpyTest, ThereAndBack) {
    std::vector<int> sent(1000), received(1000);
    std::iota(sent.begin(), sent.end(), 1);
    const std::size_t nbytes = sent.size() * sizeof(int);
    DeviceAllocation first(nbytes), second(nbytes);
    memcpy_htod(first.pointer(), sent.data(), nbytes);
    memcpy_dtod(second.pointer(), first.pointer(), nbytes);
    memcpy_dtoh(received.data(), nbytes, second.pointer());
    EXPECT_EQ(received, sent);
}

TEST_F(MemcpyTest, AsynchronousOnAStream) {
    std::vector<int> sent(1000), received(1000);
    std::iota(sent.begin(), sent.end(), 1);
    const std::size_t nbytes = sent.size() * sizeof(int);
    DeviceAllocation first(nbytes), second(nbytes);
    const Stream stream;
    memcpy_htod_async(first.pointer(), sent.data(), nbytes, &stream);
    memcpy_dtod_async(second.pointer(), first.pointer(), nbytes, &stream);
    memcpy_dtoh_async(received.data(), nbytes, second.pointer(), &stream);
    stream.synchronize();
    EXPECT_EQ(received, sent);
}

TEST_F(MemcpyTest, AsynchronousOnTheDefaultStream) {
    const std::uint32_t sent = 0xfeedbeef;
    std::uint32_t received = 0;
    DeviceAllocation memory(4);
    memcpy_htod_async(memory.pointer(), &sent, 4);
    memcpy_dtoh_async(&received, 4, memory.pointer());
    Context::synchronize();
    EXPECT_EQ(received, sent);
}

TEST_F(MemcpyTest, PartsOfAnAllocation) {
    DeviceAllocation memory(8);
    memset_d8(memory.pointer(), 0, 8);
    const std::uint8_t data[] = {1, 2};
    memcpy_htod(memory.pointer() + 3, data, 2);
    EXPECT_EQ(bytes_on(memory), (std::vector<std::uint8_t>{0, 0, 0, 1, 2, 0, 0, 0}));
}

TEST_F(MemcpyTest, FailureSaysWhatWasToBeCopied) {
    char data[16] = {};
    const std::string message = message_of<LogicError>([&] { memcpy_htod(0x10, data, sizeof data); });
    EXPECT_HAS(message, "cuMemcpyHtoD failed: ");
    EXPECT_HAS(message, "16 bytes from 0x");
    EXPECT_HAS(message, " to 0x10");
    EXPECT_THROW(memcpy_dtoh(data, sizeof data, 0x10), LogicError);
}

TEST_F(MemcpyTest, FailureSaysHowLargeTheMemoryIs) {
    const DeviceAllocation small(100), large(300);
    char data[200] = {};
    const auto expect = [](const char* what, auto copy) { EXPECT_HAS(message_of<LogicError>(copy), what); };
    expect(", which has 100 bytes from there on", [&] { memcpy_htod(small.pointer(), data, 200); });
    expect(", which has 60 bytes from there on, to 0x", [&] { memcpy_dtoh(data, 200, small.pointer() + 40); });
    expect(", which has 300 bytes from there on, to 0x", [&] { memcpy_dtod(small.pointer(), large.pointer(), 200); });
    expect(", which has 100 bytes from there on", [&] { memset_d8(small.pointer(), 0, 200); });
}

TEST_F(MemcpyTest, ClosedStreamIsRefused) {
    DeviceAllocation memory(4);
    Stream stream;
    stream.close();
    std::uint32_t word = 0;
    EXPECT_EQ(message_of<LogicError>([&] { memcpy_htod_async(memory.pointer(), &word, 4, &stream); }),
              "stream was closed");
}

TEST_F(MemcpyTest, FillsCountElements) {
    DeviceAllocation memory(8);
    memset_d8(memory.pointer(), 0xaa, 8);
    memset_d16(memory.pointer(), 0x1234, 2);
    EXPECT_EQ(bytes_on(memory), (std::vector<std::uint8_t>{0x34, 0x12, 0x34, 0x12, 0xaa, 0xaa, 0xaa, 0xaa}));
    memset_d32(memory.pointer() + 4, 0x01020304, 1);
    EXPECT_EQ(bytes_on(memory), (std::vector<std::uint8_t>{0x34, 0x12, 0x34, 0x12, 4, 3, 2, 1}));
}

TEST_F(MemcpyTest, FillsOnAStream) {
    DeviceAllocation memory(8);
    const Stream stream;
    memset_d8_async(memory.pointer(), 1, 8, &stream);
    memset_d16_async(memory.pointer() + 2, 0x0202, 3, &stream);
    memset_d32_async(memory.pointer() + 4, 0x03030303, 1, &stream);
    stream.synchronize();
    EXPECT_EQ(bytes_on(memory), (std::vector<std::uint8_t>{1, 1, 2, 2, 3, 3, 3, 3}));
}

TEST_F(MemcpyTest, FailureOfAFillSaysWhere) {
    EXPECT_HAS(message_of<LogicError>([] { memset_d32(0x10, 0, 5); }), "5 elements at 0x10");
    DeviceAllocation memory(16);
    EXPECT_THROW(memset_d32(memory.pointer() + 1, 0, 1), LogicError) << "misaligned";
}

TEST_F(MemcpyTest, FillsBeyondAnyMemoryLeaveTheContextAsItIs) {
    const DeviceAllocation memory(16);
    const Stream stream;
    for (const std::size_t count :
         {std::size_t{1} << 57, std::size_t{1} << 62, ~std::size_t{0} >> 1, ~std::size_t{0}}) {
        EXPECT_THROW(memset_d8(memory.pointer(), 0, count), LogicError) << count;
        EXPECT_THROW(memset_d16(memory.pointer(), 0, count), LogicError) << count;
        EXPECT_THROW(memset_d32(memory.pointer(), 0, count), LogicError) << count;
        EXPECT_THROW(memset_d8_async(memory.pointer(), 0, count, &stream), LogicError) << count;
        EXPECT_THROW(memset_d16_async(memory.pointer(), 0, count, &stream), LogicError) << count;
        EXPECT_THROW(memset_d32_async(memory.pointer(), 0, count, &stream), LogicError) << count;
    }
    EXPECT_NO_THROW(Context::synchronize());
}

}  // namespace
}  // namespace pycuda::test
