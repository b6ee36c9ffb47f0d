// Every attribute that a launch can have, by name, and the attributes of one launch.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/streams/event.hpp"

namespace pycuda {

/// The type of a field of an attribute's value.
enum class LaunchFieldKind : unsigned char { Flag, Signed, Unsigned, Byte, Size, Real, Event, Address };

/// One field of an attribute's value: its offset in CUlaunchAttributeValue and its default.
struct LaunchField {
    const char* name;
    LaunchFieldKind kind;
    unsigned char offset;
    bool required;
    double otherwise;
};

/// One row of the table of attributes.
struct LaunchAttributeInfo {
    LaunchAttribute id;
    const char* name;  ///< "cluster_dimension"
    int since;         ///< first CUDA version that has it, as major * 1000 + minor * 10
    std::array<LaunchField, 5> fields;
    std::size_t field_count;
};

std::span<const LaunchAttributeInfo> launch_attributes() noexcept;
/// std::invalid_argument, which lists the names, if there is no such attribute.
const LaunchAttributeInfo& launch_attribute(std::string_view name);
const LaunchAttributeInfo& launch_attribute(LaunchAttribute id);
/// "launch attribute 'cluster_dimension'", for messages.
std::string launch_attribute_text(CUlaunchAttributeID id);

/// The value of a field as a language passes it.
struct LaunchFieldValue {
    enum class Type : char { Integer, Real, Event, Address } type;
    std::int64_t integer = 0;
    double real = 0;
    const Event* event = nullptr;
    DevicePtr address = 0;
};

/// The fields of a value that the driver returned, in the order of the row: what LaunchAttributes::set takes. Events
/// are left out.
std::vector<LaunchFieldValue> launch_fields(const LaunchAttributeInfo& info, const CUlaunchAttributeValue& value);

/// The attributes of a launch, at most one of each kind: setting one again replaces it. Allocates nothing, and can be
/// copied byte by byte. The caller must keep its events alive.
class LaunchAttributes {
public:
    /// Run all blocks at the same time, so that they can wait for each other (grid-wide barriers).
    LaunchAttributes& cooperative();
    /// Divide the grid into clusters of this many blocks, which access each other's shared memory. Compute
    /// capability 9.0.
    LaunchAttributes& cluster(unsigned x, unsigned y, unsigned z);
    /// Replace the stream's priority for this kernel: lower is more urgent.
    LaunchAttributes& priority(int priority);
    /// Set an attribute by its row. ArgumentTypeError if the number or types of fields are wrong;
    /// std::invalid_argument if a field is out of range.
    LaunchAttributes& set(const LaunchAttributeInfo& info, std::span<const LaunchFieldValue> fields);
    /// Set any attribute of the driver. std::length_error if there is no room for another kind.
    LaunchAttributes& set(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);

    /// For a LaunchConfig. LaunchAttributesInUse handles attributes with events.
    std::span<const CUlaunchAttribute> list() const noexcept { return {attributes_.data(), count_}; }
    bool empty() const noexcept { return count_ == 0; }

private:
    friend class LaunchAttributesInUse;
    CUlaunchAttribute& attribute_of(CUlaunchAttributeID id);
    std::array<CUlaunchAttribute, 20> attributes_{};
    std::array<const Event*, 2> events_{};  ///< of PROGRAMMATIC_EVENT and LAUNCH_COMPLETION_EVENT
    std::size_t count_ = 0;
};

/// The driver's form of the attributes during a launch, with their events in use. RuntimeError if the
/// driver is older than one of them, LogicError if an event is closed.
class LaunchAttributesInUse {
public:
    explicit LaunchAttributesInUse(LaunchAttributes& attributes);
    std::span<const CUlaunchAttribute> list() const noexcept { return list_; }

private:
    Handle<EventTraits>::Use programmatic_, completion_;
    std::span<const CUlaunchAttribute> list_;
};

}  // namespace pycuda
