#include "launching/argument_handlers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "buffers.hpp"
#include "exceptions.hpp"
#include "host_functions.hpp"
#include "launching/handler_type.hpp"
#include "memory_types.hpp"
#include "pointers.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/memory/staging.hpp"

namespace pycuda::python {
namespace {

enum : unsigned { ToDevice = 1, FromDevice = 2 };

/// ArgumentHandler, In, Out and InOut: the indices of the last three are their directions.
PyTypeObject* handler_types[4];
PyObject *name_array, *name_get_device_alloc, *name_pre_call, *name_post_call;

/// 0 for a class that may have its own code.
unsigned directions_of(PyObject* handler) noexcept {
    const auto* const found = std::find(handler_types + 1, std::end(handler_types), Py_TYPE(handler));
    return found == std::end(handler_types) ? 0 : static_cast<unsigned>(found - handler_types);
}

Ref attribute(PyObject* object, PyObject* name) {
    Ref value(PyObject_GetAttr(object, name));
    if (!value) throw PythonError{};
    return value;
}

/// If there is no memory for the tuple, they are leaked, because copies use them.
Ref as_tuple(std::vector<Ref> objects) {
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(objects.size())));
    for (std::size_t i = 0; i < objects.size(); ++i) {
        PyObject* const object = objects[i].release();
        if (tuple) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), object);
    }
    if (!tuple) throw PythonError{};
    return tuple;
}

/// Runs `action` without the GIL.
template <class Action>
void unlocked(Action&& action) {
    GilRelease released;
    action();
    released.end();
}

}  // namespace

bool can_hold(PyObject* memory, std::size_t nbytes, const std::shared_ptr<Context>& context) {
    if (memory == Py_None) return false;
    if (!PyObject_TypeCheck(memory, device_memory_base)) return true;
    const DeviceMemory& known = memory_of(memory);
    return known.size() >= nbytes && known.context() == context;
}

void HostView::take(PyObject* array, bool writable) {
    if (read_array_memory(array, writable, memory_) && memory_.is_page_locked && memory_.nbytes != 0) {
        page_locked_array_ = borrow(array);
        return;
    }
    if (!(writable ? take_destination(array, view_) : take_source(array, view_))) throw PythonError{};
    memory_ = {view_.buf, static_cast<std::size_t>(view_.len), false};
}

HostCopies::~HostCopies() {
    try {
        hand_over();
    } catch (...) {
        // The program waited for the stream instead, or the stream is unusable.
    }
}

void HostCopies::copy_in(DevicePtr dest, HostView& source) {
    if (!stream_) return unlocked([&] { memcpy_htod(dest, source.data(), source.size()); });
    const auto queue = [&] { memcpy_htod_async(dest, source.data(), source.size(), stream_); };
    if (PyObject* const array = source.page_locked_array()) {
        page_locked_.push_back(borrow(array));
        return call_that_may_wait(queue);
    }
    if (!is_page_locked(source.data(), source.size()))
        return unlocked([&] { staged_htod(dest, source.data(), source.size(), *stream_); });
    kept_.push_back(source.keep());
    unlocked(queue);
}

void HostCopies::copy_out(HostView& dest, DevicePtr source) {
    if (!stream_) return unlocked([&] { memcpy_dtoh(dest.data(), dest.size(), source); });
    const auto queue = [&] { memcpy_dtoh_async(dest.data(), dest.size(), source, stream_); };
    if (PyObject* const array = dest.page_locked_array()) {
        page_locked_.push_back(borrow(array));
        return call_that_may_wait(queue);
    }
    auto kept = dest.keep();
    if (!is_page_locked(dest.data(), dest.size()))
        return unlocked([&] { staged_dtoh(dest.data(), dest.size(), source, *stream_, std::move(kept)); });
    kept_.push_back(std::move(kept));
    unlocked(queue);
}

void HostCopies::hand_over() {
    if (!page_locked_.empty()) kept_.push_back(keep_alive(as_tuple(std::exchange(page_locked_, {})).get()));
    if (kept_.empty()) return;
    auto kept = std::exchange(kept_, {});
    std::shared_ptr<void> all = kept.size() == 1
                                    ? std::move(kept.front())
                                    : std::make_shared<std::vector<std::shared_ptr<void>>>(std::move(kept));
    call_that_may_wait([&] { stream_->keep_until_done(std::move(all)); });
}

HandledArguments::HandledArguments(PyObject* const* args, Py_ssize_t count, PyObject* stream)
    : args_(args),
      count_(count),
      stream_object_(stream),
      stream_(stream),
      handled_(std::make_unique<Handled[]>(static_cast<std::size_t>(count))),
      copies_(stream_.get()) {
    owners_.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) handled_[i].is_handler = is_argument_handler(args[i]);
}

