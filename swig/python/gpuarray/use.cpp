#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/traced.hpp"
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

/// The same for memory that an array has from its base, as a view has, whose own address is a number: the base itself,
/// or the memory of that array. Null if there is none.
template <class OfBlock>
Ref look_at_base(Array* array, const OfBlock& of_block) {
    Ref base = base_of(array);
    if (!base || !is_array(base.get())) return base;
    DevicePtr address;
    bool is_block;
    return look_at_memory(as_array(base.get()), address, is_block, of_block);
}

/// Device memory whose object has the address in a field.
bool is_ours(PyObject* gpudata) noexcept {
    return Py_TYPE(gpudata)->tp_base == device_memory_base;
}

/// A graph keeps everything that the array's memory may come from, unless it is memory of ours, which it knows by its
/// address: the array, its bases, the objects that have their addresses, and what owns the last of them.
void note_owners(Array* array, const CUstream* user) {
    std::vector<Ref> owners;
    for (Ref owner = borrow(as_object(array)); owner;) {
        if (!is_array(owner.get())) {
            if (is_ours(owner.get())) return;
            owners.push_back(std::move(owner));
            break;
        }
        Array* const next = as_array(owner.get());
        DevicePtr address = 0;
        bool is_block;
        Ref memory = look_at_memory(next, address, is_block, [user](Array* of) { return address_of_block(of, user); });
        if (is_block || (memory && is_ours(memory.get()))) return;
        if (std::find_if(owners.begin(), owners.end(),
                         [next](const Ref& known) { return known.get() == as_object(next); }) != owners.end())
            break;  // arrays that are each other's bases
        owners.push_back(std::move(owner));
        if (memory && memory.get() != Py_None && !PyLong_CheckExact(memory.get())) owners.push_back(std::move(memory));
        owner = base_of(next);
    }
    for (const Ref& owner : owners) note_owner(owner.get(), user);
}

}  // namespace

Array* array_from(PyObject* argument) {
    if (is_array(argument)) return as_array(argument);
    PyErr_Format(PyExc_TypeError, "expected a GPUArray, given %s", Py_TYPE(argument)->tp_name);
    throw PythonError{};
}

bool differ_in_rules(PyTypeObject* one, PyTypeObject* other) noexcept {
    static PyObject* const name = PyUnicode_InternFromString("__array_namespace__");
    return one != other && name && !_PyType_Lookup(one, name) != !_PyType_Lookup(other, name);
}

void require_same_rules(PyTypeObject* one, PyTypeObject* other) {
    if (!differ_in_rules(one, other)) return;
    PyErr_SetString(PyExc_TypeError,
                    "arrays of pycuda.array_api and GPUArrays, which follow different rules, cannot be used together: "
                    "convert one of them with pycuda.array_api.asarray() or pycuda.gpuarray.asarray(), which share its "
                    "memory");
    throw PythonError{};
}

void raise_form_changed() {
    PyErr_SetString(PyExc_ValueError,
                    "an array was given another shape or dtype while an operation was about to use it");
    throw PythonError{};
}

DevicePtr ask_for_address(Array* array, const CUstream* user, Owners* owners) {
    DevicePtr address = 0;
    bool is_block;
    const auto used = [user](Array* owner) { return address_of_block(owner, user); };
    const Ref gpudata = look_at_memory(array, address, is_block, used);
    if (is_block) return address;
    if (!gpudata) {
        PyErr_SetString(PyExc_AttributeError, "gpudata");
        throw PythonError{};
    }
    if (gpudata.get() == Py_None) {
        if (form_of(array).layout.size() == 0) return 0;
        throw LogicError("GPUArray", 0, "the array has no memory: its gpudata is None");
    }
    refuse_traced_memory(gpudata.get());
    if (any_capture_is_open()) [[unlikely]]
        note_owners(array, user);
    const Ref memory = user ? look_at_base(array, used) : nullptr;
    if (memory && is_ours(memory.get())) memory_of(memory.get()).pointer_for(*user);
    if (PyLong_CheckExact(gpudata.get())) {
        address = PyLong_AsUnsignedLongLong(gpudata.get());
        if (address == static_cast<DevicePtr>(-1) && PyErr_Occurred()) throw PythonError{};
        return address;
    }
    std::optional<Owners> own;
    return device_pointer(gpudata.get(), owners ? *owners : own.emplace(), user);
}

DevicePtr escaped_address(Array* array, Owners* owners) {
    DevicePtr address = 0;
    bool is_block;
    static_cast<void>(look_at_memory(array, address, is_block, escape_block));
    const Ref memory = look_at_base(array, escape_block);
    if (memory && is_ours(memory.get())) memory_of(memory.get()).pointer();
    return address_of(array, nullptr, owners);
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
        array->gpudata = pooled_allocation(pool->shared_from_this(), array->block, true);
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
    if (pool) pool->give_freed(array->block);
}

Use::Use(Array* array, CUstream stream, const pycuda::gpuarray::Current* now)
    : form_(share(&form_of(array))), memory_(memory_object_of(array)) {
    ref_ = {address_of(array, &stream, &owners_), &form_->layout, form_->type};
    if (now) require_access(array, *now, ref_.address);
}

}  // namespace pycuda::python::gpuarray
