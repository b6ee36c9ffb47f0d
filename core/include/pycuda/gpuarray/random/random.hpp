#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pycuda/gpuarray/array.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda::gpuarray {

/// cuRAND's device generators.
enum class RandomKind : std::uint8_t { XORWOW, MRG32k3a, Philox, Sobol32, ScrambledSobol32, Sobol64, ScrambledSobol64 };

enum class Distribution : std::uint8_t {
    Uniform,        ///< floating types: (0, 1]; integers: all bits
    Normal,         ///< standard
    LogNormal,      ///< of a normal distribution's mean and standard deviation
    Poisson,        ///< of a mean
    PoissonInPlace  ///< of the mean that the element held
};

/// The unit of skip: numbers, sequences (2^67 numbers of XORWOW), MRG32k3a's subsequences.
enum class Skip : std::uint8_t { Ahead, Sequence, Subsequence };

/// The source of all kernels of one kind: those that fill memory (states, data, n[, parameters]), "prepare" (states,
/// seeds, offset; quasi-random: states, vectors, constants, offset), "skip_ahead" (states, count), "skip_ahead_array"
/// (states, counts) and their variants. Each launch has exactly as many threads as there are states. The size of the
/// variable pycuda_state is that of a state. Compile it with CompileRequest::no_extern_c.
std::string random_text(RandomKind kind);
/// Names of the kernels that fill memory ("uniform_float", "normal_log_double2"...).
std::vector<std::string> random_fill_kernels(RandomKind kind);
/// The one of them that fills elements of `dtype`; empty if there is none.
std::string random_fill_kernel(RandomKind kind, Distribution distribution, DType dtype);
/// C name of a generator's state.
const char* random_state_type(RandomKind kind);

/// Many generators of one kind, whose states lie on the device; belongs to the context that was current at its
/// creation, which must be current in every call. Filling is asynchronous: successive calls continue the sequence, in
/// the order of their streams. Not thread-safe. Element i of a fill comes from generator i modulo generators(), so
/// equal numbers of generators give equal numbers on every device.
class RandomGenerators {
public:
    /// Compile the kernels over curand_kernel.h, which a toolkit must have (CompileError). The states are undefined
    /// until seed or set_directions.
    explicit RandomGenerators(RandomKind kind);

    /// Start pseudo-random generators (XORWOW, MRG32k3a, Philox): `seeds` is the address of generators() int32;
    /// generator k gets its seed and subsequence k, and skips `offset` numbers. std::invalid_argument for other kinds.
    void seed(DevicePtr seeds, std::uint64_t offset, CUstream stream = nullptr);
    /// Start quasi-random generators: `vectors` is the address of 32 uint32, or 64 uint64, per generator; `scramble`,
    /// for scrambled kinds, of one such number per generator. std::invalid_argument for other kinds.
    void set_directions(DevicePtr vectors, DevicePtr scramble, std::uint64_t offset, CUstream stream = nullptr);

    /// Whether `fill` takes elements of this type.
    static bool supports(RandomKind kind, Distribution distribution, DType dtype);
    /// Fill n elements at `data`. `first` is LogNormal's mean or Poisson's, `second` LogNormal's standard deviation.
    /// ArgumentTypeError for a type that supports() rejects; LogicError before seed or set_directions.
    void fill(Distribution distribution, DevicePtr data, DType dtype, std::uint64_t n, double first, double second,
              CUstream stream);
    /// Every generator skips `count` numbers or sequences. std::invalid_argument if the kind has no such skip.
    void skip(Skip what, std::uint64_t count, CUstream stream);
    /// The same, with a count for each generator at `counts`: uint32 for 32-bit Sobol, else uint64.
    void skip_each(Skip what, DevicePtr counts, CUstream stream);

    RandomKind kind() const noexcept { return kind_; }
    unsigned block_count() const noexcept { return block_count_; }                    ///< multiprocessors
    unsigned generators_per_block() const noexcept { return generators_per_block_; }  ///< threads per block
    std::uint64_t generators() const noexcept { return std::uint64_t{block_count_} * generators_per_block_; }
    int generator_bits() const noexcept { return is_64_bits(kind_) ? 64 : 32; }
    /// Whether normal numbers come in pairs: then arrays of an even size are filled by pairs.
    bool has_box_muller() const noexcept { return is_pseudo(kind_); }
    const char* state_type() const noexcept;
    DevicePtr state() const { return states_.pointer(); }
    const std::shared_ptr<Module>& module() const noexcept { return module_; }
    Function kernel(const std::string& name) const { return module_->get_function(name); }

    static bool is_pseudo(RandomKind kind) noexcept { return kind <= RandomKind::Philox; }
    static bool is_64_bits(RandomKind kind) noexcept { return kind >= RandomKind::Sobol64; }
    static bool is_scrambled(RandomKind kind) noexcept {
        return kind == RandomKind::ScrambledSobol32 || kind == RandomKind::ScrambledSobol64;
    }

private:
    static std::shared_ptr<Module> compiled(RandomKind kind);
    template <class... Arguments>
    void launch(const std::string& kernel, CUstream stream, const Arguments&... arguments);

    RandomKind kind_;
    std::shared_ptr<Module> module_;
    unsigned block_count_, generators_per_block_;
    DeviceAllocation states_;
    bool started_ = false;
};

/// Fill `out` (contiguous; float32, float64 in [0, 1], or a 32- or 64-bit integer type with all bits random) with
/// numbers that depend only on `seed` and their index, so they are the same on every device. ArgumentTypeError for
/// other types.
void random_fill(Kernels& kernels, const ArrayRef& out, std::uint64_t seed, CUstream stream);

// cuRAND's host library, loaded when first needed. RuntimeError if it is not installed (install_advice),
// or if it reports an error, which is named.

/// Its version as it reports it: 10400 is 10.4.0.
int curand_version();
/// Fill `out`, new and uint32 of shape (count, 32) or uint64 of shape (count, 64), with direction vectors; beyond
/// 20,000 they repeat. Waits for the stream.
void direction_vectors_into(Array out, bool scrambled, CUstream stream);
/// Fill `out`, new and uint32 or uint64, with the first constants of scrambled generators. Waits for the stream.
void scramble_constants_into(Array out, CUstream stream);

}  // namespace pycuda::gpuarray
