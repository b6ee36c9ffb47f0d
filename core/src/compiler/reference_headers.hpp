#pragma once

#include <optional>

#include "compiler/backend.hpp"

namespace pycuda {

/// `job` for a program whose own headers declare texture or surface references as CUDA 11 had them: these headers are
/// compiled as copies (CompileJob::header_copies) in which the declarations are marked, and `#line` names the original.
/// So are the headers that lead to one; each #include of a copied header, in the source too, names the copy, and what a
/// copy includes from its own folder is named in full. What the source declares by names that headers give to such
/// types is marked too. Nothing when there is nothing to mark, or when the program has a `texture` or `surface` of its
/// own.
std::optional<CompileJob> with_references_in_headers(const CompileJob& job);

}  // namespace pycuda
