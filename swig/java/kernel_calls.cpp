#include "kernel_calls.hpp"

#include <span>
#include <stdexcept>

#include "array_handle.hpp"
#include "pycuda/context.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/geometry.hpp"
#include "pycuda/gpuarray/kernel_text.hpp"
#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/random.hpp"
#include "pycuda/gpuarray/scan.hpp"
#include "pycuda/memcpy.hpp"

namespace pycuda_java {
namespace {

using namespace pycuda::gpuarray;

RandomGenerators& generators_at(std::uint64_t handle) {
    return *reinterpret_cast<RandomGenerators*>(handle);
}

template <class Number>
ArrayHandle give_numbers(const std::vector<Number>& numbers, std::span<const std::int64_t> shape) {
    Array array =
        Array::empty(sizeof(Number) == 4 ? DType::UInt32 : DType::UInt64, Layout(shape, sizeof(Number)), nullptr);
    if (!numbers.empty())
        pycuda::memcpy_htod(array.ref(nullptr).address, numbers.data(), numbers.size() * sizeof(Number));
    return give(std::move(array));
}

std::size_t natural(jlong count) {
    if (count < 0) throw std::invalid_argument("a count must not be negative");
    return static_cast<std::size_t>(count);
}

/// An array as flat memory, as kernels that index it by [i] see it.
ArrayRef flat(const Array& array, CUstream stream) {
    if (!array.layout().is_c_contiguous() && !array.layout().is_f_contiguous())
        throw std::invalid_argument("this needs a contiguous array; copy it first");
    return array.ref(stream);
}

/// The address of the generators' numbers, `each` for one generator; the array may hold more.
pycuda::DevicePtr numbers_for(const RandomGenerators& generators, const Array& given, DType dtype, std::uint64_t each,
                              const char* what, CUstream stream) {
    const std::uint64_t needed = generators.generators() * each;
    if (given.dtype() != dtype || static_cast<std::uint64_t>(given.layout().size()) < needed)
        throw std::invalid_argument("expected at least " + std::to_string(needed) + " " + name_of(dtype) + " as " +
                                    what + ", " + std::to_string(each) + " for each generator, but the array has " +
                                    std::to_string(given.layout().size()) + " of " + name_of(given.dtype()));
    return flat(given, stream).address;
}

/// Of direction vectors and scramble constants.
DType word_of(const RandomGenerators& generators) {
    return generators.generator_bits() == 64 ? DType::UInt64 : DType::UInt32;
}

}  // namespace

std::vector<std::string> kernel_parameters(const std::string& list) {
    std::vector<std::string> flat;
    for (const KernelParameterText& parameter : parse_parameters(list))
        flat.insert(flat.end(), {parameter.type, parameter.name, parameter.is_vector ? "*" : ""});
    return flat;
}

int kernel_dtype(const std::string& c_name) {
    const auto dtype = dtype_of_c_name(c_name);
    return dtype ? static_cast<int>(*dtype) : -1;
}

std::string elementwise_source(const std::string& parameters, const std::string& operation, const std::string& name,
                               const std::string& preamble, const std::string& loop_prep, const std::string& after_loop,
                               bool use_range) {
    return elementwise_text(
        {parse_parameters(parameters), operation, name, preamble, loop_prep, after_loop, use_range, {}});
}

std::int64_t launch_geometry(jlong n, int multiprocessors, int warp_size) {
    const Geometry geometry =
        multiprocessors ? splay(n, static_cast<unsigned>(multiprocessors), static_cast<unsigned>(warp_size)) : splay(n);
    return std::int64_t{geometry.blocks} << 32 | geometry.threads;
}

std::vector<jlong> vector_use(const std::string& parameters, const std::string& code, const std::string& preamble) {
    const VectorUse use = pycuda::gpuarray::vector_use(parse_parameters(parameters), code, preamble);
    std::vector<jlong> flat{use.names_count};
    flat.insert(flat.end(), use.at_every_index.begin(), use.at_every_index.end());
    return flat;
}

std::string reduction_source(int stage, const std::string& parameters, const std::string& out_type,
                             const std::string& neutral, const std::string& reduce_expr, const std::string& map_expr,
                             const std::string& name, const std::string& preamble) {
    ReductionText text{parse_parameters(parameters), out_type, neutral, reduce_expr, map_expr, name, preamble};
    text.stage = stage;
    return reduction_text(text);
}

bool has_context() {
    return pycuda::Context::current_handle_or_null() != nullptr;
}

std::uint64_t context_number() {
    return has_context() ? current().kernels->number() : 0;
}

std::vector<jlong> reduction_launch(jlong n) {
    const ReductionGeometry geometry = reduction_geometry(static_cast<std::uint64_t>(n));
    return {geometry.blocks, geometry.seq_count, ReductionText{}.block_size};
}

std::vector<std::string> scan_source(const std::string& type, jlong itemsize, const std::string& expression,
                                     const std::string& neutral, const std::string& name, const std::string& preamble,
                                     const std::string& parameters, const std::string& input, const std::string& output,
                                     const std::string& segment_start, bool find_last) {
    const ScanText text{
        name,   type,         static_cast<std::size_t>(itemsize), expression, neutral, preamble, parameters, input,
        output, segment_start};
    const ScanKernelSource source(find_last ? text.finding_last() : text);
    return {source.text(), source.name()};
}

std::vector<jlong> scan_launch(const std::string& type, jlong itemsize, const std::string& expression,
                               const std::string& segment_start, jlong n) {
    ScanText text;
    text.type = type;
    text.itemsize = static_cast<std::size_t>(itemsize);
    text.expression = expression;
    text.segment_start = segment_start;
    const ScanKernelSource source(text);
    const std::uint64_t blocks = source.blocks(static_cast<std::uint64_t>(n));
    return {static_cast<jlong>(blocks), source.threads(), static_cast<jlong>(source.scratch_bytes(blocks))};
}

void array_random(ArrayHandle out, std::uint64_t seed, std::uint64_t stream) {
    random_fill(*Kernels::current(), flat(at(out), stream_of(stream)), seed, stream_of(stream));
}

std::uint64_t random_make(int kind) {
    return reinterpret_cast<std::uint64_t>(new RandomGenerators(static_cast<RandomKind>(kind)));
}

void random_seed(std::uint64_t generators, ArrayHandle seeds, std::uint64_t offset, std::uint64_t stream) {
    RandomGenerators& made = generators_at(generators);
    const CUstream queue = stream_of(stream);
    made.seed(numbers_for(made, at(seeds), DType::Int32, 1, "seeds", queue), offset, queue);
}

void random_directions(std::uint64_t generators, ArrayHandle vectors, ArrayHandle scramble, std::uint64_t offset,
                       std::uint64_t stream) {
    RandomGenerators& made = generators_at(generators);
    const CUstream queue = stream_of(stream);
    const DType word = word_of(made);
    const auto bits = static_cast<std::uint64_t>(made.generator_bits());
    const auto directions = numbers_for(made, at(vectors), word, bits, "direction vectors", queue);
    const auto constants = scramble ? numbers_for(made, at(scramble), word, 1, "scramble constants", queue) : 0;
    made.set_directions(directions, constants, offset, queue);
}

ArrayHandle random_direction_vectors(int bits, jlong count, bool scrambled) {
    const std::int64_t shape[] = {count, bits};
    return bits == 32 ? give_numbers(direction_vectors32(natural(count), scrambled), shape)
                      : give_numbers(direction_vectors64(natural(count), scrambled), shape);
}

ArrayHandle random_scramble_constants(int bits, jlong count) {
    const std::int64_t shape[] = {count};
    return bits == 32 ? give_numbers(scramble_constants32(natural(count)), shape)
                      : give_numbers(scramble_constants64(natural(count)), shape);
}

int curand_library_version() {
    return curand_version();
}

void random_delete(std::uint64_t generators) {
    delete reinterpret_cast<RandomGenerators*>(generators);
}

std::vector<jlong> random_form(std::uint64_t generators) {
    const RandomGenerators& made = generators_at(generators);
    return {made.block_count(), made.generators_per_block(), made.generator_bits()};
}

std::uint64_t random_state(std::uint64_t generators) {
    return generators_at(generators).state();
}

std::string random_state_type(std::uint64_t generators) {
    return generators_at(generators).state_type();
}

void random_fill_array(std::uint64_t generators, int distribution, ArrayHandle out, double first, double second,
                       std::uint64_t stream) {
    const Array& array = at(out);
    const ArrayRef ref = flat(array, stream_of(stream));
    generators_at(generators)
        .fill(static_cast<Distribution>(distribution), ref.address, array.dtype(),
              static_cast<std::uint64_t>(array.layout().size()), first, second, stream_of(stream));
}

void random_skip(std::uint64_t generators, int what, jlong count, std::uint64_t stream) {
    generators_at(generators).skip(static_cast<Skip>(what), static_cast<std::uint64_t>(count), stream_of(stream));
}

void random_skip_each(std::uint64_t generators, int what, ArrayHandle counts, std::uint64_t stream) {
    RandomGenerators& made = generators_at(generators);
    const CUstream queue = stream_of(stream);
    const DType count = RandomGenerators::is_pseudo(made.kind()) ? DType::UInt64 : word_of(made);
    made.skip_each(static_cast<Skip>(what), numbers_for(made, at(counts), count, 1, "counts", queue), queue);
}

}  // namespace pycuda_java
