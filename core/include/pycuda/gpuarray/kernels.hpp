#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pycuda/gpuarray/operation.hpp"

namespace pycuda {
class Context;
}

namespace pycuda::gpuarray {

/// A loaded kernel of an array operation. Lives as long as its context's Kernels.
struct Kernel {
    CUfunction function = nullptr;
    DType compute = DType::Opaque;  ///< what scalar operands are converted to before they are passed
    DType result = DType::Opaque;   ///< the type of the elements it writes
};

/// Text of one kernel, and the name of its extern "C" entry.
struct KernelSource {
    std::string name;
    std::string text;
};

/// All kernels of array operations loaded in one context; an attachment of the context, with which it ends. Kernels are
/// compiled at first use, through the compiler's disk cache; PYCUDA_SHOW_SOURCE=1 prints the source of each to stderr.
/// Thread-safe; finding a kernel takes no lock and allocates nothing. The context must be current in every call.
class Kernels {
public:
    /// Of the context current on this thread. Languages keep the reference beside what they know of the context: it is
    /// valid until the context ends. LogicError when there is none.
    static std::shared_ptr<Kernels> current();

    explicit Kernels(Context& context);
    ~Kernels();
    Kernels(const Kernels&) = delete;
    Kernels& operator=(const Kernels&) = delete;

    /// The kernel of `key`, made of what `source` gives when it is not there yet. Keys: see key.hpp of the engine.
    /// CompileError, and what loading raises.
    template <class Source>
    const Kernel& get(std::uint64_t key, DType compute, DType result, Source&& source) {
        if (const Kernel* kernel = find(key)) [[likely]]
            return *kernel;
        return add(key, compute, result, source());
    }

    /// The kernel for a dense elementwise operation that gives its usual result type, by plain indexing: `a` is the
    /// first operand, `b` the second (none: nullopt_index). Null when it was not used yet, or does not exist: then take
    /// elementwise(), which fills the place.
    const Kernel* dense(Op op, DType a, unsigned b) const noexcept {
        const Row* row = rows_[static_cast<std::size_t>(op)].load(std::memory_order_acquire);
        return row ? row->entries[static_cast<unsigned>(a)][b].load(std::memory_order_acquire) : nullptr;
    }
    /// Indices of the second operand: an array's dtype, a typed scalar's, a weak scalar's; or none.
    static constexpr unsigned array_index(DType dtype) { return static_cast<unsigned>(dtype); }
    static constexpr unsigned scalar_index(DType dtype, bool weak) {
        return (weak ? 32u : 16u) + static_cast<unsigned>(dtype);
    }
    static constexpr unsigned no_operand = 15;
    void remember_dense(Op op, DType a, unsigned b, const Kernel& kernel);

    /// Queues `blocks` blocks of `threads` threads; the block of arguments is laid out as the kernel's parameters are.
    void launch(const Kernel& kernel, std::uint64_t blocks, unsigned threads, const void* arguments,
                std::size_t nbytes, CUstream stream, unsigned shared_bytes = 0) const;

    int multiprocessors() const noexcept { return multiprocessors_; }

private:
    struct Row {
        std::atomic<const Kernel*> entries[16][48] = {};
    };
    struct Slot {
        std::atomic<std::uint64_t> key{0};
        std::atomic<const Kernel*> kernel{nullptr};
    };
    struct Slots {
        explicit Slots(std::size_t count) : mask(count - 1), slots(new Slot[count]) {}
        std::size_t mask;
        std::unique_ptr<Slot[]> slots;
    };

    const Kernel* find(std::uint64_t key) const noexcept;
    const Kernel& add(std::uint64_t key, DType compute, DType result, const KernelSource& source);
    static void insert(Slots& slots, std::uint64_t key, const Kernel* kernel);

    std::atomic<Row*> rows_[op_count] = {};
    std::atomic<Slots*> slots_;
    std::mutex mutex_;  ///< for all that changes below
    std::size_t count_ = 0;
    std::vector<std::unique_ptr<Slots>> all_slots_;  ///< outgrown ones too: somebody may be reading
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<CUmodule> modules_;
    int multiprocessors_ = 1;
};

}  // namespace pycuda::gpuarray
