#include "pycuda/gpuarray/elementwise.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/elementwise_source.hpp"
#include "gpuarray/units.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {

Signature types_of(Op op, std::span<const Input> inputs, std::optional<DType> written) {
    OperandType operands[max_inputs];
    const std::size_t count = inputs.size();
    if (count > max_inputs)
        throw std::invalid_argument(std::string("'") + info(op).name + "' takes " + std::to_string(info(op).arity) +
                                    " operands, not " + std::to_string(count));
    for (std::size_t k = 0; k < count; ++k) operands[k] = inputs[k].type();
    Signature types = signature(op, std::span<const OperandType>(operands, count));
    if (count == 2 && inputs[1].is_scalar() && is_fraction(op, types.compute, inputs[1].scalar()))
        throw std::invalid_argument(
            "integers to negative integer powers are not allowed: convert the array to a floating-point type");
    for (std::size_t k = 0; k < count; ++k) {
        const bool is_exponent = k == 1 && info(op).rule == ResultRule::FirstFloating;
        const bool is_choice = info(op).rule == ResultRule::Choice;
        if (k == 0 && is_choice) continue;  // a condition keeps its own type
        if (is_choice && written && inputs[k].is_scalar()) {
            check_assigned(inputs[k].scalar(), *written);
            continue;
        }
        const DType type = is_exponent ? DType::Int64 : types.compute;
        if (!inputs[k].is_scalar() || !operands[k].weak || inputs[k].scalar().fits(type)) continue;
        if (info(op).rule != ResultRule::Boolean)
            throw OutOfBounds(std::string("an integer operand of '") + info(op).name + "' is out of bounds for " +
                              name_of(type));
        operands[k].weak = false;  // passed by value, as if it were typed
        return signature(op, std::span<const OperandType>(operands, count));
    }
    return types;
}

DType passed_dtype(Op op, const Signature& types, DType out, const Scalar& scalar, int operand) {
    const bool is_choice = info(op).rule == ResultRule::Choice, is_condition = is_choice && operand == 0;
    if (is_choice && !is_condition && scalar.is_weak() && scalar.stores_as_device(out)) return out;
    return is_choice || types.keeps_signs ? scalar.dtype() : types.compute;
}

namespace {

/// Shorter rows do not fill a block: for them the general kernel is faster.
constexpr std::int64_t shortest_row = 256;

constexpr int max_layouts = max_inputs + 1;

/// An elementwise operation before its launch: the result and its operands, all of one shape.
struct Job {
    Op op;
    ArrayRef out;
    int inputs = 0;
    const Input* in = nullptr;
    Signature types{};
    const Layout* layouts[max_layouts] = {};  ///< the result's first; null for scalars
    Layout broadcast[max_inputs];             ///< layouts of inputs after broadcasting

