#include "state/log.hpp"

#include "platform/process.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <vector>

namespace cpu::state::log {

namespace {

constexpr unsigned capacity = 100;

struct Callback {
    CUlogsCallback function;
    void* data;
    unsigned number;
};

struct Log {
    std::mutex mutex;
    std::array<std::string, capacity> ring;  ///< line n is at n % capacity
    unsigned count = 0;
    std::vector<Callback> callbacks;
    unsigned last_callback = 0;
};

/// Never destroyed: threads of the program may fail in calls until the very end.
Log& log() {
    static auto* const instance = new Log;
    return *instance;
}

std::string time_text() {
    const auto now = std::chrono::system_clock::now();
    const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
    const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
    const std::tm parts = platform::local_time(seconds);
    char text[32];
    std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(since_epoch % 1000));
    return text;
}

void add_line(std::string message) {
    std::string line = "[" + time_text() + "][" + std::to_string(platform::thread_number()) + "][CUDA][E] " + message;
    std::vector<Callback> callbacks;
    {
        Log& all = log();
        const std::lock_guard lock(all.mutex);
        callbacks = all.callbacks;
        all.ring[all.count++ % capacity] = std::move(line);
    }
    for (const Callback& callback : callbacks)
        callback.function(callback.data, CU_LOG_LEVEL_ERROR, message.data(), message.size());
}

}  // namespace

void explain(const char* why) noexcept {
    try {
        add_line(why);
    } catch (...) {
        // Out of memory: the call fails without the line.
    }
}

void note_failure(const char* routine, CUresult code, const char* name) noexcept {
    try {
        add_line("Returning " + std::to_string(static_cast<int>(code)) + " (" + name + ") from " + routine);
    } catch (...) {
    }
}

unsigned end() noexcept {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    return all.count;
}

std::string lines(unsigned since, std::size_t capacity_in_bytes) {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    std::string text;
    for (unsigned n = all.count; n > since && n + capacity > all.count; --n) {
        const std::string& line = all.ring[(n - 1) % capacity];
        if (text.size() + line.size() + 1 > capacity_in_bytes) break;
        text.insert(0, line + "\n");
    }
    return text;
}

CUlogsCallbackHandle add(CUlogsCallback callback, void* data) {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    all.callbacks.push_back({callback, data, ++all.last_callback});
    return reinterpret_cast<CUlogsCallbackHandle>(static_cast<std::size_t>(all.last_callback));
}

bool remove(CUlogsCallbackHandle handle) noexcept {
    Log& all = log();
    const std::lock_guard lock(all.mutex);
    const auto number = static_cast<unsigned>(reinterpret_cast<std::size_t>(handle));
    return std::erase_if(all.callbacks, [number](const Callback& callback) { return callback.number == number; }) > 0;
}

}  // namespace cpu::state::log
