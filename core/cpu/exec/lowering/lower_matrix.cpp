// Matrix instructions. All lanes synchronise first; the handlers then work on the whole warp.
#include <algorithm>
#include <string>
#include <vector>

#include "exec/lowering/function_builder.hpp"
#include "ptx/grammar.hpp"

namespace cpu::exec {

using ptx::Opcode;
using ptx::OperandKind;
using ptx::Shape;
using ptx::Type;

namespace {

struct Size {
    std::uint16_t m, n, k;
};

/// "m16n8k32" → 16, 8, 32.
Size size_of(Shape shape) {
    const std::string text(ptx::spelling(ptx::Group::Shape, static_cast<std::uint8_t>(shape)));
    const auto number = [&](char letter) {
        const std::size_t at = text.find(letter);
        return static_cast<std::uint16_t>(at == text.npos ? 0 : std::stoul(text.substr(at + 1)));
    };
    return {number('m'), number('n'), number('k')};
}

std::uint8_t count_of(const FunctionBuilder& b, const ptx::Operand& o) {
    return static_cast<std::uint8_t>(b.elements(o).size());
}

void wait_for_all(FunctionBuilder& b) {
    Node& node = b.emit("bar.warp.sync", {}, {});
    node.insn.control = Control::Sync;
    node.add(5, b.immediate(full_mask, 4), &Node::uses);
}

void read(FunctionBuilder& b, const ptx::Operand& o, std::vector<Value>& values) {
    for (const ptx::Operand& element : b.elements(o)) values.push_back(b.source(element));
}

Fragment fragment_of(Fragment::Matrix matrix, Size size, Type type, std::uint8_t registers) {
    using Matrix = Fragment::Matrix;
    Fragment f;
    f.matrix = matrix;
    f.rows = matrix == Matrix::B ? size.k : size.m;
    f.columns = matrix == Matrix::A ? size.k : size.n;
    f.bits = static_cast<std::uint8_t>(ptx::bits(type));
    f.registers = registers;
    f.transposed = size.n == 32;
    return f;
}

/// m8n8k4 of halves is four products: A and the accumulators are stacked vertically, B horizontally.
void make_quads(MatrixProduct& p, const ptx::Modifiers& m) {
    p.quads = true;
    for (Fragment* f : {&p.a, &p.b, &p.c, &p.d}) f->quads = true;
    for (Fragment* f : {&p.a, &p.c, &p.d}) f->rows = 32;
    p.b.columns = 32;
    p.a.lane_is_column = m.order == ptx::Order::Column;
    p.b.lane_is_column = m.order_b == ptx::OrderB::Row;
    p.c.quads_of_floats = p.type_c == Type::F32;
    p.d.quads_of_floats = p.type_d == Type::F32;
}

/// mma and wmma.mma d, a, b, c
void lower_product(FunctionBuilder& b) {
    using Matrix = Fragment::Matrix;
    const ptx::Instruction& i = b.instruction();
    const auto o = b.operands();
    const Size size = size_of(i.modifiers.shape);
    MatrixProduct p;
    const bool only_accumulators = i.types[2] == Type::None;  // wmma.mma of halves
    p.type_d = i.types[0];
    p.type_a = only_accumulators ? Type::F16 : i.types[1];
    p.type_b = only_accumulators ? Type::F16 : i.types[2];
    p.type_c = only_accumulators ? i.types[1] : i.types[3];
    p.k = size.k;
    p.step = i.modifiers.shape == Shape::M16n16k8 ? 4 : size.k;  // a GPU runs that as two mma.m16n8k4
    p.saturates = i.modifiers.has(ptx::Flag::Satfinite);
    p.counts_common = i.modifiers.operation == ptx::Operation::And;
    p.rounding = i.modifiers.rounding;
    p.d = fragment_of(Matrix::Accumulator, size, p.type_d, count_of(b, o[0]));
    p.a = fragment_of(Matrix::A, size, p.type_a, count_of(b, o[1]));
    p.b = fragment_of(Matrix::B, size, p.type_b, count_of(b, o[2]));
    p.c = fragment_of(Matrix::Accumulator, size, p.type_c, count_of(b, o[3]));
    if (i.modifiers.shape == Shape::M8n8k4 && p.type_a == Type::F16) make_quads(p, i.modifiers);
    p.indices_a = indices_of(p.a, false);
    p.indices_b = indices_of(p.b, true);
    p.indices_c = indices_of(p.c, false);
    p.indices_d = indices_of(p.d, false);
    std::vector<Value> values;
    for (const std::size_t n : {1, 2, 3}) read(b, o[n], values);
    const std::vector<Value> results = b.destinations(o[0]);
    b.carry(values, &Node::uses);
    b.emit("matrix.product", {}, {}).insn.product = b.add_product(std::move(p));
    b.carry(results, &Node::defs);
}

/// The address of a memory operand as a register, without its offset, which the accesses add.
Value base_of(FunctionBuilder& b, const ptx::Operand& o, ptx::Space space) {
    Node node;
    b.memory_operand(node, o, space, 1, {});
    return node.insn.op[1];
}

/// Adds an access at `address` instead of the operand's register.
void access(FunctionBuilder& b, Node& node, const ptx::Operand& o, std::uint32_t bytes, Value address,
            const Access& what) {
    b.memory_operand(node, o, b.instruction().modifiers.space, bytes, what);
    node.insn.op[1] = address;
    node.insn.wide_address = b.width_of(address) == 8;
}

/// Lane l has the address of row l; with fewer rows than lanes, the remaining lanes repeat rows.
Value row_addresses(FunctionBuilder& b, const ptx::Operand& o, std::size_t matrices) {
    const Value base = base_of(b, o, b.instruction().modifiers.space);
    if (matrices == 4 || (base & 1)) return base;
    const Value address = b.new_register(b.width_of(base));
    Node& node = b.emit("matrix.row_addresses", {address}, {base});
    node.insn.mode = static_cast<std::uint16_t>(8 * matrices - 1);
    node.insn.wide_address = b.width_of(base) == 8;
    return address;
}

std::vector<Value> row_words(FunctionBuilder& b) {
    std::vector<Value> words;
    for (int n = 0; n < 4; ++n) words.push_back(b.new_register(4));
    return words;
}

/// Accesses rows of four words.
void access_rows(FunctionBuilder& b, const ptx::Operand& o, const std::vector<Value>& words, Value address,
                 bool loads) {
    Node& node = b.emit(loads ? OpName("ld.v4.u32") : OpName("st.v4.u32"), {}, {});
    for (std::size_t n = 0; n < 4; ++n) node.add(n == 0 ? 0 : n + 1, words[n], loads ? &Node::defs : &Node::uses);
    access(b, node, o, 16, address, {.reads = loads, .writes = !loads});
}

void lower_load_matrices(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value address = row_addresses(b, o[1], count_of(b, o[0]));
    const std::vector<Value> words = row_words(b), results = b.destinations(o[0]);
    access_rows(b, o[1], words, address, true);
    Node& node = b.emit("matrix.from_rows", {}, {words[0], words[1], words[2], words[3]});
    node.insn.mode = b.instruction().modifiers.has(ptx::Flag::Trans);
    b.carry(results, &Node::defs);
}

void lower_store_matrices(FunctionBuilder& b) {
    const auto o = b.operands();
    const Value address = row_addresses(b, o[0], count_of(b, o[1]));
    std::vector<Value> values;
    read(b, o[1], values);
    const std::vector<Value> words = row_words(b);
    Node& node = b.emit("matrix.to_rows", {}, {});
    for (std::size_t n = 0; n < values.size(); ++n) node.add(n, values[n], &Node::uses);
    node.insn.mode = b.instruction().modifiers.has(ptx::Flag::Trans);
    b.carry(words, &Node::defs);
    access_rows(b, o[0], words, address, false);
}

/// Operands of wmma.load and wmma.store.
struct InMemory {
    FragmentInMemory what;
    const ptx::Operand& address;
    Value base;
    Value stride;
    std::uint32_t index;  ///< Insn::fragment
    bool whole;           ///< the elements of a register are contiguous in memory
};

InMemory in_memory(FunctionBuilder& b, Fragment::Matrix matrix, const ptx::Operand& vector,
                   const ptx::Operand& address) {
    const ptx::Instruction& i = b.instruction();
    const Fragment f = fragment_of(matrix, size_of(i.modifiers.shape), i.types[0], count_of(b, vector));
    const bool by_columns = i.modifiers.order == ptx::Order::Column;
    const auto o = b.operands();
    const Value stride = o.size() > 2 ? b.source(o[2], 4) : b.immediate(by_columns ? f.rows : f.columns, 4);
    const bool down = matrix == Fragment::Matrix::B || (matrix == Fragment::Matrix::Accumulator && f.transposed);
    const FragmentInMemory what{f, by_columns};
    return {what,
            address,
            base_of(b, address, i.modifiers.space),
            stride,
            b.add_fragment(what),
            by_columns == down || f.elements() == 1};
}

Value element_address(FunctionBuilder& b, const InMemory& in, std::uint32_t element) {
    const Value address = b.new_register(8);
    Node& node = b.emit("matrix.element_addresses", {address}, {in.base, in.stride});
    node.insn.mode = static_cast<std::uint16_t>(element);
    node.insn.fragment = in.index;
    node.insn.wide_address = b.width_of(in.base) == 8;
    return address;
}

/// Accesses one element, or all elements of a register if they are contiguous.
void access_element(FunctionBuilder& b, const InMemory& in, std::uint32_t element, Value value, bool loads) {
    const Fragment& f = in.what.fragment;
    const std::uint32_t bytes = in.whole ? f.register_bytes() : f.bits / 8u;
    const Value address = element_address(b, in, element);
    Node& node = b.emit(b.op({loads ? OpPart("ld") : OpPart("st"), unsigned_part(bytes)}), {}, {});
    node.add(0, value, loads ? &Node::defs : &Node::uses);
    access(b, node, in.address, bytes, address, {.reads = loads, .writes = !loads});
}

void lower_load_fragment(FunctionBuilder& b, Fragment::Matrix matrix) {
    const auto o = b.operands();
    const InMemory in = in_memory(b, matrix, o[0], o[1]);
    const std::vector<Value> results = b.destinations(o[0]);
    const std::uint32_t each = in.what.fragment.elements();
    // A result may alias the address or the stride, which are still needed.
    const auto read_again = [&](Value v) { return v == in.base || v == in.stride; };
    const bool apart = std::ranges::any_of(results, read_again);
    std::vector<Value> loaded = results;
    for (std::uint32_t r = 0; r < results.size(); ++r) {
        if (apart) loaded[r] = b.new_register(b.width_of(results[r]));
        if (in.whole) {
            access_element(b, in, r * each, loaded[r], true);
            continue;
        }
        std::vector<Value> parts;
        for (std::uint32_t e = 0; e < each; ++e) {
            parts.push_back(b.new_register(4));
            access_element(b, in, r * each + e, parts[e], true);
        }
        Node& node = b.emit("matrix.pack", {loaded[r]}, {});
        for (std::size_t e = 0; e < parts.size(); ++e) node.add(1 + e, parts[e], &Node::uses);
        node.insn.mode = in.what.fragment.bits;
    }
    for (std::size_t r = 0; apart && r < results.size(); ++r)
        b.emit(move_of(b.width_of(results[r])), {results[r]}, {loaded[r]});
}

void lower_store_fragment(FunctionBuilder& b) {
    const auto o = b.operands();
    const InMemory in = in_memory(b, Fragment::Matrix::Accumulator, o[1], o[0]);
    const std::uint32_t each = in.what.fragment.elements();
    std::vector<Value> values;
    read(b, o[1], values);
    for (std::uint32_t r = 0; r < values.size(); ++r)
        for (std::uint32_t e = 0; e < (in.whole ? 1 : each); ++e) {
            Value value = values[r];
            if (e > 0) {
                value = b.new_register(4);
                b.emit("shr.b32", {value}, {values[r], b.immediate(e * in.what.fragment.bits, 4)});
            }
            access_element(b, in, r * each + e, value, false);
        }
}

}  // namespace

void lower_matrix(FunctionBuilder& b) {
    const auto o = b.operands();
    wait_for_all(b);
    switch (b.instruction().opcode) {
        case Opcode::Ldmatrix:
            return lower_load_matrices(b);
        case Opcode::Stmatrix:
            return lower_store_matrices(b);
        case Opcode::Movmatrix: {
            const Value a = b.source(o[1]);
            b.emit("matrix.transpose", {b.destination(o[0])}, {a});
            return;
        }
        case Opcode::WmmaLoadA:
            return lower_load_fragment(b, Fragment::Matrix::A);
        case Opcode::WmmaLoadB:
            return lower_load_fragment(b, Fragment::Matrix::B);
        case Opcode::WmmaLoadC:
            return lower_load_fragment(b, Fragment::Matrix::Accumulator);
        case Opcode::WmmaStore:
            return lower_store_fragment(b);
        default:
            return lower_product(b);
    }
}

}  // namespace cpu::exec
