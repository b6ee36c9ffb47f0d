#include "gpuarray/fused_functions.hpp"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/tracing.hpp"
#include "gpuarray/views.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/fusing/fused_program.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

namespace core = pycuda::gpuarray;
using core::FusedProgram;
using core::Input;

/// What a traced function returned: an array, a tuple or a list.
enum class Returned { Array, Tuple, List };

/// A program, and the Python objects that its results are.
struct Program {
    std::shared_ptr<const FusedProgram> program;
    Returned returned = Returned::Array;
    struct Kind {
        Ref cls, dtype;
        Answers answers;
        bool is_made_itself;  ///< the array that is made, not a view
    };
    std::vector<Kind> results;
    std::vector<FormRef> forms;      ///< of the arrays that are made; with a GIL
    std::vector<int> first_results;  ///< of each array that is made: the result that determines its class
    std::vector<bool> standards;     ///< of each argument: whether it follows the array API standard
};

struct FusedFunction {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject *function, *slow, *dict, *weaklist;
    std::vector<std::shared_ptr<const Program>>* programs;  ///< guarded by the object's lock
};

FusedFunction* as_function(PyObject* object) noexcept {
    return reinterpret_cast<FusedFunction*>(object);
}

/// The arguments of a call.
class Given {
public:
    /// False if one is neither an array nor a number.
    bool read(std::span<PyObject* const> objects) {
        inputs_.reserve(objects.size());
        forms_.reserve(objects.size());
        for (PyObject* object : objects) {
            if (is_array(object)) {
                forms_.emplace_back(share(&form_of(as_array(object))));
                const ArrayForm& form = *forms_.back();
                inputs_.emplace_back(core::ArrayRef{0, &form.layout, form.type});
                if (!first_) first_ = as_array(object);
                continue;
            }
            const std::optional<Scalar> number = read_scalar(object);
            if (!number) return false;
            forms_.emplace_back(nullptr);
            inputs_.emplace_back(*number);
        }
        return true;
    }
    std::span<const Input> inputs() const noexcept { return inputs_; }
    Array* first() const noexcept { return first_; }

    /// Read the addresses, once there is memory for the results, which foreign code may have allocated.
    void use(std::span<PyObject* const> objects, const core::Current& now, CUstream stream) {
        for (std::size_t k = 0; k < objects.size(); ++k) {
            if (!forms_[k]) continue;
            const Use& use = k < uses_.size() ? uses_[k].emplace(as_array(objects[k]), stream, &now)
                                              : more_uses_.emplace_back(as_array(objects[k]), stream, &now);
            if (&use.form() != forms_[k].get()) raise_form_changed();
            inputs_[k] = Input(use.ref());
        }
    }

private:
    Array* first_ = nullptr;
    std::vector<Input> inputs_;
    std::vector<FormRef> forms_;  ///< null for numbers
    std::array<std::optional<Use>, 8> uses_;
    std::deque<Use> more_uses_;
};

bool is_standard(PyObject* object) {
    return is_array(object) && differ_in_rules(Py_TYPE(object), array_class);
}

std::shared_ptr<const Program> find(FusedFunction* function, const Given& given, std::span<PyObject* const> objects) {
    const ObjectLock lock(function);
    const auto& programs = *function->programs;
    for (auto program = programs.rbegin(); program != programs.rend(); ++program) {
        if (!(*program)->program->fits(given.inputs())) continue;
        bool fits = true;
        for (std::size_t k = 0; k < objects.size(); ++k) fits &= (*program)->standards[k] == is_standard(objects[k]);
        if (fits) return *program;
    }
    return nullptr;
}

/// The result of a call, from the arrays that were made.
PyObject* collect(const Program& program, std::span<PyObject* const> objects, std::span<const Ref> made) {
    const auto results = program.program->results();
    std::vector<Ref> all;
    all.reserve(results.size());
    for (std::size_t k = 0; k < results.size(); ++k) {
        const FusedProgram::Result& result = results[k];
        const Program::Kind& kind = program.results[k];
        const auto number = static_cast<std::size_t>(result.number);
        if (kind.is_made_itself) {
            all.push_back(borrow(made[number].get()));
        } else {
            PyObject* const from = result.is_argument ? objects[number] : made[number].get();
            all.emplace_back(as_object(new_view(as_array(from), result.layout, result.offset, kind.dtype.get())));
        }
        as_array(all.back().get())->answers = kind.answers;
    }
    if (program.returned == Returned::Array) return all[0].release();
    const auto count = static_cast<Py_ssize_t>(all.size());
    Ref list(program.returned == Returned::Tuple ? PyTuple_New(count) : PyList_New(count));
    if (!list) return nullptr;
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* const item = all[static_cast<std::size_t>(k)].release();
        if (program.returned == Returned::Tuple)
            PyTuple_SET_ITEM(list.get(), k, item);
        else
            PyList_SET_ITEM(list.get(), k, item);
    }
    return list.release();
}

