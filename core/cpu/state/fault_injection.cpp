#include "state/fault_injection.hpp"

#include "state/platform.hpp"

#include <atomic>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace cpu::state {

namespace {

struct Plan {
    std::string name;
    unsigned long count = 0;
    CUresult code = CUDA_SUCCESS;
    std::atomic<unsigned long> calls{0};
};

std::vector<Plan*> read_plans() {
    std::vector<Plan*> plans;
    std::istringstream items(environment("PYCUDA_CPU_FAULTS"));
    for (std::string item; std::getline(items, item, ',');) {
        std::istringstream fields(item);
        auto* plan = new Plan;
        unsigned code = 0;
        char colon = 0;
        if (std::getline(fields, plan->name, ':') && fields >> plan->count >> colon >> code && colon == ':') {
            plan->code = static_cast<CUresult>(code);
            plans.push_back(plan);
        } else {
            std::fprintf(stderr, "pycuda: PYCUDA_CPU_FAULTS: '%s' is not name:count:code; ignored\n", item.c_str());
            delete plan;
        }
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
