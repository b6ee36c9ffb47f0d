#pragma once

#include "state/registry.hpp"

#include <cuda.h>

#include <map>
#include <memory>

namespace cpu::state::graphs {

/// Something of the program's that graphs keep alive. With the last owner's reference its function is called, by a
/// thread that does nothing else.
class UserObject {
public:
    UserObject(void* data, CUhostFn destroy, unsigned references) : owned(references), data_(data), destroy_(destroy) {}
    ~UserObject();
    UserObject(const UserObject&) = delete;
    UserObject& operator=(const UserObject&) = delete;

    /// References of the program; the registry has the object as long as there are any. Guarded by structure_mutex().
    std::size_t owned;

private:
    void* data_;
    CUhostFn destroy_;
};

/// The references that a graph has.
struct UserReferences {
    CUuserObject handle = nullptr;
    std::size_t count = 0;
};
using UserObjects = std::map<std::shared_ptr<UserObject>, UserReferences>;

inline Registry<UserObject, CUuserObject>& user_objects() {
    return registry<UserObject, CUuserObject>();
}

}  // namespace cpu::state::graphs
