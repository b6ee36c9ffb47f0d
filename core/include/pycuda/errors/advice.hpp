#pragma once

#include <string>

namespace pycuda {

/// A language's advice on failures that beginners encounter. It is appended to their messages.
struct Advice {
    const char* not_initialized;
    const char* no_context;    ///< and none was created
    const char* push_context;  ///< contexts exist, but none is current on this thread
    const char* forked;        ///< in a child process whose parent initialised CUDA
    const char* install;       ///< how to install a toolkit if a part of it was not found; a whole sentence
    const char* no_extern_c;   ///< how to compile a source without extern "C"
    const char* include_dirs;  ///< how to name the folder of the program's headers
    const char* pip_install;   ///< the command that installs pip's packages; null in a language without one
};
/// Replace C++'s advice with a language's. The texts must be static. Set once, by the language module.
void set_advice(const Advice& advice) noexcept;

/// That of the language in use.
const Advice& advice() noexcept;
/// How to install a CUDA toolkit in the language in use.
std::string install_advice();

}  // namespace pycuda