PyObject* run(const Program& program, Given& given, std::span<PyObject* const> objects) {
    const core::Current& now = core::current();
    const std::shared_ptr<core::Kernels> kernels = now.kernels;
    const CUstream stream = now.stream;
    const auto arrays = program.program->made();
    std::vector<Ref> made;
    made.reserve(arrays.size());
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        const Program::Kind& kind = program.results[static_cast<std::size_t>(program.first_results[k])];
        FormRef form(has_gil ? share(program.forms[k].get())
                             : form_of_layout(arrays[k].layout, dtype_object(arrays[k].dtype)));
        made.emplace_back(as_object(new_of_form(reinterpret_cast<PyTypeObject*>(kind.cls.get()), std::move(form),
                                                given.first() ? allocator_of(given.first()) : nullptr)));
    }
    given.use(objects, now, stream);
    std::vector<DevicePtr> addresses;
    addresses.reserve(made.size());
    for (const Ref& array : made) addresses.push_back(address_of(as_array(array.get()), stream, now));
    program.program->run(*kernels, given.inputs(), addresses, stream);
    return collect(program, objects, made);
}

bool has_traced(std::span<PyObject* const> objects) {
    return std::any_of(objects.begin(), objects.end(), [](PyObject* object) {
        return is_array(object) ? is_traced(as_array(object)) : traced_number(object).has_value();
    });
}

/// Calls the function that has to trace, with a tuple of the arguments and a dict of the keywords.
PyObject* call_slow(FusedFunction* function, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
    const Ref positional(PyTuple_New(count)), keywords(PyDict_New());
    if (!positional || !keywords) return nullptr;
    for (Py_ssize_t k = 0; k < count; ++k) PyTuple_SET_ITEM(positional.get(), k, borrow(arguments[k]).release());
    for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k)
        if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, k), arguments[count + k]) < 0) return nullptr;
    return PyObject_CallFunctionObjArgs(function->slow, reinterpret_cast<PyObject*>(function), positional.get(),
                                        keywords.get(), nullptr);
}

PyObject* call(PyObject* self, PyObject* const* arguments, std::size_t nargsf, PyObject* names) {
    FusedFunction* const function = as_function(self);
    const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
    const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    const std::span<PyObject* const> objects(arguments, static_cast<std::size_t>(all));
    return guarded([&]() -> PyObject* {
        if (core::any_trace_is_open() && has_traced(objects)) [[unlikely]]  // a part of the function that is traced
            return PyObject_Vectorcall(function->function, arguments, nargsf, names);
        if (names && PyTuple_GET_SIZE(names) != 0) return call_slow(function, arguments, count, names);
        Given given;
        if (given.read(objects))
            if (const std::shared_ptr<const Program> program = find(function, given, objects))
                return run(*program, given, objects);
        return call_slow(function, arguments, count, nullptr);
    });
}

/// add_program(function, trace, arguments, results, returned): ends the trace.
PyObject* add_program(PyObject* self, PyObject* args) {
    PyObject *trace, *arguments, *results;
    int returned;
    if (!PyArg_ParseTuple(args, "O!O!O!i:add_program", trace_type, &trace, &PyTuple_Type, &arguments, &PyTuple_Type,
                          &results, &returned))
        return nullptr;
    return guarded([&]() -> PyObject* {
        std::vector<core::Array> traced;
        auto made = std::make_shared<Program>();
        made->returned = static_cast<Returned>(returned);
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(results); ++k) {
            Array* const result = array_from(PyTuple_GET_ITEM(results, k));
            auto array = traced_array(result);
            if (!array) throw core::CannotFuse("it returns an array that does not come from its arguments");
            traced.push_back(std::move(*array));
            made->results.push_back({borrow(reinterpret_cast<PyObject*>(Py_TYPE(result))),
                                     borrow(form_of(result).dtype), result->answers, false});
        }
        made->program = reinterpret_cast<TraceObject*>(trace)->trace->finish(traced);
        const auto parts = made->program->results();
        const auto arrays = made->program->made();
        made->first_results.assign(arrays.size(), -1);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            if (parts[k].is_argument) continue;
            const auto number = static_cast<std::size_t>(parts[k].number);
            const core::FusedProgram::Made& array = arrays[number];
            const bool whole = parts[k].offset == 0 && parts[k].dtype == array.dtype && parts[k].layout == array.layout;
            int& first = made->first_results[number];
            if (first < 0 || (whole && !made->results[static_cast<std::size_t>(first)].is_made_itself)) {
                first = static_cast<int>(k);
                made->results[k].is_made_itself = whole;
            }
        }
        for (const core::FusedProgram::Made& array : arrays)
            made->forms.emplace_back(form_of_layout(array.layout, dtype_object(array.dtype)));
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(arguments); ++k)
            made->standards.push_back(is_standard(PyTuple_GET_ITEM(arguments, k)));
        constexpr std::size_t max = 64;
        std::shared_ptr<const Program> oldest;  // ends without the lock
        const ObjectLock lock(self);
        auto& programs = *as_function(self)->programs;
        programs.push_back(std::move(made));
        if (programs.size() > max) {
            oldest = std::move(programs.front());
            programs.erase(programs.begin());
        }
        Py_RETURN_NONE;
    });
}

