#include "state/linker.hpp"

#include "exec/image.hpp"
#include "exec/memory.hpp"
#include "state/binary.hpp"

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace cpu::state {

namespace {

/// Names that some text defines: after the state space, type or return value, before '(', '[', '=', ';' or '{'.
const std::regex& declaration() {
    static const auto* const expression = new std::regex(
        R"(\.(extern|visible|weak|common)\s+\.(func|global|const)\b)"
        R"(\s*(\([^)]*\))?[^;{=(]*?([A-Za-z_$][\w$]*)\s*(?=[(\[=;{]))");
    return *expression;
}

void blank(std::string& text, const std::string& directive, const std::string& argument) {
    const std::regex line("\\" + directive + "\\s+" + argument);
    std::smatch found;
    if (std::regex_search(text, found, line))
        text.replace(static_cast<std::size_t>(found.position()), static_cast<std::size_t>(found.length()), "");
}

std::set<std::string> defined_names(const std::vector<std::string>& texts) {
    std::set<std::string> names;
    for (const std::string& text : texts)
        for (std::sregex_iterator at(text.begin(), text.end(), declaration()), end; at != end; ++at)
            if ((*at)[1] != "extern") names.insert((*at)[4]);
    return names;
}

/// Drops `.extern` declarations of variables that another text defines and makes those of functions plain ones.
std::string resolve_externals(const std::string& text, const std::set<std::string>& defined) {
    std::string out;
    std::size_t from = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), declaration()), end; at != end; ++at) {
        const std::smatch& match = *at;
        if (match[1] != "extern" || !defined.contains(match[4])) continue;
        const auto start = static_cast<std::size_t>(match.position());
        if (start < from) continue;
        out.append(text, from, start - from);
        if (match[2] == "func") {
            from = static_cast<std::size_t>(match.position(2)) - 1;  // keep ".func ...;" without ".extern"
        } else {
            const std::size_t stop = text.find(';', start);
            from = stop == std::string::npos ? text.size() : stop + 1;
        }
    }
    return out.append(text, from);
}

}  // namespace

std::string join_ptx(const std::vector<std::string>& texts) {
    if (texts.size() == 1) return texts.front();
    // Variables must be defined before they are used, so texts that only define go first in the order given.
    const std::set<std::string> defined = defined_names(texts);
    std::string joined;
    for (std::string text : texts) {
        text = resolve_externals(text, defined);
        if (!joined.empty()) {
            blank(text, ".version", R"([\d.]+)");
            blank(text, ".target", R"([\w, \t]+)");
            blank(text, ".address_size", R"(\d+)");
        }
        joined += text;
        joined += '\n';
    }
    return joined;
}

void Linker::add(CUjitInputType type, const void* data, std::size_t size, std::string_view name) {
    require(!complete_ && data != nullptr && size > 0);
    try {
        switch (type) {
            case CU_JIT_INPUT_PTX:
            case CU_JIT_INPUT_FATBINARY: inputs_.push_back(ptx_of(data, size)); return;
            case CU_JIT_INPUT_LIBRARY: return;
            case CU_JIT_INPUT_CUBIN:
            case CU_JIT_INPUT_OBJECT: fail(CUDA_ERROR_NO_BINARY_FOR_GPU);
            default: fail(CUDA_ERROR_INVALID_VALUE);
        }
    } catch (const std::exception& error) {
        options_.write_error("error   : " + std::string(name) + ": not linked: " + error.what() + "\n");
        throw;
    }
}

void Linker::add_file(CUjitInputType type, const char* path) {
    require(!complete_ && path != nullptr);
    std::ifstream file(path, std::ios::binary);
    require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
    const std::string data{std::istreambuf_iterator<char>(file), {}};
    require(!data.empty(), CUDA_ERROR_INVALID_IMAGE);
    add(type, data.data(), data.size(), path);
}

const std::string& Linker::complete() {
    require(!complete_, CUDA_ERROR_INVALID_HANDLE);
    complete_ = true;
    output_ = inputs_.empty() ? ".version 8.0\n.target sm_50\n.address_size 64\n" : join_ptx(inputs_);
    try {
        exec::Memory scratch;
        exec::Image::load(output_, scratch);
    } catch (const exec::LoadError& error) {
        options_.write_error(error_log_line(error));
        throw;
    }
    return output_;
}

}  // namespace cpu::state
