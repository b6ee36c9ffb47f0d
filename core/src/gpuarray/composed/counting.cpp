#include "gpuarray/composed/counting.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/scratch.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {
namespace {

namespace counting_pieces = kernel_files::counting;

constexpr unsigned counting_threads = 256, blocks_per_multiprocessor = 8;
constexpr std::uint64_t elements_of_counting_block = 4096;
constexpr std::uint64_t max_shared_bytes = 48 * 1024;  // that every block may have

enum class Task : std::uint8_t { Count, AddIntegers, FindExponents, AddReals, FinishReals };

constexpr const char* task_names[] = {"count_in_bins", "add_in_bins", "greatest_in_bins", "add_parts_in_bins",
                                      "finish_in_bins"};

/// What a kernel's source depends on.
struct CountingKey {
    Task task;
    DType in = DType::Bool, edges = DType::Opaque, weights = DType::Opaque;
    bool is_shared = false;
    unsigned bits = 0;  ///< of each part of a real weight

    KernelKey packed() const {
        return KernelFields(Family::Counting)
            .field<3>(static_cast<unsigned>(task))
            .field(in)
            .field(edges)
            .field(weights)
            .field(is_shared)
            .field<6>(bits);
    }

    std::string name() const {
        std::string name = task_names[static_cast<int>(task)];
        if (task != Task::FinishReals) name += std::string("_") + info(in).short_name;
        if (edges != DType::Opaque) name += std::string("_between_") + info(edges).short_name;
        if (weights != DType::Opaque) name += std::string("_weights_") + info(weights).short_name;
        if (bits) name += "_" + std::to_string(bits);
        return name + (is_shared ? "_shared" : "");
    }

    std::string weight_text(const char* type) const {
        return fill_in(counting_pieces::weight_of_element, {{"type", type}, {"arithmetic", arithmetic_type(weights)}});
    }

    std::string table(const char* cell, unsigned width, const char* parameters, const char* add) const {
        return fill_in(is_shared ? counting_pieces::shared_table : counting_pieces::global_table,
                       {{"name", name()},
                        {"cell", cell},
                        {"width", std::to_string(width)},
                        {"parameters", parameters},
                        {"add", add}});
    }

    std::string kernel() const {
        const std::string unit = std::to_string(std::uint64_t{1} << bits) + ".0", width = std::to_string(bits);
        switch (task) {
            case Task::Count:
                return is_shared ? table("unsigned", 1, "", "atomicAdd(table + bin, 1u);")
                                 : table("Whole", 1, "", "atomicAdd(table + bin, Whole(1));");
            case Task::AddIntegers:
                return weight_text("Whole") +
                       table("Whole", 1, ", const W* weights", "atomicAdd(table + bin, weight(weights, i));");
            case Task::FindExponents:
                return weight_text("double") + fill_in(counting_pieces::greatest_exponents, {{"name", name()}});
            case Task::AddReals:
                return weight_text("double") +
                       fill_in(counting_pieces::parts_of_weights, {{"bits", width}, {"unit", unit}}) +
                       table("Whole", 3, ", const W* weights, const unsigned* greatest",
                             "add_parts(table + 3 * bin, greatest[bin], weight(weights, i));");
            case Task::FinishReals:
                break;
        }
        return fill_in(counting_pieces::sums_of_parts, {{"name", name()}, {"bits", width}});
    }

    KernelSource source() const {
        const DType edge = edges == DType::Opaque ? in : edges;
        const bool weighted = weights != DType::Opaque;
        KernelSource source;
        source.name = name();
        source.text =
            fill_in(counting_pieces::preface,
                    {{"includes", includes_for({in})},
                     {"element", storage_type(in)},
                     {"edge", storage_type(edge)},
                     {"value", arithmetic_type(edge)},
                     {"weights", weighted ? fill_in(counting_pieces::weight_type, {{"storage", storage_type(weights)}})
                                          : std::string()}});
        if (task != Task::FinishReals)
            source.text += std::string(edges == DType::Opaque ? counting_pieces::numbered_bin
                                                              : counting_pieces::bin_between_edges) +
                           fill_in(counting_pieces::elements, {{"arithmetic", arithmetic_type(in)}});
        source.text += kernel();
        return source;
    }
};

/// The launches of one call.
class Counting {
public:
    Counting(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef* edges, const ArrayRef* weights,
             CUstream stream)
        : kernels_(kernels),
          out_(out),
          in_(in),
          edges_(edges),
          weights_(weights),
          stream_(stream),
          count_(static_cast<std::uint64_t>(out.layout->size())),
          n_(static_cast<std::uint64_t>(in.layout->size())) {}

