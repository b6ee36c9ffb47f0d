#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "pycuda/context.hpp"

namespace pycuda {

/// The streams of one context, also those that have ended with work left in them: for whoever lets one stream use what
/// another has used before. Every call is made with the context current. Thread-safe.
class StreamOrder : public ContextAttachment {
public:
    ~StreamOrder() override = default;
    void context_ends(bool reachable) noexcept override;

    /// `stream` has been created. The driver gives handles again: work that an ended stream of the same handle has left
    /// comes before anything in this one.
    void created(CUstream stream, bool non_blocking);
    /// `stream` is about to be destroyed. `matters`: somebody may ask for work that comes after what it has.
    void ending(CUstream stream, bool matters) noexcept;

    /// Whether the stream does not wait for the default stream, nor the other way round. Streams that were made
    /// elsewhere are taken for such.
    bool is_non_blocking(CUstream stream) const;

    /// A number that no other stream of the context has, also not one of the same handle after this one has ended; 0
    /// for one that was made elsewhere, or has ended.
    std::uint64_t life_of(CUstream stream) const;

    /// What is queued on `later` from now on runs after what `earlier` has by now. Where `earlier` was made elsewhere,
    /// and may be gone, waits for the context instead.
    void order(CUstream later, CUstream earlier);
    /// The same after everything that all streams of the context have by now.
    void order_after_all(CUstream later);

private:
    struct Known {
        bool alive = true;
        bool non_blocking = false;
        std::uint64_t life = 0;
        CUevent left = nullptr;  ///< of an ended stream: reached when its work is done; null: it is
    };
    void wait(CUstream later, CUstream earlier, Known& known);
    CUevent marker();

    mutable std::mutex mutex_;
    std::map<CUstream, Known> streams_;
    std::uint64_t lives_ = 0;
    CUevent marker_ = nullptr;  ///< recorded and waited for again and again: a wait is for what was recorded last
};

}  // namespace pycuda
