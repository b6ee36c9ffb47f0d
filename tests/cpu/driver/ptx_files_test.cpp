// Runs every file of tests/cpu/instructions through the driver's C ABI: on the CPU device, or on hardware with
// PYCUDA_DRIVER=cuda, where the same files must pass. PTX_FILES_WRITE=folder: writes the whole modules there.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <list>
#include <numeric>

#include "driver/driver_test.hpp"
#include "files/ptx_file.hpp"
#include "files/ptx_object.hpp"

namespace {

void load(const std::string& text, CUmodule& module) {
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    ASSERT_OK(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values)) << log;
}

void allocate(const ptx_file::Array& array, CUdeviceptr& pointer) {
    ASSERT_OK(cuMemAlloc(&pointer, std::max<std::size_t>(array.bytes.size(), 1)));
}

void run(CUmodule module, const ptx_file::Kernel& kernel) {
    CUfunction function = nullptr;
    ASSERT_OK(cuModuleGetFunction(&function, module, kernel.name.c_str()));
    std::vector<CUdeviceptr> pointers(kernel.in.size() + kernel.out.size());
    CUdeviceptr* next = pointers.data();
    for (const auto& array : kernel.in) {
        allocate(array, *next);
        ASSERT_OK(cuMemcpyHtoD(*next++, array.bytes.data(), array.bytes.size()));
    }
    for (const auto& array : kernel.out) {
        allocate(array, *next);
        ASSERT_OK(cuMemsetD8(*next++, 0xee, array.bytes.size()));
    }
    std::list<ptx_file::Object> objects;
    std::vector<unsigned long long> arguments(pointers.begin(), pointers.end());
    for (const auto& image : kernel.images) arguments.push_back(objects.emplace_back(image).handle());
    std::vector<void*> parameters;
    for (auto& argument : arguments) parameters.push_back(&argument);
    ASSERT_OK(
        cuLaunchKernel(function, 1, 1, 1, kernel.block, 1, 1, kernel.shared, nullptr, parameters.data(), nullptr));
    ASSERT_OK(cuCtxSynchronize());
    for (std::size_t i = 0; i < kernel.out.size(); ++i) {
        std::vector<std::byte> got(kernel.out[i].bytes.size());
        ASSERT_OK(cuMemcpyDtoH(got.data(), pointers[kernel.in.size() + i], got.size()));
        EXPECT_EQ(ptx_file::difference(kernel.out[i], got), "") << kernel.name << ", output " << i;
    }
    for (const auto& object : objects) {
        const ptx_file::Array& left = object.image().left;
        if (left.count() == 0) continue;
        EXPECT_EQ(ptx_file::difference(left, object.read()), "") << kernel.name << ", a surface";
    }
    for (const CUdeviceptr pointer : pointers) ASSERT_OK(cuMemFree(pointer));
}

void repeat(ptx_file::Array& array, unsigned times) {
    const std::vector<std::byte> bytes = array.bytes;
    const std::vector<bool> any_nan = array.any_nan;
    for (unsigned n = 1; n < times; ++n) {
        array.bytes.insert(array.bytes.end(), bytes.begin(), bytes.end());
        array.any_nan.insert(array.any_nan.end(), any_nan.begin(), any_nan.end());
    }
}

/// The same for whole warps, of which the CPU device runs several together: the threads' data repeated. The
/// kernels of few lanes, as they are written, need the handlers for partial masks.
void run_whole_warps(CUmodule module, ptx_file::Kernel kernel) {
    const auto has_value_a_thread = [&](const ptx_file::Array& array) { return array.count() % kernel.block == 0; };
    const unsigned times = 32 / std::gcd(kernel.block, 32u);
    if (!kernel.value_a_thread || times * kernel.block > 1024 || !std::ranges::all_of(kernel.in, has_value_a_thread) ||
        !std::ranges::all_of(kernel.out, has_value_a_thread))
        return;
    for (auto* arrays : {&kernel.in, &kernel.out})
        for (ptx_file::Array& array : *arrays) repeat(array, times);
    kernel.block *= times;
    SCOPED_TRACE("whole warps");
    run(module, kernel);
}

class PtxFileTest : public InContext {
public:
    explicit PtxFileTest(std::filesystem::path path) : path_(std::move(path)) {}

    void TestBody() override {
        const ptx_file::File file = ptx_file::read(path_);
        ASSERT_FALSE(file.kernels.empty());
        if (const char* folder = std::getenv("PTX_FILES_WRITE"))
            std::ofstream(std::filesystem::path(folder) / (path_.stem().string() + ".ptx")) << file.text;
        CUmodule module = nullptr;
        ASSERT_NO_FATAL_FAILURE(load(file.text, module));
        for (const auto& kernel : file.kernels) {
            SCOPED_TRACE(kernel.name);
            ASSERT_NO_FATAL_FAILURE(run(module, kernel));
            ASSERT_NO_FATAL_FAILURE(run_whole_warps(module, kernel));
        }
        EXPECT_OK(cuModuleUnload(module));
    }

private:
    std::filesystem::path path_;
};

const bool registered = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(INSTRUCTIONS_DIRECTORY)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths)
        testing::RegisterTest("PtxFile", path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [path]() -> PtxFileTest* { return new PtxFileTest(path); });
    return true;
}();

}  // namespace
