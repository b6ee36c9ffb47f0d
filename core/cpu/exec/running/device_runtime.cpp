#include "exec/running/device_runtime.hpp"

#include <algorithm>
#include <cstring>

#include "exec/checks/checks.hpp"
#include "exec/checks/written_bytes.hpp"
#include "exec/code.hpp"
#include "exec/running/grid_run.hpp"
#include "exec/running/memory.hpp"
#include "exec/running/report.hpp"

namespace cpu::exec {

namespace {

/// Handles of streams that always exist: the default ones, cudaStreamTailLaunch and cudaStreamFireAndForget.
constexpr std::uint64_t tail_launch = 3, last_constant = 4;
constexpr std::uint64_t first_handle = 0x100;
constexpr std::uint32_t max_shared = 48u << 10;

std::uint64_t volume(const std::array<std::uint32_t, 3>& size) {
    return std::uint64_t{size[0]} * size[1] * size[2];
}

bool fits(const DeviceRequest& launch) {
    const KernelInfo& info = launch.kernel->info;
    const std::uint64_t threads = volume(launch.block);
    if (!threads || threads > info.max_threads || launch.block[2] > 64) return false;
    if (launch.grid[0] == 0 || launch.grid[0] >> 31) return false;
    for (int n = 1; n < 3; ++n)
        if (launch.grid[n] == 0 || launch.grid[n] > 65535) return false;
    for (int n = 0; n < 3; ++n) {
        if (info.required_block[0] && launch.block[n] != info.required_block[n]) return false;
        if (info.required_cluster[0] && launch.grid[n] % info.required_cluster[n]) return false;
    }
    return launch.shared_bytes + info.static_shared_bytes <= max_shared;
}

/// Whether a copy or fill may access the memory: it must be the context's, and for writes not constant.
bool accessible(const GridLaunch& parent, std::uint64_t address, std::uint64_t size, bool write) {
    const auto range = parent.memory->find(address, parent.queued);
    return range && size <= range->size && address - range->base <= range->size - size && !(write && range->read_only);
}

std::optional<Fault> move(const DeviceRequest& request, const GridLaunch& parent) {
    const bool copies = request.what == DeviceRequest::What::Copy;
    if (request.size == 0) return std::nullopt;
    const bool reads = !copies || accessible(parent, request.from, request.size, false);
    if (!reads || !accessible(parent, request.to, request.size, true)) {
        const std::uint64_t bad = reads ? request.to : request.from;
        return Fault{CUDA_ERROR_ILLEGAL_ADDRESS,
                     std::string(copies ? "cudaMemcpyAsync" : "cudaMemsetAsync") + " in a kernel: illegal " +
                         (reads ? "write" : "read") + " of " + byte_count(request.size) + " at " + hex(bad) +
                         near_memory(*parent.memory, parent.queued, bad),
                     bad};
    }
    if (enabled_checks().init) written_bytes::set(request.to, request.size);
    if (copies)
        std::memmove(reinterpret_cast<void*>(request.to), reinterpret_cast<const void*>(request.from), request.size);
    else
        std::memset(reinterpret_cast<void*>(request.to), static_cast<int>(request.from), request.size);
    return std::nullopt;
}

GridLaunch child_of(const GridLaunch& parent, const DeviceRequest& request) {
    const KernelInfo& info = request.kernel->info;
    GridLaunch launch = parent;
    launch.kernel = request.kernel;
    launch.grid = request.grid;
    launch.block = request.block;
    launch.explicit_cluster = info.required_cluster[0] != 0;
    launch.cluster = {1, 1, 1};
    if (launch.explicit_cluster) std::ranges::copy(info.required_cluster, launch.cluster.begin());
    launch.dynamic_shared_bytes = request.shared_bytes;
    launch.parameters = {request.parameters->get(), info.parameter_bytes};
    launch.references = {};  // belong to the module; only kernels launched by the host can use them
    launch.cooperative = false;
    launch.depth = parent.depth + 1;
    return launch;
}

}  // namespace

struct DeviceRuntime::Child {
    Child(GridLaunch launch, std::uint64_t* all_instructions) : all(all_instructions), run(counted(launch)) {}

    bool finish(Time leave_at, std::optional<Fault>& fault) {
        if (!run.run(leave_at)) return false;
        fault = run.take_fault();
        if (all) *all += instructions;
        return true;
    }

