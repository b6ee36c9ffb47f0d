#include "pycuda/driver/driver_log.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "driver/driver_table.hpp"
#include "driver/log_of_failure.hpp"
#include "observing/driver_trace.hpp"
#include "observing/observers.hpp"
#include "platform/threads.hpp"

namespace pycuda {
namespace {

/// The bytes that the driver returns at most.
constexpr std::size_t log_capacity = 25600;

/// Of "[time][thread][CUDA][E] message".
struct Line {
    std::string_view thread;
    std::string_view message;
    explicit Line(std::string_view text) {
        const auto second = text.find("][");
        const auto third = second == text.npos ? text.npos : text.find("][", second + 2);
        const auto end = text.find("] ");
        if (third == text.npos || end == text.npos) return;
        thread = text.substr(second + 2, third - second - 2);
        message = text.substr(end + 2);
    }
    bool is_end_of_call() const { return message.starts_with("Returning "); }
    /// "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemFree_v2"
    bool ends(std::string_view routine, int code) const {
        const auto from = message.find(") from ");
        return message.starts_with("Returning " + std::to_string(code) + " (") && from != message.npos &&
               message.substr(from + 7).starts_with(routine);
    }
};

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end != 0) lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// Called by the driver on the thread that logs.
void CUDA_CB show(void*, CUlogLevel, char* message, std::size_t length) {
    const std::string_view text(message, length);
    if (text.find("Returning ") != text.npos) return;  // the trace has the call and its result
    const std::string line = "[pycuda] the driver's log: " + std::string(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

unsigned driver_log_position() {
    CUlogIterator position = 0;
    driver().cuLogsCurrent(&position, 0);
    return position;
}

std::vector<std::string> driver_log(unsigned since) {
    std::string text(log_capacity, '\0');
    std::size_t size = text.size();
    CUlogIterator from = since;
    driver().cuLogsDumpToMemory(since == 0 ? nullptr : &from, text.data(), &size, 0);
    return lines_of(std::string_view(text).substr(0, std::min(text.find('\0'), text.size())));
}

void write_driver_log(const std::string& path, unsigned since) {
    CUlogIterator from = since;
    const auto& call = driver().cuLogsDumpToFile;
    if (const CUresult result = call.try_call(since == 0 ? nullptr : &from, path.c_str(), 0))
        call.fail(result, "'" + path + "'");
}

std::string log_of_failure(const char* routine, int code) {
    const DriverTable* const functions = driver_if_initialised();
    if (!functions || !functions->cuLogsDumpToMemory.is_available()) return {};
    const ObserversCalls not_traced;
    std::string text(log_capacity, '\0');
    std::size_t size = text.size();
    if (functions->cuLogsDumpToMemory.try_call(nullptr, text.data(), &size, 0) != CUDA_SUCCESS) return {};
    const auto all = lines_of(std::string_view(text).substr(0, std::min(text.find('\0'), text.size())));
    const std::string thread = std::to_string(number_of_this_thread());
    std::string why;
    bool found = false;
    for (auto text_of_line = all.rbegin(); text_of_line != all.rend(); ++text_of_line) {
        const Line line(*text_of_line);
        if (line.thread != thread) continue;
        if (line.is_end_of_call()) {
            if (found || !line.ends(routine, code)) break;  // of an earlier call
            found = true;
        } else {
            if (!found) break;
            why = std::string(line.message) + (why.empty() ? "" : "; " + why);
        }
    }
    return why;
}

void trace_driver_log() noexcept {
    const DriverTable* const functions = driver_if_initialised();
    if (!trace_enabled() || !functions || !functions->cuLogsRegisterCallback.is_available()) return;
    const ObserversCalls not_traced;
    CUlogsCallbackHandle handle = nullptr;
    static_cast<void>(
        functions->cuLogsRegisterCallback.try_call(&show, nullptr, &handle));  // a trace without it is useful, too
}

}  // namespace pycuda
