#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pycuda/compiler/compiler.hpp"
#include "pycuda/constants.hpp"
#include "pycuda/module.hpp"

namespace pycuda {

/// Links device code in the context that was current at construction. Inputs are only kept until complete, which makes,
/// feeds and ends the driver's link (cuLinkCreate, cuLinkAddData, cuLinkComplete, cuLinkDestroy) on its own thread: the
/// driver's linker may not change threads. When an input is LTO-IR (JitInputType::NVVM, what compile makes as "ltoir"),
/// all are linked by nvJitLink instead, link-time optimised for the context's device. On the CPU device nvJitLink sees
/// the LTO-IR only, and keeps of it what kernels of it need: other code cannot call into it. Not thread-safe.
class Linker {
public:
    /// `options` as in Module::from_buffer; `verbose` asks the linker for its full log. LogicError without a context.
    explicit Linker(const std::vector<JitSetting>& options = {}, bool verbose = false);
    ~Linker();
    Linker(Linker&&) noexcept;
    Linker& operator=(Linker&&) noexcept;

    /// Add code from memory, which is copied; it is looked at by complete. `name` is what messages call it. LogicError
    /// after complete.
    void add_data(const void* image, std::size_t nbytes, JitInputType type, const std::string& name = "unknown");
    /// The same from a file. RuntimeError when it cannot be read.
    void add_file(const std::string& filename, JitInputType type);
    /// A static library of the toolkit by its short name ("cudadevrt"); see find_static_library.
    void add_library(const std::string& name, const std::string& library_dir = {});
    /// Link all and give what Module::from_buffer loads: a cubin, or PTX on the CPU device. Nothing can be added
    /// after. What the driver raises names the input and carries the linker's log; with LTO-IR what link_lto raises.
    Bytes complete();
    /// The linker's messages so far; also after a failure.
    const JitLog& log() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// True when nvJitLink is found beside a toolkit: then link_lto links LTO-IR ("-dlto" compiles), which cuLink no longer
/// does.
bool has_nvjitlink();

/// One input of link_lto. `kind`: "ltoir", "cubin", "ptx", "fatbin", "object" or "library".
struct LtoInput {
    Bytes image;
    std::string kind;
    std::string name;
};

/// Link with nvJitLink (loaded at run time) for `arch` ("sm_90"), link-time optimised, to a cubin, or to PTX when
/// "-ptx" is among its `options`. CompileError carries its log; RuntimeError when nvJitLink is not installed.
Bytes link_lto(const std::vector<LtoInput>& inputs, const std::string& arch,
               const std::vector<std::string>& options = {});

}  // namespace pycuda
