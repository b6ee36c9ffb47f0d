#include "state/graphs/condition.hpp"

#include "exec/checks/written_bytes.hpp"
#include "state/context.hpp"
#include "state/memory/memory.hpp"

#include <atomic>

namespace cpu::state::graphs {

Condition::Condition(Context& context, unsigned initial, unsigned flags)
    : word_(memory::allocate_device(context, sizeof(unsigned))),
      initial_(initial),
      starts_with_initial_((flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0) {
    set(0);
}

Condition::~Condition() {
    AddressSpace::instance().remove(word_->base, [&](const Allocation& live) { return &live == word_.get(); });
}

unsigned Condition::value() const noexcept {
    return std::atomic_ref(*reinterpret_cast<unsigned*>(word_->base)).load(std::memory_order_acquire);
}

void Condition::set(unsigned value) const noexcept {
    std::atomic_ref(*reinterpret_cast<unsigned*>(word_->base)).store(value, std::memory_order_release);
    exec::written_bytes::set(word_->base, sizeof value);
}

void Condition::start() const noexcept {
    if (starts_with_initial_) set(initial_);
}

}  // namespace cpu::state::graphs
