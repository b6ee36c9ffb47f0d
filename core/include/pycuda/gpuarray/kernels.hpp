#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "pycuda/contexts/context.hpp"
#include "pycuda/gpuarray/kernel_key.hpp"
#include "pycuda/gpuarray/operation.hpp"
#include "pycuda/launching/repeated_launches.hpp"

namespace pycuda {
struct CompileResult;
}

namespace pycuda::gpuarray {

/// A loaded kernel of an array operation. Lives as long as its context's Kernels.
struct Kernel {
    CUfunction function = nullptr;
    DType compute = DType::Opaque;  ///< the type to which scalar operands are converted
    DType result = DType::Opaque;   ///< the type of the elements it writes
    unsigned elements = 0;          ///< elements per block
    std::string name;
    mutable RepeatedLaunches launches = {};
};

/// A kernel that is not compiled yet.
struct KernelSource {
    std::string name;  ///< of its extern "C" entry
    std::string text;
    DType compute = DType::Opaque;
    DType result = DType::Opaque;
    unsigned elements = 0;
    /// Every operation is rounded, as NumPy's are: products and sums are not contracted. The result then does not
    /// depend on what else a kernel computes.
    bool rounds = false;
};

/// All kernels of array operations loaded in one context. Languages cache the pointer; after the
/// context's end every call raises LogicError. Kernels are compiled at first use, through the compiler's disk
/// cache; PYCUDA_SHOW_SOURCE=1 prints the options and the source of each to stderr. Thread-safe; finding a kernel takes
/// no lock and allocates nothing. The context must be current in every call.
class Kernels : public ContextAttachment {
public:
    /// The kernels of the current context. LogicError if none is current.
    static std::shared_ptr<Kernels> current();
    /// The kernels of `context`, created at the first call.
    static std::shared_ptr<Kernels> of(Context& context);

    explicit Kernels(Context& context);
    ~Kernels() override;
    void context_ends(bool reachable) noexcept override;
    /// The number of the context, which no other context has had or will have.
    std::uint64_t number() const noexcept { return number_; }
    /// False once the context has ended.
    bool is_alive() const noexcept { return alive_.load(std::memory_order_acquire); }

    /// The kernel of `key`; if it is not loaded yet, from the text that `source` returns. CompileError, and the
    /// exceptions of loading.
    template <class Source>
    const Kernel& get(KernelKey key, Source&& source) {
        if (const Kernel* kernel = find(key)) [[likely]]
            return *kernel;
        return add(key, source());
    }

    /// A kernel that a call will need.
    struct Wanted {
        KernelKey key;
        std::function<KernelSource()> source;
    };
    /// Compile those of `wanted` that are missing in parallel, so that a call that needs several waits
    /// for one. Failures are ignored: get() reports them.
    void prepare(std::span<const Wanted> wanted);
    /// The same for the vector that `list` returns, only the first time for this key, which belongs to no kernel.
    template <class List>
    void prepare_once(KernelKey key, const List& list) {
        if (find(key)) [[likely]]
            return;
        prepare(list());
        remember_prepared(key);
    }

    /// The kernel for a dense elementwise operation that gives its usual result type (`first_type`: the first
    /// operand's), by plain indexing: `a` is the first operand, `b` the second (none: no_operand). Null if it was not
    /// used yet, or does not exist: elementwise() then fills the slot.
    const Kernel* dense(Op op, DType a, unsigned b, bool first_type = false) const noexcept {
        const Row* row = rows_[first_type][static_cast<std::size_t>(op)].load(std::memory_order_acquire);
        return row ? row->entries[static_cast<unsigned>(a)][b].load(std::memory_order_acquire) : nullptr;
    }
    /// Indices of the second operand: an array's dtype, a typed scalar's, a weak scalar's; or none.
    static constexpr unsigned array_index(DType dtype) { return static_cast<unsigned>(dtype); }
    static constexpr unsigned scalar_index(DType dtype, bool weak) {
        return (weak ? 32u : 16u) + static_cast<unsigned>(dtype);
    }
    static constexpr unsigned no_operand = 15;
    void remember_dense(Op op, DType a, unsigned b, bool first_type, const Kernel& kernel);

    /// Queue `blocks` blocks of `threads` threads; the argument block has the layout of the kernel's parameters.
    void launch(const Kernel& kernel, std::uint64_t blocks, unsigned threads, const void* arguments, std::size_t nbytes,
                CUstream stream, unsigned shared_bytes = 0) const;

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

    struct Job {
        KernelKey key;
        KernelSource source;
    };
    void remember_prepared(KernelKey key);
    void compile_together(std::span<const Job> jobs);
    const Kernel* find(KernelKey key) const noexcept;
    const Kernel& add(KernelKey key, const KernelSource& source);
    const Kernel& add(KernelKey key, const KernelSource& source, CompileResult image);
    const Kernel& insert(KernelKey key, std::unique_ptr<Kernel> kernel);
    static void insert(Slots& slots, KernelKey key, const Kernel* kernel);

    std::atomic<Row*> rows_[2][op_count] = {};  ///< owned; [0]: usual result types, [1]: the first operand's type
    std::atomic<Slots*> slots_;
    std::mutex mutex_;  ///< guards the members below
    std::size_t count_ = 0;
    std::vector<std::unique_ptr<Slots>> all_slots_;  ///< replaced tables too: other threads may still read them
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::vector<CUmodule> modules_;
    std::atomic<bool> alive_{true};
    static inline std::atomic<std::uint64_t> numbers_{0};
    const std::uint64_t number_ = ++numbers_;
    int multiprocessors_ = 1;
};

}  // namespace pycuda::gpuarray
