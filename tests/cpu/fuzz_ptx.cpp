// libFuzzer harness of the PTX front end: any text ends in a module or in a SyntaxError, in time and without a crash.
//
//     cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DPYCUDA_FUZZ=ON && ninja -C build/fuzz fuzz_ptx
//     build/fuzz/tests/cpu/fuzz_ptx -max_len=4096 <folder with seeds> tests/cpu/ptx
//
// Without libFuzzer the same entry reads the files that it is given, so that a finding can be looked at with any
// compiler. ptx_robustness_test.cpp runs random mutations of its own in every test run.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ptx/error.hpp"
#include "ptx/program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        cpu::ptx::parse({reinterpret_cast<const char*>(data), size});
    } catch (const cpu::ptx::SyntaxError&) {
    }
    return 0;
}

#ifdef PTX_FUZZ_FILES
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** names) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(names[i], std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    return 0;
}
#endif
