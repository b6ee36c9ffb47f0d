#include "gpuarray/texts.hpp"

#include <optional>
#include <stdexcept>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/kernel_text.hpp"
#include "pycuda/gpuarray/random.hpp"

namespace pycuda::python::gpuarray {
namespace {

using namespace pycuda::gpuarray;

PyObject* text_object(const std::string& text) {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

RandomKind kind_of(long number) {
    if (number < 0 || number > static_cast<long>(RandomKind::ScrambledSobol64))
        throw std::invalid_argument("there is no kind " + std::to_string(number) + " of random generators");
    return static_cast<RandomKind>(number);
}

PyObject* truth_list(const std::vector<bool>& truths) {
    PyObject* const list = PyList_New(static_cast<Py_ssize_t>(truths.size()));
    for (std::size_t k = 0; list && k < truths.size(); ++k)
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(k), PyBool_FromLong(truths[k]));
    return list;
}

template <class Number>
PyObject* bytes_object(const std::vector<Number>& numbers) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(numbers.data()),
                                     static_cast<Py_ssize_t>(numbers.size() * sizeof(Number)));
}

}  // namespace

PyObject* elementwise_source(PyObject*, PyObject* args) {
    const char *parameters, *operation, *name, *preamble, *loop_prep, *after_loop, *bounds;
    int use_range;
    if (!PyArg_ParseTuple(args, "ssssssps:elementwise_source", &parameters, &operation, &name, &preamble, &loop_prep,
                          &after_loop, &use_range, &bounds))
        return nullptr;
    return guarded([&] {
        return text_object(elementwise_text(
            {parse_parameters(parameters), operation, name, preamble, loop_prep, after_loop, use_range != 0, bounds}));
    });
}

PyObject* vector_use(PyObject*, PyObject* args) {
    const char *parameters, *code, *preamble;
    if (!PyArg_ParseTuple(args, "sss:vector_use", &parameters, &code, &preamble)) return nullptr;
    return guarded([&]() -> PyObject* {
        const VectorUse use = pycuda::gpuarray::vector_use(parse_parameters(parameters), code, preamble);
        return Py_BuildValue("(NO)", truth_list(use.at_every_index), use.names_count ? Py_True : Py_False);
    });
}

PyObject* reduction_source(PyObject*, PyObject* args) {
    const char *parameters, *out_type, *neutral, *reduce_expr, *map_expr, *name, *preamble;
    unsigned block_size;
    int stage;
    if (!PyArg_ParseTuple(args, "issIsssss:reduction_source", &stage, &parameters, &out_type, &block_size, &neutral,
                          &reduce_expr, &map_expr, &name, &preamble))
        return nullptr;
    return guarded([&] {
        return text_object(reduction_text({parse_parameters(parameters), out_type, neutral, reduce_expr, map_expr, name,
                                           preamble, block_size, stage}));
    });
}

PyObject* reduction_geometry(PyObject*, PyObject* n) {
    const unsigned long long count = PyLong_AsUnsignedLongLong(n);
    if (PyErr_Occurred()) return nullptr;
    return guarded([&] {
        const ReductionGeometry geometry = pycuda::gpuarray::reduction_geometry(count);
        return Py_BuildValue("(II)", geometry.blocks, geometry.seq_count);
    });
}

PyObject* random_source(PyObject*, PyObject* kind) {
    const long number = PyLong_AsLong(kind);
    if (PyErr_Occurred()) return nullptr;
    return guarded([&]() -> PyObject* {
        const RandomKind chosen = kind_of(number);
        const std::vector<std::string> names = random_fill_kernels(chosen);
        const Ref list(PyList_New(0));
        for (const std::string& name : names) {
            const Ref text(list ? text_object(name) : nullptr);
            if (!text || PyList_Append(list.get(), text.get()) != 0) return nullptr;
        }
        return Py_BuildValue("(sOs)", random_text(chosen).c_str(), list.get(), random_state_type(chosen));
    });
}

PyObject* random_fill_kernel(PyObject*, PyObject* args) {
    long kind;
    int distribution, code;
    if (!PyArg_ParseTuple(args, "liC:random_fill_kernel", &kind, &distribution, &code)) return nullptr;
    return guarded([&] {
        if (distribution < 0 || distribution > static_cast<int>(Distribution::PoissonInPlace))
            throw std::invalid_argument("there is no distribution " + std::to_string(distribution));
        std::optional<DType> dtype;
        try {
            dtype = dtype_of_code(static_cast<char>(code));
        } catch (const std::invalid_argument&) {  // a type that arrays do not compute with
        }
        return text_object(
            dtype ? pycuda::gpuarray::random_fill_kernel(kind_of(kind), static_cast<Distribution>(distribution), *dtype)
                  : "");
    });
}

PyObject* curand_version(PyObject*, PyObject*) {
    return guarded([&] { return PyLong_FromLong(pycuda::gpuarray::curand_version()); });
}

PyObject* direction_vectors(PyObject*, PyObject* args) {
    int bits, scrambled;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "inp:direction_vectors", &bits, &count, &scrambled)) return nullptr;
    return guarded([&] {
        const auto n = static_cast<std::size_t>(count < 0 ? 0 : count);
        return bits == 32 ? bytes_object(direction_vectors32(n, scrambled != 0))
                          : bytes_object(direction_vectors64(n, scrambled != 0));
    });
}

PyObject* scramble_constants(PyObject*, PyObject* args) {
    int bits;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "in:scramble_constants", &bits, &count)) return nullptr;
    return guarded([&] {
        const auto n = static_cast<std::size_t>(count < 0 ? 0 : count);
        return bits == 32 ? bytes_object(scramble_constants32(n)) : bytes_object(scramble_constants64(n));
    });
}

}  // namespace pycuda::python::gpuarray
