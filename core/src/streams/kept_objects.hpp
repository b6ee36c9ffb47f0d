#pragma once

#include <cuda.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/streams/keeping.hpp"

namespace pycuda {

class StagingPool;
class StreamOrder;

/// Objects that queued work in the streams of one context still uses. A thread of this library checks from time to
/// time: it records one event in each stream to which objects were added, and releases the objects before completed
/// events. So keeping an object makes no driver call, and its stream never waits, as it would for a host function.
/// Objects that any stream may use are kept for an epoch. Thread-safe.
class KeptObjects : public ContextAttachment, public std::enable_shared_from_this<KeptObjects> {
public:
    explicit KeptObjects(Context& context);

    /// Take `object`, and release it on that thread once all work now in `stream` is complete. Makes no driver call.
    /// False, with `object` unchanged, for streams whose end this library is not notified of, while a capture is open,
    /// and after the context's end. `growing` is the same object, if it may grow until that thread seals it.
    bool try_keep(CUstream stream, std::shared_ptr<void>& object,
                  const std::shared_ptr<GrowingObject>& growing = nullptr);
    /// The same for every stream: records an event immediately. The context must be current and held. If the driver
    /// rejects a call, its exception is thrown and the caller keeps `object`.
    void keep(CUstream stream, std::shared_ptr<void>& object);
    /// The same, once all work now queued in the context is complete. Makes no driver call.
    void keep_until_all_done(std::shared_ptr<void> object);
    /// `stream` is about to be destroyed: records the event for its objects. The context must be current.
    void stream_ends(CUstream stream) noexcept;

    enum class Round { Over, Waiting, Progress };
    /// For that thread: release objects whose work is complete. Over: none are left.
    Round release_completed() noexcept;

    /// Wait for the work of kept objects.
    void context_ends(bool reachable) noexcept override;

private:
    using Objects = std::list<std::vector<std::shared_ptr<void>>>;
    struct Kept {
        CUstream stream = nullptr;
        CUevent done = nullptr;            ///< null: not created yet
        GrowingObject* growing = nullptr;  ///< one of the objects, which must be sealed before the event is recorded
        Objects objects;                   ///< a list, so that they can be moved without an allocation
    };
    using Pieces = std::list<Kept>;
    struct KeptForAll {
        std::uint64_t epoch;  ///< of StreamOrder
        Objects objects;
    };
    using Epochs = std::list<KeptForAll>;

    /// Recycled pieces with their event, or new ones.
    Pieces new_piece();
    /// False after the context's end.
    template <class List>
    bool add(List& list, List& added);
    bool knows_end_of(CUstream stream) const;
    /// Seals the growing objects. May run the language's code: call it without locks and outside scopes.
    void seal_all() noexcept;
    /// Removes and returns the pieces without a recorded event.
    template <class Wanted>
    Pieces take_unmarked(const Wanted& is_wanted) noexcept;
    /// Records events for the sealed pieces without one, unless a capture forbids it.
    void mark_all() noexcept;
    /// Merges the pieces of each stream into one, and records its event. Leaves in `pieces` those for which that
    /// failed.
    Pieces marked(Pieces& pieces, Pieces& spare) noexcept;
    void watch_for_completion() noexcept;
    /// False if nothing is left, or the context has ended.
    bool take_finished(Context& context, Objects& objects) noexcept;
    /// Leave the objects of unfinished work in `pieces`.
    Objects sort_out(Pieces& pieces, Pieces& finished) noexcept;
    Objects sort_out(Epochs& epochs) noexcept;

    const std::weak_ptr<Context> context_;
    const std::shared_ptr<StreamOrder> order_;
    /// Its copies write to kept objects: after a fault, they must be stopped before the objects are released.
    const std::shared_ptr<StagingPool> staging_;
    std::mutex mutex_;
    /// Held during driver calls with streams of unmarked pieces, so that these streams do not end. Locked before
    /// mutex_.
    std::mutex marking_;
    Pieces unmarked_;                                      ///< without a recorded event
    std::vector<std::shared_ptr<GrowingObject>> growing_;  ///< to be sealed
    Pieces under_way_;                                     ///< with a recorded event
    Epochs epochs_under_way_;
    Pieces unused_;  ///< their events are reused
    bool watched_ = false;
    bool has_ended_ = false;
};

}  // namespace pycuda
