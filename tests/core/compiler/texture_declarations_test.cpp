#include "compiler/texture_declarations.hpp"

#include <gtest/gtest.h>

namespace pycuda::test {
namespace {

std::string marked(const std::string& source) {
    return TextureDeclarations(source).source();
}

TEST(TextureDeclarations, AreMarkedWhereVariablesAreDeclared) {
    EXPECT_EQ(marked("texture<float, 2> t;"), "PYCUDA_REFERENCE texture<float, 2> t;");
    EXPECT_EQ(marked("static texture <float,2>t, u;"), "static PYCUDA_REFERENCE texture <float,2>t, u;");
    EXPECT_EQ(marked("extern \"C\" { surface<void, 2> s; }"), "extern \"C\" { PYCUDA_REFERENCE surface<void, 2> s; }");
    EXPECT_EQ(marked("texture<int, (1 > 0) ? 1 : 2, cudaReadModeElementType>\nt;"),
              "PYCUDA_REFERENCE texture<int, (1 > 0) ? 1 : 2, cudaReadModeElementType>\nt;");
    EXPECT_EQ(marked("#define DECLARE(n) texture<float, 1> n;\n"),
              "#define DECLARE(n) PYCUDA_REFERENCE texture<float, 1> n;\n");
    EXPECT_TRUE(TextureDeclarations("texture<float, 2> t;").found());
}

TEST(TextureDeclarations, OtherUsesStay) {
    for (const std::string source :
         {"__device__ float f(texture<float, 2> t, const texture<float, 2>& u);", "typedef texture<float, 2> T;",
          "// texture<float, 2> t;\n", "/* texture<float, 2> t; */", "const char *s = \"texture<float, 2> t;\";",
          "const char *s = R\"x(texture<float, 2> t;)x\";", "int texture = 3, n = texture < 4;",
          "template <class T> struct texture {}; texture<int> t;", "__device__ texture<float, 2> t;",
          "PYCUDA_REFERENCE texture<float, 2> t;", "texture<float"}) {
        EXPECT_EQ(marked(source), source);
    }
    EXPECT_FALSE(TextureDeclarations("// texture<float, 2> t;\n").found());
    EXPECT_FALSE(TextureDeclarations("class texture; texture<int> *t;").found());
    EXPECT_TRUE(TextureDeclarations("class texture; texture<int> *t;").has_its_own());
}

}  // namespace
}  // namespace pycuda::test
