#pragma once

#include <string>
#include <string_view>

#include "ptx/error.hpp"
#include "ptx/program.hpp"

/// Text for the tests of the PTX front end.
namespace ptx_text {

inline std::string module(std::string_view rest) {
    return ".version 8.5\n.target sm_90\n.address_size 64\n" + std::string(rest);
}

/// A kernel with registers of every type, variables in every space, and this body.
inline std::string kernel(std::string_view body) {
    return module(R"(
.global .align 16 .b8 g[64]; .global .texref tx; .global .surfref sf;
.const .align 16 .b8 c[64];
.shared .align 16 .b8 s[64];
.func (.param .b32 r) f(.param .b64 a, .param .align 4 .b8 b[8]);
.visible .entry k(.param .u64 p0, .param .u32 p1) {
.reg .pred %p<10>; .reg .b8 %b<10>; .reg .b16 %rs<10>; .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .b64 %rd<10>; .reg .f64 %fd<10>;
.reg .u32 %u<10>; .reg .s32 %s<10>; .reg .u16 %us<10>; .reg .u64 %ud<10>; .reg .f16 %h<10>; .reg .f16x2 %hh<10>; .reg .b128 %q<4>;
.local .align 16 .b8 l[64];
)") + std::string(body) +
           "\nret;\n}\n";
}

/// The same for the newest PTX: the assembler refuses instructions newer than the stated version.
inline std::string newest(std::string text) {
    return text.replace(text.find("8.5"), 3, "9.0");
}

/// Empty when the text is accepted, otherwise the message.
inline std::string error_of(std::string_view text, int* line = nullptr) {
    try {
        cpu::ptx::parse(text);
        return "";
    } catch (const cpu::ptx::SyntaxError& error) {
        if (line) *line = error.line();
        return error.what();
    }
}

}  // namespace ptx_text
