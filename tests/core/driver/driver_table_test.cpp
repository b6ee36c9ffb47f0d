#include "driver/driver_table.hpp"

#include <cudaTypedefs.h>

#include "support.hpp"

namespace pycuda::test {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// The toolkit's own list has a type for each version of a function. The version in our table must be one of them, with
// the signature of our calls: so cuGetProcAddress cannot return a function with another signature.
#define X(name, version) static_assert(std::is_same_v<PFN_##name##_v##version, decltype(&::name)>, #name);
#define X_AS(name, version, ...)
#define X_DROPPED(name, version, ...)
#include "driver/driver_functions.def"

#pragma GCC diagnostic pop

CUresult answer(int value) {
    return value == 0 ? CUDA_SUCCESS : static_cast<CUresult>(value);
}

TEST(DriverTable, FailsOnlyWhenAMissingFunctionIsCalled) {
    init();
    DriverFunction<CUresult(int)> function("cuBrandNew", 99020);
    function.resolve(nullptr, false);
    EXPECT_FALSE(function.is_available());
    const std::string message = message_of<RuntimeError>([&] { function(1); });
    EXPECT_HAS(message, "cuBrandNew failed: the driver in use lacks it");
    EXPECT_HAS(message, "CUDA 99.2 or newer is needed");
}

TEST(DriverTable, DoesNotAskForANewerDriverWhereThatDroppedTheFunction) {
    init();
    DriverFunction<CUresult(int)> function("cuOutdated", 4000);
    function.resolve(nullptr, false);
    const std::string message = message_of<RuntimeError>([&] { function(1); });
    EXPECT_HAS(message, "cuOutdated failed: the driver in use lacks it (it is of CUDA ");
    EXPECT_EQ(message.find("newer is needed"), std::string::npos) << message;
}

TEST(DriverTable, RaisesTheClassOfTheResult) {
    DriverFunction<CUresult(int)> function("cuAnswer", 2000);
    function.resolve(reinterpret_cast<void*>(&answer), false);
    function(0);
    EXPECT_THROW(function(CUDA_ERROR_INVALID_VALUE), LogicError);
    EXPECT_THROW(function(CUDA_ERROR_OUT_OF_MEMORY), MemoryError);
    EXPECT_THROW(function(CUDA_ERROR_LAUNCH_FAILED), LaunchError);
    EXPECT_THROW(function(CUDA_ERROR_NO_DEVICE), RuntimeError);
    EXPECT_EQ(function.try_call(CUDA_ERROR_NO_DEVICE), CUDA_ERROR_NO_DEVICE);
}

TEST(DriverTable, CleanUpReportsAndDoesNotThrow) {
    DriverFunction<CUresult(int)> function("cuAnswer", 2000);
    function.resolve(reinterpret_cast<void*>(&answer), false);
    testing::internal::CaptureStderr();
    function.clean_up(CUDA_ERROR_DEINITIALIZED);
    function.clean_up(CUDA_SUCCESS);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    function.clean_up(CUDA_ERROR_INVALID_VALUE);
    EXPECT_HAS(testing::internal::GetCapturedStderr(),
               "cuAnswer failed in clean-up: invalid argument (CUDA_ERROR_INVALID_VALUE)");
}

TEST(DriverTable, BeforeInitEveryCallIsNotInitialized) {
    DriverFunction<CUresult(int)> function("cuAnswer", 2000);
    function.resolve(nullptr, true);
    EXPECT_EQ(function.try_call(0), CUDA_ERROR_NOT_INITIALIZED);
}

TEST(DriverTable, InstalledDriverHasTheRequiredFunctions) {
    init();
    std::string missing;
    const int installed = driver_version();
    const auto check = [&](const auto& function) {
        if (!function.is_available() && function.version() <= installed) missing += std::string(" ") + function.name();
    };
#define X(name, version) check(driver().name);
#define X_AS(name, version, ...) check(driver().name);
#define X_DROPPED(name, version, ...)
#include "driver/driver_functions.def"
    EXPECT_EQ(missing, "");
}

}  // namespace
}  // namespace pycuda::test
