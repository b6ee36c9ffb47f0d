#include "pycuda/kernels/launch_attributes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "driver/driver_messages.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {
namespace {

using Kind = LaunchFieldKind;
using Value = CUlaunchAttributeValue;

constexpr LaunchField field(const char* name, LaunchFieldKind kind, std::size_t offset) {
    return {name, kind, static_cast<unsigned char>(offset), true, 0};
}
constexpr LaunchField field(const char* name, LaunchFieldKind kind, std::size_t offset, double otherwise) {
    return {name, kind, static_cast<unsigned char>(offset), false, otherwise};
}

template <class... Fields>
constexpr LaunchAttributeInfo row(LaunchAttribute id, const char* name, int since, Fields... fields) {
    return {id, name, since, {fields...}, sizeof...(fields)};
}
/// For a value that is a single number at the start of the union.
constexpr LaunchAttributeInfo row(LaunchAttribute id, const char* name, int since, LaunchFieldKind kind) {
    return row(id, name, since, field("value", kind, 0));
}

// NOLINTBEGIN: the fields of the union's structures
constexpr LaunchAttributeInfo attribute_rows[] = {
    row(LaunchAttribute::ACCESS_POLICY_WINDOW, "access_policy_window", 11080,
        field("address", Kind::Address, offsetof(Value, accessPolicyWindow.base_ptr)),
        field("nbytes", Kind::Size, offsetof(Value, accessPolicyWindow.num_bytes)),
        field("hit_ratio", Kind::Real, offsetof(Value, accessPolicyWindow.hitRatio), 1),
        field("hit_property", Kind::Unsigned, offsetof(Value, accessPolicyWindow.hitProp),
              CU_ACCESS_PROPERTY_PERSISTING),
        field("miss_property", Kind::Unsigned, offsetof(Value, accessPolicyWindow.missProp),
              CU_ACCESS_PROPERTY_STREAMING)),
    row(LaunchAttribute::COOPERATIVE, "cooperative", 11080, Kind::Flag),
    row(LaunchAttribute::SYNCHRONIZATION_POLICY, "synchronization_policy", 11080, Kind::Unsigned),
    row(LaunchAttribute::CLUSTER_DIMENSION, "cluster_dimension", 11080,
        field("x", Kind::Unsigned, offsetof(Value, clusterDim.x)),
        field("y", Kind::Unsigned, offsetof(Value, clusterDim.y), 1),
        field("z", Kind::Unsigned, offsetof(Value, clusterDim.z), 1)),
    row(LaunchAttribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE, "cluster_scheduling_policy_preference", 11080,
        Kind::Unsigned),
    row(LaunchAttribute::PROGRAMMATIC_STREAM_SERIALIZATION, "programmatic_stream_serialization", 11080, Kind::Flag),
    row(LaunchAttribute::PROGRAMMATIC_EVENT, "programmatic_event", 11080,
        field("event", Kind::Event, offsetof(Value, programmaticEvent.event)),
        field("trigger_at_block_start", Kind::Flag, offsetof(Value, programmaticEvent.triggerAtBlockStart), 0)),
    row(LaunchAttribute::PRIORITY, "priority", 11080, Kind::Signed),
    row(LaunchAttribute::MEM_SYNC_DOMAIN_MAP, "mem_sync_domain_map", 12000,
        field("default", Kind::Byte, offsetof(Value, memSyncDomainMap.default_)),
        field("remote", Kind::Byte, offsetof(Value, memSyncDomainMap.remote))),
    row(LaunchAttribute::MEM_SYNC_DOMAIN, "mem_sync_domain", 12000, Kind::Unsigned),
    row(LaunchAttribute::PREFERRED_CLUSTER_DIMENSION, "preferred_cluster_dimension", 12080,
        field("x", Kind::Unsigned, offsetof(Value, preferredClusterDim.x)),
        field("y", Kind::Unsigned, offsetof(Value, preferredClusterDim.y), 1),
        field("z", Kind::Unsigned, offsetof(Value, preferredClusterDim.z), 1)),
    row(LaunchAttribute::LAUNCH_COMPLETION_EVENT, "launch_completion_event", 12030,
        field("event", Kind::Event, offsetof(Value, launchCompletionEvent.event))),
    row(LaunchAttribute::DEVICE_UPDATABLE_KERNEL_NODE, "device_updatable_kernel_node", 12040, Kind::Flag),
    row(LaunchAttribute::PREFERRED_SHARED_MEMORY_CARVEOUT, "preferred_shared_memory_carveout", 12050, Kind::Unsigned),
    row(LaunchAttribute::NVLINK_UTIL_CENTRIC_SCHEDULING, "nvlink_util_centric_scheduling", 13000, Kind::Flag),
    row(LaunchAttribute::PORTABLE_CLUSTER_SIZE_MODE, "portable_cluster_size_mode", 13020, Kind::Unsigned),
    row(LaunchAttribute::SHARED_MEMORY_MODE, "shared_memory_mode", 13020, Kind::Unsigned),
};
// NOLINTEND

std::string subject(const LaunchAttributeInfo& info, const LaunchField& field) {
    const std::string text = launch_attribute_text(static_cast<CUlaunchAttributeID>(info.id));
    return info.field_count > 1 ? text + ", " + field.name : text;
}

const char* expected(LaunchFieldKind kind) {
    switch (kind) {
        case Kind::Flag:
            return "True or False";
        case Kind::Real:
            return "a number";
        case Kind::Event:
            return "an Event";
        case Kind::Address:
            return "device memory";
        default:
            return "an integer";
    }
}

template <class T>
void store(Value& value, const LaunchField& field, T number) {
    std::memcpy(reinterpret_cast<char*>(&value) + field.offset, &number, sizeof number);
}

template <class T>
T load(const Value& value, const LaunchField& field) {
    T number;
    std::memcpy(&number, reinterpret_cast<const char*>(&value) + field.offset, sizeof number);
    return number;
}

template <class T>
void store_integer(Value& value, const LaunchAttributeInfo& info, const LaunchField& field, std::int64_t number) {
    if (!std::in_range<T>(number))
        throw std::invalid_argument(subject(info, field) + ": " + std::to_string(number) +
                                    " is out of range: expected " + std::to_string(std::numeric_limits<T>::min()) +
                                    " to " + std::to_string(std::numeric_limits<T>::max()));
    store(value, field, static_cast<T>(number));
}

void store_real(Value& value, const LaunchAttributeInfo& info, const LaunchField& field, double number) {
    if (!(number >= 0 && number <= 1))
        throw std::invalid_argument(subject(info, field) + ": expected a ratio from 0 to 1, given " +
                                    std::to_string(number));
    store(value, field, static_cast<float>(number));
}

void store_number(Value& value, const LaunchAttributeInfo& info, const LaunchField& field, std::int64_t number) {
    switch (field.kind) {
        case Kind::Flag:
            return store(value, field, number != 0 ? 1 : 0);
        case Kind::Signed:
            return store_integer<int>(value, info, field, number);
        case Kind::Unsigned:
            return store_integer<unsigned>(value, info, field, number);
        case Kind::Byte:
            return store_integer<unsigned char>(value, info, field, number);
        case Kind::Size:
            return store_integer<std::size_t>(value, info, field, number);
        case Kind::Real:
            return store_real(value, info, field, static_cast<double>(number));
        case Kind::Event:
        case Kind::Address:
            break;  // there is no default
    }
}

void store_given(Value& value, const LaunchAttributeInfo& info, const LaunchField& field,
                 const LaunchFieldValue& given) {
    using Type = LaunchFieldValue::Type;
    const bool is_event = field.kind == Kind::Event, is_address = field.kind == Kind::Address;
    if (given.type == Type::Integer && !is_event && !is_address) return store_number(value, info, field, given.integer);
    if (given.type == Type::Real && field.kind == Kind::Real) return store_real(value, info, field, given.real);
    if (given.type == Type::Event && is_event) return;  // its handle is looked up at the launch
    if (given.type == Type::Address && is_address) return store(value, field, given.address);
    throw ArgumentTypeError(subject(info, field) + ": expected " + expected(field.kind));
}

const LaunchAttributeInfo* find(LaunchAttribute id) noexcept {
    const auto* const found = std::ranges::find(attribute_rows, id, &LaunchAttributeInfo::id);
    return found == std::end(attribute_rows) ? nullptr : found;
}

std::size_t index_of_event(LaunchAttribute id) {
    return id == LaunchAttribute::PROGRAMMATIC_EVENT ? 0 : 1;
}

}  // namespace

