#include "platform/windows/private_folder.hpp"

#include <windows.h>

#include <aclapi.h>
#include <sddl.h>

#include <vector>

namespace pycuda::windows {
namespace {

/// The token's TOKEN_USER, whose pointers point into it; empty if it cannot be read.
std::vector<unsigned char> read_user() {
    HANDLE token = nullptr;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return {};
    DWORD size = 0;
    GetTokenInformation(token, TokenUser, nullptr, 0, &size);
    std::vector<unsigned char> user(size);
    if (!GetTokenInformation(token, TokenUser, user.data(), size, &size)) user.clear();
    CloseHandle(token);
    return user;
}

PSID sid_of(const std::vector<unsigned char>& user) {
    return reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid;
}

/// Full access for the system, administrators and this user, also to what is made within; nothing is inherited.
std::wstring private_access() {
    const std::vector<unsigned char> user = read_user();
    wchar_t* text = nullptr;
    if (user.empty() || !ConvertSidToStringSidW(sid_of(user), &text)) return {};
    const std::wstring access = std::wstring(L"D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;") + text + L")";
    LocalFree(text);
    return access;
}

}  // namespace

bool make_folder(const std::wstring& path) {
    const std::wstring access = private_access();
    SECURITY_ATTRIBUTES attributes{sizeof attributes, nullptr, FALSE};
    if (!access.empty())
        ConvertStringSecurityDescriptorToSecurityDescriptorW(access.c_str(), SDDL_REVISION_1,
                                                             &attributes.lpSecurityDescriptor, nullptr);
    const bool made = CreateDirectoryW(path.c_str(), attributes.lpSecurityDescriptor ? &attributes : nullptr);
    const DWORD error = GetLastError();
    if (attributes.lpSecurityDescriptor) LocalFree(attributes.lpSecurityDescriptor);
    SetLastError(error);
    return made;
}

bool is_of_another_user(const std::wstring& path) {
    const std::vector<unsigned char> user = read_user();
    PSID owner = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (user.empty() || GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr,
                                              nullptr, nullptr, &descriptor) != ERROR_SUCCESS)
        return false;
    const bool is_known = EqualSid(owner, sid_of(user)) || IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
                          IsWellKnownSid(owner, WinLocalSystemSid);
    LocalFree(descriptor);
    return !is_known;
}

}  // namespace pycuda::windows
