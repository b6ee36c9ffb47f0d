// Runs every tests/cpu/ptx/*.ptx through the driver's C ABI: on the CPU device, or on hardware with PYCUDA_DRIVER=cuda,
// where the same files must pass.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "ptx_file.hpp"

namespace {

/// The driver that PYCUDA_DRIVER selects, opened as a program would. It stays open: drivers do not like to be unloaded.
struct Driver {
    void* library;
    decltype(&cuGetErrorName) get_error_name;
    decltype(&cuInit) init;
    decltype(&cuDeviceGet) device_get;
    decltype(&cuDevicePrimaryCtxRetain) primary_retain;
    decltype(&cuCtxSetCurrent) set_current;
    decltype(&cuCtxSynchronize) synchronize;
    decltype(&cuModuleLoadDataEx) module_load;
    decltype(&cuModuleUnload) module_unload;
    decltype(&cuModuleGetFunction) get_function;
    decltype(&cuMemAlloc) mem_alloc;
    decltype(&cuMemFree) mem_free;
    decltype(&cuMemcpyHtoD) to_device;
    decltype(&cuMemcpyDtoH) to_host;
    decltype(&cuMemsetD8) memset8;
    decltype(&cuLaunchKernel) launch;

    template <typename Function>
    void resolve(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library, name));
        if (!function) throw std::runtime_error(std::string("the driver has no ") + name);
    }

    Driver() {
        const char* choice = std::getenv("PYCUDA_DRIVER");
        const char* path = choice && std::string(choice) == "cuda" ? "libcuda.so.1" : PYCUDA_CPU_LIBRARY;
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) throw std::runtime_error(dlerror());
        resolve(get_error_name, "cuGetErrorName");
        resolve(init, "cuInit");
        resolve(device_get, "cuDeviceGet");
        resolve(primary_retain, "cuDevicePrimaryCtxRetain");
        resolve(set_current, "cuCtxSetCurrent");
        resolve(synchronize, "cuCtxSynchronize");
        resolve(module_load, "cuModuleLoadDataEx");
        resolve(module_unload, "cuModuleUnload");
        resolve(get_function, "cuModuleGetFunction");
        resolve(mem_alloc, "cuMemAlloc_v2");
        resolve(mem_free, "cuMemFree_v2");
        resolve(to_device, "cuMemcpyHtoD_v2");
        resolve(to_host, "cuMemcpyDtoH_v2");
        resolve(memset8, "cuMemsetD8_v2");
        resolve(launch, "cuLaunchKernel");
        CUdevice device = 0;
        CUcontext context = nullptr;
        check(init(0), "cuInit");
        check(device_get(&device, 0), "cuDeviceGet");
        check(primary_retain(&context, device), "cuDevicePrimaryCtxRetain");
        check(set_current(context), "cuCtxSetCurrent");
    }

    void check(CUresult result, const std::string& what) const {
        if (result == CUDA_SUCCESS) return;
        const char* name = nullptr;
        get_error_name(result, &name);
        throw std::runtime_error(what + ": " + (name ? name : "unknown error"));
    }
};

Driver& driver() {
    static Driver* const instance = new Driver;
    return *instance;
}

CUmodule load(const std::string& text) {
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    CUmodule module = nullptr;
    const CUresult result = driver().module_load(&module, text.c_str(), 2, options, values);
    driver().check(result, std::string("cuModuleLoadDataEx: ") + log);
    return module;
}

void run(CUmodule module, const ptx_file::Kernel& kernel) {
    Driver& cuda = driver();
    CUfunction function = nullptr;
    cuda.check(cuda.get_function(&function, module, kernel.name.c_str()), "cuModuleGetFunction");
    std::vector<CUdeviceptr> pointers;
    const auto allocate = [&](const ptx_file::Array& array) {
        cuda.check(cuda.mem_alloc(&pointers.emplace_back(), std::max<std::size_t>(array.bytes.size(), 1)),
                   "cuMemAlloc");
        return pointers.back();
    };
    for (const auto& array : kernel.in)
        cuda.check(cuda.to_device(allocate(array), array.bytes.data(), array.bytes.size()), "cuMemcpyHtoD");
    for (const auto& array : kernel.out)
        cuda.check(cuda.memset8(allocate(array), 0xee, array.bytes.size()), "cuMemsetD8");
    std::vector<void*> parameters;
    for (CUdeviceptr& pointer : pointers) parameters.push_back(&pointer);
    cuda.check(cuda.launch(function, 1, 1, 1, kernel.block, 1, 1, kernel.shared, nullptr, parameters.data(), nullptr),
               "cuLaunchKernel");
    cuda.check(cuda.synchronize(), "cuCtxSynchronize");
    for (std::size_t i = 0; i < kernel.out.size(); ++i) {
        std::vector<std::byte> got(kernel.out[i].bytes.size());
        cuda.check(cuda.to_host(got.data(), pointers[kernel.in.size() + i], got.size()), "cuMemcpyDtoH");
        EXPECT_EQ(ptx_file::difference(kernel.out[i], got), "") << kernel.name << ", output " << i;
    }
    for (const CUdeviceptr pointer : pointers) cuda.check(cuda.mem_free(pointer), "cuMemFree");
}

class PtxFileTest : public testing::Test {
public:
    explicit PtxFileTest(std::filesystem::path path) : path_(std::move(path)) {}

    void TestBody() override {
        const ptx_file::File file = ptx_file::read(path_);
        ASSERT_FALSE(file.kernels.empty());
        const CUmodule module = load(file.text);
        for (const auto& kernel : file.kernels) {
            SCOPED_TRACE(kernel.name);
            run(module, kernel);
        }
        driver().check(driver().module_unload(module), "cuModuleUnload");
    }

private:
    std::filesystem::path path_;
};

const bool registered = [] {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(PTX_TEST_DIRECTORY))
        if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const auto& path : paths)
        testing::RegisterTest("PtxFile", path.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [path]() -> PtxFileTest* { return new PtxFileTest(path); });
    return true;
}();

}  // namespace
