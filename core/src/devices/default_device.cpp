#include "pycuda/devices/default_device.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "platform/environment.hpp"
#include "platform/files.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

constexpr const char* routine = "make_default_context";

int device_number(std::string_view text, const std::string& where) {
    constexpr std::string_view blanks = " \t\r\n";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    const std::string_view digits = text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || number < 0)
        throw std::invalid_argument(where + " must be a device number, such as 0, not '" + std::string(digits) + "'");
    return number;
}

}  // namespace

int chosen_device() {
    if (environment_has("CUDA_DEVICE")) return device_number(environment("CUDA_DEVICE"), "CUDA_DEVICE");
    const std::string home = home_directory();
    if (home.empty()) return -1;
    for (const char* name : {".cuda_device", ".cuda-device"}) {
        const std::string path = join_path(home, name);
        if (const auto text = read_file(path)) return device_number(*text, path);
    }
    return -1;
}

int devices_to_try() {
    const int count = Device::count();
    if (count == 0) throw RuntimeError(routine, 0, "no CUDA-capable device was found");
    return count;
}

void raise_no_default_context(const std::string& reasons) {
    throw RuntimeError(routine, 0, "could not create a context on any device: " + reasons);
}

}  // namespace pycuda
