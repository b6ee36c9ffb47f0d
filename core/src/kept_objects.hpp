#pragma once

#include <cuda.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "pycuda/context.hpp"

namespace pycuda {

class StreamOrder;

/// Objects that queued work on the streams of one context still uses. An event a piece says when that work is done, and
/// a thread of this library's own asks for the events: so to keep something costs the caller one cuEventRecord, and its
/// stream never waits, as it would for a host function. What any stream may use is kept for an epoch. Thread-safe.
class KeptObjects : public ContextAttachment, public std::enable_shared_from_this<KeptObjects> {
public:
    explicit KeptObjects(Context& context);

    /// Take `object`, and release it on that thread once all work now in `stream` is complete. The context is
    /// current and held. If the driver rejects a call, its exception is thrown and the caller keeps `object`.
    void keep(CUstream stream, std::shared_ptr<void>& object);
    /// The same, once all work now queued in the context is complete. Makes no driver call.
    void keep_until_all_done(std::shared_ptr<void> object);

    enum class Round { Over, Waiting, Progress };
    /// For that thread: release objects whose work is complete. Over: none are left.
    Round release_completed() noexcept;

    /// Wait for the work of kept objects.
    void context_ends(bool reachable) noexcept override;

private:
    using Objects = std::list<std::shared_ptr<void>>;
    struct Kept {
        CUstream stream = nullptr;
        CUevent done = nullptr;
        Objects object;  ///< one; a list, because it moves from here without an allocation
    };
    using Pieces = std::list<Kept>;
    struct KeptForAll {
        std::uint64_t epoch;  ///< of StreamOrder
        Objects object;
    };
    using Epochs = std::list<KeptForAll>;

    Pieces new_piece();
    void be_watched() noexcept;
    /// False if nothing is left, or the context has ended.
    bool take_finished(Context& context, Objects& objects) noexcept;
    /// Leave the objects of unfinished work in `pieces`.
    static Objects sort_out(Pieces& pieces, Pieces& finished) noexcept;
    Objects sort_out(Epochs& epochs) noexcept;

    const std::weak_ptr<Context> context_;
    const std::shared_ptr<StreamOrder> order_;
    std::mutex mutex_;
    Pieces under_way_;
    Epochs epochs_under_way_;
    Pieces unused_;  ///< their events serve again
    bool watched_ = false;
};

}  // namespace pycuda
