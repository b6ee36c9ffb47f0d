#include "pycuda/launching/kernel_args.hpp"

#include "pycuda/errors/error.hpp"
#include "text/text.hpp"

namespace pycuda {
namespace {

std::string count_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

std::string argument_text(std::size_t position, const std::string& kernel, const char* given, std::size_t size) {
    return "argument " + std::to_string(position) + " of '" + kernel + "', counted from 0: given " + given + " (" +
           bytes_text(size) + ")";
}

}  // namespace

void ArgumentPacker::raise_mismatch(std::size_t size, const char* given) const {
    const std::string argument = argument_text(count_, layout_.kernel, given, size);
    const std::size_t wanted = layout_.parameters.size();
    if (count_ >= wanted) throw ArgumentTypeError(argument + ", the kernel takes " + count_text(wanted));
    throw ArgumentTypeError(argument + ", the kernel expects " + bytes_text(layout_.parameters[count_].size));
}

void ArgumentPacker::raise_too_large(std::size_t size, const char* given) const {
    throw ArgumentTypeError(argument_text(count_, layout_.kernel, given, size) +
                            ", which does not fit: a kernel takes at most " + bytes_text(max_parameter_bytes));
}

void ArgumentPacker::raise_unknown_offset(std::size_t size, const char* given) const {
    throw ArgumentTypeError(argument_text(count_, layout_.kernel, given, size) +
                            ": only drivers of CUDA 12.4 and newer report its offset; update the driver");
}

void ArgumentPacker::raise_too_few() const {
    throw ArgumentTypeError("'" + layout_.kernel + "' takes " + count_text(layout_.parameters.size()) + ", given " +
                            std::to_string(count_));
}

unsigned char* thread_argument_block() noexcept {
    alignas(16) thread_local unsigned char block[max_parameter_bytes];
    return block;
}

}  // namespace pycuda
