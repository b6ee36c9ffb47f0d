// Build step: NVRTC's PTX for a CUDA source, OUT.nvrtc.ptx, and the same for debugging, OUT.debug.ptx.
// compile_nvrtc IN.cu OUT INCLUDE_FOLDER
#include <pycuda/compiler/compiler.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        const std::filesystem::path path = argv[1];
        std::ostringstream source;
        source << std::ifstream(path).rdbuf();
        pycuda::CompileRequest request;
        request.source = source.str();
        request.name = path.filename();
        request.options = {"-std=c++17", "--device-int128"};
        request.include_dirs = {path.parent_path(), argv[3]};
        request.no_extern_c = true;
        request.arch = "compute_90";
        request.target = "ptx";
        request.use_cache = false;
        request.backend = "nvrtc";
        for (const char* kind : {"nvrtc", "debug"}) {
            if (kind == std::string("debug")) request.options.push_back("-G");
            const auto image = pycuda::compile(request).image;
            std::ofstream(argv[2] + std::string(".") + kind + ".ptx", std::ios::binary)
                .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
