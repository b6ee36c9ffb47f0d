#include "state/fault_injection.hpp"

#include "exec/environment.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cpu::state {

namespace {

struct Plan {
    std::string name;
    unsigned long count = 0;
    CUresult code = CUDA_SUCCESS;
    std::atomic<unsigned long> calls{0};
};

/// True if calls of the function pass through `entry`, as every implemented function does.
bool is_implemented(std::string_view name) {
#define IMPLEMENTED(symbol, base, version, stream) #base,
#define NOT_SUPPORTED(symbol, base, version, stream)
    static constexpr std::string_view names[] = {
#include "exports.def"
    };
#undef IMPLEMENTED
#undef NOT_SUPPORTED
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Parses a plan "name:count:code"; nullptr for anything else.
Plan* read_plan(const std::string& item) {
    std::istringstream fields(item);
    auto plan = std::make_unique<Plan>();
    unsigned code = 0;
    char colon = 0;
    const bool read = std::getline(fields, plan->name, ':') && fields >> plan->count >> colon >> code && colon == ':' &&
                      fields.peek() == std::istringstream::traits_type::eof();
    if (!read || plan->count == 0 || code == CUDA_SUCCESS || !is_implemented(plan->name)) return nullptr;
    plan->code = static_cast<CUresult>(code);
    return plan.release();
}

std::vector<Plan*> read_plans() {
    std::vector<Plan*> plans;
    std::istringstream items{platform::environment("PYCUDA_CPU_FAULTS")};
    for (std::string item; std::getline(items, item, ',');) {
        if (Plan* const plan = read_plan(item))
            plans.push_back(plan);
        else
            exec::ignore_setting("PYCUDA_CPU_FAULTS", item, "function:count:code");
    }
    return plans;
}

}  // namespace

std::optional<CUresult> injected_fault(const char* name) noexcept {
    static const auto* const plans = new std::vector<Plan*>(read_plans());
    if (plans->empty()) return std::nullopt;
    std::optional<CUresult> result;
    for (Plan* plan : *plans)
        if (plan->name == name && plan->calls.fetch_add(1) + 1 == plan->count) result = plan->code;
    return result;
}

}  // namespace cpu::state
