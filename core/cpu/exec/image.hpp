#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "exec/limits.hpp"

namespace cpu::exec {

class Memory;

/// A module that cannot be loaded: the reason, and the line of the PTX text (0: unknown).
class LoadError : public std::runtime_error {
public:
    LoadError(CUresult code, int line, const std::string& message)
        : std::runtime_error(message), code_(code), line_(line) {}
    CUresult code() const noexcept { return code_; }
    int line() const noexcept { return line_; }

private:
    CUresult code_;
    int line_;
};

/// Worded like ptxas.
LoadError too_much(const std::string& who, const std::string& of_what, std::uint64_t bytes, std::uint64_t max);

struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    std::uint32_t alignment = 1;
};

/// A kernel's attributes that the driver can query.
struct KernelInfo {
    std::string name;
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared_bytes = 0;
    std::uint32_t local_bytes = 0;                          ///< per thread
    std::uint32_t registers = 0;                            ///< 32-bit registers per thread, after slot allocation
    std::uint32_t max_threads = limits::threads_per_block;  ///< from .maxntid/.reqntid
    std::uint32_t required_block[3] = {0, 0, 0};            ///< .reqntid, 0: none
    std::uint32_t required_cluster[3] = {0, 0, 0};          ///< .reqnctapercluster, 0: none
    std::uint32_t max_clustered = 0;                        ///< .maxclusterrank, 0: not given
    /// .explicitcluster: a launch must give the size, unless required_cluster does.
    bool needs_cluster = false;
    /// Textures and surfaces that its code names, as indices into Image::references().
    std::vector<std::uint32_t> references;
    bool uses_heap = false;    ///< its code calls malloc or free
    bool uses_printf = false;  ///< its code calls vprintf or __assertfail, which need printf's buffer
    int ptx_version = 0;       ///< as CU_FUNC_ATTRIBUTE_PTX_VERSION: major*10+minor of the target
};

struct GlobalVariable {
    std::string name;
    std::uintptr_t address = 0;
    std::size_t size = 0;
    bool constant = false;
    bool managed = false;  ///< .attribute(.managed)
};

/// A `.texref` or `.surfref` variable: a name that the driver binds to a texture or surface.
struct Reference {
    std::string name;
    bool surface = false;
    /// An array of references, which the driver does not find by name, so nothing can be bound to it.
    bool array = false;
};

/// The lowered code of one kernel; opaque outside exec.
class Kernel;

/// A loaded module: its code, and its global and constant variables. The variables live as long as the image, and are
/// registered with the memory given at load for that time.
class Image {
public:
    struct Options {
        bool line_info = true;
    };
    /// Parses, verifies and lowers PTX text (a trailing NUL is tolerated). Throws LoadError.
    static std::shared_ptr<const Image> load(std::string_view ptx, Memory& memory, const Options& options);
    static std::shared_ptr<const Image> load(std::string_view ptx, Memory& memory) {
        return load(ptx, memory, Options{});
    }

    virtual ~Image() = default;
    virtual const Kernel* kernel(std::string_view name) const = 0;  ///< nullptr: no such entry
    virtual std::vector<const Kernel*> kernels() const = 0;         ///< in the order of the text
    virtual const GlobalVariable* global(std::string_view name) const = 0;
    virtual std::span<const GlobalVariable> globals() const = 0;
    virtual std::span<const Reference> references() const = 0;
};

const KernelInfo& info(const Kernel& kernel);

}  // namespace cpu::exec
