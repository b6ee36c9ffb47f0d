#pragma once

#include "state/registry.hpp"

#include <cuda.h>

#include <map>
#include <memory>

namespace cpu::state::graphs {

/// An object of the program that graphs keep alive. When the last reference is released, a dedicated thread calls its
/// destructor.
class UserObject {
public:
    UserObject(void* data, CUhostFn destroy, unsigned references) : owned(references), data_(data), destroy_(destroy) {}
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    /// References that the program holds; while there are any, the object is registered. Guarded by structure_mutex().
    std::size_t owned;

private:
    void* data_;
    CUhostFn destroy_;
};

/// The references that a graph holds.
struct UserReferences {
    CUuserObject handle = nullptr;
    std::size_t count = 0;
};
using UserObjects = std::map<std::shared_ptr<UserObject>, UserReferences>;

inline Registry<UserObject, CUuserObject>& user_objects() {
    return registry<UserObject, CUuserObject>();
}

}  // namespace cpu::state::graphs
