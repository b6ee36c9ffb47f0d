#include "state/fault_reports.hpp"

#include "state/initialization.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace cpu::state::fault_reports {

namespace {

struct Reports {
    std::mutex mutex;
    std::map<std::string, bool> told;
};

/// Leaked: streams run while the process exits.
Reports& reports() {
    static auto* const instance = new Reports;
    return *instance;
}

void print(std::pair<const std::string, bool>& report) noexcept {
    if (!std::exchange(report.second, true)) std::fprintf(stderr, "pycuda: %s\n", report.first.c_str());
}

void tell_all() {
    if (is_forked_child()) return;
    Reports& all = reports();
    const std::lock_guard lock(all.mutex);
    for (auto& report : all.told) print(report);
}

}  // namespace

const char* add(const std::string& text) {
    Reports& all = reports();
    const std::lock_guard lock(all.mutex);
    static const bool registered = std::atexit(tell_all) == 0;
    auto& report = *all.told.insert_or_assign(text, false).first;
    if (!registered) print(report);
    return report.first.c_str();
}

void note_told(const char* report) noexcept {
    Reports& all = reports();
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.told.find(report); found != all.told.end()) found->second = true;
}

void tell(const char* report) noexcept {
    Reports& all = reports();
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.told.find(report); found != all.told.end()) print(*found);
}

}  // namespace cpu::state::fault_reports
