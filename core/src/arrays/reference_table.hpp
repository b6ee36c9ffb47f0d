#pragma once

#include <cuda.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays/bound_reference.hpp"
#include "pycuda/launching/launch.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda {

/// The texture and surface references of one module, and the variables of those that the driver does not know.
///
/// A launch writes the object of each reference whose binding changed into its variable, on the launch's stream. As all
/// launches of the module read the same variables, a write waits for the launches before it on every stream, and the
/// first launch on another stream waits for the write. Objects that were replaced are destroyed once the launches that
/// may read them are done. Launches on a single stream never wait.
class ReferenceTable final : public LaunchPreparation {
public:
    explicit ReferenceTable(std::shared_ptr<Context> context) : context_(std::move(context)) {}
    /// Waits for the launches that read the references.
    ~ReferenceTable() override;

    /// The reference of that name; null if it is not known yet.
    std::shared_ptr<BoundReference> find(const std::string& name) const;
    /// Add a reference, unless another thread was faster. Return the one in the table. `variable` is 0 if the driver
    /// knows the reference.
    std::shared_ptr<BoundReference> add(const std::string& name, DevicePtr variable,
                                        std::shared_ptr<BoundReference> reference);

    /// Writes the changed bindings, and blocks other launches of the module until after_launch. Raises if an object
    /// cannot be created.
    void before_launch(CUstream stream) override;
    void after_launch(CUstream stream) noexcept override;

private:
    struct Entry {
        std::string name;
        DevicePtr variable;
        std::shared_ptr<BoundReference> reference;
        Binding written;
    };
    /// The values of the variables in the order of a stream.
    struct Use {
        Event last_launch;
        std::uint64_t seen = 0;
    };
    struct Retired {
        std::shared_ptr<void> object;
        std::shared_ptr<Event> done;
    };

    void prepare(CUstream stream);
    void write(Entry& entry, Binding binding, CUstream stream, const std::shared_ptr<Event>& launches_done);
    void wait_for_others(CUstream stream, std::uint64_t id);
    void forget_finished();
    void destroy_retired();

    static constexpr std::size_t fewest_uses_asked = 8;

    const std::shared_ptr<Context> context_;
    mutable std::mutex mutex_;  ///< held from before_launch to after_launch
    std::vector<Entry> entries_;
    bool has_variables_ = false;
    std::map<std::uint64_t, Use> uses_;  ///< of streams with launches since the last write
    std::size_t max_uses_ = fewest_uses_asked;
    std::uint64_t writes_ = 0;
    std::shared_ptr<Event> written_;  ///< after the last write
    std::deque<Retired> retired_;
};

}  // namespace pycuda
