#include "launching/argument_types.hpp"

#include <cstdint>
#include <cstring>
#include <string>

#include "buffers.hpp"
#include "exceptions.hpp"
#include "handle_types.hpp"
#include "launching/tensor_maps.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"
#include "pointers.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda::python {
namespace {

constexpr Slot pointer_slot{SlotKind::Pointer, sizeof(std::uint64_t), alignof(std::uint64_t)};

bool read_text(PyObject* object, std::vector<Slot>& slots) {
    const char* text = nullptr;
    Py_ssize_t length = 0;
    if (PyUnicode_Check(object)) {
        text = PyUnicode_AsUTF8AndSize(object, &length);
    } else if (PyBytes_Check(object)) {
        text = PyBytes_AS_STRING(object);
        length = PyBytes_GET_SIZE(object);
    } else {
        return false;
    }
    if (!text) throw PythonError{};
    append_slots({text, static_cast<std::size_t>(length)}, slots);
    return true;
}

SlotKind slot_kind(ScalarKind kind) {
    switch (kind) {
        case ScalarKind::Signed:
            return SlotKind::Signed;
        case ScalarKind::Unsigned:
            return SlotKind::Unsigned;
        case ScalarKind::Float:
            return SlotKind::Float;
        case ScalarKind::Complex:
            return SlotKind::Complex;
        case ScalarKind::Bool:
            return SlotKind::Bool;
    }
    return SlotKind::Bytes;
}

// A numpy.dtype: a scalar type that we know, or raw bytes.
Slot slot_of_dtype(PyObject* dtype) {
    const int is_other = has_other_byte_order(dtype);
    if (is_other < 0) throw PythonError{};
    if (is_other) throw ArgumentTypeError("arguments are passed in the device's byte order: give a native dtype");
    const Ref type(PyObject_GetAttrString(dtype, "type"));
    if (!type) throw PythonError{};
    const ScalarType* const scalar =
        PyType_Check(type.get()) ? find_scalar_type(reinterpret_cast<PyTypeObject*>(type.get())) : nullptr;
    if (scalar) return {slot_kind(scalar->kind), scalar->size, scalar->alignment};
    return {SlotKind::Bytes, attribute_as_size(dtype, "itemsize"), attribute_as_size(dtype, "alignment")};
}

Slot slot_of_type(PyObject* object) {
    if (PyType_Check(object)) {
        if (is_tensor_map_type(object)) return {SlotKind::Bytes, sizeof(CUtensorMap), tensor_map_alignment};
        const ScalarType* const scalar = find_scalar_type(reinterpret_cast<PyTypeObject*>(object));
        return scalar ? Slot{slot_kind(scalar->kind), scalar->size, scalar->alignment} : pointer_slot;
    }
    return is_numpy_dtype(object) ? slot_of_dtype(object) : pointer_slot;
}

// ---- values

std::string prepared_argument(std::size_t position) {
    return "argument " + std::to_string(position) + ", counted from 0, was prepared as ";
}

[[noreturn]] void refuse_value(PyObject* value, const char* wanted, std::size_t position) {
    // Exceptions from the value's own conversion propagate unchanged.
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError{};
    PyErr_Clear();
    throw ArgumentTypeError(prepared_argument(position) + wanted + ", given " + Py_TYPE(value)->tp_name);
}

[[noreturn]] void refuse_range(const Slot& slot, PyObject* value, std::size_t position) {
    PyErr_Format(PyExc_OverflowError, "%san integer of %zu bytes, which cannot hold %S",
                 prepared_argument(position).c_str(), slot.size, value);
    throw PythonError{};
}

// Any integer of up to 64 bits, as a bit pattern; `negative` determines its interpretation.
std::uint64_t read_integer(const Slot& slot, PyObject* value, std::size_t position, bool& negative) {
    const Ref index(PyNumber_Index(value));
    if (!index) refuse_value(value, "an integer", position);
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
    negative = overflow < 0 || (!overflow && number < 0);
    if (!overflow) return static_cast<std::uint64_t>(number);
    const unsigned long long wide = overflow > 0 ? PyLong_AsUnsignedLongLong(index.get()) : 0;
    if (overflow < 0 || PyErr_Occurred()) {
        PyErr_Clear();
        refuse_range(slot, value, position);
    }
    return wide;
}

void store_integer(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position) {
    bool negative;
    const std::uint64_t bits = read_integer(slot, value, position, negative);
    const unsigned width = static_cast<unsigned>(8 * slot.size);
    if (slot.kind == SlotKind::Unsigned) {
        if (negative || (width < 64 && bits >> width)) refuse_range(slot, value, position);
    } else {
        const std::uint64_t magnitude = negative ? ~bits : bits;  // of two's complement: below 2^(width-1)
        if (magnitude >> (width - 1)) refuse_range(slot, value, position);
    }
    std::memcpy(destination, &bits, slot.size);  // little-endian, as every CUDA host is
}

void store_float(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position) {
    const double number = PyFloat_AsDouble(value);
    if (number == -1.0 && PyErr_Occurred()) refuse_value(value, "a floating-point number", position);
    if (slot.size == sizeof(double)) {
        std::memcpy(destination, &number, sizeof number);
    } else if (slot.size == sizeof(float)) {
        const float single = static_cast<float>(number);
        std::memcpy(destination, &single, sizeof single);
    } else {
#if PY_VERSION_HEX >= 0x030B0000
        const int failed = PyFloat_Pack2(number, reinterpret_cast<char*>(destination), 1);
#else
        const int failed = _PyFloat_Pack2(number, destination, 1);
#endif
        if (failed) throw PythonError{};
    }
}

void store_complex(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position) {
    const Py_complex number = PyComplex_AsCComplex(value);
    if (number.real == -1.0 && PyErr_Occurred()) refuse_value(value, "a complex number", position);
    if (slot.size == 16) {
        const double parts[] = {number.real, number.imag};
        std::memcpy(destination, parts, sizeof parts);
    } else {
        const float parts[] = {static_cast<float>(number.real), static_cast<float>(number.imag)};
        std::memcpy(destination, parts, sizeof parts);
    }
}

void store_bytes(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position) {
    Py_buffer view;
    if (!PyObject_CheckBuffer(value)) refuse_value(value, "bytes", position);
    if (!take_value(value, view)) throw PythonError{};
    const auto size = static_cast<std::size_t>(view.len);
    if (size == slot.size) std::memcpy(destination, view.buf, size);
    PyBuffer_Release(&view);
    if (size != slot.size)
        throw ArgumentTypeError(prepared_argument(position) + std::to_string(slot.size) + " bytes, given " +
                                std::to_string(size) + " bytes");
}

}  // namespace

