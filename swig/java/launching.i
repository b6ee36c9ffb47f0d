// How hand-written Java launches kernels: packed arguments, by address.
%javamethodmodifiers pycuda::Function::parameter_layout ""
%javamethodmodifiers pycuda::Function::prepare_slots ""
%javamethodmodifiers pycuda::Function::launch_packed ""
%javamethodmodifiers pycuda::Function::launch_packed_timed ""
%{
#include "pycuda/function.hpp"
#include "pycuda/prepared_arguments.hpp"

namespace pycuda_java {
pycuda::LaunchConfig launch_config(jint grid_x, jint grid_y, jint grid_z, jint block_x, jint block_y, jint block_z,
                                   jint shared_bytes, CUstream stream) {
    const auto u = [](jint value) { return static_cast<unsigned>(value); };
    return {{u(grid_x), u(grid_y), u(grid_z)}, {u(block_x), u(block_y), u(block_z)}, u(shared_bytes), stream};
}
}  // namespace pycuda_java
%}
%extend pycuda::Function {
    // Whether the layout is known, then offset and size of each parameter.
    std::vector<jint> parameter_layout() const {
        std::vector<jint> flat{$self->layout().known};
        for (const auto &parameter : $self->layout().parameters) {
            flat.push_back(static_cast<jint>(parameter.offset));
            flat.push_back(static_cast<jint>(parameter.size));
        }
        return flat;
    }
    // Bytes of the block, then type character, size and offset of each argument.
    std::vector<jint> prepare_slots(const std::string& types) const {
        std::vector<pycuda::Slot> slots;
        pycuda::append_slots(types, slots);
        std::vector<jint> flat{static_cast<jint>(pycuda::place_slots(slots, $self->layout()))};
        for (const pycuda::Slot &slot : slots)
            flat.insert(flat.end(), {pycuda::slot_character(slot), static_cast<jint>(slot.size), static_cast<jint>(slot.offset)});
        return flat;
    }
    void launch_packed(int grid_x, int grid_y, int grid_z, int block_x, int block_y, int block_z, int shared_bytes,
                       CUstream stream, const void *arguments, std::size_t nbytes) const {
        $self->launch(pycuda_java::launch_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream),
                      arguments, nbytes);
    }
    double launch_packed_timed(int grid_x, int grid_y, int grid_z, int block_x, int block_y, int block_z,
                               int shared_bytes, const void *arguments, std::size_t nbytes) const {
        return $self->launch_timed(
            pycuda_java::launch_config(grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, nullptr), arguments,
            nbytes);
    }
}
