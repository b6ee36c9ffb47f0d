#include "gpuarray/tracing.hpp"

#include <structmember.h>

#include <cstddef>
#include <memory>
#include <new>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {

PyTypeObject* trace_type;

namespace {

namespace core = pycuda::gpuarray;

/// The gpudata of a traced array.
struct TracedData {
    PyObject_HEAD std::shared_ptr<DeviceMemory> memory;
    std::int64_t offset;
};
PyTypeObject* data_type;

bool is_traced_data(PyObject* object) noexcept {
    return object && Py_TYPE(object) == data_type;
}

void dealloc_data(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    std::destroy_at(&reinterpret_cast<TracedData*>(self)->memory);
    type->tp_free(self);
    Py_DECREF(type);
}

Ref new_data(const core::Array& traced) {
    Ref made(data_type->tp_alloc(data_type, 0));
    if (!made) throw PythonError{};
    auto* const data = reinterpret_cast<TracedData*>(made.get());
    std::construct_at(&data->memory, traced.memory());
    data->offset = traced.offset();
    return made;
}

// ---- numbers

struct TracedNumber {
    PyObject_HEAD PyObject* value;  ///< of this call
    TraceObject* trace;
    int number;  ///< of the argument
};
PyTypeObject* number_type;

int traverse_number(PyObject* self, visitproc visit, void* arg) {
    auto* const number = reinterpret_cast<TracedNumber*>(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(number->value);
    Py_VISIT(reinterpret_cast<PyObject*>(number->trace));
    return 0;
}
int clear_number(PyObject* self) {
    auto* const number = reinterpret_cast<TracedNumber*>(self);
    Py_CLEAR(number->value);
    PyObject* const trace = reinterpret_cast<PyObject*>(std::exchange(number->trace, nullptr));
    Py_XDECREF(trace);
    return 0;
}
void dealloc_number(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_number(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/// The value, which becomes a part of what is traced.
PyObject* fixed_value(PyObject* self, PyObject*) {
    auto* const number = reinterpret_cast<TracedNumber*>(self);
    if (!number->value || !number->trace) {
        PyErr_SetString(PyExc_TypeError, "a traced number is made by fuse()");
        return nullptr;
    }
    return guarded([&] {
        if (number->trace->trace->is_open()) number->trace->trace->fix(number->number);
        return borrow(number->value).release();
    });
}

PyMemberDef number_members[] = {{"example", T_OBJECT_EX, offsetof(TracedNumber, value), READONLY,
                                 "A number of its type, which later ones may differ from."},
                                {}};
PyMethodDef number_methods[] = {
    {"fixed_value", fixed_value, METH_NOARGS, "fixed_value()\n--\n\nThe value, which becomes a part of the kernel."},
    {}};

const PyType_Slot number_slots[] = {{Py_tp_dealloc, slot(dealloc_number)}, {Py_tp_traverse, slot(traverse_number)},
                                    {Py_tp_clear, slot(clear_number)},     {Py_tp_methods, number_methods},
                                    {Py_tp_members, number_members},       {}};

// ---- traces

int traverse_trace(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(reinterpret_cast<TraceObject*>(self)->arguments);
    return 0;
}
int clear_trace(PyObject* self) {
    Py_CLEAR(reinterpret_cast<TraceObject*>(self)->arguments);
    return 0;
}
void dealloc_trace(PyObject* self) {
    auto* const trace = reinterpret_cast<TraceObject*>(self);
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_trace(self);
    delete trace->trace;
    delete trace->numbers;
    type->tp_free(self);
    Py_DECREF(type);
}

/// Ends the trace, if finish() has not.
PyObject* close_trace(PyObject* self, PyObject*) {
    reinterpret_cast<TraceObject*>(self)->trace->end();
    Py_RETURN_NONE;
}

PyMethodDef trace_methods[] = {{"close", close_trace, METH_NOARGS, "close()\n--\n\nEnd the trace."}, {}};
PyMemberDef trace_members[] = {
    {"arguments", T_OBJECT_EX, offsetof(TraceObject, arguments), READONLY, "What the function is called with."}, {}};

const PyType_Slot trace_slots[] = {{Py_tp_dealloc, slot(dealloc_trace)}, {Py_tp_traverse, slot(traverse_trace)},
                                   {Py_tp_clear, slot(clear_trace)},     {Py_tp_methods, trace_methods},
                                   {Py_tp_members, trace_members},       {}};

/// An argument of a trace in place of a number.
Ref new_number(PyTypeObject* cls, PyObject* value, TraceObject* trace, int number) {
    Ref made(cls->tp_alloc(cls, 0));
    if (!made) throw PythonError{};
    auto* const traced = reinterpret_cast<TracedNumber*>(made.get());
    traced->value = borrow(value).release();
    Py_INCREF(reinterpret_cast<PyObject*>(trace));
    traced->trace = trace;
    traced->number = number;
    return made;
}

/// begin_trace(arguments, fast, number_class): a Trace with GPUArrays and numbers in the place of these.
PyObject* begin_trace(PyObject*, PyObject* args) {
    PyObject *given, *number_class;
    int fast;
    if (!PyArg_ParseTuple(args, "O!pO!:begin_trace", &PyTuple_Type, &given, &fast, &PyType_Type, &number_class))
        return nullptr;
    auto* const cls = reinterpret_cast<PyTypeObject*>(number_class);
    if (!PyType_IsSubtype(cls, number_type)) {
        PyErr_SetString(PyExc_TypeError, "begin_trace: expected a class of traced numbers");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        Ref made(trace_type->tp_alloc(trace_type, 0));
        if (!made) return nullptr;
        auto* const object = reinterpret_cast<TraceObject*>(made.get());
        object->numbers = new std::vector<Scalar>;
        object->trace = new core::Trace(fast);
        const Py_ssize_t count = PyTuple_GET_SIZE(given);
        Ref arguments(PyTuple_New(count));
        if (!arguments) return nullptr;
        for (Py_ssize_t k = 0; k < count; ++k) {
            PyObject* const argument = PyTuple_GET_ITEM(given, k);
            Ref traced;
            Scalar number = Scalar::weak(false);
            if (is_array(argument)) {
                const FormRef form(share(&form_of(as_array(argument))));
                PyTypeObject* const type = is_plain_class(Py_TYPE(argument)) ? Py_TYPE(argument) : array_class;
                traced.reset(new_traced(object->trace->argument(form->type, form->layout), form->dtype, type));
                as_array(traced.get())->answers = as_array(argument)->answers;
            } else if (const std::optional<Scalar> value = read_scalar(argument)) {
                number = object->trace->argument(*value);
                traced = new_number(cls, argument, object, static_cast<int>(k));
            } else {
                PyErr_Format(PyExc_TypeError, "begin_trace: expected GPUArrays and numbers, given %s",
                             Py_TYPE(argument)->tp_name);
                return nullptr;
            }
            object->numbers->push_back(number);
            PyTuple_SET_ITEM(arguments.get(), k, traced.release());
        }
        object->arguments = arguments.release();
        return made.release();
    });
}

/// traced_copy(array, dtype, order): a copy of this dtype, of a traced array; else None. `order` is 0 for C, 1 for
/// Fortran, 2 for the array's own.
PyObject* traced_copy(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "traced_copy(array, dtype, order)");
        return nullptr;
    }
    if (!core::any_trace_is_open()) Py_RETURN_NONE;
    return guarded([&]() -> PyObject* {
        Array* const array = array_from(arguments[0]);
        const std::optional<core::Array> traced = traced_array(array);
        if (!traced) return borrow(Py_None).release();
        const Ref dtype(to_dtype(arguments[1]));
        const long order = PyLong_AsLong(arguments[2]);
        if (PyErr_Occurred()) return nullptr;
        const core::Array copy =
            core::converted(*traced, dtype_code(dtype.get()), static_cast<core::Order>(order), nullptr);
        return new_traced(copy, dtype.get(), Py_TYPE(array));
    });
}

PyMethodDef tracing_functions[] = {
    {"traced_copy", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(traced_copy)), METH_FASTCALL,
     "traced_copy(array, dtype, order)\n--\n\nA copy of a traced array, else None."},
    {"begin_trace", begin_trace, METH_VARARGS,
     "begin_trace(arguments, fast, number_class)\n--\n\nRecord what a function does with these."},
    {}};

}  // namespace