std::vector<Slot> read_argument_types(PyObject* types) {
    std::vector<Slot> slots;
    if (!read_text(types, slots)) {
        const Ref sequence(PySequence_Tuple(types));
        if (!sequence) throw PythonError{};
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(sequence.get()); ++i) {
            PyObject* const item = PyTuple_GET_ITEM(sequence.get(), i);
            if (!read_text(item, slots)) slots.push_back(slot_of_type(item));
        }
    }
    return slots;
}

// Fast path without tables for the most frequent values, small ints and floats. False: take the slow path.
static bool store_common(const Slot& slot, PyObject* value, unsigned char* destination) {
    if (slot.size == sizeof(int) && slot.kind <= SlotKind::Unsigned && PyLong_CheckExact(value)) {
        int overflow;
        const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
        const bool fits = slot.kind == SlotKind::Signed ? number == static_cast<std::int32_t>(number)
                                                        : number == static_cast<std::uint32_t>(number);
        if (overflow || !fits) return false;
        const auto bits = static_cast<std::uint32_t>(number);
        std::memcpy(destination, &bits, sizeof bits);
        return true;
    }
    if (slot.kind == SlotKind::Float && slot.size == sizeof(float) && PyFloat_CheckExact(value)) {
        const auto number = static_cast<float>(PyFloat_AS_DOUBLE(value));
        std::memcpy(destination, &number, sizeof number);
        return true;
    }
    return false;
}

void store_value(const Slot& slot, PyObject* value, unsigned char* destination, std::size_t position, Owners& owners,
                 CUstream stream) {
    if (slot.kind == SlotKind::Pointer) {
        const bool is_memory = Py_TYPE(value)->tp_base == device_memory_base;
        const DevicePtr pointer =
            is_memory ? memory_of(value).pointer_for(stream) : device_pointer(value, owners, &stream);
        std::memcpy(destination, &pointer, sizeof pointer);
        return;
    }
    if (store_common(slot, value, destination)) return;
    const ScalarType* const scalar = find_scalar_type(Py_TYPE(value));
    if (scalar && scalar->size == slot.size && slot_kind(scalar->kind) == slot.kind) {
        std::memcpy(destination, scalar->value(value), slot.size);
        return;
    }
    switch (slot.kind) {
        case SlotKind::Signed:
        case SlotKind::Unsigned:
            return store_integer(slot, value, destination, position);
        case SlotKind::Float:
            return store_float(slot, value, destination, position);
        case SlotKind::Complex:
            return store_complex(slot, value, destination, position);
        case SlotKind::Bytes:
            if (slot.size == sizeof(CUtensorMap))
                if (const TensorMap* const map = used_tensor_map(value, owners, stream)) {
                    std::memcpy(destination, &map->value(), sizeof(CUtensorMap));
                    return;
                }
            return store_bytes(slot, value, destination, position);
        case SlotKind::Bool: {
            const int truth = PyObject_IsTrue(value);
            if (truth < 0) throw PythonError{};
            *destination = static_cast<unsigned char>(truth);
            return;
        }
        case SlotKind::Pointer:
            return;
    }
}

}  // namespace pycuda::python
