#include "pycuda/driver/driver.hpp"

#include <cuda.h>

#include "platform/host_platform.hpp"
#include "platform/libraries.hpp"
#include "platform/other_library.hpp"
#include "pycuda/driver/loading.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/start/init.hpp"
#include "support.hpp"
#include "written_lines.hpp"

namespace pycuda::test {
namespace {

std::string cpu_library() {
    const char* path = std::getenv("PYCUDA_CPU_LIBRARY");
    return path ? path : "";
}

TEST(Driver, VersionIsOfTheHeaders) {
    EXPECT_EQ(version()[0], CUDA_VERSION / 1000);
    EXPECT_EQ(version()[1], CUDA_VERSION % 1000 / 10);
}

TEST(Driver, DriverVersionNeedsNoInit) {
    EXPECT_GE(driver_version(), 11030);
    EXPECT_EQ(driver_version() % 10, 0);
}

TEST(Driver, InitIsIdempotent) {
    init();
    init();
    EXPECT_GE(Device::count(), 1);
}

TEST(Driver, InitRefusesFlagsAndStaysUsable) {
    init();
    EXPECT_EQ(code_of<LogicError>([] { init(1); }), CUDA_ERROR_INVALID_VALUE);
    EXPECT_GE(Device::count(), 1);
}

TEST(Driver, InfoNamesTheLibrary) {
    const DriverInfo info = driver_info();
    EXPECT_HAS(info.library, info.is_cpu_device ? "pycuda_cpu" : "libcuda");
}

TEST(Driver, UnknownSelectionIsRefused) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "gpu");
            EXPECT_HAS(message_of<LogicError>([] { init(); }), "PYCUDA_DRIVER is 'gpu', but must be auto, cuda or cpu");
            EXPECT_HAS(message_of<LogicError>([] { Device::count(); }), "'gpu'");
            // A failed init changes nothing: the next one may succeed.
            set_environment("PYCUDA_DRIVER", "auto");
            init();
            EXPECT_GE(Device::count(), 1);
            finish();
        },
        "");
}

TEST(Driver, CallsBeforeInitAreLogicErrors) {
    for (const std::string selection : {"auto", "cpu"}) {
        EXPECT_FRESH_PROCESS(
            {
                set_environment("PYCUDA_DRIVER", selection);
                EXPECT_HAS(message_of<LogicError>([] { Device device(0); }), "cuDeviceGet failed: ");
                EXPECT_EQ(code_of<LogicError>([] { Device::count(); }), CUDA_ERROR_NOT_INITIALIZED);
                EXPECT_EQ(code_of<LogicError>([] { DeviceAllocation memory(16); }), CUDA_ERROR_NOT_INITIALIZED);
                EXPECT_HAS(message_of<LogicError>([] { DeviceAllocation memory(16); }), "cuMemAlloc failed: ");
                static_cast<void>(driver_info());  // opening the driver is not init
                EXPECT_EQ(code_of<LogicError>([] { Device::count(); }), CUDA_ERROR_NOT_INITIALIZED);
                init();
                EXPECT_GE(Device::count(), 1);
                finish();
            },
            "");
    }
}

TEST(Driver, CpuNeverOpensTheRealDriver) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cpu");
            init();
            EXPECT_TRUE(driver_info().is_cpu_device);
            EXPECT_EQ(driver_info().library, cpu_library());
            EXPECT_EQ(take_fallback_notice(), "");
            finish();
        },
        "");
}

TEST(Driver, CudaNeverFallsBack) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cuda");
            set_environment("CUDA_VISIBLE_DEVICES", "-1");  // hides the GPU, where there is one
            const std::string message = message_of<Error>([] { init(); });
            if (message.rfind("cuInit", 0) != 0) {
                EXPECT_HAS(message, driver_file);
                EXPECT_HAS(message, "PYCUDA_DRIVER=cpu");
            }
            EXPECT_EQ(take_fallback_notice(), "");
            finish();
        },
        "");
}

