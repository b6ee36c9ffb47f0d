#pragma once

#include "state/graphs/content.hpp"
#include "state/modules/launch.hpp"

#include <memory>
#include <vector>

namespace cpu::state {
class Function;
}

namespace cpu::state::graphs {

/// The launch of a kernel.
class KernelContent final : public Content {
public:
    /// Throws what prepare throws.
    KernelContent(std::shared_ptr<Function> function, const LaunchRequest& request);
    /// `named` gives the function in the program's form: parameters() return the same.
    static std::shared_ptr<const KernelContent> of(const CUDA_KERNEL_NODE_PARAMS& named);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_KERNEL; }
    CUgraphNodeParams parameters() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    void run(Progress& progress) const noexcept override;

    const std::vector<CUlaunchAttribute>& attributes() const noexcept { return attributes_; }
    /// Throws CUDA_ERROR_INVALID_VALUE for an attribute that nodes do not have.
    CUlaunchAttributeValue attribute(CUlaunchAttributeID id) const;
    /// The same launch with other attributes. Throws what cuLaunchKernelEx throws.
    std::shared_ptr<const KernelContent> with(std::vector<CUlaunchAttribute> attributes) const;
    /// The launch of `later` with this one's attributes.
    std::shared_ptr<const KernelContent> with_parameters(const CUDA_KERNEL_NODE_PARAMS& later) const;
    const Context* context() const noexcept override;

private:
    std::shared_ptr<Function> function_;
    CUfunction handle_;
    LaunchRequest request_;
    std::vector<CUlaunchAttribute> attributes_;
    PreparedLaunch launch_;
    std::vector<void*> values_;  ///< one for each parameter, or the pairs of `extra`
    std::size_t block_bytes_ = 0;
};

}  // namespace cpu::state::graphs