int traverse_fused(PyObject* self, visitproc visit, void* arg) {
    FusedFunction* const function = as_function(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(function->function);
    Py_VISIT(function->slow);
    Py_VISIT(function->dict);
    if (function->programs)
        for (const auto& program : *function->programs)
            for (const Program::Kind& kind : program->results) Py_VISIT(kind.cls.get());
    return 0;
}

int clear_fused(PyObject* self) {
    FusedFunction* const function = as_function(self);
    Py_CLEAR(function->function);
    Py_CLEAR(function->slow);
    Py_CLEAR(function->dict);
    if (function->programs) {
        const std::vector<std::shared_ptr<const Program>> ended = std::exchange(*function->programs, {});
        // which end here, since their classes may run code
    }
    return 0;
}

void dealloc_fused(PyObject* self) {
    FusedFunction* const function = as_function(self);
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (function->weaklist) PyObject_ClearWeakRefs(self);
    clear_fused(self);
    delete function->programs;
    type->tp_free(self);
    Py_DECREF(type);
}

PyObject* create_fused(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    static const char* names[] = {"function", "slow", nullptr};
    PyObject *function, *slow;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO:FusedFunction", const_cast<char**>(names), &function, &slow))
        return nullptr;
    Ref made(type->tp_alloc(type, 0));
    if (!made) return nullptr;
    FusedFunction* const self = as_function(made.get());
    self->vectorcall = call;
    self->function = borrow(function).release();
    self->slow = borrow(slow).release();
    self->programs = new (std::nothrow) std::vector<std::shared_ptr<const Program>>;
    return self->programs ? made.release() : PyErr_NoMemory();
}

PyObject* bind(PyObject* self, PyObject* instance, PyObject*) {
    return instance && instance != Py_None ? PyMethod_New(self, instance) : borrow(self).release();
}

PyMemberDef members[] = {{"__wrapped__", T_OBJECT_EX, offsetof(FusedFunction, function), READONLY, "The function."},
                         {"__dictoffset__", T_PYSSIZET, offsetof(FusedFunction, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(FusedFunction, weaklist), READONLY, nullptr},
                         {"__vectorcalloffset__", T_PYSSIZET, offsetof(FusedFunction, vectorcall), READONLY, nullptr},
                         {}};
PyMethodDef methods[] = {
    {"_add_program", add_program, METH_VARARGS,
     "_add_program(trace, arguments, results, returned)\n--\n\nEnd the trace, and keep its program."},
    {}};
PyGetSetDef attributes[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

const PyType_Slot fused_slots[] = {{Py_tp_new, slot(create_fused)},
                                   {Py_tp_dealloc, slot(dealloc_fused)},
                                   {Py_tp_traverse, slot(traverse_fused)},
                                   {Py_tp_clear, slot(clear_fused)},
                                   {Py_tp_call, slot(PyVectorcall_Call)},
                                   {Py_tp_descr_get, slot(bind)},
                                   {Py_tp_members, members},
                                   {Py_tp_methods, methods},
                                   {Py_tp_getset, attributes},
                                   {}};

}  // namespace

int add_fused_functions(PyObject* module) {
    PyType_Spec spec{"pycuda.gpuarray.FusedFunction", sizeof(FusedFunction), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                     const_cast<PyType_Slot*>(fused_slots)};
    const Ref type(PyType_FromSpec(&spec));
    return type ? PyModule_AddObjectRef(module, "FusedFunction", type.get()) : -1;
}

}  // namespace pycuda::python::gpuarray
