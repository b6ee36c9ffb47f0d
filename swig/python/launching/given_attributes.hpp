#pragma once

#include <Python.h>

#include <new>
#include <optional>
#include <span>

#include "lifetime.hpp"
#include "pycuda/launch_attributes.hpp"

namespace pycuda::python {

/// The attributes of a launch from Python, and what their values need until it has returned. Not to be moved after
/// use().
struct GivenAttributes {
    LaunchAttributes values;

    /// Adds those of a mapping from names, or numbers, to values; null and None have none. `stream` is the launch's.
    void read(PyObject* mapping, CUstream stream);
    /// As a LaunchConfig takes them.
    std::span<const CUlaunchAttribute> use() { return in_use_.emplace(values).list(); }

private:
    void add(PyObject* key, PyObject* value, CUstream stream);
    Owners owners_;  ///< of events and addresses
    std::optional<LaunchAttributesInUse> in_use_;
};

/// Attributes of a launch that may have none. std::optional would zero its room for them, 1,600 bytes, in every launch.
class OptionalAttributes {
public:
    OptionalAttributes() noexcept {}
    ~OptionalAttributes() {
        if (is_given_) given_.~GivenAttributes();
    }
    OptionalAttributes(const OptionalAttributes&) = delete;
    OptionalAttributes& operator=(const OptionalAttributes&) = delete;
    /// At most once.
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
