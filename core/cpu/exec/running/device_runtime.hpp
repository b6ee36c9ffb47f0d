#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exec/running/aligned_bytes.hpp"
#include "exec/running/launch.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

/// The function of the device runtime library with this name: launches, copies, streams and events of device code.
/// nullptr if there is none.
Handler find_device_runtime(std::string_view name);

/// Codes of the runtime API that the device's functions return.
enum class DeviceError : std::uint32_t {
    None = 0,
    InvalidValue = 1,
    MemoryAllocation = 2,
    InvalidConfiguration = 9,
    LaunchMaxDepthExceeded = 65,
    InvalidDeviceFunction = 98,
    InvalidResourceHandle = 400,
};

/// A request of a kernel: a launch, a copy or a fill.
struct DeviceRequest {
    enum class What { Launch, Copy, Fill } what = What::Launch;
    const Kernel* kernel = nullptr;
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint32_t shared_bytes = 0;
    std::shared_ptr<AlignedBytes> parameters;
    std::uint64_t to = 0, from = 0, size = 0;  ///< for a fill, `from` is the byte
};

/// The requests of one grid. They start when the grid is done, in the order in which they were made; each starts when
/// everything that the previous one requested is done too. Streams and events permit that order. Requests for the tail
/// stream come last.
class DeviceRuntime {
public:
    /// Allocates a kernel's parameter buffer, which the launch then names, and stores `launch` with it.
    std::uint64_t prepare(Memory& memory, const DeviceRequest& launch, std::size_t parameter_bytes);
    /// `described`: what to launch, if prepare() got only the size of the buffer; else null.
    DeviceError launch(std::uint64_t buffer, std::uint64_t stream, const DeviceRequest* described = nullptr);
    DeviceError add(const DeviceRequest& request, std::uint64_t stream);
    std::uint64_t new_handle();
    DeviceError destroy(std::uint64_t handle);
    void set_error(std::uint64_t thread, DeviceError error);
    DeviceError error(std::uint64_t thread, bool clears);

    /// Carries out the requests. `parent` is the launch of the grid, which is done. False if that is not done by
    /// `leave_at`: then another call continues it. A fault ends it.
    bool run(const GridLaunch& parent, Time leave_at, std::optional<Fault>& fault);
    DeviceRuntime();
    ~DeviceRuntime();

private:
    struct Prepared {
        DeviceRequest launch;
        Memory* memory;
    };

    /// A launch that runs.
    struct Child;

    std::mutex mutex_;
    std::map<std::uint64_t, Prepared> prepared_;
    std::vector<DeviceRequest> requests_, tail_;
    std::unordered_map<std::uint64_t, DeviceError> errors_;
    std::size_t next_ = 0;  ///< the request that is carried out
    std::unique_ptr<Child> child_;
    std::vector<bool> handles_;  ///< live streams and events that device code created
};

}  // namespace cpu::exec
