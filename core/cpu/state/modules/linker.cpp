#include "state/modules/linker.hpp"

#include "exec/image.hpp"
#include "exec/running/memory.hpp"
#include "ptx/inputs.hpp"
#include "state/modules/binary.hpp"

namespace cpu::state {

void Linker::add(CUjitInputType type, const void* data, std::size_t size, std::string_view name) {
    require(!complete_ && data != nullptr && size > 0);
    try {
        switch (type) {
            case CU_JIT_INPUT_PTX:
            case CU_JIT_INPUT_FATBINARY:
                inputs_.push_back(ptx_of(data, size));
                return;
            case CU_JIT_INPUT_LIBRARY:
                return;
            case CU_JIT_INPUT_CUBIN:
            case CU_JIT_INPUT_OBJECT:
                if (is_machine_code(data, size)) refuse_machine_code();
                fail(CUDA_ERROR_INVALID_IMAGE);
            default:
                fail(CUDA_ERROR_INVALID_VALUE);
        }
    } catch (const std::exception& error) {
        options_.write_error("error   : " + std::string(name) + ": not linked: " + error.what() + "\n");
        throw;
    }
}

void Linker::add_file(CUjitInputType type, const char* path) {
    require(!complete_ && path != nullptr);
    const std::string data = read_binary(path);
    add(type, data.data(), data.size(), path);
}

const std::string& Linker::complete() {
    require(!complete_, CUDA_ERROR_INVALID_HANDLE);
    complete_ = true;
    output_ = inputs_.empty() ? ".version 8.0\n.target sm_50\n.address_size 64\n" : ptx::join(inputs_);
    options_.apply_to(output_);
    try {
        exec::Memory scratch;
        exec::Image::load(output_, scratch);
    } catch (const exec::LoadError& error) {
        options_.write_error(error_log_line(error));
        throw;
    }
    return output_;
}

}  // namespace cpu::state
