// Headers that declare texture references: which are compiled as copies, the copies' text, and that no copy is left
// behind.
#include "compiler/reference_headers.hpp"

#include "compiler_fixture.hpp"

namespace pycuda::test {
namespace {

class ReferenceHeaders : public CompilerTest {
protected:
    CompileJob job(const std::string& source) const {
        CompileJob made;
        made.source = source;
        made.user_dirs = {(folder_ / "inc").generic_string()};
        return made;
    }
    /// Text of the copy of a header of that name.
    static std::string copy_of(const CompileJob& job, const std::string& path) {
        for (const HeaderCopy& copy : job.header_copies)
            if (copy.original == path) return copy.text;
        return "(no copy)";
    }
};

TEST_F(ReferenceHeaders, OnlyWhatDeclaresOrLeadsThereIsCopied) {
    const std::string declares =
        write("inc/in/declares.h", "#include \"plain.h\"\n#include <far.h>\ntexture<int> t;\n");
    const std::string leads = write("inc/leads.h", "#include \"in/declares.h\"\n");
    const std::string plain = write("inc/in/plain.h", "int texture;\n");
    write("inc/far.h", "");
    const auto made = with_references_in_headers(job("#include <leads.h>\n#include <far.h>\n"));
    ASSERT_TRUE(made);
    ASSERT_EQ(made->header_copies.size(), 2u);
    EXPECT_EQ(copy_of(*made, declares), "#line 1 \"" + declares + "\"\n#include \"" + plain +
                                            "\"\n#include <far.h>\nPYCUDA_REFERENCE texture<int> t;\n");
    EXPECT_EQ(copy_of(*made, leads), "#line 1 \"" + leads + "\"\n#include \"pycuda-headers/0/declares.h\"\n");
    EXPECT_EQ(made->source, "#include \"pycuda-headers/1/leads.h\"\n#include <far.h>\n");
    EXPECT_EQ(made->options.pre_includes, std::vector<std::string>{"pycuda-texture.hpp"});
}

TEST_F(ReferenceHeaders, OtherProgramsAreLeftAlone) {
    write("inc/none.h", "/* texture<int> t; */ int surface;\n");
    write("inc/done.h", "#include <pycuda-texture.hpp>\nPYCUDA_REFERENCE texture<int> t;\n");
    write("inc/declares.h", "texture<int> t;\n");
    write("inc/own.h", "template <class T> struct texture {};\n");
    for (const char* source : {"", "#include \"none.h\"\n", "#include <done.h>\n", "#include <missing.h>\n",
                               "#include <own.h>\n#include <declares.h>\n", "class surface;\n#include <declares.h>\n"})
        EXPECT_FALSE(with_references_in_headers(job(source))) << source;
}

TEST_F(ReferenceHeaders, IncludesInARingAreCopiedOnce) {
    const std::string a = write("inc/a.h", "#pragma once\n#include \"b.h\"\n");
    const std::string b = write("inc/b.h", "#pragma once\n#include \"a.h\"\ntexture<int> t;\n#include THAT\n");
    CompileJob ring = job("");
    ring.options.pre_includes = {"a.h"};
    const auto made = with_references_in_headers(ring);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->header_copies.size(), 2u);
    EXPECT_NE(copy_of(*made, b).find("#include \"pycuda-headers/0/a.h\""), std::string::npos);
    EXPECT_EQ(made->options.pre_includes, (std::vector<std::string>{"pycuda-texture.hpp", "pycuda-headers/0/a.h"}));
    EXPECT_EQ(made->user_dirs.back(), (folder_ / "inc").generic_string()) << "where the computed include may be";
}

TEST_F(ReferenceHeaders, NamesOfTypesAreTheWholePrograms) {
    write("inc/types.h", "typedef texture<float, 2> Image;\n");
    const std::string uses = write("inc/uses.h", "Image second;\n");
    const auto made = with_references_in_headers(job("#include <types.h>\nImage first;\n#include <uses.h>\n"));
    ASSERT_TRUE(made);
    EXPECT_EQ(made->source,
              "#include <types.h>\nPYCUDA_REFERENCE Image first;\n#include \"pycuda-headers/0/uses.h\"\n");
    ASSERT_EQ(made->header_copies.size(), 1u);
    EXPECT_NE(copy_of(*made, uses).find("PYCUDA_REFERENCE Image second;"), std::string::npos);
    EXPECT_FALSE(with_references_in_headers(job("#include <types.h>\nvoid f(Image first);\n")));
}

class ReferencesWith : public CompilerTest, public ::testing::WithParamInterface<const char*> {
protected:
    CompileRequest with_header() {
        write("inc/mine.h", "#define FOUND 1\ntexture<float, 2> image;\n");
        CompileRequest made =
            request("#include \"mine.h\"\n__global__ void f(float *x) { *x = tex2D(image, FOUND, 0); }\n", GetParam());
        made.include_dirs = {(folder_ / "inc").generic_string()};
        made.arch = "compute_90";
        return made;
    }
};

INSTANTIATE_TEST_SUITE_P(Compiler, ReferencesWith, ::testing::Values("nvcc", "nvrtc"),
                         [](const auto& backend) { return std::string(backend.param); });

TEST_P(ReferencesWith, TheCacheKnowsTheOriginals) {
    EXPECT_FALSE(compile(with_header()).cached);
    EXPECT_TRUE(compile(with_header()).cached);
    CompileRequest changed = with_header();
    write("inc/mine.h", "#define FOUND 2\ntexture<float, 2> image;\n");
    EXPECT_FALSE(compile(changed).cached);
    EXPECT_TRUE(compile(changed).cached);
}

TEST_P(ReferencesWith, KeptFoldersHaveTheCopiesAndLinesNameTheOriginals) {
    CompileRequest kept = with_header();
    kept.keep = true;
    kept.options = {"-lineinfo"};
    kept.source = "#include \"mine.h\"\n__global__ void f(float *x) { g(x); }\n";
    write("inc/mine.h",
          "texture<float, 2> image;\n__device__ __noinline__ void g(float *x)\n{\n*x = tex2D(image, 0, 0);\n}\n");
    const CompileResult result = compile(kept);
    EXPECT_NE(read(fs::path(result.build_dir) / "pycuda-headers/0/mine.h").find("PYCUDA_REFERENCE texture"),
              std::string::npos);
    EXPECT_NE(text_of(result).find('"' + (folder_ / "inc/mine.h").generic_string() + '"'), std::string::npos)
        << text_of(result);
    EXPECT_EQ(text_of(result).find("pycuda-headers"), std::string::npos);
    fs::remove_all(result.build_dir);
}

TEST_P(ReferencesWith, TypesOfAHeader) {
    write("inc/types.h", "typedef texture<float, 2> Image;\n");
    CompileRequest named = with_header();
    named.source = "#include \"types.h\"\nImage image;\n__global__ void f(float *x) { *x = tex2D(image, 0, 0); }\n";
    for (const bool cached : {false, true}) {
        const CompileResult result = compile(named);
        EXPECT_EQ(result.cached, cached);
        EXPECT_NE(text_of(result).find(".const .align 8 .b8 image[8]"), std::string::npos) << text_of(result);
    }
}

TEST_P(ReferencesWith, NameExpressions) {
    CompileRequest named = with_header();
    named.source = "#include \"mine.h\"\ntemplate <class T> __global__ void f(T *x) { *x = tex2D(image, 0, 0); }\n";
    named.name_expressions = {"f<int>"};
    EXPECT_EQ(compile(named).lowered_names.size(), 1u);
}

}  // namespace
}  // namespace pycuda::test
