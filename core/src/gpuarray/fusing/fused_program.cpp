#include "pycuda/gpuarray/fusing/fused_program.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "gpuarray/device_types.hpp"
#include "gpuarray/fusing/fused_steps.hpp"
#include "gpuarray/scratch.hpp"

namespace pycuda::gpuarray {
namespace {

/// A kernel's parameters, on the stack.
class Parameters {
public:
    void add(const void* value, std::size_t size, std::size_t alignment) {
        size_ = (size_ + alignment - 1) / alignment * alignment;
        if (size_ + size > sizeof bytes_) throw std::logic_error("too many parameters of a fused kernel");
        std::memcpy(bytes_ + size_, value, size);
        size_ += size;
    }
    void add(DevicePtr address) { add(&address, sizeof address, sizeof address); }
    const void* data() const noexcept { return bytes_; }
    std::size_t size() const noexcept { return size_; }

private:
    alignas(16) unsigned char bytes_[4000];
    std::size_t size_ = 0;
};

/// A call of a program: where everything is in memory.
class Call {
public:
    Call(Kernels& kernels, const FusedSteps& steps, std::span<const Input> arguments, std::span<const DevicePtr> made,
         CUstream stream)
        : kernels_(kernels), steps_(steps), arguments_(arguments), stream_(stream) {
        addresses_.reserve(steps.stored.size());
        for (const FusedSteps::Stored& stored : steps.stored) {
            if (stored.argument >= 0) {
                const Input& argument = arguments[static_cast<std::size_t>(stored.argument)];
                addresses_.push_back(argument.is_scalar() ? 0 : argument.array().address);
            } else if (stored.made >= 0) {
                addresses_.push_back(made[static_cast<std::size_t>(stored.made)]);
            } else {
                const auto nbytes = static_cast<std::size_t>(stored.layout.nbytes());
                addresses_.push_back(
                    nbytes == 0 ? 0 : scratch_.emplace_back(std::make_unique<Scratch>(nbytes, stream))->pointer());
            }
        }
    }

    void run(const ElementwiseStep& step) {
        if (step.size == 0) return;
        const Kernel& kernel = kernels_.get(step.key, [&] { return fused_source(step.work.expression, step.walk); });
        Parameters parameters;
        std::size_t operand = 0;
        for (const int stored : step.writes) parameters.add(address(stored, step.offsets[operand++]));
        for (const FusedAccess& read : step.work.reads) {
            check_access(read);
            parameters.add(address(read.stored, step.offsets[operand++]));
        }
        add_numbers(parameters, step.work);
        parameters.add(step.extent.data(), step.extent.size(), step.extent_alignment);
        kernels_.launch(kernel, step.blocks, dense_threads, parameters.data(), parameters.size(), stream_);
    }

    void run(const ReductionStep& step) {
        const FusedSteps::Stored& stored = steps_.stored[static_cast<std::size_t>(step.writes)];
        const ArrayRef out{address(step.writes, 0), &stored.layout, stored.dtype};
        if (!step.reads.empty()) {
            ArrayRef inputs[2];
            for (std::size_t k = 0; k < step.reads.size() && k < 2; ++k)
                inputs[k] = {address(step.reads[k].stored, step.reads[k].offset), &step.reads[k].layout,
                             step.reads[k].dtype};
            return reduce(kernels_, step.op, out, {inputs, step.reads.size()}, step.axes, stream_);
        }
        if (step.keys[0].bits == 0) return;  // no results
        const bool aligned = packs_are_aligned(step);
        ComputedReduction computed{step.keys[aligned], {}, {}};
        const struct Source {
            const ReductionStep& step;
            bool aligned;
            KernelSource operator()() const {
                return fused_reduction_source(step.work.expression, step.singles, aligned, step.stages.first.key);
            }
        } source{step, aligned};
        computed.source = std::cref(source);
        for (const FusedAccess& read : step.work.reads) {
            check_access(read);
            computed.parameters.add(address(read.stored, read.offset));
        }
        add_numbers(computed.parameters, step.work);
        constexpr DevicePtr nowhere[2] = {};
        gpuarray::run(kernels_, step.stages, out.address, nowhere, stream_, &computed);
    }

private:
    DevicePtr address(int stored, std::int64_t offset) const {
        return addresses_[static_cast<std::size_t>(stored)] + static_cast<DevicePtr>(offset);
    }

