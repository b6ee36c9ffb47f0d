#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "captures/captures.hpp"
#include "driver/driver_table.hpp"
#include "platform/libraries.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/random/random.hpp"
#include "pycuda/threads/waiting.hpp"
#include "pycuda/toolchain/toolchain.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda::gpuarray {
namespace {

/// The functions of cuRAND's host library, declared here because curand.h may be missing when this is built.
struct Library {
    int (*get_version)(int*) = nullptr;
    int (*get_direction_vectors32)(std::uint32_t (**)[32], int) = nullptr;
    int (*get_direction_vectors64)(std::uint64_t (**)[64], int) = nullptr;
    int (*get_scramble_constants32)(std::uint32_t**) = nullptr;
    int (*get_scramble_constants64)(std::uint64_t**) = nullptr;
};

/// The number of dimensions in the library's tables.
constexpr std::size_t dimensions = 20000;

void check(int status, const char* name) {
    if (status != 0) throw RuntimeError(name, 0, "cuRAND returned status " + std::to_string(status));
}

Library open() {
    const std::string path = find_library("curand");
    void* library = path.empty() ? nullptr : load_library(path);
    if (!library) library = load_library(library_file("curand", 10));
    if (!library)
        throw RuntimeError("curand", 0, "the cuRAND library was not found in any CUDA toolkit. " + install_advice());
    Library functions;
    const auto find = [&]<class Function>(const char* name, Function& function) {
        function = reinterpret_cast<Function>(library_symbol(library, name));
        if (!function)
            throw RuntimeError("curand", 0, std::string("the cuRAND library does not have the function ") + name);
    };
    find("curandGetVersion", functions.get_version);
    find("curandGetDirectionVectors32", functions.get_direction_vectors32);
    find("curandGetDirectionVectors64", functions.get_direction_vectors64);
    find("curandGetScrambleConstants32", functions.get_scramble_constants32);
    find("curandGetScrambleConstants64", functions.get_scramble_constants64);
    return functions;
}

/// Loaded once and never unloaded; each call searches again until it is found.
const Library& library() {
    static auto* mutex = new std::mutex;
    static const Library* loaded = nullptr;
    const std::lock_guard lock(*mutex);
    if (!loaded) loaded = new Library(open());
    return *loaded;
}

/// Copy the first numbers of a table of rows of `words`, which repeats.
template <class T>
void copy_to(const Array& out, const T* table, std::size_t words, CUstream stream) {
    if (out.layout().itemsize() != sizeof(T) || !out.layout().is_c_contiguous())
        throw std::invalid_argument("cuRAND's tables are copied to contiguous arrays of uint32 or uint64");
    std::vector<T> numbers(static_cast<std::size_t>(out.layout().size()));
    for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = table[k % (dimensions * words)];
    if (numbers.empty()) return;
    if (any_capture_is_open())
        captures::require_none_of(stream, "copying a table", "make the generator before the capture");
    const DevicePtr to = out.ref(stream).address;
    const WaitScope unlocked;
    driver().cuMemcpyHtoDAsync(to, numbers.data(), numbers.size() * sizeof(T), stream);
    driver().cuStreamSynchronize(stream);
}

}  // namespace

int curand_version() {
    int version = 0;
    check(library().get_version(&version), "curandGetVersion");
    return version;
}

void direction_vectors_into(Array out, bool scrambled, CUstream stream) {
    if (out.dtype() == DType::UInt32) {
        std::uint32_t (*table)[32] = nullptr;
        check(library().get_direction_vectors32(&table, scrambled ? 102 : 101), "curandGetDirectionVectors32");
        return copy_to(out, &table[0][0], 32, stream);
    }
    std::uint64_t (*table)[64] = nullptr;
    check(library().get_direction_vectors64(&table, scrambled ? 104 : 103), "curandGetDirectionVectors64");
    copy_to(out, &table[0][0], 64, stream);
}

void scramble_constants_into(Array out, CUstream stream) {
    if (out.dtype() == DType::UInt32) {
        std::uint32_t* table = nullptr;
        check(library().get_scramble_constants32(&table), "curandGetScrambleConstants32");
        return copy_to(out, table, 1, stream);
    }
    std::uint64_t* table = nullptr;
    check(library().get_scramble_constants64(&table), "curandGetScrambleConstants64");
    copy_to(out, table, 1, stream);
}

}  // namespace pycuda::gpuarray
