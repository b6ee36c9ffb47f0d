#include "modules/module_loading.hpp"

#include "buffers.hpp"
#include "enums.hpp"
#include "exceptions.hpp"
#include "lifetime.hpp"
#include "strings.hpp"

namespace pycuda::python {
namespace {

JitSetting setting_from_python(PyObject* item) {
    const Ref pair(PySequence_Tuple(item));
    if (!pair) throw PythonError{};
    if (PyTuple_GET_SIZE(pair.get()) != 2) {
        PyErr_Format(PyExc_TypeError, "options must be a list of (jit_option, value), given %R in it", item);
        throw PythonError{};
    }
    int option;
    unsigned value;
    if (!enum_from_python(PyTuple_GET_ITEM(pair.get(), 0), "jit_option", option) ||
        !integer_from_python(PyTuple_GET_ITEM(pair.get(), 1), value))
        throw PythonError{};
    return {static_cast<JitOption>(option), value};
}

void call_handler(PyObject* handler, const JitLog& log) {
    const Ref info(string_to_python(log.info)), error(string_to_python(log.error));
    if (!info || !error) throw PythonError{};
    const Ref result(
        PyObject_CallFunctionObjArgs(handler, log.success ? Py_True : Py_False, info.get(), error.get(), nullptr));
    if (!result) throw PythonError{};
}

/// load(settings, log), without the GIL. The handler gets the log, even if loading fails.
template <class Load>
auto load_with_log(PyObject* options, PyObject* message_handler, Load load) {
    const std::vector<JitSetting> settings = jit_settings_from_python(options);
    const bool handled = message_handler && message_handler != Py_None;
    JitLog log;
    decltype(load(settings, &log)) loaded;
    try {
        GilRelease released;
        loaded = load(settings, &log);
        released.end();
    } catch (const std::exception&) {
        if (handled) call_handler(message_handler, log);
        throw;
    }
    if (handled) call_handler(message_handler, log);
    return loaded;
}

/// The same for an image in memory: load(image, nbytes, settings, log).
template <class Load>
auto load_image(PyObject* image, PyObject* options, PyObject* message_handler, Load load) {
    Ref encoded;
    if (PyUnicode_Check(image)) {
        encoded.reset(PyUnicode_AsUTF8String(image));
        if (!encoded) throw PythonError{};
        image = encoded.get();
    }
    Py_buffer view;
    if (!take_source(image, view)) throw PythonError{};
    const std::unique_ptr<Py_buffer, decltype(&PyBuffer_Release)> release(&view, PyBuffer_Release);
    return load_with_log(options, message_handler, [&](const std::vector<JitSetting>& settings, JitLog* log) {
        return load(view.buf, static_cast<std::size_t>(view.len), settings, log);
    });
}

}  // namespace

std::vector<JitSetting> jit_settings_from_python(PyObject* options) {
    std::vector<JitSetting> settings;
    if (!options || options == Py_None) return settings;
    const Ref items(PySequence_Tuple(options));
    if (!items) throw PythonError{};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i)
        settings.push_back(setting_from_python(PyTuple_GET_ITEM(items.get(), i)));
    return settings;
}

std::shared_ptr<Module> load_module(PyObject* image, PyObject* options, PyObject* message_handler) {
    return load_image(image, options, message_handler, &Module::from_buffer);
}

std::shared_ptr<Library> load_library(PyObject* image, PyObject* options, PyObject* message_handler) {
    return load_image(image, options, message_handler, &Library::from_buffer);
}

std::shared_ptr<Library> load_library_file(const std::string& filename, PyObject* options, PyObject* message_handler) {
    return load_with_log(options, message_handler, [&](const std::vector<JitSetting>& settings, JitLog* log) {
        return Library::from_file(filename, settings, log);
    });
}

}  // namespace pycuda::python
