#include "launching/handler_type.hpp"

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "interpreter/free_threading.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

struct HandlerObject {
    PyObject_HEAD PyObject* array;
    PyObject* memory;
};

HandlerObject& handler_of(PyObject* self) noexcept {
    return *reinterpret_cast<HandlerObject*>(self);
}

/// The old object is dropped when the handler is unlocked: that may run any code.
void set_field(PyObject* self, PyObject* HandlerObject::* field, PyObject* value) noexcept {
    Ref old;
    const ObjectLock lock(self);
    old.reset(std::exchange(handler_of(self).*field, Py_NewRef(value)));
}

int init_handler(PyObject* self, PyObject* args, PyObject* keywords) {
    static const char* const names[] = {"array", nullptr};
    PyObject* array = nullptr;
    if (!keywords && PyTuple_GET_SIZE(args) == 1)
        array = PyTuple_GET_ITEM(args, 0);
    else if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:ArgumentHandler", const_cast<char**>(names), &array))
        return -1;
    set_field(self, &HandlerObject::array, array);
    set_field(self, &HandlerObject::memory, Py_None);
    return 0;
}

int traverse_handler(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(handler_of(self).array);
    Py_VISIT(handler_of(self).memory);
    return 0;
}

int clear_handler(PyObject* self) {
    Py_CLEAR(handler_of(self).array);
    Py_CLEAR(handler_of(self).memory);
    return 0;
}

void dealloc_handler(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_handler(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef handler_members[] = {{"array", T_OBJECT_EX, offsetof(HandlerObject, array), 0, nullptr},
                                 {"dev_alloc", T_OBJECT_EX, offsetof(HandlerObject, memory), 0, nullptr},
                                 {}};
constexpr const char* handler_doc = "ArgumentHandlerBase(array)\n--\n\n";
PyType_Slot handler_slots[] = {{Py_tp_doc, const_cast<char*>(handler_doc)},
                               {Py_tp_init, slot(init_handler)},
                               {Py_tp_dealloc, slot(dealloc_handler)},
                               {Py_tp_traverse, slot(traverse_handler)},
                               {Py_tp_clear, slot(clear_handler)},
                               {Py_tp_members, handler_members},
                               {}};
PyType_Spec handler_spec{"pycuda._native.ArgumentHandlerBase", sizeof(HandlerObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, handler_slots};

}  // namespace

HandlerFields fields_of_handler(PyObject* handler) noexcept {
    const ObjectLock lock(handler);
    const HandlerObject& object = handler_of(handler);
    return {borrow(object.array), borrow(object.memory)};
}

void set_memory_of_handler(PyObject* handler, PyObject* memory) noexcept {
    set_field(handler, &HandlerObject::memory, memory);
}

int add_handler_type(PyObject* module) {
    const Ref type(PyType_FromSpec(&handler_spec));
    return type ? PyModule_AddObjectRef(module, "ArgumentHandlerBase", type.get()) : -1;
}

}  // namespace pycuda::python
