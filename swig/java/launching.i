// How hand-written Java code launches kernels: with packed arguments, passed by address.
%javamethodmodifiers pycuda::Function::parameter_layout ""
%javamethodmodifiers pycuda::Function::prepare_slots ""
%javamethodmodifiers pycuda::Function::launch_packed ""
%javamethodmodifiers pycuda::Function::launch_packed_timed ""
%javamethodmodifiers pycuda::Function::require_timed ""
%ignore pycuda::Function::max_active_clusters;
%ignore pycuda::Function::max_potential_cluster_size;
%javamethodmodifiers pycuda::Function::packed_max_active_clusters ""
%javamethodmodifiers pycuda::Function::packed_max_potential_cluster_size ""
%javamethodmodifiers pycuda_java::launch_attributes_size ""
%javamethodmodifiers pycuda_java::add_launch_attribute ""
%{
#include "pycuda/kernels/function.hpp"
#include "pycuda/kernels/launch_attributes.hpp"
#include "pycuda/launching/prepared_arguments.hpp"

namespace pycuda_java {
/// The configuration that LaunchConfig.java writes before the arguments.
struct LaunchHeader {
    unsigned grid[3], block[3], shared_bytes, unused;
    const pycuda::Stream* stream;
    const pycuda::LaunchAttributes* attributes;  ///< null: none
};
static_assert(sizeof(LaunchHeader) == 48);
static_assert(std::is_trivially_copyable_v<pycuda::LaunchAttributes>);

inline pycuda::LaunchConfig plain_config(const LaunchHeader& header, CUstream stream) {
    const auto& [grid, block, shared_bytes, unused, of_java, attributes] = header;
    return {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared_bytes, stream, {}};
}

/// Whether the layout is known, then the offset and size of each parameter.
inline std::vector<jint> flat_layout(const pycuda::ParameterLayout& layout) {
    std::vector<jint> flat{layout.known};
    for (const auto& parameter : layout.parameters) {
        flat.push_back(static_cast<jint>(parameter.offset));
        flat.push_back(static_cast<jint>(parameter.size));
    }
    return flat;
}

/// Offset and size of each, one after another.
inline std::vector<jlong> flat_parameters(const std::vector<pycuda::KernelParameter>& parameters) {
    std::vector<jlong> flat;
    for (const auto& parameter : parameters)
        flat.insert(flat.end(), {static_cast<jlong>(parameter.offset), static_cast<jlong>(parameter.size)});
    return flat;
}

inline std::vector<jlong> flat_fields(const std::vector<pycuda::LaunchFieldValue>& fields) {
    std::vector<jlong> flat;
    for (const auto& field : fields) {
        const bool is_real = field.type == pycuda::LaunchFieldValue::Type::Real;
        flat.insert(flat.end(), {static_cast<jlong>(field.type), is_real ? std::bit_cast<jlong>(field.real) : static_cast<jlong>(field.integer)});
    }
    return flat;
}

/// Gives `launch` the configuration with its attributes.
template <class Launch>
[[gnu::noinline]] auto with_attributes(const LaunchHeader& header, Launch launch) {
    pycuda::LaunchAttributes attributes = header.attributes ? *header.attributes : pycuda::LaunchAttributes();
    const pycuda::LaunchAttributesInUse in_use(attributes);
    const auto stream = pycuda::use_of(header.stream);
    pycuda::LaunchConfig config = plain_config(header, stream);
    config.attributes = in_use.list();
    return launch(config);
}
}  // namespace pycuda_java
%}
%inline %{
namespace pycuda_java {
/// Bytes of LaunchAttributes; zeros are none.
inline int launch_attributes_size() { return static_cast<int>(sizeof(pycuda::LaunchAttributes)); }
/// `attributes`: the memory in which LaunchAttributes.java stores them. `fields`: pairs of a type and 64 bits.
inline void add_launch_attribute(std::uint64_t attributes, int id, std::uint64_t fields, int count) {
    using Type = pycuda::LaunchFieldValue::Type;
    const auto *given = reinterpret_cast<const std::int64_t *>(fields);
    std::vector<pycuda::LaunchFieldValue> values;
    for (int i = 0; i < count; ++i, given += 2)
        values.push_back({.type = static_cast<Type>(given[0]),
                          .integer = given[1],
                          .real = std::bit_cast<double>(given[1]),
                          .event = given[0] == static_cast<int>(Type::Event) ? reinterpret_cast<const pycuda::Event *>(given[1]) : nullptr,
                          .address = static_cast<pycuda::DevicePtr>(given[1])});
    reinterpret_cast<pycuda::LaunchAttributes *>(attributes)->set(pycuda::launch_attribute(static_cast<pycuda::LaunchAttribute>(id)), values);
}
}  // namespace pycuda_java
%}
PYCUDA_JAVA_HANDWRITTEN(TensorMap)
%javamethodmodifiers pycuda::TensorMap::check_address ""
%typemap(jni) const std::vector<jlong>&, std::vector<jlong> "jlongArray"
%typemap(jtype) const std::vector<jlong>&, std::vector<jlong> "long[]"
%typemap(jstype) const std::vector<jlong>&, std::vector<jlong> "long[]"
%typemap(javain) const std::vector<jlong>& "$javainput"
%typemap(javaout) std::vector<jlong> { return $jnicall; }
%typemap(in) const std::vector<jlong>& (std::vector<jlong> copy) %{
    copy = pycuda_java::from_java(jenv, $input);
    $1 = &copy;
%}
%typemap(out) std::vector<jlong> %{ $result = pycuda_java::to_java(jenv, $1); %}
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
    std::vector<jint> parameter_layout() const { return pycuda_java::flat_layout($self->layout()); }
    // Bytes of the block, then type character, size and offset of each argument.
    std::vector<jint> prepare_slots(const std::string& types) const {
        std::vector<pycuda::Slot> slots;
        pycuda::append_slots(types, slots);
        std::vector<jint> flat{static_cast<jint>(pycuda::lay_out(slots, $self->layout()))};
        for (const pycuda::Slot &slot : slots)
            flat.insert(flat.end(), {pycuda::slot_character(slot), static_cast<jint>(slot.size), static_cast<jint>(slot.offset)});
        return flat;
    }
    // `header`: a LaunchHeader, and the arguments right after it.
    void launch_packed(const void *header, std::size_t nbytes) const {
        const auto& given = *static_cast<const pycuda_java::LaunchHeader *>(header);
        const auto launch = [&](const pycuda::LaunchConfig& config) { $self->launch(config, &given + 1, nbytes); };
        given.attributes ? pycuda_java::with_attributes(given, launch) : launch(pycuda_java::plain_config(given, pycuda::use_of(given.stream)));
    }
    static void require_timed(const pycuda::Stream *stream) { pycuda::Function::require_timed_stream(pycuda::use_of(stream)); }
    // `header`: a LaunchHeader.
    int packed_max_active_clusters(const void *header) const {
        return pycuda_java::with_attributes(*static_cast<const pycuda_java::LaunchHeader *>(header),
                                            [&](const pycuda::LaunchConfig& config) { return $self->max_active_clusters(config); });
    }
    int packed_max_potential_cluster_size(const void *header) const {
        return pycuda_java::with_attributes(*static_cast<const pycuda_java::LaunchHeader *>(header),
                                            [&](const pycuda::LaunchConfig& config) { return $self->max_potential_cluster_size(config); });
    }
    double launch_packed_timed(const void *header, std::size_t nbytes) const {
        const auto& given = *static_cast<const pycuda_java::LaunchHeader *>(header);
        return pycuda_java::with_attributes(
            given, [&](const pycuda::LaunchConfig& config) { return $self->launch_timed(config, &given + 1, nbytes); });
    }
}
// Attributes of an object that keeps them, as those of a launch.
%define PYCUDA_JAVA_ATTRIBUTES(CLASS)
%javamethodmodifiers pycuda::CLASS::attribute_fields ""
%javamethodmodifiers pycuda::CLASS::set_attribute_of ""
%extend pycuda::CLASS {
    // Pairs of a field's type and its 64 bits, as add_launch_attribute takes them.
    std::vector<jlong> attribute_fields(int id) const {
        const auto& info = pycuda::launch_attribute(static_cast<pycuda::LaunchAttribute>(id));
        return pycuda_java::flat_fields(pycuda::launch_fields(info, $self->attribute(info.id)));
    }
    // `attributes`: the memory of LaunchAttributes.java, with one attribute.
    void set_attribute_of(std::uint64_t attributes) {
        pycuda::LaunchAttributes given = *reinterpret_cast<const pycuda::LaunchAttributes *>(attributes);
        const pycuda::LaunchAttributesInUse in_use(given);
        const CUlaunchAttribute& attribute = in_use.list().front();
        $self->set_attribute(static_cast<pycuda::LaunchAttribute>(attribute.id), attribute.value);
    }
}
%enddef
PYCUDA_JAVA_ATTRIBUTES(Stream)
PYCUDA_JAVA_ATTRIBUTES(GraphNode)
