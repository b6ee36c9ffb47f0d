// The frame of a function in each thread's local memory, and the values that calls pass through it.
#include <algorithm>
#include <string>

#include "exec/lowering/function_builder.hpp"

namespace cpu::exec {
namespace {

void address_frame(Node& node, std::uint32_t offset, std::uint32_t bytes, Value base) {
    node.insn.window = Window::Local;
    node.insn.access_bytes = static_cast<std::uint16_t>(bytes);
    node.insn.offset = static_cast<std::int32_t>(offset);
    node.add(1, base, &Node::uses);
}

}  // namespace

/// The frame of a .func: the number of its call site, results, parameters, local variables, and the `.param` variables
/// of its calls. The offsets of results and parameters depend only on their shapes, so that an indirect call can fill
/// them.
void FunctionBuilder::layout_frame() {
    std::uint32_t end = is_entry() ? 0 : 16;
    const auto place = [&](ptx::VariableId id) {
        const ptx::Variable& v = program().variables[id];
        if (v.size() > 1u << 24 || end > 1u << 24)
            throw LoadError(CUDA_ERROR_INVALID_PTX, static_cast<int>(v.line),
                            "local variable " + v.name + " is too large");
        end = align_up(end, std::max(1u, v.alignment));
        frame_[id] = end;
        end += static_cast<std::uint32_t>(v.size());
    };
    const auto place_register = [&](ptx::RegisterId id) {
        const std::uint32_t bytes = ptx::bytes(function_.registers[id].type);
        end = align_up(end, bytes) + bytes;
        return end - bytes;
    };
    if (!is_entry()) {
        for (ptx::VariableId id : function_.results) place(id);
        for (ptx::RegisterId id : function_.register_results) result_slots_.push_back(place_register(id));
        for (ptx::VariableId id : function_.parameters) place(id);
        for (ptx::RegisterId id : function_.register_parameters) parameter_slots_.push_back(place_register(id));
    }
    for (ptx::VariableId id : unit_.owned[id_]) {
        const bool parameter = std::ranges::find(function_.parameters, id) != function_.parameters.end();
        if (!frame_.contains(id) && !(is_entry() && parameter)) place(id);
    }
    frame_bytes_ = align_up(end, 32);
}

/// Parameters and results in registers go through the frame as well.
void FunctionBuilder::load_register_parameters() {
    for (std::size_t n = 0; n < parameter_slots_.size(); ++n) {
        const ptx::RegisterId id = function_.register_parameters[n];
        load_from_frame(parameter_slots_[n], ptx::bytes(function_.registers[id].type), 2 * id);
    }
}

void FunctionBuilder::emit_return() {
    for (std::size_t n = 0; n < result_slots_.size(); ++n) {
        const ptx::RegisterId id = function_.register_results[n];
        store_in_frame(result_slots_[n], ptx::bytes(function_.registers[id].type), 2 * id);
    }
    emit_control(is_entry() ? Control::Exit : Control::Return);
}

bool FunctionBuilder::lies_in_frame(ptx::VariableId variable) const {
    return frame_.contains(variable);
}
std::uint32_t FunctionBuilder::frame_offset(ptx::VariableId variable) {
    return frame_.at(variable);
}

std::optional<std::uint64_t> FunctionBuilder::parameter_offset(Value address) const {
    if (!(address & 1)) return std::nullopt;
    const LaunchConstant& c = unit_.kernel.constants[address / 2];
    return c.kind == LaunchConstant::Kind::ParameterAddress ? std::optional(c.bits) : std::nullopt;
}
std::optional<std::uint64_t> FunctionBuilder::parameter_offset(const ptx::Operand& operand) const {
    if (!is_entry()) return std::nullopt;
    if (operand.kind == ptx::OperandKind::Memory) {
        if (!aliases_[operand.index]) return std::nullopt;
        const auto base = parameter_offset(*aliases_[operand.index]);
        return base ? std::optional(*base + static_cast<std::uint64_t>(operand.offset())) : std::nullopt;
    }
    if (operand.kind != ptx::OperandKind::MemoryVariable || lies_in_frame(operand.index)) return std::nullopt;
    const ptx::Variable& v = program().variables[operand.index];
    return v.space == ptx::Space::Param ? std::optional(v.offset + operand.bits) : std::nullopt;
}

std::uint32_t FunctionBuilder::frame_slot(std::uint32_t bytes) {
    const std::uint32_t offset = frame_bytes_;
    frame_bytes_ += (bytes + 31) / 32 * 32;
    return offset;
}

void FunctionBuilder::store_in_frame(std::uint32_t offset, std::uint32_t bytes, Value value) {
    const Value base = is_entry() ? immediate(0, 4) : fixed(unit_.kernel.fixed.frame, 4);
    Node& node = emit(op({"st", unsigned_part(bytes)}), {}, {value});
    address_frame(node, offset, bytes, base);
}

void FunctionBuilder::load_from_frame(std::uint32_t offset, std::uint32_t bytes, Value to) {
    const Value base = is_entry() ? immediate(0, 4) : fixed(unit_.kernel.fixed.frame, 4);
    Node& node = emit(op({"ld", unsigned_part(bytes)}), {to}, {});
    address_frame(node, offset, bytes, base);
}

}  // namespace cpu::exec
