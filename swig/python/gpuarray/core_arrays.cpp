#include "gpuarray/core_arrays.hpp"
#include "gpuarray/traced.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "lifetime.hpp"
#include "pointers.hpp"
#include "pycuda/gpuarray/recording.hpp"
#include "pycuda/pools/memory_pool.hpp"

namespace pycuda::python::gpuarray {
namespace {

namespace core = pycuda::gpuarray;

/// The memory of a Python array.
class LentMemory final : public DeviceMemory {
public:
    explicit LentMemory(Array* array)
        : object_(borrow(as_object(array))), steady_(array), size_(steady_.form().layout.nbytes()) {}

    DevicePtr pointer() const override { return address(nullptr); }
    DevicePtr pointer_for(CUstream stream) override { return address(&stream); }
    std::size_t size() const noexcept override { return static_cast<std::size_t>(size_); }
    std::shared_ptr<Context> context() const noexcept override { return context_of(array()); }
    const char* what() const noexcept override { return "memory of a GPUArray"; }
    bool is_closed() const noexcept override { return false; }

    Array* array() const noexcept { return steady_.array(); }
    const ArrayForm& form() const noexcept { return steady_.form(); }

private:
    bool release() noexcept override { return true; }
    DevicePtr address(const CUstream* user) const {
        steady_.check();
        memory_ = memory_object_of(array());
        Owners owners;
        const DevicePtr address = address_of(array(), user, &owners);
        made_ = owners.take();
        return address;
    }

    Ref object_;
    SteadyArray steady_;
    std::int64_t size_;
    mutable Ref memory_;             ///< gpudata, while work on it may still be queued
    mutable std::vector<Ref> made_;  ///< what gpudata made for its address
};

/// Memory from an allocator in Python.
class GivenMemory final : public DeviceMemory {
public:
    GivenMemory(Ref object, std::size_t size) : object_(std::move(object)), size_(size) {}

    DevicePtr pointer() const override { return address(nullptr); }
    DevicePtr pointer_for(CUstream stream) override { return address(&stream); }
    std::size_t size() const noexcept override { return size_; }
    std::shared_ptr<Context> context() const noexcept override { return nullptr; }
    const char* what() const noexcept override { return "memory of an allocator"; }
    bool is_closed() const noexcept override { return false; }

    PyObject* object() const noexcept { return object_.get(); }

private:
    bool release() noexcept override { return true; }
    DevicePtr address(const CUstream* user) const {
        Owners owners;
        const DevicePtr address = device_pointer(object_.get(), owners, user);
        made_ = owners.take();
        return address;
    }

    Ref object_;
    std::size_t size_;
    mutable std::vector<Ref> made_;  ///< what it made for its address
};

class PythonAllocator final : public core::ArrayAllocator {
public:
    explicit PythonAllocator(PyObject* allocator) : allocator_(borrow(allocator)) {}

    std::shared_ptr<DeviceMemory> allocate(std::size_t nbytes, CUstream) override {
        const Ref size(PyLong_FromSize_t(nbytes));
        const HeldEnds::Pause frees_at_once;  // it may make room
        Ref memory(size ? PyObject_CallOneArg(allocator_.get(), size.get()) : nullptr);
        if (!memory) throw PythonError{};
        return std::make_shared<GivenMemory>(std::move(memory), nbytes);
    }
    PyObject* object() const noexcept { return allocator_.get(); }

private:
    Ref allocator_;
};

PyObject* allocator_of(const core::Array& array) {
    const auto* const python = static_cast<const PythonAllocator*>(array.allocator().get());
    return python ? python->object() : nullptr;
}

}  // namespace

core::Array core_array(Array* array, PyObject* allocator) {
    if (auto traced = traced_array(array)) return std::move(*traced);
    auto memory = std::make_shared<LentMemory>(array);
    const ArrayForm& form = memory->form();
    const Ref from = allocator ? borrow(allocator) : allocator_of(array);
    std::shared_ptr<core::ArrayAllocator> wrapped;
    if (from) wrapped = std::make_shared<PythonAllocator>(from.get());
    return core::Array::over(std::move(memory), std::move(wrapped), form.type, form.layout);
}

PyObject* adopt(core::Array made, PyObject* dtype) {
    if (auto* const lent = dynamic_cast<LentMemory*>(made.memory().get())) {
        const Ref kept = borrow(as_object(lent->array()));
        return as_object(new_view(lent->array(), made.layout(), static_cast<std::int64_t>(made.offset()), dtype));
    }
    if (core::any_trace_is_open() && core::is_traced(made)) return new_traced(made, dtype, array_class);
    ArrayForm* const form = form_of_layout(made.layout(), dtype);
    Array* const array = new_plain();
    if (!array) {
        drop(form);
        throw std::bad_alloc();
    }
    const Ref owner(as_object(array));
    set_form(array, form);
    if (PyObject* const allocator = allocator_of(made)) {
        array->allocator = borrow(allocator).release();
        track(array);
    }
    if (form->layout.size() == 0) {
        set_gpudata(array, Py_None);
    } else if (auto* const given = dynamic_cast<GivenMemory*>(made.memory().get())) {
        set_gpudata(array, given->object());
    } else if (const auto pool = made.release_block(array->block)) {
        array->pool = pool.get();  // lives as long as its block is active
    } else {
        throw LogicError("GPUArray", 0, "the memory of a result is owned elsewhere");
    }
    return borrow(owner.get()).release();
}

}  // namespace pycuda::python::gpuarray