TEST(Driver, AutoTellsOnceThatItFellBack) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "");
            set_environment("CUDA_VISIBLE_DEVICES", "-1");  // hides the GPU, where there is one
            init();
            EXPECT_TRUE(driver_info().is_cpu_device);
            const std::string notice = take_fallback_notice();
            EXPECT_HAS(notice, "running on the CPU device");
            EXPECT_HAS(notice, "PYCUDA_DRIVER=cpu");
            EXPECT_EQ(take_fallback_notice(), "");
            finish();
        },
        "");
}

TEST(Driver, WrongCpuLibraryIsNamed) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cpu");
            set_environment("PYCUDA_CPU_LIBRARY", "/nowhere/libpycuda_cpu.so");
            set_cpu_library("/elsewhere/libpycuda_cpu.so");
            const std::string message = message_of<RuntimeError>([] { init(); });
            EXPECT_HAS(message, "/nowhere/libpycuda_cpu.so: ");
            EXPECT_EQ(message.find("/elsewhere"), std::string::npos) << "the environment wins alone: " << message;
            finish();
        },
        "");
}

TEST(Driver, ErrorSaysWhereTheCpuLibraryWasLookedFor) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cpu");
            unset_environment("PYCUDA_CPU_LIBRARY");
            set_cpu_library("/elsewhere/libpycuda_cpu.so");
            const std::string message = message_of<RuntimeError>([] { init(); });
            EXPECT_HAS(message, "/elsewhere/libpycuda_cpu.so: ");
            EXPECT_HAS(message, "/tests/core/" + library_file("pycuda_cpu") + ": ");  // beside this program
            EXPECT_HAS(message, "PYCUDA_CPU_LIBRARY");
            finish();
        },
        "");
}

TEST(Driver, CpuLibraryOfTheLoaderIsUsed) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cpu");
            const std::string path = cpu_library();
            unset_environment("PYCUDA_CPU_LIBRARY");
            set_cpu_library(path);
            init();
            EXPECT_EQ(driver_info().library, path);
            finish();
        },
        "");
}

TEST(Driver, LibraryThatIsNoDriverIsRefused) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_DRIVER", "cpu");
            set_environment("PYCUDA_CPU_LIBRARY", other_library);
            EXPECT_HAS(message_of<RuntimeError>([] { init(); }),
                       other_library + std::string(" has no cuGetProcAddress"));
            finish();
        },
        "");
}

TEST(Driver, TraceShowsCallsArgumentsAndResults) {
    EXPECT_FRESH_PROCESS(
        {
            set_environment("PYCUDA_TRACE", "1");
            init();
            const auto context = Device(0).make_context();
            DeviceAllocation memory(1600);
            EXPECT_THROW(DeviceAllocation(std::size_t{1} << 60), MemoryError);
            finish();
        },
        // On Windows sizes have the type of addresses, which are written in hexadecimal.
        WrittenLines({"\\[pycuda\\] cuInit\\(0\\) = CUDA_SUCCESS",
                      "\\[pycuda\\] cuMemAlloc\\(0x[0-9a-f]+, (1600|0x640)\\) = CUDA_SUCCESS",
                      "\\[pycuda\\] cuMemAlloc\\(0x[0-9a-f]+, (1152921504606846976|0x1000000000000000)\\) = "
                      "CUDA_ERROR_OUT_OF_MEMORY"}));
}

TEST(Driver, TraceIsSilentWhenOff) {
    set_environment("PYCUDA_TRACE", "0");
    testing::internal::CaptureStderr();
    init();
    static_cast<void>(Device::count());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Driver, ProfilerNeedsAContext) {
    init();
    EXPECT_THROW(start_profiler(), LogicError);
    const auto context = Device(0).make_context();
    try {
        initialize_profiler("", "", ProfilerOutputMode::CSV);
        EXPECT_THROW(initialize_profiler("", "", static_cast<ProfilerOutputMode>(7)), Error);
    } catch (const Error& error) {  // what current drivers say
        EXPECT_FALSE(driver_info().is_cpu_device);
        EXPECT_HAS(std::string(error.what()), "cuProfilerInitialize failed");
    }
    start_profiler();
    stop_profiler();
    context->detach();
}

}  // namespace
}  // namespace pycuda::test
