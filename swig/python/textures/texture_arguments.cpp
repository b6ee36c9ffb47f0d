#include "textures/texture_arguments.hpp"

#include "exceptions.hpp"

namespace pycuda::python {

Ref read_texture_references(const Function& function, PyObject* texrefs) {
    if (texrefs == Py_None) return nullptr;
    Ref references(PySequence_Tuple(texrefs));
    if (!references) throw PythonError{};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(references.get()); ++i) {
        PyObject* const item = PyTuple_GET_ITEM(references.get(), i);
        const TextureReference* const reference = texture_reference_in(item);
        if (!reference) {
            PyErr_Format(PyExc_TypeError, "texrefs[%zd]: expected TextureReference, not %s", i, Py_TYPE(item)->tp_name);
            throw PythonError{};
        }
        reference->check_module(*function.module());
    }
    return references;
}

void check_bound(PyObject* references) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(references); ++i)
        texture_reference_in(PyTuple_GET_ITEM(references, i))->check_bound();
}

bool color_from_python(PyObject* sequence, std::array<float, 4>& color) {
    const Ref values(PySequence_Tuple(sequence));
    if (!values) return false;
    if (PyTuple_GET_SIZE(values.get()) != 4) {
        PyErr_Format(PyExc_ValueError, "a border color must have 4 components, given %R", sequence);
        return false;
    }
    for (Py_ssize_t i = 0; i < 4; ++i) {
        const double value = PyFloat_AsDouble(PyTuple_GET_ITEM(values.get(), i));
        if (value == -1.0 && PyErr_Occurred()) return false;
        color[static_cast<std::size_t>(i)] = static_cast<float>(value);
    }
    return true;
}

}  // namespace pycuda::python
