#include "errors/closed_text.hpp"

namespace pycuda {
namespace {

constexpr struct {
    std::string_view what;  ///< or how its name ends
    const char* how;
} endings[] = {
    {"registered host memory", "was unregistered"},
    {"registered OpenGL object", "was unregistered"},
    {"OpenGL mapping", "was unmapped"},
    {"green context", "was closed"},
    {"external memory", "was closed"},
    {"external buffer", "was freed"},
    {"context", "has ended"},
    {"allocation", "was freed"},
    {"memory", "was freed"},
    {"array", "was freed"},
};

const char* how_it_ended(std::string_view what) {
    for (const auto& ending : endings)
        if (what.ends_with(ending.what)) return ending.how;
    return "was closed";
}

}  // namespace

std::string closed_text(std::string_view what) {
    return std::string(what) + " " + how_it_ended(what);
}

}  // namespace pycuda
