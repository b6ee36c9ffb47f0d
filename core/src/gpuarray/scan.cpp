#include "pycuda/gpuarray/scan.hpp"

#include <algorithm>
#include <stdexcept>

#include "arguments.hpp"
#include "device_types.hpp"
#include "pycuda/error.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "scan_source.hpp"
#include "text.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr unsigned row_threads = 128;
constexpr const char* names[] = {"cumsum", "cumprod", "cummin", "cummax"};
constexpr const char* expressions[] = {"a + b", "a * b", "a < b || a != a ? a : b", "a > b || a != a ? a : b"};

struct Plan {
    Scan op;
    ScanKind kind;
    DType in, out;
    CollapsedLayouts rows;  ///< over result and operand, without the axis
    std::uint64_t n = 0, count = 1;
    std::int64_t out_step = 0, in_step = 0;
    bool by_thread = false;  ///< a thread a row, not a row cut into tiles

    std::uint64_t key() const {
        const auto bits = [](auto value, int at) { return static_cast<std::uint64_t>(value) << at; };
        return 1ull << 61 | bits(op, 40) | bits(kind, 36) | bits(in, 24) | bits(out, 16) | bits(rows.ndim, 8) |
               bits(by_thread, 0);
    }
};

std::string neutral_of(Scan op, DType dtype) {
    switch (op) {
        case Scan::sum:
            return "scan_type(0)";
        case Scan::prod:
            return "scan_type(1)";
        case Scan::min:
            return highest_value(dtype);
        default:
            return lowest_value(dtype);
    }
}

constexpr const char* space = R"(typedef $in$ I;
typedef $out$ R;

struct Space {
    unsigned long long rows;
    long long out_step, in_step;  // from element to element
    pycuda::arrays::WideDivisor axis[$size$];
    long long stride[2][$size$];
};
)";

constexpr const char* to_row = R"(    {
        unsigned long long rest = row;
#pragma unroll
        for (int axis = $rank$ - 1; axis >= 0; --axis) {
            const unsigned long long next = $space$.axis[axis].divide(rest);
            const long long at = rest - next * $space$.axis[axis].size;
            rest = next;
            $out$ += at * $space$.stride[0][axis];
            $in$ += at * $space$.stride[1][axis];
        }
    }
)";

/// A thread a row: for columns, whose neighbours lie side by side, and for short rows.
constexpr const char* by_thread = R"($headers$$preamble$
typedef $type$ scan_type;

__device__ __forceinline__ scan_type join(const scan_type& a, const scan_type& b)
{
    return static_cast<scan_type>($expression$);
}

extern "C" __global__ void __launch_bounds__(128) $name$($parameters$, size_t n)
{
    const unsigned long long row = blockIdx.x * 128ull + threadIdx.x;
    if (row >= space.rows) return;
$setup$    scan_type sum = $neutral$;
    for (size_t i = 0; i < n; i += 4) {
        scan_type next[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (i + k < n) next[k] = $input$;
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (i + k < n) {
                const scan_type prev_item = sum;
                const scan_type item = sum = join(sum, next[k]);
                static_cast<void>(prev_item);
                static_cast<void>(item);
                $output$;
            }
    }
}
)";

KernelSource source_of(const Plan& plan) {
    const DType accumulated = arithmetic_dtype(plan.out);
    const std::string at = plan.by_thread ? "(i + k)" : "i";
    const std::string given = plan.kind == ScanKind::Inclusive ? "item" : "prev_item";
    ScanPieces pieces;
    pieces.headers = includes_for({plan.in, plan.out});
    pieces.preamble = fill_in(space, {{"in", storage_type(plan.in)},
                                      {"out", storage_type(plan.out)},
                                      {"size", std::to_string(std::max(plan.rows.ndim, 1))}});
    pieces.type = storage_type(accumulated);
    pieces.itemsize = info(accumulated).size;
    pieces.expression = expressions[static_cast<int>(plan.op)];
    pieces.neutral = neutral_of(plan.op, accumulated);
    pieces.name = std::string(names[static_cast<int>(plan.op)]) + "_" + info(plan.in).short_name + "_" +
                  info(plan.out).short_name + (plan.kind == ScanKind::Inclusive ? "" : "_exclusive") +
                  (plan.by_thread ? "_threads" : "_tiles") + std::to_string(plan.rows.ndim);
    pieces.parameters = "char *out, const char *in, const Space space";
    pieces.setup = fill_in(to_row, {{"rank", std::to_string(plan.rows.ndim)},
                                    {"out", plan.by_thread ? "out" : "p0"},
                                    {"in", plan.by_thread ? "in" : "p1"},
                                    {"space", plan.by_thread ? "space" : "p2"}});
    pieces.input = converted(
        "static_cast<" + arithmetic_type(plan.in) + ">(*reinterpret_cast<const I*>(in + " + at + " * space.in_step))",
        arithmetic_dtype(plan.in), accumulated);
    pieces.output =
        "*reinterpret_cast<R*>(out + " + at + " * space.out_step) = " + converted(given, accumulated, plan.out);
    KernelSource source;
    source.name = pieces.name;
    source.compute = source.result = plan.out;
    source.text = plan.by_thread ? fill_in(by_thread, {{"headers", pieces.headers},
                                                       {"preamble", pieces.preamble},
                                                       {"type", pieces.type},
                                                       {"expression", pieces.expression},
                                                       {"name", pieces.name},
                                                       {"parameters", pieces.parameters},
                                                       {"setup", pieces.setup},
                                                       {"neutral", pieces.neutral},
                                                       {"input", pieces.input},
                                                       {"output", pieces.output}})
                                 : scan_text(pieces);
    return source;
}

