#pragma once

#include <Python.h>

#include <string>
#include <vector>

namespace pycuda::python {

/// The texts of any sequence of str (or os.PathLike). A single str is rejected, because it would be split into
/// characters. PythonError on failure.
std::vector<std::string> strings_from_python(PyObject* sequence);

/// A str or os.PathLike as UTF-8, undecodable bytes of file names kept. PythonError on failure.
std::string string_from_python(PyObject* text);

/// A list of str. New reference, null on failure.
PyObject* strings_to_python(const std::vector<std::string>& strings);
PyObject* string_to_python(const std::string& text);

}  // namespace pycuda::python
