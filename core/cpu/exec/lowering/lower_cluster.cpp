// Special registers of clusters, and synchronisation between the blocks of a cluster.
#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {

using ptx::Opcode;
using S = ptx::SpecialRegister;

/// Computes a special register of clusters from the block's index in the grid.
Value FunctionBuilder::in_cluster(S reg) {
    const auto axis = [&](S first) { return static_cast<int>(reg) - static_cast<int>(first); };
    const auto block = [&](int n) { return block_number(n); };
    const auto size = [&](int n) {
        const auto which = static_cast<std::uint64_t>(static_cast<int>(S::ClusterNctaidX) + n);
        return constant({LaunchConstant::Kind::Special, 4, 4, false, which, 0});
    };
    const auto of = [&](OpName name, std::initializer_list<Value> from) {
        const Value d = new_register(4);
        emit(name, {d}, from);
        return d;
    };
    if (reg <= S::ClusteridZ) return of("div.u32", {block(axis(S::ClusteridX)), size(axis(S::ClusteridX))});
    const auto inside = [&](int n) { return of("rem.u32", {block(n), size(n)}); };
    if (reg != S::ClusterCtarank) return inside(axis(S::ClusterCtaidX));
    const Value plane = of("mad.lo.u32", {inside(2), size(1), inside(1)});
    return of("mad.lo.u32", {plane, size(0), inside(0)});
}

namespace {

/// Generic addresses and those of the window are distinguished at run time.
void lower_mapa(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value address = b.source(o[1], 8), rank = b.source(o[2], 4), d = b.destination(o[0]);
    const Value wide = b.width_of(d) == 8 ? d : b.new_register(8);
    b.emit("mapa", {wide}, {address, rank});
    if (wide != d) b.emit("cvt.u32.u64", {d}, {wide});
}

}  // namespace

void lower_cluster(FunctionBuilder& b) {
    switch (b.instruction().opcode) {
        case Opcode::Mapa:
            return lower_mapa(b);
        case Opcode::Getctarank:
            b.emit("getctarank", {b.destination(b.operands()[0])}, {b.source(b.operands()[1], 8)});
            return;
        case Opcode::BarrierClusterArrive:
            b.emit_control(Control::ClusterArrive);
            return;
        default:
            b.emit_control(Control::ClusterWait);
    }
}

}  // namespace cpu::exec