    std::uint64_t* const all;
    std::uint64_t instructions = 0;
    GridRun run;

private:
    const GridLaunch& counted(GridLaunch& launch) {
        if (all) launch.lane_instructions = &instructions;
        return launch;
    }
};

DeviceRuntime::DeviceRuntime() = default;

DeviceRuntime::~DeviceRuntime() {
    for (const auto& [address, prepared] : prepared_) prepared.memory->remove(address);
}

std::uint64_t DeviceRuntime::prepare(Memory& memory, const DeviceRequest& launch, std::size_t parameter_bytes) {
    Prepared prepared{launch, &memory};
    prepared.launch.parameters = std::make_shared<AlignedBytes>(std::max<std::size_t>(parameter_bytes, 1));
    const auto address = reinterpret_cast<std::uint64_t>(prepared.launch.parameters->get());
    memory.add({address, std::max<std::size_t>(parameter_bytes, 1), false});
    if (enabled_checks().init) written_bytes::set(address, parameter_bytes);  // nothing writes the padding
    std::lock_guard lock(mutex_);
    prepared_.emplace(address, std::move(prepared));
    return address;
}

DeviceError DeviceRuntime::launch(std::uint64_t buffer, std::uint64_t stream, const DeviceRequest* described) {
    DeviceRequest request;
    {
        std::lock_guard lock(mutex_);
        const auto found = prepared_.find(buffer);
        if (found == prepared_.end()) return DeviceError::InvalidValue;
        request = found->second.launch;
        const std::size_t room = found->second.memory->find(buffer)->size;
        const bool fits_in = !described || !described->kernel || described->kernel->info.parameter_bytes <= room;
        if (!fits_in) return DeviceError::InvalidValue;
        found->second.memory->remove(buffer);
        prepared_.erase(found);
    }
    if (described) {
        const auto parameters = std::move(request.parameters);
        request = *described;
        request.parameters = parameters;
    }
    if (!request.kernel) return DeviceError::InvalidDeviceFunction;
    if (!fits(request)) return DeviceError::InvalidConfiguration;
    return add(request, stream);
}

DeviceError DeviceRuntime::add(const DeviceRequest& request, std::uint64_t stream) {
    std::lock_guard lock(mutex_);
    if (stream > last_constant && (stream < first_handle || stream - first_handle >= handles_.size()))
        return DeviceError::InvalidResourceHandle;
    (stream == tail_launch ? tail_ : requests_).push_back(request);
    return DeviceError::None;
}

std::uint64_t DeviceRuntime::new_handle() {
    std::lock_guard lock(mutex_);
    handles_.push_back(true);
    return first_handle + handles_.size() - 1;
}

/// Requests that are already in a stream are still carried out.
DeviceError DeviceRuntime::destroy(std::uint64_t handle) {
    std::lock_guard lock(mutex_);
    const std::uint64_t index = handle - first_handle;
    if (index >= handles_.size() || !handles_[index]) return DeviceError::InvalidResourceHandle;
    handles_[index] = false;
    return DeviceError::None;
}

void DeviceRuntime::set_error(std::uint64_t thread, DeviceError error) {
    if (error == DeviceError::None) return;
    std::lock_guard lock(mutex_);
    errors_[thread] = error;
}

DeviceError DeviceRuntime::error(std::uint64_t thread, bool clears) {
    std::lock_guard lock(mutex_);
    const auto found = errors_.find(thread);
    if (found == errors_.end()) return DeviceError::None;
    const DeviceError error = found->second;
    if (clears) errors_.erase(found);
    return error;
}

bool DeviceRuntime::run(const GridLaunch& parent, Time leave_at, std::optional<Fault>& fault) {
    requests_.insert(requests_.end(), tail_.begin(), tail_.end());
    tail_.clear();
    for (; next_ < requests_.size() && !fault; ++next_) {
        DeviceRequest& request = requests_[next_];
        if (request.what != DeviceRequest::What::Launch) {
            fault = move(request, parent);
            continue;
        }
        if (!child_) child_ = std::make_unique<Child>(child_of(parent, request), parent.lane_instructions);
        if (!child_->finish(leave_at, fault)) return false;
        child_.reset();
        request.parameters.reset();
    }
    return true;
}

}  // namespace cpu::exec
