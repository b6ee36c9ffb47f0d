// Without libFuzzer: runs a harness on the given files, so that a finding can be examined with any
// compiler.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** names) {
    for (int i = 1; i < count; ++i) {
        std::fprintf(stderr, "%s\n", names[i]);
        std::ifstream file(names[i], std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    }
    return 0;
}
