#include "pycuda/gpuarray/random/random.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <stdexcept>

#include "gpuarray/arguments.hpp"
#include "gpuarray/device_types.hpp"
#include "gpuarray/random/random_source.hpp"
#include "gpuarray/text.hpp"
#include "kernel_files.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::gpuarray {
namespace {

constexpr const char* kind_names[] = {"XORWOW",           "MRG32k3a", "Philox",          "Sobol32",
                                      "ScrambledSobol32", "Sobol64",  "ScrambledSobol64"};
constexpr const char* distribution_names[] = {"uniform", "normal", "log-normal", "Poisson", "Poisson"};

/// The modules of a context's generators, each kept while there are generators of its kind: loading one takes longer
/// than generating millions of numbers.
class RandomModules : public ContextAttachment {
public:
    std::shared_ptr<Module> find(RandomKind kind) {
        const std::lock_guard lock(mutex_);
        return modules_[static_cast<std::size_t>(kind)].lock();
    }
    /// Returns the existing module if another thread was faster. The caller's reference is released without the lock.
    std::shared_ptr<Module> add(RandomKind kind, const std::shared_ptr<Module>& loaded) {
        const std::lock_guard lock(mutex_);
        std::weak_ptr<Module>& known = modules_[static_cast<std::size_t>(kind)];
        if (std::shared_ptr<Module> first = known.lock()) return first;
        known = loaded;
        return loaded;
    }
    void context_ends(bool) noexcept override {}  // a module that generators hold handles the end of the context itself

private:
    std::mutex mutex_;
    std::array<std::weak_ptr<Module>, std::size(kind_names)> modules_;
};

unsigned fewest_threads(const RandomGenerators& generators) {
    int threads = 1024;
    for (const std::string& name : random_kernel_names(generators.kind()))
        threads = std::min(threads, generators.kernel(name).get_attribute(FunctionAttribute::MAX_THREADS_PER_BLOCK));
    return static_cast<unsigned>(threads);
}

std::string hash_text(DType dtype, const std::string& name) {
    const char* number = dtype == DType::Float32 ? "return low * 2.3283064e-10f"
                         : dtype == DType::Float64
                             ? "return (static_cast<unsigned long long>(high) << 21 ^ low >> 11) * "
                               "(1.0 / 9007199254740991.0)"
                         : info(dtype).size == 4 ? "return low"
                                                 : "return static_cast<unsigned long long>(high) << 32 | low";
    return fill_in(kernel_files::random::hash, {{"element", storage_type(dtype)},
                                                {"number", number},
                                                {"name", name},
                                                {"count", info(dtype).size == 4 ? "4" : "2"}});
}

}  // namespace

std::string random_fill_kernel(RandomKind kind, Distribution distribution, DType dtype) {
    const bool single = dtype == DType::Float32, real = single || dtype == DType::Float64;
    const std::string suffix = single ? "float" : "double";
    const bool word = dtype == DType::Int32 || dtype == DType::UInt32;
    switch (distribution) {
        case Distribution::Uniform:
            if (word) return "uniform_int";
            if (dtype == DType::Int64 || dtype == DType::UInt64)
                return RandomGenerators::is_64_bits(kind) ? "uniform_long" : "";
            return real ? "uniform_" + suffix : "";
        case Distribution::Normal:
            return real ? "normal_" + suffix : "";
        case Distribution::LogNormal:
            return real ? "normal_log_" + suffix : "";
        case Distribution::Poisson:
            return dtype == DType::UInt32 ? "poisson_int" : "";
        default:
            return dtype == DType::UInt32 ? "poisson_inplace_int" : real ? "poisson_inplace_" + suffix : "";
    }
}

std::shared_ptr<Module> RandomGenerators::compiled(RandomKind kind) {
    const auto loaded = Context::current()->attachment<RandomModules>();
    if (std::shared_ptr<Module> module = loaded->find(kind)) return module;
    CompileRequest request;  // without a name, so that the cache finds what pycuda.curandom compiled
    request.source = random_text(kind);
    request.no_extern_c = true;
    const CompileResult result = compile(request);
    return loaded->add(kind, Module::from_buffer(result.image.data(), result.image.size()));
}

RandomGenerators::RandomGenerators(RandomKind kind)
    : kind_(kind),
      module_(compiled(kind)),
      block_count_(static_cast<unsigned>(Context::get_device().get_attribute(DeviceAttribute::MULTIPROCESSOR_COUNT))),
      generators_per_block_(fewest_threads(*this)),
      states_(generators() * module_->get_global("pycuda_state").size) {}

template <class... Values>
void RandomGenerators::launch(const std::string& name, CUstream stream, const Values&... values) {
    // With a stream of the generators' context, the driver would launch there, but the data belong to the current
    // context.
    if (module_->context() != Context::current_or_null())
        throw LogicError("RandomGenerators", 0, "the context of the generators is not current on this thread");
    Arguments arguments;
    arguments.add(states_.pointer_for(stream));  // also records the graph of a capture
    (arguments.add(values), ...);
    LaunchConfig config;
    config.grid[0] = block_count_;
    config.block[0] = generators_per_block_;
    config.stream = stream;
    kernel(name).launch(config, arguments.data(), arguments.size());
}

