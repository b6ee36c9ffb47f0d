#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/layout.hpp"

namespace pycuda::gpuarray {

class Array;
struct FusedSteps;

/// The kernels of a traced function, for arguments of these types and layouts. Immutable. Thread-safe.
class FusedProgram {
public:
    /// An array that the function creates and returns, or of which it returns a view.
    struct Made {
        DType dtype;
        Layout layout;  ///< packed
    };
    struct Result {
        bool is_argument;  ///< a view of an argument, else of an array that is made
        int number;
        DType dtype;
        Layout layout;
        std::int64_t offset;  ///< in bytes, from element (0, 0, ...) of the argument or the array that is made
    };
    std::span<const Made> made() const noexcept { return made_; }
    std::span<const Result> results() const noexcept { return results_; }

    /// Whether the program is for these arguments; ignores addresses.
    bool fits(std::span<const Input> arguments) const noexcept;
    /// Queue the kernels. `made` are the addresses of the arrays that are made. `kernels` is the current context's.
    /// Raises what compiling and launching raise; std::invalid_argument for arrays that are not aligned to their
    /// elements, and for numbers that an operation's type cannot hold.
    void run(Kernels& kernels, std::span<const Input> arguments, std::span<const DevicePtr> made,
             CUstream stream) const;

private:
    friend class Trace;
    friend struct TraceRecord;
    FusedProgram() = default;

    struct Argument {
        DType dtype = DType::Opaque;
        Layout layout;  ///< of an array
        bool is_number = false, is_weak = false;
        bool is_fixed = false;  ///< only this value fits
        Scalar value = Scalar::weak(false);
        /// What operations asked of the value: whether it fits into a type, for example (FusedQuestion).
        struct Answer {
            DType dtype;
            int question;
            bool yes;
            bool operator==(const Answer&) const = default;
        };
        std::vector<Answer> answers;
    };
    std::vector<Argument> arguments_;
    std::vector<Made> made_;
    std::vector<Result> results_;
    std::shared_ptr<const FusedSteps> steps_;
};

/// Run the program on the present elements of the arguments. The arrays that are made come from the first argument's
/// allocator. Raises as run() and Array::ref() do.
std::vector<Array> call(const FusedProgram& program, std::span<const Array* const> arguments, CUstream stream);

/// The programs of one function, by the arguments that they are for. Thread-safe.
class FusedPrograms {
public:
    /// Null if there is none yet.
    std::shared_ptr<const FusedProgram> find(std::span<const Input> arguments) const;
    /// Of many, the oldest are forgotten.
    void add(std::shared_ptr<const FusedProgram> program);

private:
    static constexpr std::size_t max = 64;
    mutable std::mutex mutex_;
    std::vector<std::shared_ptr<const FusedProgram>> programs_;  ///< the newest last
};

}  // namespace pycuda::gpuarray
