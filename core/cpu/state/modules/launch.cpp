#include "state/modules/launch.hpp"

#include "state/context.hpp"
#include "state/device.hpp"
#include "state/graphs/capture.hpp"
#include "state/green_context.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/retired_pages.hpp"
#include "state/modules/module.hpp"
#include "state/modules/occupancy.hpp"

#include <cstring>
#include <optional>

namespace cpu::state {

namespace {

/// The executor knows the memory of one context only; this recognises an invalid address that belongs to another one.
std::string whose(Context& context, std::uint64_t address) {
    const auto found = address ? AddressSpace::instance().find(address) : nullptr;
    if (!found || context.memory().contains(address)) return "";
    return "; the address lies in an allocation of another context, on device " +
           std::to_string(found->device->ordinal());
}

void copy_parameters(const exec::KernelInfo& info, void** values, std::byte* block) {
    require(values != nullptr || info.parameters.empty());
    for (std::size_t i = 0; i < info.parameters.size(); ++i) {
        require(values[i] != nullptr);
        std::memcpy(block + info.parameters[i].offset, values[i], info.parameters[i].size);
    }
}

void copy_buffer(const exec::KernelInfo& info, void** extra, std::byte* block) {
    const void* buffer = nullptr;
    std::size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
            size = *static_cast<std::size_t*>(extra[1]);
        else
            fail(CUDA_ERROR_INVALID_VALUE);
    }
    // The driver accepts a shorter buffer and leaves the remaining parameters undefined; the CPU device rejects it.
    require(size >= info.parameter_bytes);
    require(size <= info.parameter_bytes, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    require(buffer != nullptr || info.parameter_bytes == 0);
    if (info.parameter_bytes) std::memcpy(block, buffer, info.parameter_bytes);
}

void check_shape(const Function& function, const LaunchRequest& request) {
    const exec::KernelInfo& info = function.info();
    std::uint64_t threads = 1;
    for (int i = 0; i < 3; ++i) {
        require(request.grid[i] > 0 && request.grid[i] <= limits::grid[i]);
        require(request.block[i] > 0 && request.block[i] <= limits::block[i]);
        threads *= request.block[i];
    }
    require(threads <= limits::threads_per_block);
    require(threads <= info.max_threads);
    for (int i = 0; i < 3; ++i) require(info.required_block[0] == 0 || request.block[i] == info.required_block[i]);
    require(info.local_bytes <= limits::local_per_thread, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    require(request.cooperative || request.shared_bytes <= function.attributes().max_dynamic_shared());
    if (request.cooperative) {
        const std::uint64_t blocks = static_cast<std::uint64_t>(request.grid[0]) * request.grid[1] * request.grid[2];
        const auto resident =
            static_cast<std::uint64_t>(resident_blocks(function, static_cast<unsigned>(threads), request.shared_bytes));
        const Device& device = function.module()->context()->device();
        const auto all = static_cast<std::uint64_t>(device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
        require(blocks <= resident * (request.sms ? request.sms : all), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
    }
}

}  // namespace

class LaunchTask final : public Task {
    /// The packed parameter block of one launch; common sizes need no separate allocation.
    class ParameterBlock {
    public:
        explicit ParameterBlock(std::size_t size) : size_(size) {
            if (size > sizeof small_) large_ = std::make_unique<std::byte[]>(size);
        }
        std::span<std::byte> bytes() noexcept { return {large_ ? large_.get() : small_, size_}; }

    private:
        std::size_t size_;
        alignas(16) std::byte small_[256];
        std::unique_ptr<std::byte[]> large_;
    };

public:
    LaunchTask(std::shared_ptr<Module> module, const exec::Kernel* kernel, const LaunchRequest& request,
               const exec::KernelInfo& info, const std::array<std::uint32_t, 3>& cluster)
        : parameters(info.parameter_bytes), module_(std::move(module)), bindings_(module_->bind(info)) {
        launch_.kernel = kernel;
        launch_.memory = &module_->context()->memory();
        launch_.grid = request.grid;
        launch_.block = request.block;
        launch_.dynamic_shared_bytes = request.shared_bytes;
        launch_.cooperative = request.cooperative;
        launch_.explicit_cluster = cluster[0] != 0;
        if (cluster[0]) launch_.cluster = cluster;
        launch_.priority = request.priority;
        launch_.threads = request.threads;
        launch_.heap_bytes = module_->context()->limit(CU_LIMIT_MALLOC_HEAP_SIZE);
        launch_.stack_bytes = module_->context()->limit(CU_LIMIT_STACK_SIZE);
        launch_.parameters = parameters.bytes();
        launch_.references = bindings_.handles();
    }

    /// The program queues it now.
    void queue() noexcept { queued_.emplace(); }
    bool run(exec::Time leave_at) noexcept override {
        if (!run_) run_.emplace(*this, queued_->at);
        return run_->run(leave_at);
    }
    const Module& module() const noexcept { return *module_; }
    const exec::GridLaunch& grid() const noexcept { return launch_; }

    ParameterBlock parameters;

private:
    std::shared_ptr<Module> module_;
    Bindings bindings_;
    exec::GridLaunch launch_;
    std::optional<exec::QueuedWork> queued_;
    std::optional<KernelRun> run_;
};

PreparedLaunch::PreparedLaunch(std::unique_ptr<LaunchTask> prepared, std::span<std::byte> block) noexcept
    : task(std::move(prepared)), parameters(block) {}

PreparedLaunch::~PreparedLaunch() = default;

namespace {

exec::GridLaunch queued_at(exec::GridLaunch launch, const exec::QueuedAt& queued) {
    launch.queued = queued;
    return launch;
}

}  // namespace

KernelRun::KernelRun(const LaunchTask& launch, const exec::QueuedAt& queued) noexcept
    : module_(launch.module()), grid_(queued_at(launch.grid(), queued)) {}

bool KernelRun::run(exec::Time leave_at) noexcept {
    if (!grid_.run(leave_at)) return false;
    Context& context = *module_.context();
    if (const auto fault = grid_.take_fault())
        context.set_fault(fault->code, fault->report + whose(context, fault->address));
    return true;
}

std::array<std::uint32_t, 3> cluster_of(const Function& function, const std::array<std::uint32_t, 3>& grid,
                                        const std::array<std::uint32_t, 3>& wanted) {
    constexpr std::array<std::uint32_t, 3> none{};
    const auto check = [](bool good) { require(good, CUDA_ERROR_INVALID_CLUSTER_SIZE); };
    const std::array<std::uint32_t, 3> required = function.attributes().required_cluster();
    check(required == none || wanted == none || required == wanted);
    const std::array<std::uint32_t, 3> size = required == none ? wanted : required;
    if (size == none) {
        check(!function.info().needs_cluster);
        return size;
    }
    check(size[0] && size[1] && size[2]);
    const std::uint64_t blocks = std::uint64_t{size[0]} * size[1] * size[2];
    check(blocks <= function.attributes().largest_cluster());
    check(function.info().max_clustered == 0 || blocks <= function.info().max_clustered);
    for (int i = 0; i < 3; ++i) check(grid[i] % size[i] == 0);
    return size;
}

PreparedLaunch prepare(Function& function, const LaunchRequest& request) {
    check_shape(function, request);
    require(!(request.parameters && request.extra));
    const exec::KernelInfo& info = function.info();
    auto task = std::make_unique<LaunchTask>(function.module(), function.kernel(), request, info,
                                             cluster_of(function, request.grid, request.cluster));
    const std::span<std::byte> block = task->parameters.bytes();
    if (request.extra)
        copy_buffer(info, request.extra, block.data());
    else
        copy_parameters(info, request.parameters, block.data());
    Context& context = *function.module()->context();
    if (info.uses_heap) context.settle_limit(CU_LIMIT_MALLOC_HEAP_SIZE);
    if (info.uses_printf) context.settle_limit(CU_LIMIT_PRINTF_FIFO_SIZE);
    return {std::move(task), block};
}

void launch(const std::shared_ptr<Function>& function, Stream& stream, LaunchRequest request) {
    require(stream.context() == function->module()->context(), CUDA_ERROR_INVALID_HANDLE);
    request.priority = stream.priority();
    if (const auto& green = stream.green()) {
        request.threads = green->threads();
        request.sms = green->sms();
    }
    if (stream.is_captured()) return graphs::capture_launch(stream, function, request);
    auto task = prepare(*function, request).task;
    task->queue();
    stream.enqueue(std::move(task));
}

}  // namespace cpu::state
