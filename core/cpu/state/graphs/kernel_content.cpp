#include "state/graphs/kernel_content.hpp"

#include "state/context.hpp"
#include "state/current_context.hpp"
#include "state/graphs/progress.hpp"
#include "state/modules/launch_attributes.hpp"
#include "state/modules/library.hpp"

#include <algorithm>

namespace cpu::state::graphs {

namespace {

/// True for attributes that a node stores; only these can be queried.
bool is_kept(CUlaunchAttributeID id) noexcept {
    switch (id) {
        case CU_LAUNCH_ATTRIBUTE_IGNORE:
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:  // an edge expresses that
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
        case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
            return false;
        default:
            return true;
    }
}

CUlaunchAttribute attribute(CUlaunchAttributeID id) {
    CUlaunchAttribute made{};
    made.id = id;
    return made;
}

/// All attributes of a launch, including those that the call passes as parameters.
std::vector<CUlaunchAttribute> attributes_of(const LaunchRequest& request) {
    std::vector<CUlaunchAttribute> all;
    std::ranges::copy_if(request.attributes, std::back_inserter(all), [](const auto& a) { return is_kept(a.id); });
    const auto add = [&](const CUlaunchAttribute& made) {
        if (std::ranges::find(all, made.id, &CUlaunchAttribute::id) == all.end()) all.push_back(made);
    };
    if (request.cooperative) {
        CUlaunchAttribute made = attribute(CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
        made.value.cooperative = 1;
        add(made);
    }
    CUlaunchAttribute priority = attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY);
    priority.value.priority = request.priority;
    add(priority);
    return all;
}

LaunchRequest request_of(const CUDA_KERNEL_NODE_PARAMS& named) {
    return {.grid = {named.gridDimX, named.gridDimY, named.gridDimZ},
            .block = {named.blockDimX, named.blockDimY, named.blockDimZ},
            .shared_bytes = named.sharedMemBytes,
            .parameters = named.kernelParams,
            .extra = named.extra};
}

std::shared_ptr<Function> function_named(const CUDA_KERNEL_NODE_PARAMS& named) {
    if (named.func) return launchable_function(named.func);
    const auto kernel = kernels().get(named.kern);
    const auto context = named.ctx ? contexts().get(named.ctx, CUDA_ERROR_INVALID_CONTEXT) : current_context();
    return launchable_function(kernel->function(context));
}

}  // namespace

KernelContent::KernelContent(std::shared_ptr<Function> function, const LaunchRequest& request)
    : function_(std::move(function)),
      handle_(function_->module()->function(function_->info().name)),
      request_(request),
      attributes_(attributes_of(request)),
      launch_(state::prepare(*function_, request)),
      block_bytes_(launch_.parameters.size()) {
    if (request.extra) {
        values_ = {CU_LAUNCH_PARAM_BUFFER_POINTER, launch_.parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &block_bytes_, CU_LAUNCH_PARAM_END};
        request_.extra = values_.data();
    } else {
        for (const auto& parameter : function_->info().parameters)
            values_.push_back(launch_.parameters.data() + parameter.offset);
        request_.parameters = values_.data();
    }
    request_.attributes = attributes_;
}

std::shared_ptr<const KernelContent> KernelContent::of(const CUDA_KERNEL_NODE_PARAMS& named) {
    return std::make_shared<KernelContent>(function_named(named), request_of(named));
}

std::shared_ptr<const KernelContent> KernelContent::with(std::vector<CUlaunchAttribute> attributes) const {
    LaunchRequest request = request_;
    request.cooperative = false;
    request.cluster = {};
    request.attributes = attributes;
    for (const CUlaunchAttribute& attribute : attributes) {
        require(is_kept(attribute.id));
        apply(attribute, request);
        if (attribute.id == CU_LAUNCH_ATTRIBUTE_PRIORITY) request.priority = attribute.value.priority;
    }
    return std::make_shared<KernelContent>(function_, request);
}

std::shared_ptr<const KernelContent> KernelContent::with_parameters(const CUDA_KERNEL_NODE_PARAMS& later) const {
    LaunchRequest request = request_of(later);
    request.cooperative = request_.cooperative;
    request.cluster = request_.cluster;
    request.priority = request_.priority;
    request.threads = request_.threads;
    request.sms = request_.sms;
    request.attributes = attributes_;
    return std::make_shared<KernelContent>(function_named(later), request);
}

CUlaunchAttributeValue KernelContent::attribute(CUlaunchAttributeID id) const {
    require(is_kept(id) && id > CU_LAUNCH_ATTRIBUTE_IGNORE && id < CU_LAUNCH_ATTRIBUTE_MAX);
    const auto found = std::ranges::find(attributes_, id, &CUlaunchAttribute::id);
    return found == attributes_.end() ? CUlaunchAttributeValue{} : found->value;
}

const Context* KernelContent::context() const noexcept {
    return function_->module()->context().get();
}

CUgraphNodeParams KernelContent::parameters() const {
    CUgraphNodeParams made = parameters_of(type());
    made.kernel.func = handle_;
    made.kernel.gridDimX = request_.grid[0];
    made.kernel.gridDimY = request_.grid[1];
    made.kernel.gridDimZ = request_.grid[2];
    made.kernel.blockDimX = request_.block[0];
    made.kernel.blockDimY = request_.block[1];
    made.kernel.blockDimZ = request_.block[2];
    made.kernel.sharedMemBytes = request_.shared_bytes;
    made.kernel.kernelParams = request_.parameters;
    made.kernel.extra = request_.extra;
    made.kernel.ctx = context()->handle();
    return made;
}

CUgraphExecUpdateResult KernelContent::check_update(const Content& later) const {
    const auto& other = static_cast<const KernelContent&>(later);
    if (context() != other.context()) return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    if (request_.cooperative != other.request_.cooperative) return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

std::string KernelContent::label(bool verbose) const {
    std::string text = "KERNEL\n" + function_->info().name;
    if (!verbose) return text;
    const auto shape = [](const std::array<std::uint32_t, 3>& s) {
        return std::to_string(s[0]) + ", " + std::to_string(s[1]) + ", " + std::to_string(s[2]);
    };
    return text + "\n<<<(" + shape(request_.grid) + "), (" + shape(request_.block) + "), " +
           std::to_string(request_.shared_bytes) + ">>>";
}

void KernelContent::run(Progress& progress) const noexcept {
    if (!progress.kernel) {
        if (context()->has_fault()) return;
        progress.kernel.emplace(*launch_.task, progress.queued.at);
    }
    if (progress.kernel->run(progress.leave_at)) progress.kernel.reset();
}

}  // namespace cpu::state::graphs
