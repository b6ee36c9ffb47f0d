#pragma once

#include <string>
#include <vector>

#include "ptx/grammar.hpp"
#include "ptx/program.hpp"

namespace cpu::ptx {

/// Checks the instructions of one function; each object checks one. Functions that return `const char*` return nullptr
/// if the instruction matches the form, else the reason why it does not.
class Verifier {
public:
    Verifier(const Program& program, Function& function) : program_(program), function_(function) {}
    void run();

private:
    // verify.cpp: finds the form, and checks the rules that are not in the table
    void check(Instruction& instruction);
    [[noreturn]] void fail(const std::string& why) const;
    std::string full_name() const;
    bool takes(const Form& form) const;
    /// Checks the rules that a row of the table cannot express.
    void check_rest();

    // verify_operands.cpp: the operands of a form
    Type type_of(const Slot& slot) const;
    const char* match(const Form& form);
    const char* match_slot(const Slot& slot, std::size_t& at);
    const char* value_or_vector(Operand& operand, const Slot& slot);
    const char* value(Operand& operand, Type type, const Slot& slot);
    /// A literal keeps its own type, and is encoded only once its form is known to match.
    const char* immediate(Operand& operand, Type type);
    const char* integer_literal(const Operand& operand) const;
    const char* address_register(const Operand& operand) const;
    const char* address(Operand& operand) const;
    const char* memory(Operand& operand) const;
    /// A texture, sampler or surface: a reference variable of type `wanted`, or a register that holds a handle.
    const char* handle(Operand& operand, Type wanted) const;
    Type reference_type() const;
    bool is_reference(const Operand& variable) const;
    const char* bracket(const Slot& slot, std::size_t& at);
    const char* coordinate(Operand& operand, Type type);
    const char* tensor(std::size_t& at);
    const char* scalar(Operand& operand, Type type);
    /// The operands after the coordinates of tex and tld4: a level of detail or two gradients, offsets, a depth to
    /// compare with.
    const char* extra(Operand& operand);
    /// `count` values, optionally followed by padding.
    const char* tuple(Operand& operand, Type type, unsigned count);

    // verify_call.cpp
    void check_call();
    void check_targets(Call& call);
    std::vector<ParameterShape> shapes(const Function& callee, const std::vector<VariableId>& variables,
                                       const std::vector<RegisterId>& registers) const;
    void check_list(std::vector<Operand>& given, const std::vector<ParameterShape>& wanted, bool results);

    const Program& program_;
    Function& function_;
    Instruction* now_ = nullptr;
    Operand* operands_ = nullptr;
    unsigned extras_ = 0;
    bool has_immediate_ = false;
    bool commit_ = false;
    std::vector<bool> checked_lists_;
};

/// True if a variable of state space `held` may be named where the instruction has `wanted`.
bool same_space(Space wanted, Space held);

}  // namespace cpu::ptx
