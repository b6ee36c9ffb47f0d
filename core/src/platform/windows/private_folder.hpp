#pragma once

#include <string>

namespace pycuda::windows {

/// Creates a folder that only this user, administrators and the system may enter. False if that fails.
bool make_folder(const std::wstring& path);

/// True if its owner is another user, and no administrator.
bool is_of_another_user(const std::wstring& path);

}  // namespace pycuda::windows
