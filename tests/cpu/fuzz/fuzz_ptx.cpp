// libFuzzer harness of the PTX front end and of lowering: any text ends in an image or in a LoadError with its place,
// within a time limit and without a crash. Nothing is executed.
//
//     cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DPYCUDA_FUZZ=ON && ninja -C build/fuzz fuzz_ptx fuzz_exec
//     PTX_FILES_WRITE=<folder> build/release/tests/cpu/driver_tests --gtest_filter=PtxFile.*
//     build/fuzz/tests/cpu/fuzz_ptx -max_len=16384 <folder for findings> tests/cpu/fuzz/corpus <folder>
//
// Built by another compiler it reads the files that it is given (fuzz_files.cpp). exec/fuzz_corpus_test.cpp replays
// what was found, ptx/robustness_test.cpp runs random mutations of its own.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "exec/image.hpp"
#include "exec/running/memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cpu::exec::Memory memory;
    try {
        cpu::exec::Image::load({reinterpret_cast<const char*>(data), size}, memory);
    } catch (const cpu::exec::LoadError& error) {
        // Only a module's variables together can be too large: every other error names its line.
        if (error.line() < 1 && error.code() != CUDA_ERROR_OUT_OF_MEMORY) std::abort();
    }
    return 0;
}
