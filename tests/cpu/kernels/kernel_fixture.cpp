#include "kernels/kernel_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

namespace kernels {

void check(CUresult result, const char* call) {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    throw std::runtime_error(std::string(call) + ": " + (name ? name : "an unknown error"));
}

namespace {

/// The primary context and the modules in it. They are created once and stay until the process ends, because on a GPU
/// they take the most time; but a kernel that failed spoils them for the next test.
class Loaded {
public:
    Loaded() {
        CHECK_CU(cuInit(0));
        CHECK_CU(cuDevicePrimaryCtxRetain(&context_, 0));
    }
    void make_current() {
        CHECK_CU(cuCtxSetCurrent(context_));
        if (cuCtxSynchronize() == CUDA_SUCCESS) return;
        modules_.clear();
        CHECK_CU(cuDevicePrimaryCtxReset(0));
        CHECK_CU(cuDevicePrimaryCtxRetain(&context_, 0));
        CHECK_CU(cuCtxSetCurrent(context_));
    }
    CUmodule module(const std::string& path) {
        CUmodule& module = modules_[path];
        if (module) return module;
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        char log[4096] = "";
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
        const CUresult result = cuModuleLoadDataEx(&module, text.str().c_str(), 2, options, values);
        check(result, (path + ": " + log).c_str());
        return module;
    }

private:
    CUcontext context_ = nullptr;
    std::map<std::string, CUmodule> modules_;
};

}  // namespace

void KernelTest::SetUp() {
    static Loaded loaded;
    loaded.make_current();
    module_ = loaded.module(std::string(KERNEL_PTX_DIRECTORY "/") + source_ + "." + GetParam() + ".ptx");
}

CUfunction KernelTest::function(const char* kernel) const {
    CUfunction result = nullptr;
    check(cuModuleGetFunction(&result, module_, kernel), kernel);
    return result;
}

unsigned KernelTest::resident_blocks(const char* kernel, unsigned threads, unsigned most) const {
    int multiprocessors = 0, each = 0;
    CHECK_CU(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK_CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function(kernel), static_cast<int>(threads), 0));
    return std::min(most, static_cast<unsigned>(multiprocessors * each));
}

void KernelTest::launch_with(const char* kernel, const Shape& shape, void** arguments) const {
    const CUfunction f = function(kernel);
    if (shape.dynamic_shared > 48 * 1024)
        CHECK_CU(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(shape.dynamic_shared)));
    const auto& [grid, block, shared, cooperative, cluster] = shape;
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim = {cluster.x, cluster.y, cluster.z};
    const CUlaunchConfig config{grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr, &attribute, 1};
    check(cluster.x     ? cuLaunchKernelEx(&config, f, arguments, nullptr)
          : cooperative ? cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared,
                                                    nullptr, arguments)
                        : cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, nullptr,
                                         arguments, nullptr),
          kernel);
    check(cuCtxSynchronize(), kernel);
}

CUdeviceptr KernelTest::global(const char* name, std::size_t size) const {
    CUdeviceptr address = 0;
    std::size_t there = 0;
    check(cuModuleGetGlobal(&address, &there, module_, name), name);
    EXPECT_EQ(there, size) << name;
    return address;
}

void KernelTest::set_global(const char* name, const void* value, std::size_t size) const {
    CHECK_CU(cuMemcpyHtoD(global(name, size), value, size));
}

void KernelTest::get_global(const char* name, void* value, std::size_t size) const {
    CHECK_CU(cuMemcpyDtoH(value, global(name, size), size));
}

std::string digest_of(const void* data, std::size_t size) {
    std::uint64_t value = 0xcbf29ce484222325;  // FNV-1a
    for (std::size_t n = 0; n < size; ++n) value = (value ^ static_cast<const unsigned char*>(data)[n]) * 0x100000001b3;
    char text[24];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    std::string digest = text;
    const std::size_t words = size / 4;
    for (std::size_t n = 0; n < 4 && n < words; ++n) {
        std::uint32_t word = 0;
        std::memcpy(&word, static_cast<const char*>(data) + n * words / 4 * 4, 4);
        std::snprintf(text, sizeof text, " %x", word);
        digest += text;
    }
    return digest;
}

namespace {

/// Results by name, from a file with a name and a text per line. On a GPU with KERNEL_TESTS_RECORD set, a name that is
/// not there yet is added.
class Records {
public:
    Records() {
        std::ifstream in(path);
        for (std::string line; std::getline(in, line);) {
            const std::size_t blank = line.find(' ');
            if (blank != std::string::npos) texts_[line.substr(0, blank)] = line.substr(blank + 1);
        }
    }
    /// Null, and a failure, when there is none.
    const std::string* find(const std::string& name, const std::string& now) {
        const auto found = texts_.find(name);
        if (found != texts_.end()) return &found->second;
        const char* driver = std::getenv("PYCUDA_DRIVER");
        if (std::getenv("KERNEL_TESTS_RECORD") && driver && std::string(driver) == "cuda") {
            std::ofstream(path, std::ios::app) << name + ' ' + now + '\n';
            return &(texts_[name] = now);
        }
        ADD_FAILURE() << path << " has no result " << name << "; now it is " << now;
        return nullptr;
    }

private:
    static constexpr const char* path = KERNEL_RESULTS;
    std::map<std::string, std::string> texts_;
};

Records& records() {
    static Records instance;
    return instance;
}

bool near(double a, double b, double relative, double absolute) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
    return a == b || std::fabs(a - b) <= relative * std::fabs(b) + absolute;
}

}  // namespace

void expect_recorded_text(const std::string& name, const std::string& text) {
    if (const std::string* recorded = records().find(name, text)) {
        EXPECT_EQ(text, *recorded) << name;
    }
}

void expect_recorded_numbers(const std::string& name, const std::vector<double>& values, double relative,
                             double absolute) {
    std::string text;
    for (const double value : values) {
        char number[40];
        std::snprintf(number, sizeof number, text.empty() ? "%.17g" : " %.17g", value);
        text += number;
    }
    const std::string* recorded = records().find(name, text);
    if (!recorded) return;
    std::istringstream in(*recorded);
    std::string number;
    for (std::size_t n = 0; n < values.size(); ++n) {
        ASSERT_TRUE(in >> number) << name << ": fewer values are recorded";
        const double expected = std::strtod(number.c_str(), nullptr);
        EXPECT_TRUE(near(values[n], expected, relative, absolute))
            << name << ", sample " << n << ": " << values[n] << " instead of " << number;
    }
    EXPECT_FALSE(in >> number) << name << ": more values are recorded";
}

}  // namespace kernels
