#pragma once

#include <cuda.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pycuda/contexts/context.hpp"

namespace pycuda {

/// What a graph owns besides the objects that it keeps, such as the pools of its captured operations. A graph has at
/// most one part of each class (GraphResources::part).
class GraphPart {
public:
    GraphPart() = default;
    virtual ~GraphPart() = default;
    GraphPart(const GraphPart&) = delete;
    GraphPart& operator=(const GraphPart&) = delete;

    /// The graph has ended. Called once, without locks; `self` is the graph's reference.
    virtual void graph_ends(std::shared_ptr<GraphPart> self) noexcept = 0;
    /// A capture into the graph was lost, and with it the memory that it allocated.
    virtual void capture_is_lost() noexcept {}
};

/// The objects that the nodes of a graph use. They are held by the graph, its clones, the graphs that contain it, and
/// the executable graphs of all of them until their launches are done (ExecutableUses). The driver does not hold them,
/// because each object that a graph holds there slows its launches down. Objects are released on a thread of this
/// library. Thread-safe.
class GraphResources {
public:
    GraphResources() = default;
    ~GraphResources();
    GraphResources(const GraphResources&) = delete;
    GraphResources& operator=(const GraphResources&) = delete;

    /// A no-op once the context has ended.
    void keep(const std::shared_ptr<void>& object);
    /// Keeps what `keep` returns, unless it has the object that `object` identifies (note_owner_of_graph).
    void keep_owner(const void* object, const std::function<std::shared_ptr<void>()>& keep);
    /// The part of class T: made from `arguments` at first use.
    template <class T, class... Arguments>
    std::shared_ptr<T> part(Arguments&&... arguments) {
        const std::lock_guard lock(mutex_);
        if (auto known = find<T>()) return known;
        auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
        parts_.emplace_back(typeid(T), made);
        return made;
    }
    /// The same; null if it was not made.
    template <class T>
    std::shared_ptr<T> part_if_any() const noexcept {
        const std::lock_guard lock(mutex_);
        return find<T>();
    }
    /// Take what was kept, for the caller to release; the graph can keep more afterwards.
    std::vector<std::shared_ptr<void>> take_kept() noexcept;
    /// Releases everything, and keeps nothing from now on.
    void clear() noexcept;
    /// A capture into the graph was lost.
    void capture_is_lost() noexcept;
    /// Records that a node works in this context, which is not the graph's own.
    void works_in(const Context& context);
    bool works_in_others() const noexcept;
    /// True if one of these contexts has ended: NVIDIA's driver 580 terminates the process when the executable graph is
    /// destroyed.
    bool has_lost_a_context() const noexcept;

private:
    /// The lock is held.
    template <class T>
    std::shared_ptr<T> find() const noexcept {
        for (const auto& [type, part] : parts_)
            if (type == typeid(T)) return std::static_pointer_cast<T>(part);
        return nullptr;
    }

    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<void>> kept_;
    std::unordered_map<const void*, std::shared_ptr<void>> owners_;
    bool ended_ = false;
    std::vector<std::shared_ptr<const std::atomic<CUcontext>>> other_contexts_;
    std::vector<std::pair<std::type_index, std::shared_ptr<GraphPart>>> parts_;
};

}  // namespace pycuda
