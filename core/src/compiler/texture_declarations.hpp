#pragma once

#include <functional>
#include <set>
#include <string>

namespace pycuda {

/// Contains the functions that read textures, and the class templates, which were built into CUDA 11.
constexpr const char* texture_header = "pycuda-texture.hpp";
/// Text to put before a source that uses them.
constexpr const char* texture_prologue = "#include <pycuda-texture.hpp>\n";

/// Converts a source or header written for CUDA 11 so that newer compilers accept it after texture_prologue: each
/// declaration of a `texture<...>` or `surface<...>` reference, by that name or an alias, is marked PYCUDA_REFERENCE.
/// Line numbers do not change. Any other text stays as it is; for that, the two words are searched once.
class TextureDeclarations {
public:
    using Aliases = std::set<std::string, std::less<>>;
    /// `known`: aliases of such types that other files of the program declare.
    explicit TextureDeclarations(const std::string& text, Aliases known = {});
    const std::string& source() const noexcept { return source_; }
    /// True if it uses the class templates, so that it needs texture_prologue.
    bool found() const noexcept { return found_; }
    /// True if it defines a class with one of the two names: then nothing in the program is a reference.
    bool has_its_own() const noexcept { return has_its_own_; }

    /// The aliases of such types, by typedef or using, outside classes and functions, including the known ones.
    const Aliases& aliases() const noexcept { return aliases_; }

private:
    std::string source_;
    Aliases aliases_;
    bool found_ = false;
    bool has_its_own_ = false;
};

}  // namespace pycuda
