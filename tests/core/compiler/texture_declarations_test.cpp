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

TEST(TextureDeclarations, ByAnAlias) {
    EXPECT_EQ(marked("typedef texture<float, 2> Image, *Pointer;\nstatic Image a, b;\nPointer p;"),
              "typedef texture<float, 2> Image, *Pointer;\nstatic PYCUDA_REFERENCE Image a, b;\nPointer p;");
    EXPECT_EQ(marked("extern \"C\" { namespace n { using Sheet = surface<void, 2>; typedef Sheet Other; Other s; } }"),
              "extern \"C\" { namespace n { using Sheet = surface<void, 2>; typedef Sheet Other; PYCUDA_REFERENCE "
              "Other s; } }");
    EXPECT_EQ(marked("template <class T> using Any = texture<T, 1>; Any<float> t;"),
              "template <class T> using Any = texture<T, 1>; PYCUDA_REFERENCE Any<float> t;");
    for (const std::string source :
         {"typedef texture<float, 2> Image; __device__ float f(Image i, const Image& j) { "
          "return g((Image) i, Image::n); }",
          "typedef texture<float, 2> T; template <class T> __device__ T f(T x) { return x; }",
          "struct Traits { typedef texture<float, 2> type; }; type t;",
          "typedef texture<float, 2> Image; struct S { Image i; }; void f() { Image i; }"})
        EXPECT_EQ(marked(source), source);
    const TextureDeclarations header("typedef texture<float, 2> Image;");
    EXPECT_EQ(header.aliases(), TextureDeclarations::Aliases{"Image"});
    EXPECT_EQ(TextureDeclarations("Image t;", header.aliases()).source(), "PYCUDA_REFERENCE Image t;");
    EXPECT_EQ(TextureDeclarations("Image t;").source(), "Image t;");
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