std::span<const LaunchAttributeInfo> launch_attributes() noexcept {
    return attribute_rows;
}

const LaunchAttributeInfo& launch_attribute(std::string_view name) {
    const auto* const found =
        std::ranges::find(attribute_rows, name, [](const auto& info) { return std::string_view(info.name); });
    if (found != std::end(attribute_rows)) return *found;
    std::string text = "a launch has no attribute '" + std::string(name) + "' (it takes";
    for (const LaunchAttributeInfo& info : attribute_rows)
        text += (&info == attribute_rows ? " " : ", ") + std::string(info.name);
    throw std::invalid_argument(text + ")");
}

const LaunchAttributeInfo& launch_attribute(LaunchAttribute id) {
    if (const LaunchAttributeInfo* const info = find(id)) return *info;
    throw std::invalid_argument("a launch has no attribute " + std::to_string(static_cast<int>(id)));
}

std::string launch_attribute_text(CUlaunchAttributeID id) {
    const LaunchAttributeInfo* const info = find(static_cast<LaunchAttribute>(id));
    return "launch attribute " + (info ? "'" + std::string(info->name) + "'" : std::to_string(id));
}

std::vector<LaunchFieldValue> launch_fields(const LaunchAttributeInfo& info, const CUlaunchAttributeValue& value) {
    std::vector<LaunchFieldValue> fields;
    for (const LaunchField& field : std::span(info.fields.data(), info.field_count)) {
        if (field.kind == Kind::Event) continue;
        LaunchFieldValue read{.type = LaunchFieldValue::Type::Integer};
        switch (field.kind) {
            case Kind::Flag:
            case Kind::Signed:
                read.integer = load<int>(value, field);
                break;
            case Kind::Unsigned:
                read.integer = load<unsigned>(value, field);
                break;
            case Kind::Byte:
                read.integer = load<unsigned char>(value, field);
                break;
            case Kind::Real:
                read.type = LaunchFieldValue::Type::Real;
                read.real = load<float>(value, field);
                break;
            default:
                read.integer = static_cast<std::int64_t>(load<std::uint64_t>(value, field));
        }
        fields.push_back(read);
    }
    return fields;
}

