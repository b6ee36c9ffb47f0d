#include "exec/checks/vector_clocks.hpp"

#include <algorithm>
#include <bit>

#include "exec/running/report.hpp"
#include "exec/warp.hpp"

namespace cpu::exec {

namespace {

template <class F>
void each_thread(const Warp& w, std::uint32_t lanes, F f) {
    for (; lanes; lanes &= lanes - 1) f(thread_number(w, std::countr_zero(lanes)));
}

}  // namespace

VectorClocks::VectorClocks(std::uint32_t threads, std::uint32_t warps)
    : clocks_(warps, 1), known_(threads), fenced_(threads) {}

void VectorClocks::clear() {
    for (Known& known : known_) known.clear();
    for (Known& known : fenced_) known.clear();
    for (Known& known : barriers_) known.clear();
    words_.clear();
}

bool VectorClocks::knows(std::uint32_t thread, std::uint32_t other, Clock time) const {
    return thread == other || (!known_[thread].empty() && known_[thread][other] >= time);
}

void VectorClocks::join(Known& into, const Known& from) {
    if (from.empty()) return;
    if (into.empty()) into.resize(from.size());
    for (std::size_t n = 0; n < into.size(); ++n) into[n] = std::max(into[n], from[n]);
}

/// The combined knowledge of the lanes, including their own accesses.
VectorClocks::Known VectorClocks::known_to(const Warp& w, std::uint32_t lanes) const {
    Known joined(known_.size());
    each_thread(w, lanes, [&](std::uint32_t thread) { join(joined, known_[thread]); });
    each_thread(w, lanes, [&](std::uint32_t thread) { joined[thread] = clocks_[w.index]; });
    return joined;
}

void VectorClocks::arrived(const Warp& w, std::uint32_t lanes, std::uint32_t barrier) {
    join(barriers_[barrier], known_to(w, lanes));
    ++clocks_[w.index];
}

void VectorClocks::released(const Warp& w, std::uint32_t lanes, std::uint32_t barrier) {
    each_thread(w, lanes, [&](std::uint32_t thread) { join(known_[thread], barriers_[barrier]); });
}

void VectorClocks::synchronized(const Warp& w, std::uint32_t lanes) {
    const Known joined = known_to(w, lanes);
    ++clocks_[w.index];
    each_thread(w, lanes, [&](std::uint32_t thread) { known_[thread] = joined; });
}

void VectorClocks::fenced(const Warp& w, std::uint32_t lanes) {
    for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        fenced_[thread_number(w, lane)] = known_to(w, 1u << lane);
    }
    ++clocks_[w.index];
}

void VectorClocks::wrote(const Warp& w, int lane, std::uint64_t word, bool releases) {
    if (releases) fenced(w, 1u << lane);
    const Known& passed_on = fenced_[thread_number(w, lane)];
    if (!passed_on.empty()) join(words_[word], passed_on);
}

void VectorClocks::read(const Warp& w, int lane, std::uint64_t word) {
    const auto found = words_.find(word);
    if (found != words_.end()) join(known_[thread_number(w, lane)], found->second);
}

}  // namespace cpu::exec
