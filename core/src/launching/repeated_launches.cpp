#include "pycuda/launching/repeated_launches.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <tuple>

#include "driver/driver_table.hpp"
#include "launching/launch_graph.hpp"
#include "platform/environment.hpp"
#include "pycuda/driver/open_captures.hpp"

namespace pycuda {
namespace {

/// Creating a graph takes as long as twenty launches save.
constexpr std::uint32_t launches_before_a_graph = 32;
constexpr std::uint32_t longest_pause = 1u << 28;

enum class Way { NotKnown, Plain, Gaining, Graph };

/// Variables by which tools are injected into the process: these show single launches, and change their cost.
bool is_watched() {
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_INJECTION32_PATH"})
        if (!environment(variable).empty()) return true;
    return environment("LD_PRELOAD").find("sanitizer") != std::string::npos;
}

bool has_graphs(const DriverTable& driver) noexcept {
    return driver.cuGraphCreate.is_available() && driver.cuGraphAddKernelNode.is_available() &&
           driver.cuGraphInstantiateWithFlags.is_available() && driver.cuGraphExecKernelNodeSetParams.is_available() &&
           driver.cuGraphLaunch.is_available() && driver.cuStreamIsCapturing.is_available() &&
           driver.cuFuncGetModule.is_available() && driver.cuStreamGetPriority.is_available();
}

Way choose_way() {
    const std::string wanted = environment("PYCUDA_LAUNCH");
    if (wanted == "plain" || !has_graphs(driver())) return Way::Plain;
    if (wanted == "graph") return Way::Graph;
    return choose_driver().is_cpu_device || is_watched() ? Way::Plain : Way::Gaining;
}

std::atomic<Way> known_way{Way::NotKnown};

/// Decided once the driver is known, for the rest of the process.
Way way() noexcept {
    Way known = known_way.load(std::memory_order_relaxed);
    if (known == Way::NotKnown) [[unlikely]] {
        if (!driver_if_initialised()) return Way::Plain;
        known_way = known = choose_way();
    }
    return known;
}

CUresult queue_plain(CUfunction function, const LaunchConfig& config, void** extra) {
    const auto& [grid, block, shared_bytes, stream, attributes] = config;
    return driver().cuLaunchKernel.try_call(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                            shared_bytes, stream, nullptr, extra);
}

/// Nanoseconds that it takes; up to four seconds.
template <class Call>
std::uint32_t time_of(Call call) {
    const auto begun = std::chrono::steady_clock::now();
    call();
    const std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - begun;
    return static_cast<std::uint32_t>(std::min<std::int64_t>(taken.count(), ~0u));
}

/// What a launch usually takes: some wait for a full queue, and some only write to a buffer that a later one passes on.
template <class Times>
std::uint32_t usual(const Times& times) {
    std::array<std::uint32_t, std::tuple_size_v<Times>> sorted;
    std::copy(times.begin(), times.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

/// The default stream never captures. If the driver gives no answer, the launch reports the reason.
bool captures(CUstream stream) {
    if (!stream || stream == CU_STREAM_LEGACY) return false;
    CUstreamCaptureStatus status{};
    return driver().cuStreamIsCapturing.try_call(stream, &status) != CUDA_SUCCESS ||
           status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// True if launches in the stream behave like a graph's node: default priority, whole device, and there is only
/// one stream of that handle.
bool is_usual(CUstream stream) {
    int priority = 0;
    if (stream == CU_STREAM_PER_THREAD || driver().cuStreamGetPriority.try_call(stream, &priority) != CUDA_SUCCESS ||
        priority != 0)
        return false;
    const auto& ask = driver().cuStreamGetGreenCtx;
    CUgreenCtx green = nullptr;
    return !ask.is_available() || ask.try_call(stream, &green) != CUDA_SUCCESS || !green;
}

std::uint64_t new_owner() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace

CUresult RepeatedLaunches::queue(CUfunction function, const LaunchConfig& config, void** extra) {
    if (way() == Way::Plain || !driver().cuLaunchKernel.goes_directly() || any_capture_is_open())
        return queue_plain(function, config, extra);
    return queue_repeated(function, config, extra);
}

CUresult RepeatedLaunches::queue_repeated(CUfunction function, const LaunchConfig& config, void** extra) {
    for (auto& slot : graphs_) {
        LaunchGraph* const graph = slot.load(std::memory_order_acquire);  // owner_ was set before
        if (!graph || graph->stream() != config.stream || !graph->try_lock()) continue;
        const std::lock_guard lock(*graph, std::adopt_lock);
        if (!graph->is_of(owner_.load(std::memory_order_relaxed), config.stream) ||
            graph->context() != Context::current_handle_or_null() || captures(config.stream))
            continue;
        const bool timed = graph->trials < graph->nanoseconds.size() && way() == Way::Gaining;
        CUresult result = CUDA_SUCCESS;
        const auto launch = [&] { result = graph->launch(function, config, extra); };
        if (!timed) [[likely]]
            launch();
        else
            graph->nanoseconds[graph->trials++] = time_of(launch);
        if (result != CUDA_SUCCESS) {
            graph->end(true);
            break;  // an ordinary launch works, or reports the error
        }
        if (timed && graph->trials == graph->nanoseconds.size() &&
            usual(graph->nanoseconds) >= usual(plain_nanoseconds_)) {
            graph->end(true);
            const std::uint32_t pause = next_pause_.load(std::memory_order_relaxed);
            pause_ = pause;
            next_pause_ = std::min(4 * pause, longest_pause);
        }
        return CUDA_SUCCESS;
    }
    if (const std::uint32_t left = pause_.load(std::memory_order_relaxed)) {
        pause_.store(left - 1, std::memory_order_relaxed);
        return queue_plain(function, config, extra);
    }
    const std::uint32_t number = launches_.fetch_add(1, std::memory_order_relaxed) % launches_before_a_graph;
    CUresult result = CUDA_SUCCESS;
    const auto launch = [&] { result = queue_plain(function, config, extra); };
    if (number + plain_nanoseconds_.size() < launches_before_a_graph)
        launch();
    else
        plain_nanoseconds_[number % plain_nanoseconds_.size()] = time_of(launch);
    if (number + 1 == launches_before_a_graph && result == CUDA_SUCCESS) make_graph(function, config, extra);
    return result;
}

void RepeatedLaunches::make_graph(CUfunction function, const LaunchConfig& config, void** extra) {
    const auto context = Context::current_or_null();
    if (!context || captures(config.stream) || !is_usual(config.stream)) return;
    context->attachment<LaunchGraphsOfContext>();
    const CUcontext handle = context->handle();
    LaunchGraph* const graph = take_slot(handle);
    if (!graph) return;
    const std::lock_guard lock(*graph, std::adopt_lock);
    std::uint64_t owner = 0;
    if (owner_.compare_exchange_strong(owner, new_owner())) owner = owner_;
    if (!graph->make(owner, handle, function, config, extra)) return;
    auto* slot = std::find_if(graphs_, graphs_ + streams, [](const auto& known) { return !known.load(); });
    if (slot == graphs_ + streams) slot = graphs_ + next_++ % streams;
    slot->store(graph, std::memory_order_release);
}

}  // namespace pycuda