void HandledArguments::before_launch(const std::shared_ptr<Context>& context) {
    {
        const auto in_use = use_of(stream_.get());
        for (Py_ssize_t i = 0; i < count_; ++i)
            if (is_handler(i)) allocate(args_[i], handled_[i], context, in_use);
    }
    for (Py_ssize_t i = 0; i < count_; ++i) {
        if (!is_handler(i)) continue;
        Handled& handled = handled_[i];
        if (handled.directions == 0)
            call_hook(args_[i], name_pre_call);
        else if (handled.directions & ToDevice)
            copies_.copy_in(handled.pointer, handled.view);
    }
}

void HandledArguments::allocate(PyObject* handler, Handled& handled, const std::shared_ptr<Context>& context,
                                CUstream stream) {
    Ref memory;
    if (const unsigned directions = directions_of(handler)) {
        auto [array, known] = fields_of_handler(handler);
        if (!array) array = attribute(handler, name_array);  // raises
        handled.view.take(array.get(), directions & FromDevice);
        handled.directions = directions;
        memory = std::move(known);
        if (!memory || !can_hold(memory.get(), handled.view.size(), context)) {
            if (!pool_) pool_ = default_device_pool(*context);
            memory.reset(new_pooled(pool_, handled.view.size(), stream));
            set_memory_of_handler(handler, memory.get());
        }
    } else {
        memory.reset(PyObject_CallMethodNoArgs(handler, name_get_device_alloc));
        if (!memory) throw PythonError{};
    }
    handled.pointer = device_pointer(memory.get(), owners_, &stream);
    owners_.push_back(std::move(memory));
}

void HandledArguments::call_hook(PyObject* handler, PyObject* name) const {
    const Ref result(PyObject_CallMethodOneArg(handler, name, stream_object_));
    if (!result) throw PythonError{};
}

void HandledArguments::after_launch() {
    for (Py_ssize_t i = 0; i < count_; ++i) {
        if (!is_handler(i)) continue;
        Handled& handled = handled_[i];
        if (handled.directions == 0)
            call_hook(args_[i], name_post_call);
        else if (handled.directions & FromDevice)
            copies_.copy_out(handled.view, handled.pointer);
    }
    copies_.hand_over();
}

bool HandledArguments::want_work_done() const noexcept {
    for (Py_ssize_t i = 0; i < count_; ++i)
        if (is_handler(i) && Py_TYPE(args_[i]) != handler_types[0] && handled_[i].directions == 0) return true;
    return false;
}

bool is_argument_handler(PyObject* object) noexcept {
    // Most arguments are device memory or NumPy's scalars, whose base classes need not be searched.
    PyTypeObject* const type = Py_TYPE(object);
    if (type->tp_base == device_memory_base || !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return false;
    return handler_types[0] && PyType_IsSubtype(type, handler_types[0]);
}

namespace {

/// `copy`: a member of HostCopies, for the view and the device memory.
template <class Copy>
void copy_between(PyObject* array, bool writable, PyObject* memory, PyObject* stream, Copy copy) {
    const GivenStream given(stream);
    const auto in_use = use_of(given.get());
    const CUstream queue = in_use;
    Owners owners;
    HostView view(array, writable);
    const DevicePtr pointer = device_pointer(memory, owners, &queue);
    HostCopies copies(given.get());
    copy(copies, view, pointer);
    copies.hand_over();
}

}  // namespace

void copy_in(PyObject* dest, PyObject* array, PyObject* stream) {
    copy_between(array, false, dest, stream,
                 [](HostCopies& copies, HostView& view, DevicePtr pointer) { copies.copy_in(pointer, view); });
}

void copy_out(PyObject* array, PyObject* source, PyObject* stream) {
    copy_between(array, true, source, stream,
                 [](HostCopies& copies, HostView& view, DevicePtr pointer) { copies.copy_out(view, pointer); });
}

PyObject* register_argument_handlers(PyObject*, PyObject* classes) {
    PyTypeObject* types[std::size(handler_types)];
    if (!PyArg_ParseTuple(classes, "O!O!O!O!:register_argument_handlers", &PyType_Type, &types[0], &PyType_Type,
                          &types[1], &PyType_Type, &types[2], &PyType_Type, &types[3]))
        return nullptr;
    Py_INCREF(classes);
    std::copy(std::begin(types), std::end(types), handler_types);
    Py_RETURN_NONE;
}

int load_argument_handlers() {
    const struct {
        PyObject*& name;
        const char* text;
    } names[] = {{name_array, "array"},
                 {name_get_device_alloc, "get_device_alloc"},
                 {name_pre_call, "pre_call"},
                 {name_post_call, "post_call"}};
    for (const auto& [name, text] : names)
        if (!(name = PyUnicode_InternFromString(text))) return -1;
    return 0;
}

}  // namespace pycuda::python