/// All axes but `axis`.
Layout without(const Layout& layout, int axis) {
    std::int64_t shape[max_axes], strides[max_axes];
    std::size_t count = 0;
    for (std::size_t k = 0; k < layout.shape().size(); ++k)
        if (static_cast<int>(k) != axis) {
            shape[count] = layout.shape()[k];
            strides[count++] = layout.strides()[k];
        }
    return Layout(std::span<const std::int64_t>(shape, count), std::span<const std::int64_t>(strides, count),
                  layout.itemsize());
}

void launch(Kernels& kernels, const Plan& plan, DevicePtr out, DevicePtr in, CUstream stream) {
    const Kernel& kernel = kernels.get(plan.key(), [&] { return source_of(plan); });
    Arguments arguments;
    arguments.add(out + static_cast<std::uint64_t>(plan.rows.offset[0]));
    arguments.add(in + static_cast<std::uint64_t>(plan.rows.offset[1]));
    arguments.add(plan.count);
    arguments.add(plan.out_step);
    arguments.add(plan.in_step);
    const int rank = std::max(plan.rows.ndim, 1);
    for (int axis = 0; axis < rank; ++axis)
        arguments.add(WideDivisor(plan.rows.ndim ? static_cast<std::uint64_t>(plan.rows.shape[axis]) : 1));
    for (int k = 0; k < 2; ++k)
        for (int axis = 0; axis < rank; ++axis)
            arguments.add(plan.rows.ndim ? plan.rows.strides[k][axis] : std::int64_t{0});
    if (plan.by_thread) {
        arguments.add(plan.n);
        return kernels.launch(kernel, (plan.count + row_threads - 1) / row_threads, row_threads, arguments.data(),
                              arguments.size(), stream);
    }
    launch_scan(kernels, kernel, arguments, info(arithmetic_dtype(plan.out)).size, plan.n, plan.count, stream);
}

}  // namespace

void scan(Kernels& kernels, Scan op, ScanKind kind, const ArrayRef& out, const ArrayRef& in, int axis,
          CUstream stream) {
    static_cast<void>(info(in.dtype)), static_cast<void>(info(out.dtype));  // no structures
    const bool ordered = op == Scan::min || op == Scan::max;
    if (ordered && (is_complex(in.dtype) || is_complex(out.dtype)))
        throw ArgumentTypeError(std::string("'") + names[static_cast<int>(op)] +
                                "' is not defined for complex numbers");
    if (!out.layout->same_shape(*in.layout))
        throw std::invalid_argument("a scan of shape " + shape_text(in.layout->shape()) +
                                    " cannot go to an array of shape " + shape_text(out.layout->shape()));
    if (axis < 0 || axis >= in.layout->ndim())
        throw std::invalid_argument("axis " + std::to_string(axis) + " is out of bounds for an array of " +
                                    std::to_string(in.layout->ndim()) + " axes");
    check_alignment(out);
    check_alignment(in);
    if (in.layout->size() == 0) return;
    Plan plan;
    plan.op = op;
    plan.kind = kind;
    plan.in = in.dtype;
    plan.out = out.dtype;
    const auto at = static_cast<std::size_t>(axis);
    const Layout of_out = without(*out.layout, axis), of_in = without(*in.layout, axis);
    const Layout* both[] = {&of_out, &of_in};
    plan.rows = collapse(both);
    if (plan.rows.ndim > 8)
        throw std::invalid_argument("scans support at most 9 non-contiguous axes; copy the array first");
    plan.n = static_cast<std::uint64_t>(in.layout->shape()[at]);
    plan.count = static_cast<std::uint64_t>(of_in.size());
    plan.out_step = out.layout->strides()[at];
    plan.in_step = in.layout->strides()[at];
    const std::int64_t across = plan.rows.ndim ? std::abs(plan.rows.strides[1][plan.rows.ndim - 1]) : 0;
    plan.by_thread = plan.n < 32 || (plan.count >= 256 && across < std::abs(plan.in_step)) || plan.count >= 65536;
    launch(kernels, plan, out.address, in.address, stream);
}

}  // namespace pycuda::gpuarray
