#include "launching/tensor_maps.hpp"

#include "device_arrays.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "interpreter/free_threading.hpp"
#include "pointers.hpp"
#include "slot.hpp"

namespace pycuda::python {
namespace {

PyTypeObject* tensor_map_base;

struct TensorMapObject {
    HandleObject handle;
    PyObject* memory;  ///< the memory that it describes; null until the mixin has set it
};

std::int64_t read_number(PyObject* object) {
    const Ref index(PyNumber_Index(object));
    const long long number = index ? PyLong_AsLongLong(index.get()) : -1;
    if (number == -1 && PyErr_Occurred()) throw PythonError{};
    return number;
}

/// The numbers of a sequence; None has none.
std::vector<std::int64_t> read_numbers(PyObject* object) {
    std::vector<std::int64_t> numbers;
    if (object == Py_None) return numbers;
    const Ref sequence(PySequence_Tuple(object));
    if (!sequence) throw PythonError{};
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(sequence.get()); ++n)
        numbers.push_back(read_number(PyTuple_GET_ITEM(sequence.get(), n)));
    return numbers;
}

/// `owners` keeps the objects that `memory` created on demand.
TensorLayout read_layout(PyObject* memory, PyObject* layout, Owners& owners) {
    const auto item = [layout](Py_ssize_t n) { return PyTuple_GetItem(layout, n); };
    if (!PyTuple_Check(layout) || PyTuple_GET_SIZE(layout) != 9) {
        PyErr_SetString(PyExc_TypeError, "expected a layout of nine parts");
        throw PythonError{};
    }
    const auto number = [&](Py_ssize_t n) {
        const std::int64_t value = read_number(item(n));
        return static_cast<int>(value == static_cast<int>(value) ? value : -1);
    };
    TensorLayout tensor;
    tensor.dtype = static_cast<TensorMapDataType>(number(0));
    tensor.shape = read_numbers(item(1));
    tensor.strides = read_numbers(item(2));
    tensor.element_steps = read_numbers(item(3));
    tensor.interleave = static_cast<TensorMapInterleave>(number(4));
    tensor.swizzle = static_cast<TensorMapSwizzle>(number(5));
    tensor.l2_promotion = static_cast<TensorMapL2Promotion>(number(6));
    tensor.fill = static_cast<TensorMapFill>(number(7));
    check_device_array(memory, item(8) == Py_True ? Access::Read : Access::Box);
    tensor.address = device_pointer(memory, owners);
    return tensor;
}

int visit_memory(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(reinterpret_cast<TensorMapObject*>(self)->memory);
    return 0;
}

int clear_memory(PyObject* self) {
    Py_CLEAR(reinterpret_cast<TensorMapObject*>(self)->memory);
    return 0;
}

void dealloc_tensor_map(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(reinterpret_cast<HandleObject*>(self)->swig_this);
    clear_memory(self);
    type->tp_free(self);
    Py_DECREF(type);
}

/// Null until the mixin has set it.
Ref memory_of_map(PyObject* self) {
    const ObjectLock lock(self);
    return borrow(reinterpret_cast<TensorMapObject*>(self)->memory);
}

PyObject* get_memory(PyObject* self, void*) {
    Ref memory = memory_of_map(self);
    return memory ? memory.release() : borrow(Py_None).release();
}

int set_memory(PyObject* self, PyObject* value, void*) {
    auto* const object = reinterpret_cast<TensorMapObject*>(self);
    const ObjectLock lock(self);
    if (object->memory || !value) {
        PyErr_SetString(PyExc_AttributeError, "memory is read-only; replace_address makes a map of other memory");
        return -1;
    }
    object->memory = borrow(value).release();
    return 0;
}

PyGetSetDef attributes[] = {{"this", get_this, set_this, nullptr, nullptr},
                            {"memory", get_memory, set_memory, "What the map was made of; the map keeps it.", nullptr},
                            {}};
PyType_Slot slots[] = {{Py_tp_dealloc, slot(dealloc_tensor_map)},
                       {Py_tp_traverse, slot(visit_memory)},
                       {Py_tp_clear, slot(clear_memory)},
                       {Py_tp_getset, attributes},
                       {}};
PyType_Spec spec{"pycuda._native.TensorMapBase", sizeof(TensorMapObject), 0,
                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

TensorMap tiled_map(PyObject* memory, PyObject* layout, PyObject* box) {
    Owners owners;
    return TensorMap::tiled(read_layout(memory, layout, owners), read_numbers(box));
}

TensorMap im2col_map(PyObject* memory, PyObject* layout, PyObject* lower, PyObject* upper, std::int64_t channels,
                     std::int64_t pixels) {
    Owners owners;
    const TensorLayout tensor = read_layout(memory, layout, owners);
    return TensorMap::im2col(tensor, read_numbers(lower), read_numbers(upper), channels, pixels);
}

TensorMap im2col_wide_map(PyObject* memory, PyObject* layout, std::int64_t lower, std::int64_t upper,
                          std::int64_t channels, std::int64_t pixels, TensorMapIm2colWideMode mode) {
    Owners owners;
    return TensorMap::im2col_wide(read_layout(memory, layout, owners), lower, upper, channels, pixels, mode);
}

TensorMap moved_map(const TensorMap& map, PyObject* memory) {
    check_device_array(memory, Access::Box);
    Owners owners;
    return map.at_address(device_pointer(memory, owners));
}

const TensorMap* used_tensor_map(PyObject* argument, Owners& owners, CUstream stream) {
    if (!PyObject_TypeCheck(argument, tensor_map_base)) return nullptr;
    const TensorMap& map = *static_cast<TensorMap*>(checked_pointer(argument));
    if (const Ref memory = memory_of_map(argument)) map.check_address(device_pointer(memory.get(), owners, &stream));
    return &map;
}

bool is_tensor_map_type(PyObject* type) {
    return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(type), tensor_map_base);
}

int add_tensor_map_type(PyObject* module) {
    tensor_map_base = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (!tensor_map_base) return -1;
    return PyModule_AddObjectRef(module, "TensorMapBase", reinterpret_cast<PyObject*>(tensor_map_base));
}

}  // namespace pycuda::python
