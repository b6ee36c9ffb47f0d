#include "launching/function_call.hpp"

#include <cuda.h>

#include <optional>
#include <string>

#include "exceptions.hpp"
#include "function_docs.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "launching/argument_handlers.hpp"
#include "launching/arguments.hpp"
#include "launching/call_options.hpp"
#include "launching/geometry.hpp"
#include "launching/prepared_call.hpp"
#include "lifetime.hpp"
#include "pycuda/errors/error.hpp"
#include "slot.hpp"
#include "textures/texture_arguments.hpp"

namespace pycuda::python {
namespace {

bool wants_time(const CallOptions& options, const LaunchConfig& config) {
    if (!options[TimeKernel]) return false;
    const bool wants = read_flag(options[TimeKernel]);
    if (wants) Function::require_timed_stream(config.stream);
    return wants;
}

/// Launches with the packed arguments. Returns None, or the time in seconds.
PyObject* launch(const Function& function, const LaunchConfig& config, const ArgumentBlock& block, std::size_t nbytes,
                 bool timed) {
    if (!timed) {
        call_that_may_wait([&] { function.launch(config, block.data(), nbytes); });
        Py_RETURN_NONE;
    }
    double seconds;
    {
        GilRelease released;
        seconds = function.launch_timed(config, block.data(), nbytes);
        released.end();
    }
    return PyFloat_FromDouble(seconds);
}

void synchronize_context() {
    GilRelease released;
    Context::synchronize();
    released.end();
}

/// A launch with ArgumentHandlers, which copy data or run their own code before and after it.
PyObject* launch_with_handlers(const Function& function, PyObject* const* args, Py_ssize_t count,
                               const CallOptions& options) {
    OptionalAttributes attributes;
    const LaunchConfig config = read_config(options, attributes);
    const bool timed = wants_time(options, config);
    HandledArguments handled(args, count, options[StreamArgument] ? options[StreamArgument] : Py_None);
    handled.before_launch(function.module()->context());
    Ref result;
    {
        ArgumentBlock block;
        ArgumentPacker packer(block.data(), function.layout());
        for (Py_ssize_t i = 0; i < count; ++i)
            if (handled.is_handler(i))
                append_pointer(packer, handled.pointer(i), Py_TYPE(args[i])->tp_name);
            else
                append_argument(packer, function.layout(), args[i], block.owners(), config.stream);
        result.reset(launch(function, config, block, packer.finish(), timed));
    }
    if (!result) throw PythonError{};
    if (!config.stream && !timed && handled.want_work_done()) synchronize_context();
    handled.after_launch();
    return result.release();
}

PyObject* launch_direct(const Function& function, PyObject* const* args, Py_ssize_t count, const CallOptions& options) {
    OptionalAttributes attributes;
    const LaunchConfig config = read_config(options, attributes);
    ArgumentBlock block;
    ArgumentPacker packer(block.data(), function.layout());
    for (Py_ssize_t i = 0; i < count; ++i)
        append_argument(packer, function.layout(), args[i], block.owners(), config.stream);
    return launch(function, config, block, packer.finish(), wants_time(options, config));
}

bool has_handler(PyObject* const* args, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i)
        if (is_argument_handler(args[i])) return true;
    return false;
}

// ---- methods

/// _pack(*args): the parameter block as bytes.
PyObject* pack(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    try {
        const Function& function = function_of(self);
        ArgumentBlock block;
        ArgumentPacker packer(block.data(), function.layout());
        for (Py_ssize_t i = 0; i < count; ++i)
            append_argument(packer, function.layout(), args[i], block.owners(), nullptr);
        const std::size_t nbytes = packer.finish();
        return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(block.data()), static_cast<Py_ssize_t>(nbytes));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

/// _launch_packed(grid, block, shared, stream, parameters): launches with a parameter block that the caller filled.
PyObject* launch_packed(PyObject* self, PyObject* const* args, Py_ssize_t count) {
    if (count != 5) {
        PyErr_SetString(PyExc_TypeError, "_launch_packed(grid, block, shared, stream, parameters)");
        return nullptr;
    }
    Py_buffer view;
    if (PyObject_GetBuffer(args[4], &view, PyBUF_SIMPLE) < 0) return nullptr;
    bool failed = false;
    try {
        LaunchConfig config;
        read_extents(args[0], "grid", config.grid);
        read_extents(args[1], "block", config.block);
        config.shared_bytes = read_shared_bytes(args[2]);
        config.stream = stream_handle_of(args[3]);
        const Function& function = function_of(self);
        call_that_may_wait([&] { function.launch(config, view.buf, static_cast<std::size_t>(view.len)); });
    } catch (...) {
        translate_exception();
        failed = true;
    }
    PyBuffer_Release(&view);
    if (failed) return nullptr;
    Py_RETURN_NONE;
}

PyObject* call_by_name(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    return call_function(self, args, static_cast<std::size_t>(count), kwnames);
}

PyMethodDef call_method = {"__call__", method(call_by_name), METH_FASTCALL | METH_KEYWORDS, call_doc};

}  // namespace

PyObject* call_function(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* kwnames) {
    const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    try {
        const Function& function = function_of(self);
        const CallOptions options = read_options(args + count, kwnames);
        if (options[Texrefs])
            if (const Ref references = read_texture_references(function, options[Texrefs]))
                check_bound(references.get());
        return has_handler(args, count) ? launch_with_handlers(function, args, count, options)
                                        : launch_direct(function, args, count, options);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* enable_vectorcall(PyObject*, PyObject* cls) {
    auto* const type = reinterpret_cast<PyTypeObject*>(cls);
    if (!PyType_Check(cls) || !PyType_IsSubtype(type, function_base)) {
        PyErr_SetString(PyExc_TypeError, "enable_vectorcall: expected a subclass of FunctionBase");
        return nullptr;
    }
    // Not by setattr, which would replace the slot: instances are called through vectorcall. help() shows this.
    const Ref call(PyDescr_NewMethod(type, &call_method));
    if (!call || PyDict_SetItemString(type->tp_dict, "__call__", call.get()) < 0) return nullptr;
    type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(type);
    Py_RETURN_NONE;
}

int load_function_call() {
    return load_call_options() < 0 ? -1 : load_argument_handlers();
}

PyMethodDef function_methods[] = {
    {"prepare", method(prepare), METH_FASTCALL | METH_KEYWORDS, prepare_doc},
    {"prepared_call", method(prepared_call), METH_FASTCALL | METH_KEYWORDS, prepared_call_doc},
    {"prepared_async_call", method(prepared_async_call), METH_FASTCALL | METH_KEYWORDS, prepared_async_call_doc},
    {"_pack", method(pack), METH_FASTCALL, nullptr},
    {"_launch_packed", method(launch_packed), METH_FASTCALL, nullptr},
    {}};

}  // namespace pycuda::python
