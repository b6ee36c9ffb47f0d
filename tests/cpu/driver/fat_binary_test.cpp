// Fat binaries: from the compiler, and made by hand for architectures that no single compiler supports.
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "driver/driver_test.hpp"
#include "driver/kernels.hpp"

class FatBinaryTest : public InContext {
protected:
    void SetUp() override {
        InContext::SetUp();
        if (!on_cpu_device()) GTEST_SKIP() << "made by hand";
    }
};

namespace {

/// PTX text for an architecture, plain or in LZ4 (here with literals only).
struct Text {
    std::string ptx;
    unsigned architecture = 50;
    bool lz4 = false;
};

std::string with_literals_only(const std::string& text) {
    std::string packed = "\xf0";
    size_t rest = text.size() - 15;
    for (; rest >= 255; rest -= 255) packed += '\xff';
    packed += static_cast<char>(rest);
    return packed + text;
}

template <class T>
void put(std::string& out, size_t at, T value) {
    std::memcpy(&out[at], &value, sizeof value);
}

std::string entry(const Text& text) {
    std::string payload = text.lz4 ? with_literals_only(text.ptx) : text.ptx;
    const size_t packed = payload.size();
    payload.resize((packed + 7) / 8 * 8);
    std::string header(64, '\0');
    put<unsigned short>(header, 0, 1);
    put<unsigned short>(header, 2, 0x101);
    put<unsigned>(header, 4, 64);
    put<unsigned long long>(header, 8, payload.size());
    put<unsigned>(header, 16, text.lz4 ? static_cast<unsigned>(packed) : 0);
    put<unsigned>(header, 28, text.architecture);
    put<unsigned long long>(header, 40, text.lz4 ? 0x2011 : 0x11);
    put<unsigned long long>(header, 56, text.lz4 ? text.ptx.size() : 0);
    return header + payload;
}

std::string fat_binary(const std::vector<Text>& texts) {
    std::string entries;
    for (const Text& text : texts) entries += entry(text);
    std::string header(16, '\0');
    put<unsigned>(header, 0, 0xba55ed50);
    put<unsigned short>(header, 4, 1);
    put<unsigned short>(header, 6, 16);
    put<unsigned long long>(header, 8, entries.size());
    return header + entries;
}

/// A module with one kernel, which is named after its architecture.
Text kernel_for(unsigned architecture, bool lz4 = false) {
    const std::string number = std::to_string(architecture);
    return {
        ".version 8.0\n.target sm_" + number + "\n.address_size 64\n.visible .entry for_" + number + "()\n{ ret; }\n",
        architecture, lz4};
}

}  // namespace

TEST_F(FatBinaryTest, TextIsPlainOrCompressed) {
    for (const bool lz4 : {false, true}) {
        const auto image = fat_binary({{kernels::all, 50, lz4}});
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        ASSERT_OK(cuModuleLoadData(&module, image.data())) << lz4;
        EXPECT_OK(cuModuleGetFunction(&function, module, "scale"));
        EXPECT_OK(cuModuleUnload(module));
        ASSERT_OK(cuModuleLoadFatBinary(&module, image.data())) << lz4;
        EXPECT_OK(cuModuleUnload(module));
    }
}

TEST_F(FatBinaryTest, TheNewestFittingTextIsTaken) {
    const auto loads = [](const std::vector<Text>& texts, const char* kernel) {
        const auto image = fat_binary(texts);
        CUmodule module = nullptr;
        CUfunction function = nullptr;
        ASSERT_OK(cuModuleLoadData(&module, image.data())) << kernel;
        EXPECT_OK(cuModuleGetFunction(&function, module, kernel));
        EXPECT_OK(cuModuleUnload(module));
    };
    loads({kernel_for(52), kernel_for(80), kernel_for(75)}, "for_80");
    loads({kernel_for(100), kernel_for(90, true), kernel_for(50)}, "for_90");
    loads({kernel_for(120), kernel_for(50)}, "for_50");
}

