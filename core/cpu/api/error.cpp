#include "api/abi.hpp"

#include "state/context.hpp"
#include "state/fault_reports.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

using namespace cpu::api;

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
