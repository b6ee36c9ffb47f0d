#include "gpuarray/composed/routines.hpp"

#include <string>
#include <vector>

#include "gpuarray/device_types.hpp"
#include "gpuarray/text.hpp"

namespace pycuda::gpuarray {

KernelSource Routine::source(DType dtype) const {
    KernelSource source;
    source.name = std::string(name) + "_" + info(dtype).short_name;
    source.text =
        fill_in(preface, {{"header", header}, {"type", storage_type(dtype)}}) + fill_in(text, {{"name", source.name}});
    source.compute = source.result = dtype;
    return source;
}

void prepare(std::initializer_list<Routine> routines, DType dtype) {
    constexpr unsigned no_routine = 15;
    const Routine& first = *routines.begin();
    const auto key = KernelFields(first.family).field<4>(no_routine).field(dtype).field<4>(first.number);
    current_kernels()->prepare_once(key, [&] {
        std::vector<Kernels::Wanted> wanted;
        for (const Routine& each : routines)
            wanted.push_back({each.key(dtype), [each, dtype] { return each.source(dtype); }});
        return wanted;
    });
}

}  // namespace pycuda::gpuarray