TEST_F(FatBinaryTest, RefusesWhatHasNoFittingText) {
    CUmodule module = nullptr;
    EXPECT_RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU,
                  cuModuleLoadData(&module, fat_binary({kernel_for(100), kernel_for(120)}).data()));
    EXPECT_RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadData(&module, fat_binary({}).data()));
    const char machine_code[64] =
        "\x7f"
        "ELF";
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    EXPECT_RESULT(CUDA_ERROR_NO_BINARY_FOR_GPU, cuModuleLoadDataEx(&module, machine_code, 2, options, values));
    EXPECT_NE(nullptr, std::strstr(log, "compile with -ptx")) << log;
    EXPECT_NE(nullptr, std::strstr(log, "pip uninstall nvidia-nvjitlink")) << log;
    auto damaged = fat_binary({{kernels::all, 50, true}});
    damaged[80 + 1] = 1;
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, damaged.data()));
}

TEST_F(FatBinaryTest, SizesThatCannotBeAreRefused) {
    CUmodule module = nullptr;
    const auto refused = [&](size_t at, auto value) {
        auto image = fat_binary({{kernels::all, 50, true}});
        put(image, at, value);
        EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, image.data())) << at;
    };
    constexpr size_t header = 0, entry = 16;
    refused(header + 6, static_cast<unsigned short>(4));  // the header's size
    refused(header + 8, ~0ull);                           // of all entries
    refused(entry + 4, 0u);                               // of the entry's header
    refused(entry + 4, 0x7fffffffu);
    refused(entry + 8, ~0ull - 63);  // of its text: back to the entry itself
    refused(entry + 8, 1ull << 40);
    refused(entry + 16, 0xffffff00u);  // compressed
    refused(entry + 56, 1ull << 62);   // unpacked
}

TEST_F(FatBinaryTest, ATruncatedFileIsRefused) {
    const auto image = fat_binary({kernel_for(50), kernel_for(90)});
    const std::string path = testing::TempDir() + "truncated.fatbin";
    for (const size_t size : {size_t{6}, size_t{15}, size_t{16}, size_t{40}, size_t{100}, image.size() - 1}) {
        std::ofstream(path, std::ios::binary).write(image.data(), static_cast<std::streamsize>(size));
        CUmodule module = nullptr;
        EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoad(&module, path.c_str())) << size;
    }
}

TEST_F(FatBinaryTest, AWrapperHoldsAFatBinary) {
    struct {
        unsigned magic = 0x466243b1, version = 1;
        const void* data = nullptr;
        const void* unused = nullptr;
    } wrapper;
    const auto image = fat_binary({{kernels::all, 50}});
    CUmodule module = nullptr;
    wrapper.data = image.data();
    ASSERT_OK(cuModuleLoadFatBinary(&module, &wrapper));
    EXPECT_OK(cuModuleUnload(module));
    wrapper.data = &wrapper;
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadFatBinary(&module, &wrapper));
    wrapper.data = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadFatBinary(&module, &wrapper));
}

class CompiledFatBinaryTest : public InContext {};

TEST_F(CompiledFatBinaryTest, TheNewestFittingTextIsTaken) {
    int major = 0;
    ASSERT_OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    if (major != 9) GTEST_SKIP() << "the texts are for 7.5, 9.0 and 12.0";
    for (const char* compression : {"none", "speed", "size"}) {
        std::ostringstream image;
        image << std::ifstream(std::string(FAT_BINARY_DIRECTORY) + "/" + compression + ".fatbin").rdbuf();
        CUmodule module = nullptr;
        CUfunction kernel = nullptr;
        CUdeviceptr out = 0;
        int seen = 0;
        void* parameters[] = {&out};
        ASSERT_OK(cuModuleLoadFatBinary(&module, image.str().c_str())) << compression;
        ASSERT_OK(cuModuleGetFunction(&kernel, module, "architecture"));
        ASSERT_OK(cuMemAlloc(&out, sizeof seen));
        EXPECT_OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
        EXPECT_OK(cuMemcpyDtoH(&seen, out, sizeof seen));
        EXPECT_EQ(900, seen) << compression;
        EXPECT_OK(cuMemFree(out));
        EXPECT_OK(cuModuleUnload(module));
    }
}
