#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "pycuda/modules/library.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda::python {

/// [(jit_option, value)] as settings. PythonError on failure.
std::vector<JitSetting> jit_settings_from_python(PyObject* options);

/// Module::from_buffer, without the GIL. `image`: any buffer, or a str of PTX. `message_handler`, unless None, is
/// called with (success, info text, error text), even if loading fails.
std::shared_ptr<Module> load_module(PyObject* image, PyObject* options, PyObject* message_handler);
/// The same: Library::from_buffer and Library::from_file.
std::shared_ptr<Library> load_library(PyObject* image, PyObject* options, PyObject* message_handler);
std::shared_ptr<Library> load_library_file(const std::string& filename, PyObject* options, PyObject* message_handler);

}  // namespace pycuda::python
