#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "captures/graph_resources.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda {

/// The pools for memory of a graph's captured operations, from which nothing else allocates: one in each context. Their
/// blocks return to the driver together, with the last one. Thread-safe.
class GraphPools final : public GraphPart {
public:
    ~GraphPools() override { end(); }
    std::shared_ptr<MemoryPool> pool(Context& context);
    bool owns(const MemoryPool& pool) const noexcept;
    void graph_ends(std::shared_ptr<GraphPart>) noexcept override { end(); }

private:
    void end() noexcept;

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<MemoryPool>> pools_;
};

}  // namespace pycuda
