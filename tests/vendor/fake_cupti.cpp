// The functions of CUPTI that timelines use. A test writes the records, which lie in buffers as those of CUPTI 13 do:
// the offsets are repeated here, so that a mistake in the core's declarations shows. Its clock runs at three times the
// speed of the timeline's.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace {

using Number = std::uint32_t;
using Request = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using Complete = void (*)(void*, Number, std::uint8_t* buffer, std::size_t size, std::size_t valid);

constexpr int invalid_kind = 21, end_of_buffer = 12, other_subscriber = 39;
constexpr Number kernel_kind = 10, kernel_bytes = 224, memory_bytes = 96;

struct Buffer {
    std::uint8_t* start = nullptr;
    std::size_t size = 0, valid = 0;
};

struct Fake {
    Number version = 130000, refused_kind = 0;
    int subscriber_status = 0;
    bool holds_buffers = false, is_subscribed = false;
    Request request = nullptr;
    Complete complete = nullptr;
    Buffer current;
    std::size_t lost = 0;
    std::map<void*, Number> contexts, streams;
    std::string calls;

    std::uint8_t* append(Number kind, std::size_t bytes) {
        std::size_t max_records = 0;
        if (current.start && current.valid + bytes > current.size) deliver();
        if (!current.start) request(&current.start, &current.size, &max_records);
        std::uint8_t* const record = current.start + current.valid;
        std::memset(record, 0xa5, bytes);  // other fields must not matter
        std::memcpy(record, &kind, sizeof kind);
        current.valid += bytes;
        return record;
    }
    void deliver_here() {
        const Buffer full = std::exchange(current, {});
        if (full.start) complete(nullptr, 0, full.start, full.size, full.valid);
    }
    /// On another thread, as CUPTI does.
    void deliver() {
        std::thread([this] { deliver_here(); }).join();
    }
};

Fake& fake() {
    static auto* instance = new Fake;
    return *instance;
}

template <class T>
void put(std::uint8_t* record, std::size_t offset, T value) {
    std::memcpy(record + offset, &value, sizeof value);
}

int called(const char* name, int result = 0) {
    fake().calls += std::string(name) + " ";
    return result;
}

Number number_of(std::map<void*, Number>& numbers, void* handle, Number first) {
    return numbers.try_emplace(handle, first + static_cast<Number>(numbers.size())).first->second;
}

}  // namespace

extern "C" {

// For the test.

void fake_set_version(Number version) {
    fake().version = version;
}
/// What cuptiSubscribe returns.
void fake_refuse_subscriber(int status) {
    fake().subscriber_status = status;
}
void fake_refuse_kind(Number kind) {
    fake().refused_kind = kind;
}
/// Do not complete buffers when they are flushed.
void fake_hold_buffers(int holds) {
    fake().holds_buffers = holds;
}
void fake_deliver() {
    fake().deliver();
}
void fake_lose(std::size_t count) {
    fake().lost = count;
}
/// The functions called since the last call of this, each with a blank after it.
const char* fake_take_calls() {
    static std::string taken;
    taken = std::exchange(fake().calls, {});
    return taken.c_str();
}
std::uint64_t fake_now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return 3 * static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}
Number fake_context_number(void* context) {
    return number_of(fake().contexts, context, 1);
}
Number fake_stream_number(void* stream) {
    return number_of(fake().streams, stream, 7);
}
void fake_kernel(const char* name, std::uint64_t start, std::uint64_t end, Number context, Number stream) {
    std::uint8_t* const record = fake().append(kernel_kind, kernel_bytes);
    put(record, 16, start);
    put(record, 24, end);
    put(record, 44, context);
    put(record, 48, stream);
    put(record, 104, name);
}
/// A copy of kind 1 or, between contexts, 22, or a fill of kind 2, which has no direction.
void fake_memory(Number kind, int direction, std::uint64_t bytes, std::uint64_t start, std::uint64_t end,
                 Number context, Number stream) {
    std::uint8_t* const record = fake().append(kind, memory_bytes);
    if (kind != 2) put(record, 4, static_cast<std::uint8_t>(direction));
    put(record, 8, bytes);
    put(record, 16, start);
    put(record, 24, end);
    put(record, 36, context);
    put(record, 40, stream);
}

/// What the test held back comes while the process ends, when Windows starts no threads any more.
[[gnu::destructor]] void fake_end() {
    fake().deliver_here();
}

// CUPTI's.

int cuptiGetVersion(Number* version) {
    *version = fake().version;
    return 0;
}
int cuptiSubscribe(void** subscriber, void*, void*) {
    if (fake().is_subscribed) return called("subscribe", other_subscriber);
    if (fake().subscriber_status) return called("subscribe", fake().subscriber_status);
    fake().is_subscribed = true;
    *subscriber = &fake();
    return called("subscribe");
}
int cuptiUnsubscribe(void* subscriber) {
    fake().is_subscribed = false;
    return called("unsubscribe", subscriber == &fake() ? 0 : 1);
}
int cuptiActivityRegisterCallbacks(Request request, Complete complete) {
    fake().request = request;
    fake().complete = complete;
    return called("register");
}
int cuptiActivityEnable(Number kind) {
    return called("enable", kind == fake().refused_kind ? invalid_kind : 0);
}
int cuptiActivityDisable(Number) {
    return called("disable");
}
int cuptiActivityFlushAll(Number) {
    if (!fake().holds_buffers) fake().deliver();
    return called("flush");
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
    const auto size_of = [](const std::uint8_t* at) {
        Number kind = 0;
        std::memcpy(&kind, at, sizeof kind);
        return kind == kernel_kind ? kernel_bytes : memory_bytes;
    };
    std::uint8_t* const next = *record ? *record + size_of(*record) : buffer;
    if (next >= buffer + valid) return end_of_buffer;
    *record = next;
    return 0;
}
int cuptiActivityGetNumDroppedRecords(void*, Number, std::size_t* count) {
    *count = std::exchange(fake().lost, 0);
    return 0;
}
int cuptiGetTimestamp(std::uint64_t* time) {
    *time = fake_now();
    return 0;
}
int cuptiGetContextId(void* context, Number* number) {
    *number = fake_context_number(context);
    return 0;
}
int cuptiGetStreamIdEx(void* context, void* stream, std::uint8_t, Number* number) {
    if (!stream && !context) return 20;  // a default stream is one of a context
    *number = fake_stream_number(stream);
    return 0;
}

}  // extern "C"