std::optional<core::Array> traced_array(Array* array) {
    if (!core::any_trace_is_open()) return std::nullopt;
    const FormRef form(share(&form_of(array)));
    const Ref gpudata = memory_object_of(array);
    if (!is_traced_data(gpudata.get())) return std::nullopt;
    const auto* const data = reinterpret_cast<TracedData*>(gpudata.get());
    return core::Array::over(data->memory, nullptr, form->type, form->layout)
        .view({form->layout, data->offset}, form->type);
}

bool is_traced(Array* array) noexcept {
    if (!core::any_trace_is_open()) return false;
    const ObjectLock lock(array);
    return !array->pool && is_traced_data(array->gpudata);
}

PyObject* new_traced(const core::Array& traced, PyObject* dtype, PyTypeObject* cls) {
    const Ref data = new_data(traced);
    FormRef form(form_of_layout(traced.layout(), dtype));
    const Ref made(cls->tp_alloc(cls, 0));
    if (!made) throw PythonError{};
    set_form(as_array(made.get()), form.release());
    set_gpudata(as_array(made.get()), data.get());
    return borrow(made.get()).release();
}

PyObject* view_traced(Array* array, const core::Layout& layout, std::int64_t offset, PyObject* dtype) {
    const std::optional<core::Array> traced = traced_array(array);
    return new_traced(traced->view({layout, offset}, dtype_code(dtype)), dtype, array_class);
}

void refuse_traced_memory(PyObject* gpudata) {
    if (is_traced_data(gpudata)) static_cast<void>(reinterpret_cast<TracedData*>(gpudata)->memory->pointer());
}

std::optional<Scalar> traced_number(PyObject* object) {
    if (!core::any_trace_is_open() || !PyObject_TypeCheck(object, number_type)) return std::nullopt;
    const auto* const number = reinterpret_cast<TracedNumber*>(object);
    if (!number->trace) return std::nullopt;
    number->trace->trace->require_open();
    return number->trace->numbers->at(static_cast<std::size_t>(number->number));
}

int add_tracing(PyObject* module) {
    static const PyType_Slot data_slots[] = {{Py_tp_dealloc, slot(dealloc_data)}, {}};
    PyType_Spec data_spec{"pycuda.gpuarray.TracedData", sizeof(TracedData), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, const_cast<PyType_Slot*>(data_slots)};
    PyType_Spec number_spec{"pycuda._driver._native.TracedNumber", sizeof(TracedNumber), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                            const_cast<PyType_Slot*>(number_slots)};
    PyType_Spec trace_spec{"pycuda._driver._native.Trace", sizeof(TraceObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           const_cast<PyType_Slot*>(trace_slots)};
    data_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&data_spec));
    number_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&number_spec));
    trace_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&trace_spec));
    if (!data_type || !number_type || !trace_type) return -1;
    if (PyModule_AddObjectRef(module, "TracedNumber", reinterpret_cast<PyObject*>(number_type)) < 0) return -1;
    return PyModule_AddFunctions(module, tracing_functions);
}

}  // namespace pycuda::python::gpuarray
