#include "launching/prepared_call.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "interpreter/free_threading.hpp"
#include "launching/argument_types.hpp"
#include "launching/arguments.hpp"
#include "launching/function_call.hpp"
#include "launching/geometry.hpp"
#include "launching/given_attributes.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/threads/waiting.hpp"
#include "textures/texture_arguments.hpp"

namespace pycuda::python {

/// The result of prepare: where each value goes in the parameter block.
struct PreparedCall {
    std::vector<Slot> slots;
    std::size_t nbytes = 0;
    unsigned shared_bytes = 0;
    Ref texrefs;  ///< a tuple, or null
    /// The function and running calls hold references, because a value's own code may prepare the function again during
    /// a call.
    Count references;
};

namespace {

struct DropPrepared {
    void operator()(PreparedCall* prepared) const noexcept { drop_prepared(prepared); }
};
using PreparedRef = std::unique_ptr<PreparedCall, DropPrepared>;

/// A function's latest result of prepare, for the duration of a call; null if there is none.
PreparedRef prepared_of(PyObject* function) noexcept {
    const ObjectLock lock(function);
    PreparedCall* const prepared = reinterpret_cast<FunctionObject*>(function)->prepared;
    if (prepared) prepared->references.add();
    return PreparedRef(prepared);
}

bool same_name(PyObject* keyword, const char* name) {
    return PyUnicode_CompareWithASCIIString(keyword, name) == 0;
}

[[noreturn]] void raise_type_error(const char* text) {
    PyErr_SetString(PyExc_TypeError, text);
    throw PythonError{};
}

void prepare_function(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    PyObject* values[3] = {};  // arg_types, shared, texrefs
    constexpr const char* names[] = {"arg_types", "shared", "texrefs"};
    if (count > 3) raise_type_error("prepare(arg_types, shared=None, texrefs=[]) takes at most 3 arguments");
    for (Py_ssize_t i = 0; i < count; ++i) values[i] = args[i];
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
        int k = 0;
        while (k < 3 && !same_name(PyTuple_GET_ITEM(kwnames, i), names[k])) ++k;
        if (k == 3 || values[k])
            raise_type_error("prepare(arg_types, shared=None, texrefs=[]): an unknown or repeated argument");
        values[k] = args[count + i];
    }
    if (!values[0]) raise_type_error("prepare(arg_types, shared=None, texrefs=[]): arg_types is missing");
    // PyCUDA's programs also say prepare(arg_types, texrefs).
    if (values[1] && !values[2] && PySequence_Check(values[1])) std::swap(values[1], values[2]);
    const Function& function = function_of(self);
    auto prepared = std::make_unique<PreparedCall>();
    prepared->slots = read_argument_types(values[0]);
    prepared->nbytes = lay_out(prepared->slots, function.layout());
    if (values[1] && values[1] != Py_None) prepared->shared_bytes = read_shared_bytes(values[1]);
    if (values[2]) prepared->texrefs = read_texture_references(function, values[2]);
    PreparedRef old;
    const ObjectLock lock(self);
    old.reset(std::exchange(reinterpret_cast<FunctionObject*>(self)->prepared, prepared.release()));
}

[[gnu::noinline]] void read_attributes(PyObject* mapping, OptionalAttributes& attributes, LaunchConfig& config) {
    GivenAttributes& given = attributes.emplace();
    given.read(mapping, config.stream);
    config.attributes = given.use();
}

/// Launches with `count` arguments `args`, which follow the grid, the block and, if there is one, the stream.
void launch_prepared(PyObject* self, LaunchConfig& config, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    const Function& function = function_of(self);
    const PreparedRef prepared = prepared_of(self);
    if (!prepared)
        throw LogicError("prepared_call", 0,
                         "kernel '" + function.name() + "' has not been prepared: call prepare first");
    config.shared_bytes = prepared->shared_bytes;
    OptionalAttributes attributes;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
        if (same_name(PyTuple_GET_ITEM(kwnames, i), "shared_size"))
            config.shared_bytes = read_shared_bytes(args[count + i]);
        else if (same_name(PyTuple_GET_ITEM(kwnames, i), "attributes"))
            read_attributes(args[count + i], attributes, config);
        else
            raise_type_error("shared_size and attributes are the only keyword arguments");
    }
    if (static_cast<std::size_t>(count) != prepared->slots.size())
        throw ArgumentTypeError("kernel '" + function.name() + "' was prepared for " +
                                std::to_string(prepared->slots.size()) + " arguments, not " + std::to_string(count));
    if (prepared->texrefs) check_bound(prepared->texrefs.get());
    ArgumentBlock block;
    std::memset(block.data(), 0, prepared->nbytes);
    for (std::size_t i = 0; i < prepared->slots.size(); ++i)
        store_value(prepared->slots[i], args[i], block.data() + prepared->slots[i].offset, i, block.owners(),
                    config.stream);
    call_that_may_wait([&] { function.launch(config, block.data(), prepared->nbytes); });
}

}  // namespace

PyObject* prepare(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    try {
        prepare_function(self, args, count, kwnames);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    Py_INCREF(self);
    return self;
}

PyObject* prepared_call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    try {
        if (count < 2)
            raise_type_error(
                "prepared_call(grid, block, *args, shared_size=0, attributes=None): grid and block are required");
        LaunchConfig config;
        read_extents(args[0], "grid", config.grid);
        read_extents(args[1], "block", config.block);
        launch_prepared(self, config, args + 2, count - 2, kwnames);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject* prepared_async_call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* kwnames) {
    try {
        if (count < 3)
            raise_type_error(
                "prepared_async_call(grid, block, stream, *args, shared_size=0, attributes=None): grid, block and "
                "stream are required");
        LaunchConfig config;
        read_extents(args[0], "grid", config.grid);
        read_extents(args[1], "block", config.block);
        config.stream = stream_handle_of(args[2]);
        launch_prepared(self, config, args + 3, count - 3, kwnames);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    Py_RETURN_NONE;
}

void drop_prepared(PreparedCall* prepared) noexcept {
    if (prepared && prepared->references.remove() && !is_forked_child()) delete prepared;
}

}  // namespace pycuda::python
