#include "pycuda/errors/error.hpp"

#include <cuda.h>

#include "support.hpp"

namespace pycuda::test {
namespace {

TEST(Error, TableAscendsSoThatItCanBeSearched) {
    for (std::size_t n = 1; n < results().size(); ++n) EXPECT_LT(results()[n - 1].code, results()[n].code);
    for (const ResultInfo& info : results()) EXPECT_STREQ(result_info(info.code).name, info.name);
}

TEST(Error, MessageHasRoutineTextAndDetail) {
    EXPECT_STREQ(LogicError("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY).what(), "cuMemAlloc failed: out of memory");
    EXPECT_STREQ(LogicError("cuMemAlloc", CUDA_ERROR_OUT_OF_MEMORY, "asked for 123 bytes").what(),
                 "cuMemAlloc failed: out of memory - asked for 123 bytes");
    EXPECT_STREQ(RuntimeError("init", 0, "no such thing").what(), "init failed: no such thing");
}

TEST(Error, CompileErrorKeepsItsParts) {
    const CompileError error("nvcc refused it", "out", "err", {"nvcc", "-c", "k.cu"});
    EXPECT_EQ(error.msg(), "nvcc refused it");
    EXPECT_EQ(error.stdout_text(), "out");
    EXPECT_EQ(error.stderr_text(), "err");
    EXPECT_EQ(error.command_line(), (std::vector<std::string>{"nvcc", "-c", "k.cu"}));
    EXPECT_EQ(error.error_class(), ErrorClass::CompileError);
    for (const char* part : {"nvcc refused it", "nvcc -c k.cu", "out", "err"}) EXPECT_HAS(error.what(), part);
}

TEST(Error, ClosedObjectsAreNamed) {
    const auto closed = [](const char* what) { return message_of<LogicError>([what] { raise_closed(what); }); };
    EXPECT_EQ(closed("stream"), "stream was closed");
    EXPECT_EQ(closed("pooled device allocation"), "pooled device allocation was freed");
    EXPECT_EQ(closed("registered host memory"), "registered host memory was unregistered");
    EXPECT_EQ(closed("OpenGL mapping"), "OpenGL mapping was unmapped");
    EXPECT_EQ(closed("context"), "context has ended");
    EXPECT_EQ(closed("green context"), "green context was closed");
    EXPECT_EQ(message_of<LogicError>([] { raise_context_gone("event"); }), "event belongs to a context that is gone");
}

}  // namespace
}  // namespace pycuda::test