LaunchAttributes& LaunchAttributes::cooperative() {
    CUlaunchAttributeValue value{};
    value.cooperative = 1;
    return set(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, value);
}

LaunchAttributes& LaunchAttributes::cluster(unsigned x, unsigned y, unsigned z) {
    CUlaunchAttributeValue value{};
    value.clusterDim = {x, y, z};
    return set(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value);
}

LaunchAttributes& LaunchAttributes::priority(int priority) {
    CUlaunchAttributeValue value{};
    value.priority = priority;
    return set(CU_LAUNCH_ATTRIBUTE_PRIORITY, value);
}

LaunchAttributes& LaunchAttributes::set(const LaunchAttributeInfo& info, std::span<const LaunchFieldValue> fields) {
    const std::span expected(info.fields.data(), info.field_count);
    const auto required = static_cast<std::size_t>(std::ranges::count_if(expected, &LaunchField::required));
    if (fields.size() < required || fields.size() > expected.size()) {
        std::string names;
        for (const LaunchField& field : expected) names += (names.empty() ? "" : ", ") + std::string(field.name);
        throw ArgumentTypeError(launch_attribute_text(static_cast<CUlaunchAttributeID>(info.id)) + " takes (" + names +
                                "), given " + std::to_string(fields.size()) + " values");
    }
    CUlaunchAttributeValue value{};
    const Event* event = nullptr;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (i >= fields.size()) {
            expected[i].kind == Kind::Real
                ? store_real(value, info, expected[i], expected[i].otherwise)
                : store_number(value, info, expected[i], static_cast<std::int64_t>(expected[i].otherwise));
            continue;
        }
        store_given(value, info, expected[i], fields[i]);
        if (fields[i].event) event = fields[i].event;
    }
    set(static_cast<CUlaunchAttributeID>(info.id), value);
    if (event) events_[index_of_event(info.id)] = event;
    return *this;
}

LaunchAttributes& LaunchAttributes::set(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
    CUlaunchAttribute& attribute = attribute_of(id);
    attribute.id = id;
    attribute.value = value;
    return *this;
}

CUlaunchAttribute& LaunchAttributes::attribute_of(CUlaunchAttributeID id) {
    const auto end = attributes_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto attribute =
        std::find_if(attributes_.begin(), end, [&](const CUlaunchAttribute& a) { return a.id == id; });
    if (attribute == attributes_.end())
        throw std::length_error("a launch takes at most " + std::to_string(attributes_.size()) + " attributes");
    if (attribute == end) ++count_;
    return *attribute;
}

LaunchAttributesInUse::LaunchAttributesInUse(LaunchAttributes& attributes)
    : programmatic_(attributes.events_[0] ? attributes.events_[0]->use() : Handle<EventTraits>::Use()),
      completion_(attributes.events_[1] ? attributes.events_[1]->use() : Handle<EventTraits>::Use()),
      list_(attributes.list()) {
    if (attributes.events_[0])
        attributes.attribute_of(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT).value.programmaticEvent.event = programmatic_;
    if (attributes.events_[1])
        attributes.attribute_of(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT).value.launchCompletionEvent.event =
            completion_;
    for (const CUlaunchAttribute& attribute : list_) {
        const LaunchAttributeInfo* const info = find(static_cast<LaunchAttribute>(attribute.id));
        if (!info || info->since <= 11080) continue;  // as old as launches with attributes
        if (const int installed = driver_version(); installed < info->since)
            throw RuntimeError("cuLaunchKernelEx", 0,
                               launch_attribute_text(attribute.id) + " needs a driver of CUDA " +
                                   version_text(info->since) + " or newer, this one is of CUDA " +
                                   version_text(installed));
    }
}

}  // namespace pycuda
