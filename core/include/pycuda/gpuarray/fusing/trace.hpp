#pragma once

#include <memory>
#include <span>
#include <string>

#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/gpuarray/fusing/fused_program.hpp"
#include "pycuda/gpuarray/recording.hpp"

namespace pycuda::gpuarray {

/// What a function does with its arrays while it is traced, but cannot do in a kernel.
class CannotFuse : public ArgumentTypeError {
public:
    explicit CannotFuse(const std::string& why) : ArgumentTypeError("this cannot be fused: " + why) {}
};

struct TraceRecord;

/// Records what a function does with its arguments, to do it in few kernels later: elementwise operations, reductions
/// and views of the arrays that argument() returns, and of what results, are recorded instead of run, by the thread
/// that made the trace, until it ends. Whatever needs their elements raises CannotFuse.
class Trace {
public:
    /// `fast`: the results need not be those of separate operations bit for bit. Products and sums may be contracted,
    /// and 16-bit numbers between operations stay float.
    explicit Trace(bool fast);
    ~Trace();
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    /// The next argument: an array, without elements yet.
    Array argument(DType dtype, const Layout& layout);
    /// The next argument: a number. As an operand of an operation on arrays, it may have another value later.
    Scalar argument(const Scalar& value);
    /// Its value becomes a part of what is traced, because the function has looked at it.
    void fix(int argument);
    bool is_open() const noexcept;
    /// CannotFuse if the trace is over, or on another thread than it was made.
    void require_open() const;
    /// Ends the trace, as the destructor does. A no-op if it is over.
    void end() noexcept;
    /// Ends the trace. `results` are what the function returns. CannotFuse for arrays that were not traced here.
    std::shared_ptr<FusedProgram> finish(std::span<const Array> results);

private:
    std::shared_ptr<TraceRecord> record_;
};

}  // namespace pycuda::gpuarray
