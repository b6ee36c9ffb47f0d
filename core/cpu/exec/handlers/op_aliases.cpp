#include "exec/handlers/op_aliases.hpp"

namespace cpu::exec {

namespace {

using Aliases = std::vector<std::pair<std::string, std::string>>;

/// Arithmetic of which a sign changes nothing.
void add_signed_arithmetic(Aliases& aliases) {
    for (const std::string bits : {"16", "32", "64"}) {
        for (const std::string name : {"add.", "sub.", "mul.lo.", "mad.lo."})
            aliases.emplace_back(name + "s" + bits, name + "u" + bits);
        for (const std::string compare : {"setp.eq.", "setp.ne."})
            for (const std::string sign : {"s", "u"}) aliases.emplace_back(compare + sign + bits, compare + "b" + bits);
    }
    for (const std::string bits : {"32", "64"})
        for (const std::string name :
             {"add.cc.", "addc.cc.", "addc.", "sub.cc.", "subc.cc.", "subc.", "mad.lo.cc.", "madc.lo.cc.", "madc.lo."})
            aliases.emplace_back(name + "s" + bits, name + "u" + bits);
    for (const std::string bits : {"32", "64"})
        for (const std::string name : {"atom.add.", "red.add."})
            aliases.emplace_back(name + "s" + bits, name + "u" + bits);
    aliases.emplace_back("add.s16x2", "add.u16x2");
}

struct Integer {
    bool is_signed;
    int bits;
    std::string name() const { return (is_signed ? "s" : "u") + std::to_string(bits); }
    bool holds(const Integer& other) const {
        return is_signed == other.is_signed ? bits >= other.bits : is_signed && bits > other.bits;
    }
};

/// A register of 32 bits holds narrower integers extended as their sign says.
std::string integer_conversion(const Integer& to, const Integer& from) {
    if (to.bits == 64) return "cvt.u64." + (from.bits == 64 ? "u64" : from.name());
    if (from.bits == 64) return "cvt." + (to.bits == 32 ? "u32" : to.name()) + ".u64";
    if (from.bits >= to.bits) {
        const Integer kept{to.is_signed && to.bits < 32, to.bits};
        return "cvt." + Integer{kept.is_signed, 32}.name() + "." + kept.name();
    }
    const bool cut = from.is_signed && !to.is_signed && to.bits < 32;
    return "cvt." + (cut ? to : Integer{from.is_signed, 32}).name() + "." + from.name();
}

void add_integer_conversions(Aliases& aliases) {
    std::vector<Integer> all;
    for (const int bits : {8, 16, 32, 64})
        for (const bool is_signed : {false, true}) all.push_back({is_signed, bits});
    for (const Integer& to : all) {
        for (const Integer& from : all) {
            const std::string key = to.name() + "." + from.name(), row = integer_conversion(to, from);
            if (row != "cvt." + key) aliases.emplace_back("cvt." + key, row);
            if (to.holds(from)) aliases.emplace_back("cvt.sat." + key, row);
        }
    }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> op_aliases() {
    Aliases aliases;
    add_signed_arithmetic(aliases);
    add_integer_conversions(aliases);
    for (const std::string type : {"f32", "ftz.f32", "f64"}) aliases.emplace_back("mad." + type, "fma." + type);
    return aliases;
}

}  // namespace cpu::exec
