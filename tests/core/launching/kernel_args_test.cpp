#include "pycuda/launching/kernel_args.hpp"

#include <thread>

#include "support.hpp"

namespace pycuda::test {
namespace {

/// (char, double, int) as a kernel has them.
ParameterLayout layout() {
    return {"saxpy", true, {{0, 1}, {8, 8}, {16, 4}}, 20};
}

TEST(ArgumentPacker, PutsArgumentsWhereTheLayoutSays) {
    unsigned char* block = thread_argument_block();
    std::memset(block, 0xee, 32);
    const ParameterLayout known = layout();
    ArgumentPacker packer(block, known);
    const char first = 1;
    const double second = 2.5;
    const int third = 3;
    packer.append(&first, 1, 1, "numpy.int8");
    packer.append(&second, 8, 8, "numpy.float64");
    packer.append(&third, 4, 4, "numpy.int32");
    EXPECT_EQ(packer.finish(), 20u);
    EXPECT_EQ(packer.count(), 3u);
    EXPECT_EQ(block[0], 1);
    for (int gap = 1; gap < 8; ++gap) EXPECT_EQ(block[gap], 0) << "gaps are zeroed";
    EXPECT_EQ(std::memcmp(block + 8, &second, 8), 0);
    EXPECT_EQ(std::memcmp(block + 16, &third, 4), 0);
    EXPECT_EQ(block[20], 0xee);
}

TEST(ArgumentPacker, WrongSizeNamesPositionGivenAndWanted) {
    const ParameterLayout known = layout();
    ArgumentPacker packer(thread_argument_block(), known);
    const double value = 0;
    packer.append(&value, 1, 1, "numpy.int8");
    packer.append(&value, 8, 8, "numpy.float64");
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { packer.append(&value, 8, 8, "numpy.float64"); }),
              "argument 2 of 'saxpy', counted from 0: given numpy.float64 (8 bytes), the kernel expects 4 bytes");
    const int right = 0;  // a refused argument does not count
    packer.append(&right, 4, 4, "numpy.int32");
    EXPECT_EQ(packer.finish(), 20u);
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { packer.append(&right, 4, 4, "numpy.int32"); }),
              "argument 3 of 'saxpy', counted from 0: given numpy.int32 (4 bytes), the kernel takes 3 arguments");
}

TEST(ArgumentPacker, TooFewArgumentsAreRefused) {
    const ParameterLayout known = layout();
    ArgumentPacker packer(thread_argument_block(), known);
    EXPECT_EQ(message_of<ArgumentTypeError>([&] { static_cast<void>(packer.finish()); }),
              "'saxpy' takes 3 arguments, given 0");
}

TEST(ArgumentPacker, WithoutALayoutAlignmentDecides) {
    const ParameterLayout unknown{"saxpy", false, {}, 0};
    unsigned char* block = thread_argument_block();
    ArgumentPacker packer(block, unknown);
    const std::uint64_t value = 0x0807060504030201;
    packer.append(&value, 1, 1, "a");
    packer.append(&value, 2, 2, "b");
    packer.append(&value, 8, 8, "c");
    packer.append(&value, 3, 1, "d");
    packer.append(&value, 4, 4, "e");
    EXPECT_EQ(packer.finish(), 24u);
    EXPECT_EQ(block[1], 0);
    EXPECT_EQ(block[3], 2);
    EXPECT_EQ(block[8], 1);
    EXPECT_EQ(block[18], 3);
    EXPECT_EQ(block[20], 1);
}

TEST(ArgumentPacker, TooLargeABlockIsRefused) {
    const ParameterLayout unknown{"saxpy", false, {}, 0};
    const std::vector<char> much(max_parameter_bytes);
    ArgumentPacker packer(thread_argument_block(), unknown);
    packer.append(much.data(), much.size(), 1, "bytes");
    EXPECT_HAS(message_of<ArgumentTypeError>([&] { packer.append(much.data(), 1, 1, "bytes"); }),
               "at most 32764 bytes");
    EXPECT_EQ(packer.finish(), max_parameter_bytes);
}

TEST(ArgumentPacker, EveryThreadHasItsOwnAlignedBlock) {
    unsigned char* other = nullptr;
    std::thread([&] {
        other = thread_argument_block();
        EXPECT_NE(other, nullptr);
    }).join();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(thread_argument_block()) % 16, 0u);
    EXPECT_EQ(thread_argument_block(), thread_argument_block());
    bool differs = false;
    std::thread([&, mine = thread_argument_block()] { differs = thread_argument_block() != mine; }).join();
    EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace pycuda::test