    DevicePtr address(int operand) const { return operand == 0 ? out.address : in[operand - 1].array().address; }
    DType passed_dtype(int input) const {
        return gpuarray::passed_dtype(op, types, out.dtype, in[input].scalar(), input);
    }
};

ElementwiseKey key_of(const Job& job, Walk walk, int rank) {
    ElementwiseKey key;
    key.op = job.op;
    key.walk = walk;
    key.rank = rank;
    key.out = job.out.dtype;
    key.inputs = job.inputs;
    for (int k = 0; k < job.inputs; ++k)
        key.in[k] = job.in[k].is_scalar() ? ElementwiseKey::In{Passing::Value, job.passed_dtype(k)}
                                          : ElementwiseKey::In{Passing::Array, job.in[k].array().dtype};
    return key;
}

const Kernel& kernel_of(Kernels& kernels, const ElementwiseKey& key, const Signature& types) {
    return kernels.get(key.packed(), [&] { return elementwise_source(key, types); });
}

void add_operands(Arguments& arguments, const Job& job, const std::int64_t* offset) {
    arguments.add(job.out.address + static_cast<std::uint64_t>(offset[0]));
    for (int k = 0; k < job.inputs; ++k) {
        if (job.in[k].is_scalar())
            add_scalar(arguments, job.in[k].scalar(), job.passed_dtype(k));
        else
            arguments.add(job.in[k].array().address + static_cast<std::uint64_t>(offset[k + 1]));
    }
}

/// Adds the kernel to the cache of the fast path, if that supports these kinds of operands.
void remember(Kernels& kernels, const Job& job, const ElementwiseKey& key, const Kernel& kernel) {
    if (job.inputs == 0 || job.inputs > 2 || key.in[0].passing != Passing::Array) return;
    unsigned second = Kernels::no_operand;
    if (job.inputs == 2) {
        if (key.in[1].passing == Passing::Single || (job.types.keeps_signs && job.in[1].is_scalar())) return;
        const OperandType type = job.in[1].type();
        if (type.weak && !job.in[1].scalar().fits(kernel.compute)) return;
        second =
            job.in[1].is_scalar() ? Kernels::scalar_index(type.dtype, type.weak) : Kernels::array_index(type.dtype);
        // A comparison with a weak integer may have been widened for its value.
        const OperandType plain[] = {{key.in[0].dtype, false}, type};
        if (type.weak && signature(job.op, plain).compute != kernel.compute) return;
    }
    if (kernel.result == job.types.result) kernels.remember_dense(job.op, key.in[0].dtype, second, false, kernel);
    if (kernel.result == key.in[0].dtype) kernels.remember_dense(job.op, key.in[0].dtype, second, true, kernel);
}

/// Fills contiguous memory with the driver's memset, which costs a third of a launch and is as fast. False if memset
/// cannot write this number.
bool try_fill(const Job& job, const CollapsedLayouts& walk, CUstream stream) {
    const auto size = static_cast<std::size_t>(job.out.layout->itemsize()), n = static_cast<std::size_t>(walk.size);
    if (job.op != Op::copy || !job.in[0].is_scalar()) return false;
    const Scalar& scalar = job.in[0].scalar();
    if (!scalar.stores_as_device(job.out.dtype)) return false;
    std::uint32_t words[4] = {};
    scalar.store(job.out.dtype, words);
    const DevicePtr to = job.out.address + static_cast<std::uint64_t>(walk.offset[0]);
    if (size == 1)
        driver().cuMemsetD8Async(to, static_cast<unsigned char>(words[0]), n, stream);
    else if (size == 2)
        driver().cuMemsetD16Async(to, static_cast<unsigned short>(words[0]), n, stream);
    else if (size == 4 || words[0] == words[1])
        driver().cuMemsetD32Async(to, words[0], n * (size / 4), stream);
    else
        return false;
    return true;
}

void launch_dense(Kernels& kernels, const Job& job, const CollapsedLayouts& walk, CUstream stream) {
    if (try_fill(job, walk, stream)) return;
    ElementwiseKey key = key_of(job, Walk::Dense, 0);
    for (int k = 0; k < job.inputs; ++k)
        if (key.in[k].passing == Passing::Array && walk.size > 1 && walk.is_single(k + 1))
            key.in[k].passing = Passing::Single;
    const Kernel& kernel = kernel_of(kernels, key, job.types);
    remember(kernels, job, key, kernel);
    Arguments arguments;
    add_operands(arguments, job, walk.offset);
    arguments.add(static_cast<std::uint64_t>(walk.size));
    const auto n = static_cast<std::uint64_t>(walk.size);
    kernels.launch(kernel, (n + kernel.elements - 1) / kernel.elements, dense_threads, arguments.data(),
                   arguments.size(), stream);
}

/// Writes the strides of the operands that are in memory, the result's first.
template <class Stride>
void add_strides(Arguments& arguments, const Job& job, const CollapsedLayouts& walk, int rank) {
    for (int k = 0; k <= job.inputs; ++k) {
        if (k > 0 && job.in[k - 1].is_scalar()) continue;
        for (int axis = 0; axis < rank; ++axis) arguments.add(static_cast<Stride>(walk.strides[k][axis]));
    }
}

void launch_rows(Kernels& kernels, const Job& job, const CollapsedLayouts& walk, CUstream stream) {
    const int rank = walk.ndim - 1;
    ElementwiseKey key = key_of(job, Walk::Inner, rank);
    for (int k = 0; k < job.inputs; ++k)
        if (key.in[k].passing == Passing::Array && walk.strides[k + 1][rank] == 0) key.in[k].passing = Passing::Single;
    const Kernel& kernel = kernel_of(kernels, key, job.types);
    const auto inner = static_cast<std::uint64_t>(walk.shape[rank]);
    const std::uint64_t blocks = (inner + dense_elements - 1) / dense_elements;
    Arguments arguments;
    add_operands(arguments, job, walk.offset);
    arguments.add(inner);
    arguments.add(WideDivisor(blocks));
    std::uint64_t rows = 1;
    for (int axis = 0; axis < rank; ++axis) {
        rows *= static_cast<std::uint64_t>(walk.shape[axis]);
        arguments.add(WideDivisor(static_cast<std::uint64_t>(walk.shape[axis])));
    }
    add_strides<std::int64_t>(arguments, job, walk, rank);
    kernels.launch(kernel, rows * blocks, dense_threads, arguments.data(), arguments.size(), stream);
}

void launch_strided(Kernels& kernels, const Job& job, const CollapsedLayouts& walk, CUstream stream) {
    const bool narrow = is_narrow(walk);
    const ElementwiseKey key = key_of(job, narrow ? Walk::General : Walk::Wide, walk.ndim);
    const Kernel& kernel = kernel_of(kernels, key, job.types);
    Arguments arguments;
    add_operands(arguments, job, walk.offset);
    const auto n = static_cast<std::uint64_t>(walk.size);
    if (narrow)
        arguments.add(static_cast<std::uint32_t>(n));
    else
        arguments.add(n);
    for (int axis = 0; axis < walk.ndim; ++axis) {
        const auto length = static_cast<std::uint64_t>(walk.shape[axis]);
        if (narrow)
            arguments.add(Divisor(length));
        else
            arguments.add(WideDivisor(length));
    }
    if (narrow)
        add_strides<std::int32_t>(arguments, job, walk, walk.ndim);
    else
        add_strides<std::int64_t>(arguments, job, walk, walk.ndim);
    kernels.launch(kernel, (n + dense_elements - 1) / dense_elements, dense_threads, arguments.data(), arguments.size(),
                   stream);
}

/// True if all operands are contiguous along axis `axis`; inputs may also have stride 0.
bool is_adjacent(const Job& job, const CollapsedLayouts& walk, int axis) {
    for (int k = 0; k <= job.inputs; ++k) {
        if (k > 0 && job.in[k - 1].is_scalar()) continue;
        const std::int64_t stride = walk.strides[k][axis];
        const DType dtype = k == 0 ? job.out.dtype : job.in[k - 1].array().dtype;
        if (stride != info(dtype).size && (k == 0 || stride != 0)) return false;
    }
    return true;
}

/// True if every operand is contiguous or a single element.
bool is_flat(const Job& job, const CollapsedLayouts& walk) {
    return walk.ndim == 0 || (walk.ndim == 1 && is_adjacent(job, walk, 0));
}

void launch_walk(Kernels& kernels, const Job& job, const CollapsedLayouts& walk, CUstream stream) {
    if (is_flat(job, walk)) return launch_dense(kernels, job, walk, stream);
    if (walk.ndim <= max_rank) {
        const bool rows = walk.shape[walk.ndim - 1] >= shortest_row && is_adjacent(job, walk, walk.ndim - 1);
        return rows ? launch_rows(kernels, job, walk, stream) : launch_strided(kernels, job, walk, stream);
    }
    // More axes than a kernel supports: one launch for each index of the outermost axis.
    CollapsedLayouts part = walk;
    part.ndim = walk.ndim - 1;
    part.size = walk.size / walk.shape[0];
    std::copy(walk.shape + 1, walk.shape + walk.ndim, part.shape);
    for (int k = 0; k < walk.operands; ++k)
        std::copy(walk.strides[k] + 1, walk.strides[k] + walk.ndim, part.strides[k]);
    for (std::int64_t at = 0; at < walk.shape[0]; ++at) {
        for (int k = 0; k < walk.operands; ++k) part.offset[k] = walk.offset[k] + at * walk.strides[k][0];
        launch_walk(kernels, job, part, stream);
    }
}

/// True for the simple case: every array is packed, and all in the same order.
bool is_plainly_dense(const Job& job, const CollapsedLayouts&) {
    const Layout& first = *job.layouts[0];
    bool c = first.is_c_contiguous(), f = first.is_f_contiguous();
    for (int k = 1; k <= job.inputs; ++k) {
        if (!job.layouts[k]) continue;
        c &= job.layouts[k]->is_c_contiguous();
        f &= job.layouts[k]->is_f_contiguous();
    }
    return c || f;
}

void run(Kernels& kernels, Job& job, CUstream stream) {
    const Layout& shape = *job.out.layout;
    job.layouts[0] = &shape;
    check_alignment(job.out);
    for (int k = 0; k < job.inputs; ++k) {
        if (job.in[k].is_scalar()) continue;
        const ArrayRef& array = job.in[k].array();
        check_alignment(array);
        job.layouts[k + 1] = array.layout;
        if (!array.layout->same_shape(shape)) {
            job.broadcast[k] = array.layout->broadcast_to(shape.shape());
            job.layouts[k + 1] = &job.broadcast[k];
        }
    }
    if (shape.size() == 0) return;
    const std::span<const Layout* const> layouts(job.layouts, static_cast<std::size_t>(job.inputs) + 1);
    CollapsedLayouts walk;
    if (is_plainly_dense(job, walk)) {
        walk.size = shape.size();
        walk.ndim = 1;
        walk.operands = job.inputs + 1;
        for (int k = 0; k <= job.inputs; ++k) walk.offset[k] = 0, walk.strides[k][0] = 1;
        return launch_dense(kernels, job, walk, stream);
    }
    walk = collapse(layouts);
    if (job.op == Op::arange && !is_flat(job, walk))
        throw std::invalid_argument("'arange' can only fill contiguous arrays");
    launch_walk(kernels, job, walk, stream);
}

/// out = condition ? then : otherwise, for structures, which are moved as numbers of a common size.
void choose_structures(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> inputs, CUstream stream) {
    types_of(op, inputs);
    const ArrayRef then = inputs[1].array(), otherwise = inputs[2].array();
    for (const ArrayRef* array : {&then, &otherwise})
        if (array->layout->itemsize() != out.layout->itemsize())
            throw std::invalid_argument("structures of " + std::to_string(array->layout->itemsize()) +
                                        " bytes cannot be copied to structures of " +
                                        std::to_string(out.layout->itemsize()));
    if (out.layout->nbytes() == 0) return;
    const auto shape = out.layout->shape();
    const std::int64_t unit = common_unit({&out, &then, &otherwise});
    const Layout to = in_units(*out.layout, unit), from = in_units(then.layout->broadcast_to(shape), unit),
                 other = in_units(otherwise.layout->broadcast_to(shape), unit);
    const DType dtype = dtype_of_unit(unit);
    Layout condition;
    Input list[] = {inputs[0], ArrayRef{then.address, &from, dtype}, ArrayRef{otherwise.address, &other, dtype}};
    if (!inputs[0].is_scalar()) {
        const Layout seen = inputs[0].array().layout->broadcast_to(shape);
        std::int64_t strides[max_axes + 1] = {};
        std::copy(seen.strides().begin(), seen.strides().end(), strides);
        condition = Layout(to.shape(), {strides, to.shape().size()}, seen.itemsize());
        list[0] = ArrayRef{inputs[0].array().address, &condition, inputs[0].array().dtype};
    }
    elementwise(kernels, op, {out.address, &to, dtype}, list, stream);
}

}  // namespace

