#pragma once

#include <functional>
#include <set>
#include <string>

namespace pycuda {

/// Has the readers and class templates that CUDA 11 had built in.
constexpr const char* texture_header = "pycuda-texture.hpp";
/// Text to put before a source that uses them.
constexpr const char* texture_prologue = "#include <pycuda-texture.hpp>\n";

/// A source or header in the language of CUDA 11 as newer compilers take it behind texture_prologue: each declaration
/// of a `texture<...>` or `surface<...>` reference, by that name or an alias, is marked PYCUDA_REFERENCE. Line numbers
/// stay. Any other text is returned unchanged, at the cost of one search for the two words.
class TextureDeclarations {
public:
    using Aliases = std::set<std::string, std::less<>>;
    /// `known`: names that other files of the program give to such types.
    explicit TextureDeclarations(const std::string& text, Aliases known = {});
    const std::string& source() const noexcept { return source_; }
    /// Whether it uses the class templates: it needs texture_prologue.
    bool found() const noexcept { return found_; }
    /// Whether it defines a class with one of the two names: then nothing in the program is a reference.
    bool has_its_own() const noexcept { return has_its_own_; }

    /// The names that typedef and using give to such types outside of classes and functions, with the known ones.
    const Aliases& aliases() const noexcept { return aliases_; }

private:
    std::string source_;
    Aliases aliases_;
    bool found_ = false;
    bool has_its_own_ = false;
};

}  // namespace pycuda
