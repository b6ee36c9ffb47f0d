// Sources of kernels, and their launches, for the Python modules that compile them.
%{
#include "gpuarray/form.hpp"
#include "pycuda/gpuarray/random/random.hpp"
#include "pycuda/gpuarray/own/source_calls.hpp"
%}
%typemap(out) std::vector<std::int64_t> {
    $result = pycuda::python::gpuarray::to_tuple(static_cast<const std::vector<std::int64_t>&>($1));
}
%include "pycuda/gpuarray/own/source_calls.hpp"
%inline %{
namespace pycuda::gpuarray {
int curand_version();
/// The text of the kernels of a RandomKind, followed by the names of those that fill memory.
std::vector<std::string> random_sources(int kind) {
    if (kind < 0 || kind > static_cast<int>(RandomKind::ScrambledSobol64))
        throw std::invalid_argument("there is no kind " + std::to_string(kind) + " of random generators");
    std::vector<std::string> texts = random_fill_kernels(static_cast<RandomKind>(kind));
    texts.insert(texts.begin(), random_text(static_cast<RandomKind>(kind)));
    return texts;
}
/// The one that fills elements of NumPy's type code; empty if there is none.
std::string random_fill_kernel(int kind, int distribution, const std::string& code) {
    try {
        return random_fill_kernel(static_cast<RandomKind>(kind), static_cast<Distribution>(distribution), dtype_of_code(code.at(0)));
    } catch (const std::invalid_argument&) {
        return "";  // a type that arrays do not compute with
    }
}
}  // namespace pycuda::gpuarray
%}