DType result_type(Op op, std::span<const Input> inputs) {
    return types_of(op, inputs).result;
}

Layout result_layout(std::span<const Input> inputs, std::int64_t itemsize) {
    const Layout* layouts[max_inputs];
    std::size_t count = 0;
    for (const Input& input : inputs)
        if (!input.is_scalar() && count < max_inputs) layouts[count++] = input.array().layout;
    return broadcast(std::span<const Layout* const>(layouts, count), itemsize);
}

void elementwise(Kernels& kernels, Op op, const ArrayRef& out, std::span<const Input> inputs, CUstream stream) {
    if (op == Op::copy && inputs.size() == 1 && !inputs[0].is_scalar() && inputs[0].array().dtype == out.dtype)
        return copy(kernels, out, inputs[0].array(), stream);
    if (out.dtype == DType::Opaque && info(op).rule == ResultRule::Choice)
        return choose_structures(kernels, op, out, inputs, stream);
    if (out.dtype == DType::Opaque)
        throw ArgumentTypeError(std::string("'") + info(op).name + "' cannot produce structures");
    if (op == Op::copy && inputs.size() == 1 && inputs[0].is_scalar()) check_assigned(inputs[0].scalar(), out.dtype);
    Job job;
    job.op = op;
    job.out = out;
    job.in = inputs.data();
    job.types = types_of(op, inputs, out.dtype);
    job.inputs = static_cast<int>(inputs.size());
    run(kernels, job, stream);
}

