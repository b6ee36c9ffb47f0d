#include "kernel_calls.hpp"

#include <stdexcept>

#include "array_handle.hpp"
#include "pycuda/contexts/context.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/kernels.hpp"
#include "pycuda/gpuarray/own/geometry.hpp"
#include "pycuda/gpuarray/own/kernel_text.hpp"
#include "pycuda/gpuarray/random/random.hpp"

namespace pycuda_java {
namespace {

using namespace pycuda::gpuarray;

RandomGenerators& generators_at(std::uint64_t handle) {
    return *reinterpret_cast<RandomGenerators*>(handle);
}

/// An array as flat memory, for kernels that index it by [i].
ArrayRef flat(const Array& array, CUstream stream) {
    if (!array.layout().is_c_contiguous() && !array.layout().is_f_contiguous())
        throw std::invalid_argument("expected a contiguous array, given one with gaps between elements: copy it first");
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

/// The element type of direction vectors and scramble constants.
DType word_of(const RandomGenerators& generators) {
    return generators.generator_bits() == 64 ? DType::UInt64 : DType::UInt32;
}

}  // namespace

int kernel_dtype(const std::string& c_name) {
    const auto dtype = dtype_of_c_name(c_name);
    return dtype ? static_cast<int>(*dtype) : -1;
}

std::int64_t launch_geometry(jlong n, int multiprocessors, int warp_size) {
    const Geometry geometry =
        multiprocessors ? splay(n, static_cast<unsigned>(multiprocessors), static_cast<unsigned>(warp_size)) : splay(n);
    return std::int64_t{geometry.blocks} << 32 | geometry.threads;
}

bool has_context() {
    return pycuda::Context::current_handle_or_null() != nullptr;
}

std::uint64_t context_number() {
    return has_context() ? current().kernels->number() : 0;
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
