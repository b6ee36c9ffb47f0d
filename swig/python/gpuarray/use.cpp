#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "handle_types.hpp"
#include "host_functions.hpp"
#include "pointers.hpp"

namespace pycuda::python::gpuarray {
namespace {

DevicePtr address_of_block(Array* array, const CUstream* user) {
    if (!array->pool->is_alive()) [[unlikely]]
        raise_context_gone(array->pool->what());
    if (user) call_that_may_wait([&] { array->pool->note_use(array->block, *user); });
    return array->block.address;
}

void escape_block(Array* array) {
    address_of_block(array, nullptr);
    call_that_may_wait([&] { array->pool->escape(array->block); });
}

/// Device memory whose address a field of its object tells.
bool is_ours(PyObject* gpudata) noexcept {
    return Py_TYPE(gpudata)->tp_base == device_memory_base;
}

}  // namespace

DevicePtr ask_for_address(Array* array, const CUstream* user) {
    if (array->pool) return address_of_block(array, user);
    if (!array->gpudata) {
        PyErr_SetString(PyExc_AttributeError, "gpudata");
        throw PythonError{};
    }
    if (array->gpudata == Py_None) return 0;
    // A view's is a number; the memory is its base's.
    if (array->base && is_array(array->base) && user) {
        Array* const base = as_array(array->base);
        if (base->pool)
            address_of_block(base, user);
        else if (base->gpudata && is_ours(base->gpudata))
            memory_of(base->gpudata).pointer_for(*user);
    }
    if (PyLong_CheckExact(array->gpudata)) {
        const DevicePtr address = PyLong_AsUnsignedLongLong(array->gpudata);
        if (address == static_cast<DevicePtr>(-1) && PyErr_Occurred()) throw PythonError{};
        return address;
    }
    Owners owners;
    return device_pointer(array->gpudata, owners, user);
}

DevicePtr escaped_address(Array* array) {
    if (array->pool) escape_block(array);
    // A view's is a number; the memory is its base's.
    if (array->base && is_array(array->base)) {
        Array* const base = as_array(array->base);
        if (base->pool)
            escape_block(base);
        else if (base->gpudata && is_ours(base->gpudata)) {
            Owners owners;
            device_pointer(base->gpudata, owners);
        }
    }
    return address_of(array, nullptr);
}

bool has_plain_gpudata(const Array* array) noexcept {
    return array->gpudata && (PyLong_CheckExact(array->gpudata) || is_ours(array->gpudata));
}

Use::Use(Array* array, CUstream stream)
    : form_(share(&form_of(array))), memory_(array->pool ? nullptr : borrow(array->gpudata)) {
    ref_ = {address_of(array, &stream), &form_->layout, form_->type};
}

}  // namespace pycuda::python::gpuarray
