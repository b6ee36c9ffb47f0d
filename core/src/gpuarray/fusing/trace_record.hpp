#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gpuarray/fusing/fused_steps.hpp"
#include "pycuda/gpuarray/fusing/trace.hpp"

namespace pycuda::gpuarray {

/// What a trace has recorded. The traced arrays share it.
struct TraceRecord : std::enable_shared_from_this<TraceRecord> {
    explicit TraceRecord(bool is_fast) : fast(is_fast) {}

    /// An elementwise operation, whose operands are numbered within the record.
    struct Node {
        FusedOperation operation;
        Layout layout;    ///< of the result: packed
        int stored = -1;  ///< where a step has written it; -1: nowhere
    };

    /// CannotFuse if the trace is over, or is another thread's.
    void require_open() const;
    int add_argument(FusedProgram::Argument argument);

    /// The results of recorded operations.
    std::unique_ptr<Array> record(Op op, std::span<const Operand> operands, ResultType type);
    std::unique_ptr<Array> record(Reduction op, std::span<const Array* const> inputs, std::uint32_t axes, DType dtype,
                                  const Layout& layout);
    std::unique_ptr<Array> record_copy(const Array& array, DType dtype, const Layout& layout);

    std::shared_ptr<FusedProgram> program(std::span<const Array> results);

    /// An array whose elements are stored (an argument's, a step's), or computed by a node.
    std::unique_ptr<Array> array_of_stored(int stored);
    std::unique_ptr<Array> array_of_node(int node);

    const bool fast;
    std::atomic<bool> open{true};
    const std::thread::id thread = std::this_thread::get_id();
    std::vector<FusedProgram::Argument> arguments;

private:
    int add_node(Op op, const Signature& types, DType out, std::vector<FusedOperand> operands, const Layout& layout);
    FusedOperand operand_of(const Array& array);
    FusedOperand operand_of(const Scalar& number, DType passed);
    FusedAccess access_to(const Array& array);
    /// What other arguments must have in common with this number, so that the same kernels can run.
    void note_answers(const Scalar& number, FusedQuestion question, std::initializer_list<DType> types);
    /// Add a step that writes the nodes' results, which have one shape.
    void store(std::span<const int> nodes);
    /// What computes these nodes, in a kernel of its own.
    FusedWork work_of(std::span<const int> nodes) const;
    bool try_compute_in_reduction(ReductionStep& step, std::span<const Array* const> inputs, const Layout& out,
                                  DType dtype);

    std::vector<FusedAccess> accesses_;
    std::vector<FusedNumber> numbers_;
    std::vector<Node> nodes_;
    FusedSteps steps_;
};

/// The memory of arrays that are traced: none.
class TracedMemory final : public DeviceMemory {
public:
    TracedMemory(std::shared_ptr<TraceRecord> record, bool stored, int number, std::int64_t size)
        : record_(std::move(record)), stored_(stored), number_(number), size_(size) {}

    DevicePtr pointer() const override {
        throw CannotFuse(
            "it needs the elements of an array, which a function that is fused does not have; elementwise operations, "
            "reductions and views of its arguments can be fused");
    }
    DevicePtr pointer_for(CUstream) override { return pointer(); }
    std::size_t size() const noexcept override { return static_cast<std::size_t>(size_); }
    std::shared_ptr<Context> context() const noexcept override { return nullptr; }
    const char* what() const noexcept override { return "memory of a traced array"; }
    bool is_closed() const noexcept override { return false; }

    const std::shared_ptr<TraceRecord>& record() const noexcept { return record_; }
    bool is_stored() const noexcept { return stored_; }
    int number() const noexcept { return number_; }

private:
    bool release() noexcept override { return true; }

    std::shared_ptr<TraceRecord> record_;
    bool stored_;
    int number_;
    std::int64_t size_;
};

/// Null if the array is not traced.
inline const TracedMemory* traced_memory(const Array& array) noexcept {
    return dynamic_cast<const TracedMemory*>(array.memory().get());
}

}  // namespace pycuda::gpuarray
