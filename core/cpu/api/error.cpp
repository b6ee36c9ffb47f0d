#include "api/abi.hpp"
#include "platform/process.hpp"

#include "state/context.hpp"
#include "state/fault_reports.hpp"
#include "state/log.hpp"

#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

using namespace cpu::api;
namespace log = cpu::state::log;

namespace {

struct Result {
    const char* name;
    const char* text;
};

const Result* describe(CUresult code) noexcept {
    switch (code) {
#define ERROR(code, text)                            \
    case code: {                                     \
        static constexpr Result result{#code, text}; \
        return &result;                              \
    }
#include "api/errors.def"
#undef ERROR
    }
    return nullptr;
}

/// "text: report", made once for each report and kept, since the caller never frees it.
const char* with_report(const char* text, const char* report) {
    static auto* const mutex = new std::mutex;
    static auto* const texts = new std::map<std::pair<const char*, const char*>, std::string>;
    std::lock_guard lock(*mutex);
    std::string& whole = (*texts)[{text, report}];
    if (whole.empty()) whole = std::string(text) + ": " + report;
    return whole.c_str();
}

}  // namespace

CUresult cuGetErrorName(CUresult error, const char** pStr) {
    return entry_before_init("cuGetErrorName", [&] {
        require(pStr != nullptr);
        const Result* const result = describe(error);
        *pStr = result ? result->name : nullptr;
        require(result != nullptr);
    });
}

/// After a call of this thread has returned a kernel's fault, the text of that code is followed by the executor's
/// report (kernel, block, thread, PTX line, address, nearest allocation).
CUresult cuGetErrorString(CUresult error, const char** pStr) {
    return entry_before_init("cuGetErrorString", [&] {
        require(pStr != nullptr);
        const Result* const result = describe(error);
        const char* const report = cpu::state::last_fault_report(error);
        if (report) cpu::state::fault_reports::note_told(report);
        *pStr = !result ? nullptr : report ? with_report(result->text, report) : result->text;
        require(result != nullptr);
    });
}

// ---- the log of failed calls

namespace {

/// The bytes that the log returns at most.
constexpr std::size_t log_capacity = 25600;

}  // namespace

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData, CUlogsCallbackHandle* callback_out) {
    return entry("cuLogsRegisterCallback", [&] {
        require(callbackFunc != nullptr);
        const auto handle = log::add(callbackFunc, userData);
        put_optional(callback_out, handle);
    });
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
    return entry("cuLogsUnregisterCallback", [&] { require(log::remove(callback)); });
}

CUresult cuLogsCurrent(CUlogIterator* iterator_out, unsigned int flags) {
    return entry("cuLogsCurrent", [&] {
        require(flags == 0);
        put(iterator_out, log::end());
    });
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int flags) {
    return entry("cuLogsDumpToFile", [&] {
        require(pathToFile != nullptr && flags == 0);
        std::ofstream file(cpu::platform::path_of(pathToFile), std::ios::app);
        file << log::lines(iterator ? *iterator : 0, log_capacity) << std::flush;
        require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
    });
}

CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned int flags) {
    return entry("cuLogsDumpToMemory", [&] {
        require(buffer != nullptr && size != nullptr && *size > 0 && flags == 0);
        const std::string text = log::lines(iterator ? *iterator : 0, *size - 1);
        std::memcpy(buffer, text.c_str(), text.size() + 1);
        *size = text.size();
    });
}
