// How hand-written Java launches kernels: packed arguments, by address.
%javamethodmodifiers pycuda::Function::parameter_layout ""
%javamethodmodifiers pycuda::Function::prepare_slots ""
%javamethodmodifiers pycuda::Function::launch_packed ""
%javamethodmodifiers pycuda::Function::launch_packed_timed ""
%{
#include "pycuda/function.hpp"
#include "pycuda/prepared_arguments.hpp"

namespace pycuda_java {
/// What LaunchConfig.java writes in front of the arguments.
struct LaunchHeader {
    unsigned grid[3], block[3], shared_bytes, flags;
    const pycuda::Stream* stream;
    unsigned cluster[3], unused[3];
};
static_assert(sizeof(LaunchHeader) == 64);
constexpr unsigned cooperative = 1, clusters = 2;

inline pycuda::LaunchConfig plain_config(const LaunchHeader& header, CUstream stream) {
    const auto& [grid, block, shared_bytes, flags, of_java, cluster, unused] = header;
    return {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared_bytes, stream, {}};
}

/// Gives `launch` the configuration with its attributes.
template <class Launch>
[[gnu::noinline]] auto with_attributes(const LaunchHeader& header, Launch launch) {
    pycuda::LaunchAttributes attributes;
    if (header.flags & cooperative) attributes.cooperative();
    if (header.flags & clusters) attributes.cluster(header.cluster[0], header.cluster[1], header.cluster[2]);
    const auto stream = pycuda::use_of(header.stream);
    pycuda::LaunchConfig config = plain_config(header, stream);
    config.attributes = attributes.list();
    return launch(config);
}
}  // namespace pycuda_java
%}
%rename(pointerFor) pycuda::PooledDeviceAllocation::address_for;
%javamethodmodifiers pycuda::PooledDeviceAllocation::address_for "@Override public"
%rename(isClosed) pycuda::PooledDeviceAllocation::is_given_back;
%javamethodmodifiers pycuda::PooledDeviceAllocation::is_given_back ""
%extend pycuda::PooledDeviceAllocation {
    bool is_given_back() const { return $self->is_closed(); }
    std::uint64_t address_for(const pycuda::Stream *stream) { return $self->pointer_for(pycuda::use_of(stream)); }
}
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
    // `header`: a LaunchHeader, and the arguments right after it.
    void launch_packed(const void *header, std::size_t nbytes) const {
        const auto& given = *static_cast<const pycuda_java::LaunchHeader *>(header);
        const auto launch = [&](const pycuda::LaunchConfig& config) { $self->launch(config, &given + 1, nbytes); };
        given.flags ? pycuda_java::with_attributes(given, launch) : launch(pycuda_java::plain_config(given, pycuda::use_of(given.stream)));
    }
    double launch_packed_timed(const void *header, std::size_t nbytes) const {
        const auto& given = *static_cast<const pycuda_java::LaunchHeader *>(header);
        return pycuda_java::with_attributes(
            given, [&](const pycuda::LaunchConfig& config) { return $self->launch_timed(config, &given + 1, nbytes); });
    }
}
