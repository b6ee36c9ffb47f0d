#include "pycuda/launching/prepared_arguments.hpp"

#include "pycuda/errors/error.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

std::vector<Slot> slots_of(std::string_view types) {
    std::vector<Slot> slots;
    append_slots(types, slots);
    return slots;
}

std::string characters(std::string_view types) {
    std::string text;
    for (const Slot& slot : slots_of(types)) text += slot_character(slot);
    return text;
}

const ParameterLayout unknown{"scale", false, {}, 0};

TEST(PreparedArguments, CharactersMakeSlotsOfTheirKindAndSize) {
    EXPECT_EQ(characters("bBhHiIefdFD?Ps"), "bBhHiIefdFD?Ps");
    // Types of one kind and size are the same. A long has 32 bits on Windows.
    EXPECT_EQ(characters("lL"), sizeof(long) == 8 ? "lL" : "iI");
    EXPECT_EQ(characters("qQnN"), sizeof(long) == 8 ? "lLlL" : "qQqQ");
    EXPECT_EQ(characters("c"), "s") << "one byte";
}

TEST(PreparedArguments, CountsSpacesAndPaddingAreRead) {
    EXPECT_EQ(characters(" @3i x 2f "), "iiiff");
    const auto slots = slots_of("12s");
    ASSERT_EQ(slots.size(), 1u);
    EXPECT_EQ(slots[0].size, 12u);
    EXPECT_EQ(slots[0].alignment, 1u);
    EXPECT_TRUE(slots_of("0i").empty());
}

TEST(PreparedArguments, UnknownTypesAreNamed) {
    EXPECT_HAS(message_of<std::invalid_argument>([&] { slots_of("iz"); }), "'z' is not an argument type");
    EXPECT_HAS(message_of<std::invalid_argument>([&] { slots_of("3"); }), "must be followed by an argument type");
    EXPECT_HAS(message_of<std::invalid_argument>([&] { slots_of("99999i"); }), "at most 32764");
    EXPECT_HAS(message_of<std::invalid_argument>([&] { slots_of("99999999999999999999i"); }), "at most 32764");
}

TEST(PreparedArguments, StandAtNaturalOffsetsWhereTheDriverTellsNone) {
    auto slots = slots_of("bDhP");
    EXPECT_EQ(lay_out(slots, unknown), 40u);
    EXPECT_EQ(slots[1].offset, 8u);
    EXPECT_EQ(slots[2].offset, 24u);
    EXPECT_EQ(slots[3].offset, 32u);
    auto huge = slots_of("20000s20000s");
    EXPECT_HAS(message_of<ArgumentTypeError>([&] { lay_out(huge, unknown); }), "more than 32764 bytes");
    std::vector<Slot> none;
    EXPECT_EQ(lay_out(none, unknown), 0u);
}

TEST(PreparedArguments, StandWhereTheKernelSays) {
    const ParameterLayout layout{"scale", true, {{0, 8}, {16, 4}}, 20};
    auto slots = slots_of("Pi");
    EXPECT_EQ(lay_out(slots, layout), 20u);
    EXPECT_EQ(slots[1].offset, 16u);
    auto wide = slots_of("Pd");
    EXPECT_HAS(message_of<ArgumentTypeError>([&] { lay_out(wide, layout); }),
               "kernel 'scale' takes 4 bytes as argument 1, counted from 0, but its type 'd' has 8 bytes");
    auto few = slots_of("P");
    EXPECT_HAS(message_of<ArgumentTypeError>([&] { lay_out(few, layout); }), "takes 2 arguments, but 1 type was given");
}

}  // namespace
}  // namespace pycuda::test