    void run() {
        driver().cuMemsetD8Async(out_.address, 0, count_ * 8, stream_);
        if (n_ == 0) return;
        if (!weights_) return launch(Task::Count, sizeof(std::uint32_t), out_.address, std::nullopt);
        if (out_.dtype != DType::Float64) return launch(Task::AddIntegers, 8, out_.address, std::nullopt);
        add_reals();
    }

private:
    CountingKey key_of(Task task, bool is_shared, unsigned bits) const {
        CountingKey key{task};
        key.is_shared = is_shared;
        key.bits = bits;
        if (task == Task::FinishReals) return key;
        key.in = in_.dtype;
        if (edges_) key.edges = edges_->dtype;
        if (weights_) key.weights = weights_->dtype;
        return key;
    }

    const Kernel& kernel_of(const CountingKey& key) const {
        return kernels_.get(key.packed(), [&] { return key.source(); });
    }

    /// `cell`: bytes per bin in shared memory; 0 for kernels without a table there.
    void launch(Task task, std::uint64_t cell, DevicePtr to, std::optional<DevicePtr> greatest, unsigned bits = 0) {
        const bool is_shared = cell != 0 && count_ * cell <= max_shared_bytes;
        const Kernel& kernel = kernel_of(key_of(task, is_shared, bits));
        Arguments arguments;
        arguments.add(in_.address);
        arguments.add(edges_ ? edges_->address : 0);
        arguments.add(count_);
        arguments.add(n_);
        arguments.add(to);
        if (weights_) arguments.add(weights_->address);
        if (greatest) arguments.add(*greatest);
        // Adding a block's table to the result takes as long as some of its elements.
        const std::uint64_t each = std::max(elements_of_counting_block, is_shared ? 8 * count_ : 0);
        const auto max = std::uint64_t{blocks_per_multiprocessor} * static_cast<unsigned>(kernels_.multiprocessors());
        kernels_.launch(kernel, std::clamp<std::uint64_t>(n_ / each, 1, max), counting_threads, arguments.data(),
                        arguments.size(), stream_, is_shared ? static_cast<unsigned>(count_ * cell) : 0);
    }

    void add_reals() {
        // n parts of this many bits fit in 62.
        const auto bits = static_cast<unsigned>(62 - std::bit_width(n_));
        const Scratch scratch(count_ * (2 * sizeof(std::uint32_t) + 3 * sizeof(std::uint64_t)), stream_);
        const DevicePtr sums = scratch.pointer(), greatest = sums + count_ * 3 * sizeof(std::uint64_t);
        driver().cuMemsetD8Async(sums, 0, count_ * (2 * sizeof(std::uint32_t) + 3 * sizeof(std::uint64_t)), stream_);
        launch(Task::FindExponents, 0, greatest, std::nullopt);
        launch(Task::AddReals, 3 * sizeof(std::uint64_t), sums, greatest, bits);
        const Kernel& kernel = kernel_of(key_of(Task::FinishReals, false, bits));
        Arguments arguments;
        arguments.add(out_.address);
        arguments.add(greatest);
        arguments.add(sums);
        arguments.add(count_);
        kernels_.launch(kernel, (count_ + counting_threads - 1) / counting_threads, counting_threads, arguments.data(),
                        arguments.size(), stream_);
    }

    Kernels& kernels_;
    const ArrayRef &out_, &in_;
    const ArrayRef *edges_, *weights_;
    const CUstream stream_;
    const std::uint64_t count_, n_;
};

void require_for_counting(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(std::string("counting in bins: ") + what);
}

}  // namespace

void count_in_bins(Kernels& kernels, const ArrayRef& out, const ArrayRef& in, const ArrayRef* edges,
                   const ArrayRef* weights, CUstream stream) {
    for (const ArrayRef* array : {&out, &in, edges, weights}) {
        if (!array) continue;
        if (array->dtype == DType::Opaque || is_complex(array->dtype))
            throw ArgumentTypeError(std::string("elements of ") + name_of(array->dtype) + " cannot be counted in bins");
        require_for_counting(array->layout->is_c_contiguous(), "expected C contiguous arrays");
        check_alignment(*array);
    }
    require_for_counting(edges || in.dtype == DType::Bool || is_integer(in.dtype),
                         "expected integers as numbers of bins");
    require_for_counting(!edges || edges->layout->size() == out.layout->size() + 1, "expected one more edge than bins");
    require_for_counting(!weights || weights->layout->size() == in.layout->size(),
                         "expected one weight for each element");
    const bool integers = out.dtype == DType::Int64 || out.dtype == DType::UInt64;
    require_for_counting(integers || (weights && out.dtype == DType::Float64),
                         "expected an array of int64, uint64 or float64");
    require_for_counting(!weights || !integers || weights->dtype == DType::Bool || is_integer(weights->dtype),
                         "real weights have sums of type float64");
    if (out.layout->size() == 0) return;
    Counting(kernels, out, in, edges, weights, stream).run();
}

}  // namespace pycuda::gpuarray