    /// Views of other types may be aligned less than the arrays that they are of.
    void check_access(const FusedAccess& read) const {
        check_alignment({address(read.stored, read.offset), &read.layout, read.dtype});
    }

    template <class To>
    void add_numbers(To& parameters, const FusedWork& work) const {
        for (std::size_t k = 0; k < work.numbers.size(); ++k) {
            if (work.expression.numbers[k].is_literal) continue;
            const FusedNumber& number = work.numbers[k];
            const int argument = number.value.argument();
            const Scalar& value = argument < 0 ? number.value : arguments_[static_cast<std::size_t>(argument)].scalar();
            Arguments one;
            add_scalar(one, value, number.dtype);
            parameters.add(one.data(), one.size(), alignment_of(arithmetic_dtype(number.dtype)));
        }
    }

    bool packs_are_aligned(const ReductionStep& step) const {
        for (std::size_t k = 0; k < step.work.reads.size(); ++k) {
            if (step.singles[k]) continue;
            const FusedAccess& read = step.work.reads[k];
            const std::uint64_t pack = step.stages.first.key.pack * info(read.dtype).size;
            if (address(read.stored, read.offset) % pack != 0) return false;
        }
        return true;
    }

    Kernels& kernels_;
    const FusedSteps& steps_;
    const std::span<const Input> arguments_;
    const CUstream stream_;
    std::vector<DevicePtr> addresses_;  ///< of FusedSteps::stored
    std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace

bool FusedProgram::fits(std::span<const Input> arguments) const noexcept {
    if (arguments.size() != arguments_.size()) return false;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const Argument& own = arguments_[k];
        const Input& given = arguments[k];
        const OperandType type = given.type();
        if (given.is_scalar() != own.is_number || type.dtype != own.dtype || type.weak != own.is_weak) return false;
        if (!own.is_number) {
            if (!(*given.array().layout == own.layout)) return false;
            continue;
        }
        if (own.is_fixed && !given.scalar().is_same(own.value)) return false;
        for (const Argument::Answer& known : own.answers)
            if (answer(static_cast<FusedQuestion>(known.question), given.scalar(), known.dtype) != known.yes)
                return false;
    }
    return true;
}

void FusedProgram::run(Kernels& kernels, std::span<const Input> arguments, std::span<const DevicePtr> made,
                       CUstream stream) const {
    Call call(kernels, *steps_, arguments, made, stream);
    for (const FusedStep& step : steps_->steps) std::visit([&](const auto& each) { call.run(each); }, step);
}

std::vector<Array> call(const FusedProgram& program, std::span<const Array* const> arguments, CUstream stream) {
    std::vector<Array> kept;  // an allocator may close them
    for (const Array* argument : arguments) kept.push_back(*argument);
    const auto kernels = current_kernels();
    std::vector<Array> made;
    for (const FusedProgram::Made& each : program.made())
        made.push_back(kept.empty() ? Array::empty(each.dtype, each.layout, stream)
                                    : kept[0].empty_beside(each.dtype, each.layout, stream));
    std::vector<Input> inputs;
    for (const Array& argument : kept) inputs.emplace_back(argument.ref(stream));
    std::vector<DevicePtr> addresses;
    for (const Array& array : made) addresses.push_back(array.ref(stream).address);
    program.run(*kernels, inputs, addresses, stream);
    std::vector<Array> results;
    for (const FusedProgram::Result& result : program.results()) {
        const Array& from = (result.is_argument ? kept : made)[static_cast<std::size_t>(result.number)];
        const bool whole = result.offset == 0 && result.dtype == from.dtype() && result.layout == from.layout();
        results.push_back(whole ? from : from.view({result.layout, result.offset}, result.dtype));
    }
    return results;
}

std::shared_ptr<const FusedProgram> FusedPrograms::find(std::span<const Input> arguments) const {
    const std::lock_guard lock(mutex_);
    for (auto program = programs_.rbegin(); program != programs_.rend(); ++program)
        if ((*program)->fits(arguments)) return *program;
    return nullptr;
}

void FusedPrograms::add(std::shared_ptr<const FusedProgram> program) {
    std::shared_ptr<const FusedProgram> oldest;  // ends without the lock
    const std::lock_guard lock(mutex_);
    programs_.push_back(std::move(program));
    if (programs_.size() <= max) return;
    oldest = std::move(programs_.front());
    programs_.erase(programs_.begin());
}

}  // namespace pycuda::gpuarray
