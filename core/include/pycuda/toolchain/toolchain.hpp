#pragma once

#include <string>
#include <vector>

namespace pycuda {

/// Add a folder that may hold pip's nvidia-* packages (a site-packages folder, which holds nvidia/cu13/...). The
/// running interpreter's package calls this once; folders added first win. Thread-safe, idempotent.
void add_toolkit_search_root(const std::string& directory);

/// Add a folder that may hold single toolkit libraries, such as libnvrtc: one of a language's library path.
void add_toolkit_library_folder(const std::string& directory);

/// Set the folder of this library's device headers (pycuda-complex.hpp, ...); each language's loader knows where
/// it put them. PYCUDA_DEVICE_INCLUDE_DIR in the environment has precedence; the folder "device/include"
/// beside this shared object comes last.
void set_device_include_dir(const std::string& directory);
/// The folder in use; empty if none exists.
std::string device_include_dir();

/// One installed toolkit, or part of one. Fields of missing parts are empty.
struct Toolkit {
    std::string root;
    std::string found_by;  ///< "PATH", "CUDA_HOME", "pip", ...
    std::string nvcc;
    std::string nvrtc;  ///< libnvrtc's path
    std::vector<std::string> include_dirs;
    std::vector<std::string> library_dirs;
};

/// Every installed toolkit, best first: nvcc on PATH, CUDA_HOME, CUDA_PATH, CUDA_ROOT, the library folders, the search
/// roots, the active virtual and conda environments, what pip installed for the python3 on PATH or for the user, the
/// usual prefixes. With PYCUDA_TOOLKIT in the environment, only that one. Each
/// call searches the file system again.
std::vector<Toolkit> find_toolkits();

/// nvcc's full path: `nvcc` itself if it names a file, else found on PATH, then in the toolkits. Empty
/// if not found.
std::string find_nvcc(const std::string& nvcc = "nvcc");
/// libnvrtc's full path; empty if not found.
std::string find_nvrtc();
/// Full path of a static device library ("cudadevrt" -> .../libcudadevrt.a), looked for in `library_dir` (if not
/// empty), CUDA_ROOT, LD_LIBRARY_PATH, the toolkits and the system's folder. RuntimeError that lists those places if it
/// is not found.
std::string find_static_library(const std::string& name, const std::string& library_dir = {});

/// The places searched for compilers, one per line, and the advice: the text of "no compiler" errors.
std::string toolkit_search_report();

}  // namespace pycuda
