#pragma once

#include <optional>

#include "compiler/backend.hpp"

namespace pycuda {

/// `job` for a program whose own headers declare texture or surface references as in CUDA 11. These headers, and those
/// that include them, are compiled as copies (CompileJob::header_copies), in which the declarations are marked and
/// `#line` names the original. Each #include of a copied header, also in the source, names the copy; includes from the
/// original's own folder get full paths. Declarations in the source that use a header's alias of such a type are marked
/// too. Headers that begin with a byte order mark, which NVRTC rejects, are copied without it. Empty if no header
/// changes, or if the program defines its own `texture` or `surface`.
std::optional<CompileJob> with_references_in_headers(const CompileJob& job);

}  // namespace pycuda
