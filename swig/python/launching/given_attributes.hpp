#pragma once

#include <Python.h>

#include <new>
#include <optional>
#include <span>

#include "lifetime.hpp"
#include "pycuda/kernels/launch_attributes.hpp"

namespace pycuda::python {

/// The attributes of a launch from Python, and the objects that their values need until it has returned. Must not be
/// moved after use().
struct GivenAttributes {
    LaunchAttributes values;

    /// Adds the attributes of a mapping from names, or numbers, to values; null and None: none. `stream` is the
    /// launch's.
    void read(PyObject* mapping, CUstream stream);
    /// In the form for a LaunchConfig.
    std::span<const CUlaunchAttribute> use() { return in_use_.emplace(values).list(); }

    /// Adds one.
    void add(PyObject* key, PyObject* value, const CUstream* stream);

private:
    Owners owners_;  ///< of events and addresses
    std::optional<LaunchAttributesInUse> in_use_;
};

/// The row that a name, or a number, stands for. Throws PythonError, std::invalid_argument.
const LaunchAttributeInfo& launch_attribute_of(PyObject* key);
/// The value of an attribute as Python gives it: a number, or a tuple if it has several fields. A new reference.
PyObject* launch_fields_to_python(const LaunchAttributeInfo& info, const CUlaunchAttributeValue& value);

/// One attribute from Python, for an object that keeps it. LogicError if it is not one that the driver in use has.
class GivenAttribute {
public:
    GivenAttribute(PyObject* key, PyObject* value) {
        given_.add(key, value, nullptr);
        attribute_ = given_.use().front();
    }
    LaunchAttribute id() const noexcept { return static_cast<LaunchAttribute>(attribute_.id); }
    const CUlaunchAttributeValue& value() const noexcept { return attribute_.value; }

private:
    GivenAttributes given_;
    CUlaunchAttribute attribute_{};
};

/// Optional attributes of a launch. std::optional would zero its memory for them, 1,600 bytes, in every launch.
class OptionalAttributes {
public:
    OptionalAttributes() noexcept {}
    ~OptionalAttributes() {
        if (is_given_) given_.~GivenAttributes();
    }
    OptionalAttributes(const OptionalAttributes&) = delete;
    OptionalAttributes& operator=(const OptionalAttributes&) = delete;
    /// Call this at most once.
    GivenAttributes& emplace() {
        new (&given_) GivenAttributes;
        is_given_ = true;
        return given_;
    }

private:
    bool is_given_ = false;
    union {
        GivenAttributes given_;
    };
};

}  // namespace pycuda::python
