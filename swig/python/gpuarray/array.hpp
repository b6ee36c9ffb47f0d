#pragma once

#include <Python.h>

#include "gpuarray/form.hpp"
#include "handle_types.hpp"
#include "interpreter/free_threading.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/elementwise.hpp"
#include "pycuda/memory_pool.hpp"

/// pycuda.gpuarray.GPUArray: a C type laid over a Python class of methods, so that client classes inherit its number
/// slots.
namespace pycuda::python::gpuarray {

using pycuda::gpuarray::DevicePtr;

/// Whether the elements of an array are answers of comparisons. As an index such an array is a mask, although its dtype
/// may be an integer type, as PyCUDA's comparisons give it.
enum class Answers : unsigned char {
    No,
    Yes,      ///< 0 and 1: of a comparison, or of several joined by & | ^ *
    Garbled,  ///< added by +, or inverted by ~: no longer 0 and 1
};

struct Array {
    PyObject_HEAD
        // What `form` holds, where Python reads it without a call; borrowed. Null until __init__ ran.
        PyObject *shape,
        *strides, *dtype, *size, *nbytes;
    SharedField<Form*> form;  ///< owned; null until __init__ ran
    /// The pool of the array's block; null if it has none. The block moves to gpudata when that is requested. Pools
    /// live while their blocks are active.
    SharedField<MemoryPool*> pool;
    PoolBlock block;
    // Under the array's lock, as the block is:
    PyObject* gpudata;    ///< what the allocator gave, or the address of a view, or None; null with a block, or deleted
    PyObject* allocator;  ///< null: the default
    PyObject* base;       ///< null: None
    PyObject *size_set, *nbytes_set;  ///< what a program has put there; null: nothing
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

/// The array's form. PythonError when __init__ did not run, or when shape, strides and dtype do not fit together.
Form& form_of(Array* array);

/// The array that an argument is. TypeError where it is none.
Array* array_from(PyObject* argument);

/// ValueError: code of others has given an array another form meanwhile.
[[noreturn]] void raise_form_changed();

/// An array that must keep its form while code of others runs, which may give it another.
class SteadyArray {
public:
    explicit SteadyArray(Array* array) : array_(array), form_(share(&form_of(array))) {}
    Array* array() const noexcept { return array_; }
    const Form& form() const noexcept { return *form_; }
    void check() const {
        if (array_->form != form_.get()) raise_form_changed();
    }

private:
    Array* array_;
    FormRef form_;
};

/// True if the pool need not be told that work on `stream` uses the block: it is the stream that uses it already, or
/// many streams do, none of which waits for the block's previous holder.
inline bool is_noted(const PoolBlock& block, CUstream stream) noexcept {
    const LastUse last = block.last_use.load();
    return (last.is(stream) || (last.is_many() && block.before.load().is_none())) && !any_capture_is_open();
}

/// The address of element (0, 0, ...). 0 when the array is empty. PythonError when there is no memory, and what asking
/// gpudata for its address raises. For work on the stream `user`, which the pool notes (null: none is queued).
DevicePtr ask_for_address(Array* array, const CUstream* user);
inline DevicePtr address_of(Array* array, const CUstream* user) {
    {
        const ObjectLock lock(array);
        MemoryPool* const pool = array->pool;
        if (pool && pool->is_alive() && (!user || is_noted(array->block, *user))) [[likely]]
            return array->block.address;
    }
    return ask_for_address(array, user);
}
/// The same for work on `stream` in the current context, which is `now`, without the array's lock where that is
/// possible: threads that share an array would all write to it. A block does not change while `pool` is set, and the
/// current context's pool exists.
inline DevicePtr address_of(Array* array, CUstream stream, const pycuda::gpuarray::Current& now) {
    MemoryPool* const pool = array->pool;
    if (pool && pool == now.pool.get() && pool->is_alive() && is_noted(array->block, stream)) [[likely]]
        return array->block.address;
    return address_of(array, &stream);
}

/// The context of the array's memory; null if that is not known.
std::shared_ptr<Context> context_of(Array* array);
/// LogicError where kernels of the current context, `now`, cannot use the array's memory, which is at `address`.
void require_access_elsewhere(Array* array, const pycuda::gpuarray::Current& now, DevicePtr address);
inline void require_access(Array* array, const pycuda::gpuarray::Current& now, DevicePtr address) {
    if (array->pool != now.pool.get()) [[unlikely]]
        require_access_elsewhere(array, now, address);
}

/// The stream of an operation on arrays: None, or not given, is what `with stream:` says, else the default stream.
inline CUstream stream_of_operation(PyObject* argument) {
    const CUstream given = stream_handle_of(argument);
    return given ? given : pycuda::gpuarray::stream_in_use();
}

/// The address, for use on any stream.
DevicePtr escaped_address(Array* array);

/// Whether getting the array's address runs no user code: it has memory of this package, or an address.
bool has_plain_gpudata(Array* array) noexcept;
inline bool has_plain_address(Array* array) noexcept {
    return array->pool || has_plain_gpudata(array);
}

/// An array as work on a stream sees it. Keeps its form and memory alive while foreign code runs, which may give the
/// array others: gpudata's methods, allocators, finalizers, other threads.
class Use {
public:
    /// PythonError as above. For kernels of the current context, `now`, also LogicError as above; null: for copies.
    Use(Array* array, CUstream stream, const pycuda::gpuarray::Current* now);
    const pycuda::gpuarray::ArrayRef& ref() const noexcept { return ref_; }
    const Form& form() const noexcept { return *form_; }

private:
    FormRef form_;
    Ref memory_;  ///< gpudata; null: the array's block
    pycuda::gpuarray::ArrayRef ref_;
};

/// The array's gpudata: an object that owns what was the array's block from then on. Null when there is none.
Ref gpudata_of(Array* array);
/// The object that keeps the array's memory alive while work on it is queued; null for a block, which the array itself
/// keeps.
Ref memory_object_of(Array* array) noexcept;
/// References to fields; null where they are.
Ref allocator_of(Array* array) noexcept;
Ref base_of(Array* array) noexcept;
/// Another object in a field of the array; null: none.
void set_reference(Array* array, PyObject*& field, PyObject* value) noexcept;
/// Set the array's gpudata, and return its block to the pool; null: none.
void set_gpudata(Array* array, PyObject* value) noexcept;
/// Arrays are unknown to the collector of cycles until they have something that could be part of one.
void track(Array* array) noexcept;

/// A GPUArray that is all zero, unknown to the collector; null without an exception. A new reference.
Array* new_plain() noexcept;

/// The gpudata of a view.
enum class Memory {
    Address,  ///< a number
    Object,   ///< what the array that it is a view of has: PyCUDA's way for transposed arrays
};
/// A GPUArray with this layout and dtype in the memory of `array`, `offset` bytes from its start (0 for
/// Memory::Object). A new reference. PythonError.
Array* new_view(Array* array, const pycuda::gpuarray::Layout& layout, std::int64_t offset, PyObject* dtype,
                Memory memory = Memory::Address);

/// A new array for a result of this type, whose dtype is given too, with memory of its own from the allocator of
/// `first`: like `like`, if that is not null, in class, shape and order of axes, or what its _new_like_me gives, if a
/// subclass has one; else a GPUArray of this packed layout. A new reference. PythonError.
Array* new_result(Array* first, Array* like, const pycuda::gpuarray::Layout& packed, DType type, PyObject* dtype);

/// The fast path of a few dozen instructions, without driver and Python: a plain GPUArray with a block that the pool of
/// `now` holds. Otherwise null, without an exception.
Array* try_new_like(Array* like, DType type, const pycuda::gpuarray::Current& now) noexcept;

/// A new 0-d GPUArray of this dtype with memory from the context's pool. A new reference. PythonError.
Array* new_scalar(DType type);

/// Makes `array` have another form, of which it takes the reference.
void set_form(Array* array, Form* form) noexcept;

/// The default allocator of arrays. A new reference.
PyObject* default_allocator_object();

/// Attributes other than those that are fields.
extern PyGetSetDef array_attributes[];
int set_attribute(PyObject* self, PyObject* name, PyObject* value);
/// Nonzero with a Python exception set on failure.
int load_attribute_names();

/// _native.array_type(cls): makes GPUArray of a class of methods. For pycuda.gpuarray, once.
PyObject* array_type(PyObject* module, PyObject* methods);

/// Adds what pycuda.gpuarray takes from the native module. Nonzero with a Python exception set on failure.
int add_arrays(PyObject* module);

}  // namespace pycuda::python::gpuarray
