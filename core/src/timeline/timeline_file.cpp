#include "timeline/timeline_file.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "platform/files.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/text/utf8.hpp"

namespace pycuda {
namespace {

constexpr int host = 1, device = 2, workers = 3, memory = 4;  // "processes" of the format: groups of lanes

/// As a JSON string, which must be UTF-8: the names of kernels and files need not be, and a long argument may have been
/// cut within a character.
std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t start = position;
        const char32_t point = next_code_point(text, position);
        if (point == '"' || point == '\\') out += '\\';
        if (point == replacement_character)
            out += "\\ufffd";
        else
            out += point < ' ' ? std::string_view(" ") : text.substr(start, position - start);
    }
    return out + "\"";
}

std::string microseconds(std::uint64_t nanoseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(nanoseconds / 1000),
                  static_cast<unsigned long long>(nanoseconds % 1000));
    return text;
}

/// Events of the format, separated by commas; times count from the first event.
class EventWriter {
public:
    explicit EventWriter(std::uint64_t origin) : origin_(origin) {}
    const std::string& text() const noexcept { return out_; }

    void name_lane(const char* what, int group, int lane, const std::string& name) {
        begin("M", what, group, lane);
        out_ += R"(,"args":{"name":)" + json_string(name) + "}}";
    }
    void span(const std::string& name, const char* kind, int group, int lane, std::uint64_t begin, std::uint64_t end,
              const std::string& arguments) {
        this->begin("X", name, group, lane);
        out_ += R"(,"cat":")" + std::string(kind) + R"(","ts":)" + microseconds(begin - origin_) + R"(,"dur":)" +
                microseconds(end > begin ? end - begin : 0) + R"(,"args":{)" + arguments + "}}";
    }
    void counter(const std::string& name, std::uint64_t time, std::uint64_t used, std::uint64_t held) {
        begin("C", name, memory, 0);
        out_ += R"(,"ts":)" + microseconds(time - origin_) + R"(,"args":{"used":)" + std::to_string(used) +
                R"(,"held":)" + std::to_string(held) + "}}";
    }

private:
    void begin(const char* phase, const std::string& name, int group, int lane) {
        out_ += out_.empty() ? "\n" : ",\n";
        out_ += R"({"ph":")" + std::string(phase) + R"(","name":)" + json_string(name) + R"(,"pid":)" +
                std::to_string(group) + R"(,"tid":)" + std::to_string(lane);
    }

    const std::uint64_t origin_;
    std::string out_;
};

std::uint64_t first_time(const Timeline& timeline) {
    std::uint64_t first = ~std::uint64_t{0};
    for (const auto& call : timeline.calls) first = std::min(first, call.begin);
    for (const auto& span : timeline.spans) first = std::min(first, span.begin);
    for (const auto& work : timeline.work) first = std::min(first, work.begin);
    for (const auto& share : timeline.shares) first = std::min(first, share.begin);
    for (const auto& sample : timeline.samples) first = std::min(first, sample.time);
    return first;
}

void write_host(EventWriter& events, const Timeline& timeline) {
    std::map<int, bool> threads;
    for (const auto& call : timeline.calls) {
        threads[call.thread] = true;
        events.span(call.name, "driver", host, call.thread, call.begin, call.end,
                    R"("arguments":)" + json_string(call.arguments) + R"(,"result":)" +
                        json_string(result_info(call.result).name) +
                        (call.place ? R"(,"place":)" + json_string(text_of_place(call.place)) : ""));
    }
    for (const auto& span : timeline.spans) {
        threads[span.thread] = true;
        events.span(span.name, "library", host, span.thread, span.begin, span.end,
                    R"("note":)" + json_string(span.note));
    }
    events.name_lane("process_name", host, 0, "host");
    for (const auto& thread : threads)
        events.name_lane("thread_name", host, thread.first, "thread " + std::to_string(thread.first));
}

std::string stream_text(const Timeline::Work& work) {
    if (work.stream_number) return "stream number " + std::to_string(work.stream_number);
    char name[40] = "default stream";
    if (work.stream)
        std::snprintf(name, sizeof name, "stream %#" PRIxPTR, reinterpret_cast<std::uintptr_t>(work.stream));
    return name;
}

void write_device(EventWriter& events, const Timeline& timeline) {
    std::map<std::tuple<CUcontext, CUstream, std::uint32_t>, int> lanes;
    for (const auto& work : timeline.work) {
        const auto [lane, is_new] =
            lanes.try_emplace({work.context, work.stream, work.stream_number}, static_cast<int>(lanes.size()) + 1);
        events.span(work.name, "device", device, lane->second, work.begin, work.end,
                    work.bytes ? R"("bytes":)" + std::to_string(work.bytes) : "");
        if (is_new) events.name_lane("thread_name", device, lane->second, stream_text(work));
    }
    if (!lanes.empty()) events.name_lane("process_name", device, 0, "device");
}

void write_workers(EventWriter& events, const Timeline& timeline) {
    std::map<int, int> lanes;
    for (const auto& share : timeline.shares) {
        const auto [lane, is_new] = lanes.try_emplace(share.thread, static_cast<int>(lanes.size()) + 1);
        events.span(share.kernel, "worker", workers, lane->second, share.begin, share.end, "");
        if (is_new) events.name_lane("thread_name", workers, lane->second, "worker " + std::to_string(lane->second));
    }
    if (!lanes.empty()) events.name_lane("process_name", workers, 0, "CPU device");
}

void write_memory(EventWriter& events, const Timeline& timeline) {
    std::map<std::pair<std::string, const void*>, int> numbers;
    for (const auto& sample : timeline.samples) {
        const auto number = numbers.try_emplace({sample.name, sample.of}, static_cast<int>(numbers.size()) + 1).first;
        const std::string suffix = sample.of ? " " + std::to_string(number->second) : "";
        events.counter(sample.name + suffix, sample.time, sample.used, sample.held);
    }
    if (!numbers.empty()) events.name_lane("process_name", memory, 0, "memory, in bytes");
}

}  // namespace

void write_timeline(const Timeline& timeline, const std::string& path) {
    EventWriter events(first_time(timeline));
    write_host(events, timeline);
    write_device(events, timeline);
    write_workers(events, timeline);
    write_memory(events, timeline);
    const std::string text = R"({"displayTimeUnit":"ns","otherData":{"device times":)" +
                             json_string(timeline.device_times) + R"(},"traceEvents":[)" + events.text() + "\n]}\n";
    std::FILE* const file = open_for_writing(path);
    const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (!(file && std::fclose(file) == 0 && written))
        throw RuntimeError("stop_trace", 0, "the timeline cannot be written to " + path);
}

}  // namespace pycuda