void copy(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, CUstream stream) {
    if (out.dtype != in.dtype) {
        const Input input(in);
        return elementwise(kernels, Op::copy, out, {&input, 1}, stream);
    }
    const std::int64_t itemsize = out.layout->itemsize();
    if (itemsize != in.layout->itemsize())
        throw std::invalid_argument("structures of " + std::to_string(in.layout->itemsize()) +
                                    " bytes cannot be copied to structures of " + std::to_string(itemsize));
    if (out.layout->size() == 0) {
        static_cast<void>(in.layout->broadcast_to(out.layout->shape()));
        return;
    }
    if (out.layout->same_shape(*in.layout) && out.layout->is_dense() && *out.layout == *in.layout) {
        driver().cuMemcpyDtoDAsync(out.address, in.address, static_cast<std::size_t>(out.layout->nbytes()), stream);
        return;
    }
    if (itemsize == 0) return;
    const std::int64_t unit = common_unit({&out, &in});
    const Layout seen = in.layout->same_shape(*out.layout) ? *in.layout : in.layout->broadcast_to(out.layout->shape());
    const Layout to = in_units(*out.layout, unit), from = in_units(seen, unit);
    const DType dtype = dtype_of_unit(unit);
    const Input input(ArrayRef{in.address, &from, dtype});
    Job job;
    job.op = Op::copy;
    job.out = {out.address, &to, dtype};
    job.in = &input;
    job.inputs = 1;
    job.types = {dtype, dtype};
    run(kernels, job, stream);
}

}  // namespace pycuda::gpuarray
