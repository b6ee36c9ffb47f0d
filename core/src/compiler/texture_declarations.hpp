#pragma once

#include <string>

namespace pycuda {

/// The source of a program in the language of CUDA 11 as newer compilers take it: where `texture<...>` or
/// `surface<...>` references are declared, pycuda-texture.hpp is included in front, and each declaration is marked
/// PYCUDA_REFERENCE. Line numbers stay. Any other source comes back as it is, at the cost of one search for the two
/// words.
class TextureDeclarations {
public:
    explicit TextureDeclarations(const std::string& source);
    const std::string& source() const noexcept { return source_; }
    /// What to put in front of everything: an #include line, or nothing.
    const char* prologue() const noexcept { return found_ ? "#include <pycuda-texture.hpp>\n" : ""; }

private:
    std::string source_;
    bool found_ = false;
};

}  // namespace pycuda