void RandomGenerators::seed(DevicePtr seeds, std::uint64_t offset, CUstream stream) {
    if (!is_pseudo(kind_)) throw std::invalid_argument("quasi-random generators take direction vectors, not seeds");
    launch("prepare", stream, seeds, offset);
    started_ = true;
}

void RandomGenerators::set_directions(DevicePtr vectors, DevicePtr scramble, std::uint64_t offset, CUstream stream) {
    if (is_pseudo(kind_)) throw std::invalid_argument("pseudo-random generators take seeds, not direction vectors");
    if (is_scrambled(kind_) && scramble == 0)
        throw std::invalid_argument("scrambled generators also take scramble constants");
    launch("prepare", stream, vectors, scramble, offset);
    started_ = true;
}

bool RandomGenerators::supports(RandomKind kind, Distribution distribution, DType dtype) {
    return !random_fill_kernel(kind, distribution, dtype).empty();
}

void RandomGenerators::fill(Distribution distribution, DevicePtr data, DType dtype, std::uint64_t n, double first,
                            double second, CUstream stream) {
    std::string name = random_fill_kernel(kind_, distribution, dtype);
    if (name.empty())
        throw ArgumentTypeError(std::string(kind_names[static_cast<int>(kind_)]) + " has no " +
                                distribution_names[static_cast<int>(distribution)] + " numbers of type " +
                                name_of(dtype));
    if (!started_) throw LogicError("fill", 0, "the generators were given no seeds or direction vectors");
    if (n == 0) return;
    if (data % info(dtype).size != 0)
        throw std::invalid_argument(std::string("an array of ") + name_of(dtype) + " must be aligned to its elements");
    const bool normal = distribution == Distribution::Normal || distribution == Distribution::LogNormal;
    if (normal && has_box_muller() && n % 2 == 0 && data % (2u * info(dtype).size) == 0) {
        name += "2";
        n /= 2;
    }
    if (distribution == Distribution::Poisson) return launch(name, stream, data, n, first);
    if (distribution != Distribution::LogNormal) return launch(name, stream, data, n);
    if (dtype == DType::Float64) return launch(name, stream, data, n, first, second);
    launch(name, stream, data, n, static_cast<float>(first), static_cast<float>(second));
}

namespace {

std::string skip_name(RandomKind kind, Skip what) {
    const bool known = what == Skip::Ahead || (what == Skip::Sequence && RandomGenerators::is_pseudo(kind)) ||
                       (what == Skip::Subsequence && kind == RandomKind::MRG32k3a);
    if (!known) throw std::invalid_argument(std::string(kind_names[static_cast<int>(kind)]) + " cannot skip sequences");
    static constexpr const char* names[] = {"skip_ahead", "skip_ahead_sequence", "skip_ahead_subsequence"};
    return names[static_cast<int>(what)];
}

}  // namespace

void RandomGenerators::skip(Skip what, std::uint64_t count, CUstream stream) {
    const std::string name = skip_name(kind_, what);
    // Beyond that, cuRAND reads past the end of its table of powers.
    if (what == Skip::Subsequence && count >> 56)
        throw std::invalid_argument("fewer than 2^56 subsequences can be skipped, not " + std::to_string(count));
    if (is_pseudo(kind_) || is_64_bits(kind_)) return launch(name, stream, count);
    launch(name, stream, static_cast<std::uint32_t>(count));  // the sequence repeats after 2^32
}

void RandomGenerators::skip_each(Skip what, DevicePtr counts, CUstream stream) {
    launch(skip_name(kind_, what) + "_array", stream, counts);
}

const char* RandomGenerators::state_type() const noexcept {
    return random_state_type(kind_);
}

void random_fill(Kernels& kernels, const ArrayRef& out, std::uint64_t seed, CUstream stream) {
    const bool real = out.dtype == DType::Float32 || out.dtype == DType::Float64;
    if (out.dtype == DType::Opaque || !(real || (is_integer(out.dtype) && info(out.dtype).size >= 4)))
        throw ArgumentTypeError(std::string("random numbers are not available for type ") + name_of(out.dtype));
    if (!out.layout->is_dense()) throw std::invalid_argument("random numbers can only fill contiguous arrays");
    check_alignment(out);
    const auto n = static_cast<std::uint64_t>(out.layout->size());
    if (n == 0) return;
    const Kernel& kernel = kernels.get(KernelFields(Family::Random).field(out.dtype), [&] {
        KernelSource source;
        source.name = std::string("random_") + info(out.dtype).short_name;
        source.text = hash_text(out.dtype, source.name);
        return source;
    });
    Arguments arguments;
    arguments.add(out.address);
    arguments.add(seed);
    arguments.add(n);
    const std::uint64_t of_a_block = 128 * (16u / info(out.dtype).size);
    kernels.launch(kernel, (n + of_a_block - 1) / of_a_block, 128, arguments.data(), arguments.size(), stream);
}

}  // namespace pycuda::gpuarray
