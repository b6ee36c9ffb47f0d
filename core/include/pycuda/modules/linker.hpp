#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pycuda/compiler/compiler.hpp"
#include "pycuda/constants/constants.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda {

/// Links device code in the context that was current at construction. Inputs are stored until complete, which creates,
/// feeds and destroys the driver's linker (cuLinkCreate, cuLinkAddData, cuLinkComplete, cuLinkDestroy)
/// on one thread, as the driver requires. If an input is LTO-IR (JitInputType::NVVM, which compile
/// creates as "ltoir"), nvJitLink links all of them instead, optimised for the context's device. On the CPU
/// device nvJitLink links only the LTO-IR, and keeps what its kernels need: other code cannot call into it. Not
/// thread-safe.
class Linker {
public:
    /// `options` as in Module::from_buffer; `verbose` asks the linker for its full log. LogicError without a context.
    explicit Linker(const std::vector<JitSetting>& options = {}, bool verbose = false);
    ~Linker();
    Linker(Linker&&) noexcept;
    Linker& operator=(Linker&&) noexcept;

    /// Add code from memory, which is copied; complete parses it. Messages call it `name`. LogicError
    /// after complete.
    void add_data(const void* image, std::size_t nbytes, JitInputType type, const std::string& name = "unknown");
    /// The same from a file. RuntimeError if it cannot be read.
    void add_file(const std::string& filename, JitInputType type);
    /// A static library of the toolkit by its short name ("cudadevrt"); see find_static_library.
    void add_library(const std::string& name, const std::string& library_dir = {});
    /// Link all inputs. Return what Module::from_buffer loads: a cubin, or PTX on the CPU device. Nothing can be
    /// added afterwards. The driver's exceptions name the input and have the linker's log; with LTO-IR, link_lto's are
    /// thrown.
    Bytes complete();
    /// The linker's messages so far; also after a failure.
    const JitLog& log() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// True if nvJitLink is found beside a toolkit. link_lto then links LTO-IR (compiled with "-dlto"), which cuLink no
/// longer does.
bool has_nvjitlink();

/// One input of link_lto. `kind`: "ltoir", "cubin", "ptx", "fatbin", "object" or "library".
struct LtoInput {
    Bytes image;
    std::string kind;
    std::string name;
};

/// Link with nvJitLink (loaded at run time) for `arch` ("sm_90"), link-time optimised, to a cubin, or to PTX if
/// `options` contain "-ptx". CompileError has its log; RuntimeError if nvJitLink is not installed.
Bytes link_lto(const std::vector<LtoInput>& inputs, const std::string& arch,
               const std::vector<std::string>& options = {});

}  // namespace pycuda
