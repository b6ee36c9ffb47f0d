#include "pycuda/gpuarray/scan.hpp"

#include <algorithm>
#include <stdexcept>

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/scan_source.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr const char* names[] = {"cumsum", "cumprod", "cummin", "cummax"};
constexpr const char* expressions[] = {"a + b", "a * b", "a < b || a != a ? a : b", "a > b || a != a ? a : b"};

/// With fewer rows than this, several warps share a row.
constexpr std::uint64_t many_columns = 16384;

struct ScanPlan {
    Scan op;
    ScanKind kind;
    DType in, out;
    CollapsedLayouts rows;  ///< over the rows of result and operand, without the scanned axis
    std::uint64_t n = 0, count = 1;
    std::int64_t out_step = 0, in_step = 0;
    ScanTeam team = ScanTeam::Tiles;

    KernelKey key() const {
        return KernelFields(Family::Scan)
            .field(op)
            .field(kind)
            .field(in)
            .field(out)
            .field<4>(rows.ndim)
            .field(team)
            .field(team == ScanTeam::Columns && count < many_columns);
    }
    unsigned warps() const { return count < many_columns ? 32 : 8; }
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

/// Advance the pointers to the row.
std::string to_row(int rank, const std::string& out, const std::string& in, const std::string& space_name) {
    std::string text = "    unsigned long long rest = row;\n";
    for (int axis = rank - 1; axis >= 0; --axis) {
        const std::string coordinate = axis > 0
                                           ? fill_in(kernel_files::scan_axes::coordinate_along, {{"space", space_name}})
                                           : "const long long at = rest;";
        text += each(axis, axis + 1,
                     fill_in(kernel_files::scan_axes::to_row_along,
                             {{"at_coordinate", coordinate}, {"out", out}, {"in", in}, {"space", space_name}}));
    }
    return text + "    static_cast<void>(rest);\n";
}

KernelSource source_of(const ScanPlan& plan) {
    const DType accumulated = arithmetic_dtype(plan.out);
    const bool tiles = plan.team == ScanTeam::Tiles;
    const std::string at = tiles || plan.team == ScanTeam::Block ? "i" : "(i + k)";
    const std::string given = plan.kind == ScanKind::Inclusive ? "item" : "prev_item";
    ScanPieces pieces;
    pieces.headers = includes_for({plan.in, plan.out});
    pieces.preamble = fill_in(kernel_files::scan_axes::space, {{"in", storage_type(plan.in)},
                                                               {"out", storage_type(plan.out)},
                                                               {"size", std::to_string(std::max(plan.rows.ndim, 1))}});
    pieces.type = arithmetic_type(accumulated);
    pieces.itemsize = info(accumulated).size;
    pieces.expression = expressions[static_cast<int>(plan.op)];
    pieces.neutral = neutral_of(plan.op, accumulated);
    pieces.name = std::string(names[static_cast<int>(plan.op)]) + "_" + info(plan.in).short_name + "_" +
                  info(plan.out).short_name + (plan.kind == ScanKind::Inclusive ? "" : "_exclusive") +
                  (tiles                           ? "_tiles"
                   : plan.team == ScanTeam::Block  ? "_block"
                   : plan.team == ScanTeam::Thread ? "_threads"
                                                   : "_columns" + std::to_string(plan.warps()) + "_") +
                  std::to_string(plan.rows.ndim);
    pieces.parameters = "char *out, const char *in, const Space space";
    if (plan.rows.ndim > 0)
        pieces.setup = tiles ? to_row(plan.rows.ndim, "p0", "p1", "p2") : to_row(plan.rows.ndim, "out", "in", "space");
    pieces.input = converted(
        "static_cast<" + arithmetic_type(plan.in) + ">(*reinterpret_cast<const I*>(in + " + at + " * space.in_step))",
        arithmetic_dtype(plan.in), accumulated);
    pieces.output =
        "*reinterpret_cast<R*>(out + " + at + " * space.out_step) = " + converted(given, accumulated, plan.out);
    KernelSource source;
    source.name = pieces.name;
    source.compute = source.result = plan.out;
    source.text = tiles ? scan_text(pieces) : scan_rows_text(plan.team, pieces, plan.warps());
    return source;
}

/// All axes except `axis`.
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

void launch(Kernels& kernels, const ScanPlan& plan, DevicePtr out, DevicePtr in, CUstream stream) {
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
    if (plan.team == ScanTeam::Tiles)
        return launch_scan(kernels, kernel, arguments, info(arithmetic_dtype(plan.out)).size, plan.n, plan.count,
                           stream);
    arguments.add(plan.n);
    const unsigned rows = scan_rows_of(plan.team), threads = scan_threads(plan.team, plan.warps());
    kernels.launch(kernel, (plan.count + rows - 1) / rows, threads, arguments.data(), arguments.size(), stream);
}

ScanPlan plan_of(Scan op, ScanKind kind, const ArrayRef& out, const ArrayRef& in, int axis) {
    ScanPlan plan;
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
    const bool columns = plan.n >= 32 && plan.count >= 256 && across < std::abs(plan.in_step);
    plan.team = columns                              ? ScanTeam::Columns
                : plan.n < 32 || plan.count >= 65536 ? ScanTeam::Thread
                : is_for_blocks(plan.n, plan.count)  ? ScanTeam::Block
                                                     : ScanTeam::Tiles;
    return plan;
}

}  // namespace

void scan(Kernels& kernels, Scan op, ScanKind kind, const ArrayRef& out, const ArrayRef& in, int axis,
          CUstream stream) {
    static_cast<void>(info(in.dtype)), static_cast<void>(info(out.dtype));  // rejects structures
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
    const Apart from(kernels, in, out, stream, true);
    launch(kernels, plan_of(op, kind, out, from.ref(), axis), out.address, from.ref().address, stream);
}

}  // namespace pycuda::gpuarray
