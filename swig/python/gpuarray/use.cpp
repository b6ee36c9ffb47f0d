#include <utility>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "handle_types.hpp"
#include "memory_types.hpp"
#include "pointers.hpp"

namespace pycuda::python::gpuarray {
namespace {

/// For an array with a block; its lock is held.
DevicePtr address_of_block(Array* array, const CUstream* user) {
    MemoryPool& pool = *array->pool;
    if (!pool.is_alive()) [[unlikely]]
        raise_context_gone(pool.what());
    const DevicePtr address = array->block.address;
    if (user) pool.note_use(array->block, *user);
    return address;
}

/// The same, for use on any stream.
DevicePtr escape_block(Array* array) {
    const DevicePtr address = address_of_block(array, nullptr);
    array->pool->escape(array->block);
    return address;
}

/// The owner of the array's memory: its block, whose address `of_block` receives, or its gpudata; null if it has none.
template <class OfBlock>
Ref look_at_memory(Array* array, DevicePtr& address, bool& is_block, const OfBlock& of_block) {
    const ObjectLock lock(array);
    is_block = array->pool;
    if (!is_block) return borrow(array->gpudata);
    address = of_block(array);
    return nullptr;
}

/// Device memory whose object has the address in a field.
bool is_ours(PyObject* gpudata) noexcept {
    return Py_TYPE(gpudata)->tp_base == device_memory_base;
}

}  // namespace

Array* array_from(PyObject* argument) {
    if (is_array(argument)) return as_array(argument);
    PyErr_Format(PyExc_TypeError, "expected a GPUArray, given %s", Py_TYPE(argument)->tp_name);
    throw PythonError{};
}

void raise_form_changed() {
    PyErr_SetString(PyExc_ValueError,
                    "an array was given another shape or dtype while an operation was about to use it");
    throw PythonError{};
}

DevicePtr ask_for_address(Array* array, const CUstream* user) {
    DevicePtr address = 0;
    bool is_block;
    const auto used = [user](Array* owner) { return address_of_block(owner, user); };
    const Ref gpudata = look_at_memory(array, address, is_block, used);
    if (is_block) return address;
    if (!gpudata) {
        PyErr_SetString(PyExc_AttributeError, "gpudata");
        throw PythonError{};
    }
    if (gpudata.get() == Py_None) return 0;
    // A view's is a number; the memory is its base's.
    const Ref base = user ? base_of(array) : nullptr;
    if (base && is_array(base.get())) {
        const Ref memory = look_at_memory(as_array(base.get()), address, is_block, used);
        if (memory && is_ours(memory.get())) memory_of(memory.get()).pointer_for(*user);
    }
    if (PyLong_CheckExact(gpudata.get())) {
        address = PyLong_AsUnsignedLongLong(gpudata.get());
        if (address == static_cast<DevicePtr>(-1) && PyErr_Occurred()) throw PythonError{};
        return address;
    }
    Owners owners;
    return device_pointer(gpudata.get(), owners, user);
}

DevicePtr escaped_address(Array* array) {
    DevicePtr address = 0;
    bool is_block;
    static_cast<void>(look_at_memory(array, address, is_block, escape_block));
    // A view's is a number; the memory is its base's.
    if (const Ref base = base_of(array); base && is_array(base.get())) {
        const Ref memory = look_at_memory(as_array(base.get()), address, is_block, escape_block);
        if (memory && is_ours(memory.get())) memory_of(memory.get()).pointer();
    }
    return address_of(array, nullptr);
}

std::shared_ptr<Context> context_of(Array* array) {
    const Ref base = base_of(array);  // a view's memory is its base's
    for (Array* const owner : {array, base && is_array(base.get()) ? as_array(base.get()) : array}) {
        Ref memory;
        {
            const ObjectLock lock(owner);
            if (MemoryPool* const pool = owner->pool) return pool->context();
            memory = borrow(owner->gpudata);
        }
        if (memory && is_ours(memory.get())) return memory_of(memory.get()).context();
    }
    return nullptr;
}

void require_access_elsewhere(Array* array, const pycuda::gpuarray::Current& now, DevicePtr address) {
    if (address == 0) return;
    const Ref base = array->pool ? nullptr : base_of(array);
    if (base && is_array(base.get()) && as_array(base.get())->pool == now.pool.get()) [[likely]]
        return;
    if (const std::shared_ptr<Context> owner = context_of(array)) pycuda::gpuarray::require_access(*owner, address);
}

bool has_plain_gpudata(Array* array) noexcept {
    const ObjectLock lock(array);
    return array->gpudata && (PyLong_CheckExact(array->gpudata) || is_ours(array->gpudata));
}

Ref memory_object_of(Array* array) noexcept {
    const ObjectLock lock(array);
    return array->pool ? nullptr : borrow(array->gpudata);
}

Ref allocator_of(Array* array) noexcept {
    const ObjectLock lock(array);
    return borrow(array->allocator);
}

Ref base_of(Array* array) noexcept {
    const ObjectLock lock(array);
    return borrow(array->base);
}

void set_reference(Array* array, PyObject*& field, PyObject* value) noexcept {
    Ref old = borrow(value);
    const ObjectLock lock(array);
    old.reset(std::exchange(field, old.release()));
}

Ref gpudata_of(Array* array) {
    const ObjectLock lock(array);
    if (MemoryPool* const pool = array->pool) {
        array->gpudata = pooled_allocation(pool->shared_from_this(), array->block);
        array->pool = nullptr;
    }
    return borrow(array->gpudata);
}

void set_gpudata(Array* array, PyObject* value) noexcept {
    if (value && value != Py_None && !PyLong_CheckExact(value)) track(array);
    Ref old = borrow(value);
    const ObjectLock lock(array);
    old.reset(std::exchange(array->gpudata, old.release()));
    MemoryPool* const pool = array->pool;
    array->pool = nullptr;
    if (pool) pool->give(array->block);
}

Use::Use(Array* array, CUstream stream, const pycuda::gpuarray::Current* now)
    : form_(share(&form_of(array))), memory_(memory_object_of(array)) {
    ref_ = {address_of(array, &stream), &form_->layout, form_->type};
    if (now) require_access(array, *now, ref_.address);
}

}  // namespace pycuda::python::gpuarray
