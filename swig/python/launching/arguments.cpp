#include "launching/arguments.hpp"

#include <new>
#include <string>

#include "buffers.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "launching/tensor_maps.hpp"
#include "lifetime.hpp"
#include "memory_types.hpp"
#include "numpy_scalars.hpp"
#include "pointers.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::python {
namespace {

thread_local bool thread_block_in_use = false;

std::string type_name(PyObject* object) {
    const Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__qualname__"));
    const char* const text = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (!text) PyErr_Clear();
    return text ? text : Py_TYPE(object)->tp_name;
}

// The kernel's parameter at `position`, or null if it is unknown.
const KernelParameter* parameter_at(const ParameterLayout& layout, std::size_t position) {
    return layout.known && position < layout.parameters.size() ? &layout.parameters[position] : nullptr;
}

std::string advice_for_number(PyObject* argument, const KernelParameter* wanted) {
    const std::size_t size = wanted ? wanted->size : 0;
    if (PyBool_Check(argument)) return "pass numpy.bool_(value)";
    const std::string bits = size == 1 || size == 2 || size == 4 || size == 8 ? std::to_string(8 * size) : "";
    const std::string wants = bits.empty() ? "" : "; the kernel expects " + std::to_string(size) + " bytes";
    if (PyFloat_Check(argument))
        return "pass numpy.float" + (bits.empty() || size == 1 ? "32" : bits) + "(value)" + wants;
    return "pass numpy.int" + (bits.empty() ? "32" : bits) + "(value)" + wants;
}

std::string argument_text(const ParameterLayout& layout, std::size_t position) {
    return "argument " + std::to_string(position) + " of '" + layout.kernel + "', counted from 0: given ";
}

[[noreturn]] void refuse(PyObject* argument, const ParameterLayout& layout, std::size_t position) {
    std::string text = argument_text(layout, position) + type_name(argument);
    if (PyLong_Check(argument) || PyFloat_Check(argument))
        text += ", whose size in C is not defined: " + advice_for_number(argument, parameter_at(layout, position));
    else if (argument == Py_None)
        text += "; a null pointer is numpy.intp(0)";
    else
        text += ", expected a NumPy scalar, device memory, or an array in In, Out or InOut";
    throw ArgumentTypeError(text);
}

// The bytes of an array, structured scalar or buffer, in memory order.
class BufferView {
public:
    explicit BufferView(PyObject* object) {
        if (!take_value(object, view_)) throw PythonError{};
    }
    ~BufferView() { PyBuffer_Release(&view_); }
    BufferView(const BufferView&) = delete;
    BufferView& operator=(const BufferView&) = delete;
    const void* data() const noexcept { return view_.buf; }
    std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

private:
    Py_buffer view_;
};

// If the kernel's layout is unknown, the dtype determines how C aligns the value.
std::size_t alignment_of(PyObject* argument) {
    const Ref dtype(PyObject_GetAttrString(argument, "dtype"));
    if (!dtype) throw PythonError{};
    return attribute_as_size(dtype.get(), "alignment");
}

void append_array(ArgumentPacker& packer, const ParameterLayout& layout, PyObject* argument) {
    const std::size_t position = packer.count();
    const KernelParameter* const wanted = parameter_at(layout, position);
    const std::size_t size = attribute_as_size(argument, "nbytes");
    if (wanted && wanted->size != size) {
        std::string text = argument_text(layout, position) + "a NumPy array, which is passed by value (" +
                           std::to_string(size) + " bytes), the kernel expects " + std::to_string(wanted->size) +
                           " bytes";
        if (wanted->size == sizeof(DevicePtr)) text += "; to pass a pointer, wrap the array in In, Out or InOut";
        throw ArgumentTypeError(text);
    }
    const BufferView view(argument);
    packer.append(view.data(), view.size(), wanted ? 1 : alignment_of(argument), "numpy.ndarray");
}

void append_other(ArgumentPacker& packer, const ParameterLayout& layout, PyObject* argument, Owners& owners,
                  CUstream stream) {
    DevicePtr pointer;
    if (is_numpy_array(argument) && !managed_array_pointer(argument, pointer, &stream))
        return append_array(packer, layout, argument);
    if (is_numpy_scalar(argument)) {
        if (!PyObject_CheckBuffer(argument)) refuse(argument, layout, packer.count());
        const BufferView view(argument);
        return packer.append(view.data(), view.size(), layout.known ? 1 : alignment_of(argument),
                             Py_TYPE(argument)->tp_name);
    }
    if (PyLong_Check(argument) || PyFloat_Check(argument)) refuse(argument, layout, packer.count());
    if (const TensorMap* const map = used_tensor_map(argument, owners, stream))
        return packer.append(&map->value(), sizeof(CUtensorMap), tensor_map_alignment, "TensorMap");
    if (try_device_pointer(argument, pointer, owners, &stream))
        return append_pointer(packer, pointer, Py_TYPE(argument)->tp_name);
    if (PyObject_CheckBuffer(argument)) {
        const BufferView view(argument);
        return packer.append(view.data(), view.size(), 1, Py_TYPE(argument)->tp_name);
    }
    refuse(argument, layout, packer.count());
}

}  // namespace

ArgumentBlock::ArgumentBlock() : in_use_(thread_block_in_use), owned_(in_use_) {
    if (owned_)
        data_ = static_cast<unsigned char*>(::operator new(max_parameter_bytes, std::align_val_t{16}));
    else
        data_ = thread_argument_block();
    in_use_ = true;
}

ArgumentBlock::~ArgumentBlock() {
    if (owned_)
        ::operator delete(data_, std::align_val_t{16});
    else
        in_use_ = false;
}

void append_pointer(ArgumentPacker& packer, DevicePtr pointer, const char* given) {
    packer.append(&pointer, sizeof pointer, alignof(DevicePtr), given);
}

void append_argument(ArgumentPacker& packer, const ParameterLayout& layout, PyObject* argument, Owners& owners,
                     CUstream stream) {
    PyTypeObject* const type = Py_TYPE(argument);
    // A proxy's own class has the base type as its first base: no walk up the hierarchy for the common case.
    if (type->tp_base == device_memory_base)
        return append_pointer(packer, memory_of(argument).pointer_for(stream), type->tp_name);
    if (const ScalarType* scalar = find_scalar_type(type))
        return packer.append(scalar->value(argument), scalar->size, scalar->alignment, type->tp_name);
    append_other(packer, layout, argument, owners, stream);
}

}  // namespace pycuda::python
