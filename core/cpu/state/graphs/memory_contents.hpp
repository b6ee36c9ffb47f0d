#pragma once

#include "state/graphs/content.hpp"
#include "state/memory/copy.hpp"

namespace cpu::state::graphs {

/// The context that a node names. Throws CUDA_ERROR_INVALID_CONTEXT.
std::shared_ptr<Context> context_named(CUcontext handle);

/// Memory that a node names by its address. It is looked up in each run, because it may have been freed.
class NamedPlace {
public:
    explicit NamedPlace(copy::Place place);
    /// Holds the place in `out`, for a launch; false if the memory is gone.
    bool hold(copy::Place& out, const Progress& launch) const noexcept;
    const copy::Place& place() const noexcept { return place_; }
    CUmemorytype memory_type() const noexcept;
    /// The context of the memory; nullptr for memory without one: of pools, and mapped addresses.
    CUcontext owner() const noexcept { return owner_; }

private:
    copy::Place place_;  ///< without the reference that keeps the memory alive
    std::weak_ptr<const void> array_;
    CUcontext owner_ = nullptr;
};

/// A copy of a box.
class CopyContent final : public Content {
public:
    /// Throws what copy::place_of throws.
    static std::shared_ptr<const CopyContent> of(const CUDA_MEMCPY3D& copy, CUcontext context);
    /// For a copy in a stream, which specifies less.
    CopyContent(std::shared_ptr<Context> context, copy::Place to, copy::Place from, const copy::Extent& extent);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_MEMCPY; }
    CUgraphNodeParams parameters() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    const Context* context() const noexcept override { return context_.get(); }
    void run(Progress& progress) const noexcept override;

private:
    std::shared_ptr<Context> context_;
    NamedPlace to_, from_;
    copy::Extent extent_;
    CUDA_MEMCPY3D described_{};
};

/// Writing one value over rows.
class FillContent final : public Content {
public:
    static std::shared_ptr<const FillContent> of(const CUDA_MEMSET_NODE_PARAMS& fill, CUcontext context);
    FillContent(std::shared_ptr<Context> context, copy::Fill fill);

    CUgraphNodeType type() const noexcept override { return CU_GRAPH_NODE_TYPE_MEMSET; }
    CUgraphNodeParams parameters() const override;
    CUgraphExecUpdateResult check_update(const Content& later) const override;
    std::string label(bool verbose) const override;
    const Context* context() const noexcept override { return context_.get(); }
    void run(Progress& progress) const noexcept override;

private:
    std::shared_ptr<Context> context_;
    NamedPlace to_;
    copy::Fill fill_;
};

}  // namespace cpu::state::graphs
