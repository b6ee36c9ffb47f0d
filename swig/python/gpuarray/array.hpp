#pragma once

#include <Python.h>

#include "gpuarray/form.hpp"
#include "handle_types.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/pools/memory_pool.hpp"

/// pycuda.gpuarray.GPUArray: a C type on top of a Python class with the methods, so that client classes inherit its
/// number slots.
namespace pycuda::python::gpuarray {

using pycuda::gpuarray::DevicePtr;

/// Whether the elements of an array are results of comparisons. As an index, such an array is a mask, although its
/// dtype may be an integer type, as with PyCUDA's comparisons.
enum class Answers : unsigned char {
    No,
    Yes,      ///< 0 and 1: from a comparison, or from several joined by & | ^ *
    Garbled,  ///< added by +, or inverted by ~: no longer 0 and 1
};

struct Array {
    PyObject_HEAD
        // The contents of `form`, so that Python can read them without a call; borrowed. Null until __init__ has run.
        PyObject *shape,
        *strides, *dtype, *size, *nbytes;
    SharedField<ArrayForm*> form;  ///< owned; null until __init__ has run
    /// The pool of the array's block; null if it has none. The block moves to gpudata when that is requested. Pools
    /// live while their blocks are active.
    SharedField<MemoryPool*> pool;
    PoolBlock block;
    // Guarded by the array's lock, like the block:
    PyObject* gpudata;  ///< the allocator's memory, or the address of a view, or None; null with a block, or if deleted
    PyObject* allocator;              ///< null: the default
    PyObject* base;                   ///< null: None
    PyObject *size_set, *nbytes_set;  ///< values that a program has assigned; null: none
    PyObject *dict, *weaklist;
    SharedField<Answers> answers;
};

inline Array* as_array(PyObject* object) noexcept {
    return reinterpret_cast<Array*>(object);
}
inline PyObject* as_object(Array* array) noexcept {
    return reinterpret_cast<PyObject*>(array);
}

/// GPUArray; null until array_type was called.
extern PyTypeObject* array_class;
inline bool is_array(PyObject* object) noexcept {
    return array_class && PyObject_TypeCheck(object, array_class);
}

/// The array's form. PythonError if __init__ has not run, or if shape, strides and dtype do not fit together.
ArrayForm& form_of(Array* array);

/// The argument as an array. TypeError if it is not one.
Array* array_from(PyObject* argument);

/// True if arrays of one class follow the array API standard and those of the other PyCUDA's rules.
bool differ_in_rules(PyTypeObject* one, PyTypeObject* other) noexcept;
/// PythonError (TypeError) then.
void require_same_rules(PyTypeObject* one, PyTypeObject* other);

/// Throws ValueError: foreign code has changed an array's form meanwhile.
[[noreturn]] void raise_form_changed();

/// An array that must keep its form while foreign code runs, which might change it.
class SteadyArray {
public:
    explicit SteadyArray(Array* array) : array_(array), form_(share(&form_of(array))) {}
    Array* array() const noexcept { return array_; }
    const ArrayForm& form() const noexcept { return *form_; }
    void check() const {
        if (array_->form != form_.get()) raise_form_changed();
    }

private:
    Array* array_;
    FormRef form_;
};

/// True if the pool need not be notified that work on `stream` uses the block: this stream already uses it, or many
/// streams do, none of which waits for the block's previous holder.
inline bool is_noted(const PoolBlock& block, CUstream stream) noexcept {
    const LastUse last = block.last_use.load();
    return (last.is(stream) || (last.is_many() && block.before.load().is_none())) && !any_capture_is_open();
}

/// The address of element (0, 0, ...); 0 if the array is empty. For work on the stream `user`, which the pool records
/// (null: no work is queued). PythonError if there is no memory, or if gpudata's methods raise.
/// `owners`: of what gpudata makes for its address; null if the address is used no longer than this call.
DevicePtr ask_for_address(Array* array, const CUstream* user, Owners* owners = nullptr);
inline DevicePtr address_of(Array* array, const CUstream* user, Owners* owners = nullptr) {
    {
        const ObjectLock lock(array);
        MemoryPool* const pool = array->pool;
        if (pool && pool->is_alive() && (!user || is_noted(array->block, *user))) [[likely]]
            return array->block.address;
    }
    return ask_for_address(array, user, owners);
}
/// The same for work on `stream` in the current context, `now`. Avoids the array's lock if possible, because threads
/// that share an array would all write to it. A block does not change while `pool` is set, and the current context's
/// pool exists.
inline DevicePtr address_of(Array* array, CUstream stream, const pycuda::gpuarray::Current& now) {
    MemoryPool* const pool = array->pool;
    if (pool && pool == now.pool.get() && pool->is_alive() && is_noted(array->block, stream)) [[likely]]
        return array->block.address;
    return address_of(array, &stream);
}

/// The context of the array's memory; null if it is unknown.
std::shared_ptr<Context> context_of(Array* array);
/// LogicError if kernels of the current context, `now`, cannot use the array's memory at `address`.
void require_access_elsewhere(Array* array, const pycuda::gpuarray::Current& now, DevicePtr address);
inline void require_access(Array* array, const pycuda::gpuarray::Current& now, DevicePtr address) {
    if (array->pool != now.pool.get()) [[unlikely]]
        require_access_elsewhere(array, now, address);
}

/// The stream of an operation on arrays: None, or no argument, is the stream of `with stream:`, else the default
/// stream.
inline CUstream stream_of_operation(PyObject* argument) {
    const CUstream given = stream_handle_of(argument);
    return given ? given : pycuda::gpuarray::stream_in_use();
}

/// The address, for use on any stream. `owners` as above.
DevicePtr escaped_address(Array* array, Owners* owners = nullptr);

/// True if reading the array's address runs no user code: it has memory of this package, or an address.
bool has_plain_gpudata(Array* array) noexcept;
inline bool has_plain_address(Array* array) noexcept {
    return array->pool || has_plain_gpudata(array);
}

/// An array as an operand of work on a stream. Keeps its form and memory alive while foreign code runs, which may
/// replace or free them: gpudata's methods, finalizers, other threads.
class Use {
public:
    /// PythonError as above. For kernels of the current context, `now`, also LogicError as above; null: for copies.
    Use(Array* array, CUstream stream, const pycuda::gpuarray::Current* now);
    const pycuda::gpuarray::ArrayRef& ref() const noexcept { return ref_; }
    const ArrayForm& form() const noexcept { return *form_; }

private:
    Owners owners_;
    FormRef form_;
    Ref memory_;  ///< gpudata; null: the array's block
    pycuda::gpuarray::ArrayRef ref_;
};

/// The array's gpudata. If the array has a block, creates an object that then owns it. Null if there is no memory.
Ref gpudata_of(Array* array);
/// The object that keeps the array's memory alive while work on it is queued; null for a block, which the array itself
/// keeps alive.
Ref memory_object_of(Array* array) noexcept;
/// References to fields; null if the field is null.
Ref allocator_of(Array* array) noexcept;
Ref base_of(Array* array) noexcept;
/// Replaces the object in a field of the array; null: none.
void set_reference(Array* array, PyObject*& field, PyObject* value) noexcept;
/// Set the array's gpudata, and return its block to the pool; null: none.
void set_gpudata(Array* array, PyObject* value) noexcept;
/// The cycle collector does not track arrays until they refer to an object that could be part of a cycle.
void track(Array* array) noexcept;

/// A zeroed GPUArray that the collector does not track; null without an exception. A new reference.
Array* new_plain() noexcept;

/// The gpudata of a view.
enum class Memory {
    Address,  ///< a number
    Object,   ///< the same object as the viewed array's: PyCUDA's way for transposed arrays
};
/// A GPUArray with this layout and dtype in the memory of `array`, `offset` bytes from its start (0 for
/// Memory::Object). A new reference. PythonError.
Array* new_view(Array* array, const pycuda::gpuarray::Layout& layout, std::int64_t offset, PyObject* dtype,
                Memory memory = Memory::Address);

/// A new array for a result of this type and dtype, with its own memory from the allocator of `first`. If `like` is not
/// null, the array has its class, shape and order of axes, or is the result of a subclass's _new_like_me; else it is a
/// GPUArray with this packed layout. A new reference. PythonError.
Array* new_result(Array* first, Array* like, const pycuda::gpuarray::Layout& packed, DType type, PyObject* dtype);

/// The fast path, a few dozen instructions without driver calls and Python code: a plain GPUArray with a block that the
/// pool of `now` holds. Null, without an exception, if that is not possible.
Array* try_new_like(Array* like, DType type, const pycuda::gpuarray::Current& now) noexcept;

/// A new array of this class and form, with its own memory from an allocator (null: the default). A new reference.
/// PythonError.
Array* new_of_form(PyTypeObject* cls, FormRef form, Ref allocator);
/// True if results can have the class without calling its code: it overrides neither `__new__`, `__init__` nor
/// `_new_like_me`.
bool is_plain_class(PyTypeObject* type);

/// A new 0-d GPUArray of this dtype with memory from the context's pool. A new reference. PythonError.
Array* new_scalar(DType type);

/// Gives `array` another form, and takes over the reference to it.
void set_form(Array* array, ArrayForm* form) noexcept;

/// The default allocator of arrays. A new reference.
PyObject* default_allocator_object();

/// The attributes that are not fields.
extern PyGetSetDef array_attributes[];
int set_attribute(PyObject* self, PyObject* name, PyObject* value);
/// Nonzero with a Python exception set on failure.
int load_attribute_names();

/// _native.array_type(cls): creates GPUArray from a class of methods. Called once, by pycuda.gpuarray.
PyObject* array_type(PyObject* module, PyObject* methods);

/// Adds the names that pycuda.gpuarray takes from the native module. Nonzero with a Python exception set on failure.
int add_arrays(PyObject* module);

}  // namespace pycuda::python::gpuarray
