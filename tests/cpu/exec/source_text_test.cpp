// What reports quote of the sources that a module was compiled from.
#include <gtest/gtest.h>

#include "exec/source_text.hpp"

namespace cpu::exec {
namespace {

const std::string text = "\n//pycuda-source kernel.cu\n//first();\n//  second();  \n//\n";

TEST(SourceText, QuotesTheKernelsOwnSource) {
    SourceText sources(".version 8.0" + text);
    EXPECT_EQ("kernel source:1 `first();`", sources.describe("/somewhere/kernel.cu", 1));
    EXPECT_EQ("kernel source:2 `second();`", sources.describe("kernel.cu", 2));
    EXPECT_EQ("kernel source:3", sources.describe("kernel.cu", 3));
    EXPECT_EQ("kernel source:4", sources.describe("kernel.cu", 4));
}

TEST(SourceText, NamesOtherFilesWithoutTheFolderIfTheyDoNotExist) {
    SourceText sources(".version 8.0" + text);
    EXPECT_EQ("smooth.cuh:7", sources.describe("/no/such/folder/smooth.cuh", 7));
    EXPECT_EQ(std::string(__FILE__) + ":1 `// What reports quote of the sources that a module was compiled from.`",
              sources.describe(__FILE__, 1));
}

TEST(SourceText, KeepsTheNameThatTheProgramGave) {
    SourceText sources("\n//pycuda-source smooth.cu\n//x();\n");
    EXPECT_EQ("smooth.cu:1 `x();`", sources.describe("/tmp/smooth.cu", 1));
}

TEST(SourceText, OfLinkedTextsNoneIsQuoted) {
    SourceText sources(text + text);
    EXPECT_EQ("kernel.cu:1", sources.describe("/somewhere/kernel.cu", 1));
}

}  // namespace
}  // namespace cpu::exec
