#include "gpuarray/libraries/vendor_library.hpp"

#include "platform/environment.hpp"
#include "platform/libraries.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/errors/advice.hpp"
#include "pycuda/errors/error.hpp"
#include "toolchain/toolchain_search.hpp"

namespace pycuda::gpuarray {

VendorLibrary::VendorLibrary(const char* title, const char* library, const char* variable) : title_(title) {
    const std::string wanted = environment(variable);
    if (wanted == "0") return;
    demanded_ = !wanted.empty();
    const bool is_path = demanded_ && wanted != "1";
    if (!is_path && driver_info().is_cpu_device) {
        if (demanded_) refuse("needs an NVIDIA GPU, but this is the CPU device; unset " + std::string(variable));
        return;
    }
    path_ = is_path ? wanted : find_library(library);
    if (path_.empty() && demanded_) refuse("was not found in any CUDA toolkit. " + install_advice());
    std::string why;
    library_ = path_.empty() ? nullptr : load_library(path_, &why);
    if (!library_ && demanded_) refuse("cannot be loaded: " + why);
}

void VendorLibrary::refuse(const std::string& why) const {
    throw RuntimeError(title_, 0, std::string(title_) + " " + why);
}

void* VendorLibrary::symbol(const std::string& name) {
    void* const found = library_ ? library_symbol(library_, name.c_str()) : nullptr;
    if (!found && library_) {
        library_ = nullptr;
        if (demanded_) refuse("in " + path_ + " does not have the function " + name);
    }
    return found;
}

void VendorLibrary::check(int status, const char* function) const {
    if (status != 0) throw RuntimeError(function, 0, title_ + (" returned status " + std::to_string(status)));
}

}  // namespace pycuda::gpuarray
