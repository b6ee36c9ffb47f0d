#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>

#include "compiler/backend.hpp"
#include "platform/files.hpp"
#include "platform/process.hpp"
#include "pycuda/errors/error.hpp"

namespace pycuda {

namespace {

constexpr const char* instantiation_prefix = "pycuda_name_expression_";

/// A variable that holds the address of each expression makes nvcc instantiate it, and names its symbol in the PTX.
std::string with_instantiations(const CompileJob& job) {
    std::string source = job.source;
    for (std::size_t i = 0; i < job.name_expressions.size(); ++i)
        source += "\nextern \"C\" __device__ const void *const volatile " + (instantiation_prefix + std::to_string(i)) +
                  " = (const void *)&" + job.name_expressions[i] + ";";
    return source + "\n";
}

/// The symbol behind `.u64 pycuda_name_expression_<i> = symbol`, also "generic(symbol)" for variables.
std::string symbol_of_instantiation(const std::string& ptx, std::size_t i) {
    const std::string name = instantiation_prefix + std::to_string(i);
    for (std::size_t at = 0; (at = ptx.find(name, at)) != std::string::npos; at += name.size()) {
        std::size_t begin = at + name.size();
        if (std::isdigit(static_cast<unsigned char>(ptx[begin]))) continue;
        const std::size_t end = std::min(ptx.find(';', begin), ptx.size());
        begin = ptx.find('=', begin);
        if (begin >= end) continue;
        std::string symbol = ptx.substr(begin + 1, end - begin - 1);
        if (const std::size_t open = symbol.find('('); open != std::string::npos)
            symbol = symbol.substr(open + 1, symbol.find(')') - open - 1);
        std::erase_if(symbol, [](unsigned char c) { return std::isspace(c) || c == '{' || c == '}'; });
        return symbol;
    }
    return {};
}

/// Prerequisites of a make rule: "target : a b \<newline> c", with "\ " for a blank in a name.
std::vector<std::string> parse_dependency_rule(const std::string& rule) {
    std::vector<std::string> files;
    std::size_t at = rule.find(" :");
    if (at == std::string::npos) return files;
    std::string file;
    const auto finish = [&] {
        if (!file.empty()) files.push_back(std::move(file));
        file.clear();
    };
    for (at += 2; at < rule.size(); ++at) {
        const char c = rule[at];
        const char next = at + 1 < rule.size() ? rule[at + 1] : '\0';
        if (c == '\\' && (next == ' ' || next == '#' || next == '\\')) {
            file += next;
            ++at;
        } else if (c == '\\' && next == '\n') {
            finish();
            ++at;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            finish();
        } else {
            file += c;
        }
    }
    finish();
    return files;
}

/// File names inside the build folder.
struct BuildFiles {
    std::string source, image, rule;
};

std::vector<std::string> command_line(const CompileJob& job, const Compiler& compiler, const std::string& kind,
                                      const std::string& input, const std::string& output) {
    std::vector<std::string> command = {compiler.path};
    command.insert(command.end(), job.options.nvcc.begin(), job.options.nvcc.end());
    for (const std::string& name : job.options.pre_includes) command.insert(command.end(), {"-include", name});
    if (!job.target.arch.empty()) command.insert(command.end(), {"-arch", job.target.arch});
    if (!job.code.empty()) command.insert(command.end(), {"-code", job.code});
    // nvcc searches the folders of its own root by default.
    std::vector<std::string> folders(
        job.user_dirs.begin() + static_cast<std::ptrdiff_t>(job.options.include_dirs.size()), job.user_dirs.end());
    if (!job.device_dir.empty()) folders.push_back(job.device_dir);
    const std::string own_root = parent_path(parent_path(compiler.path)) + "/";
    for (const std::string& folder : compiler.toolkit.include_dirs)
        if (!folder.starts_with(own_root)) folders.push_back(folder);
    if (!job.header_copies.empty()) command.push_back("-I.");
    for (const std::string& folder : folders) command.push_back("-I" + folder);
    if (job.keep) command.push_back("--keep");
    if (kind == "ltoir") command.push_back("-dlto");
    command.insert(command.end(), {"--" + kind, "-o", output, input});
    return command;
}

ProcessResult run_nvcc(const std::vector<std::string>& command, const std::string& folder, const std::string& name,
                       const std::string& output) {
    ProcessResult result = run_process(command, folder);
    if (result.status == 0 && is_file(join_path(folder, output))) return result;
    const std::string failed = "nvcc compilation of " + join_path(folder, name) + " failed";
    if (result.stderr_text.find("Failed to preprocess host compiler properties") != std::string::npos)
        throw NoHostCompiler(failed + ": nvcc needs a host compiler. Install g++, or name one with the option -ccbin",
                             result.stdout_text, result.stderr_text, command);
    throw CompileError(failed, result.stdout_text, result.stderr_text, command);
}

/// "-MD" came with CUDA 10.2; the identity starts with "nvcc <version>".
bool writes_dependencies(const Compiler& compiler) {
    return std::atof(compiler.identity.substr(std::min<std::size_t>(5, compiler.identity.size())).c_str()) >= 10.2;
}

void write_file(const std::string& folder, const std::string& name, const std::string& text) {
    if (!write_file_atomically(join_path(folder, name), text))
        throw RuntimeError("compile", 0, "cannot write " + name + " to " + folder + ": " + std::strerror(errno));
}

/// The header behind a prerequisite of the source in `folder`.
std::string dependency(const CompileJob& job, const std::string& folder, const std::string& name) {
    std::string path = absolute_path(is_absolute_path(name) ? name : join_path(folder, name));
    for (const HeaderCopy& copy : job.header_copies)
        if (path == join_path(folder, copy.name)) return copy.original;
    return path;
}

void append_messages(std::string& messages, const ProcessResult& result) {
    messages += result.stdout_text + result.stderr_text;
}

}  // namespace

BackendOutput compile_with_nvcc(const CompileJob& job, const Compiler& compiler) {
    TemporaryDirectory folder;
    if (job.keep) folder.keep();
    std::string file = job.name.substr(job.name.rfind('/') + 1);
    if (!file.ends_with(".cu")) file += ".cu";
    const std::string stem = file.substr(0, file.size() - 3);
    write_file(folder.path(), file, with_instantiations(job));
    for (const HeaderCopy& copy : job.header_copies) write_file(folder.path(), copy.name, copy.text);

    // With name expressions, compile to PTX first, which names their symbols; ptxas then makes the requested image.
    const bool two_steps = !job.name_expressions.empty() && job.target.kind != "ptx";
    const std::string first_kind = two_steps ? "ptx" : job.target.kind;
    const std::string first_output = stem + "." + first_kind;
    BackendOutput output;
    output.command_line = command_line(job, compiler, first_kind, file, first_output);
    const std::string rule = join_path(folder.path(), stem + ".d");
    if (writes_dependencies(compiler))
        output.command_line.insert(output.command_line.end(), {"-MD", "-MF", stem + ".d"});
    append_messages(output.messages, run_nvcc(output.command_line, folder.path(), file, first_output));
    if (!job.name_expressions.empty()) {
        const std::string ptx = read_file(join_path(folder.path(), first_output)).value_or("");
        for (std::size_t i = 0; i < job.name_expressions.size(); ++i)
            output.lowered_names.push_back(symbol_of_instantiation(ptx, i));
    }
    std::string image = first_output;
    if (two_steps) {
        image = stem + "." + job.target.kind;
        const auto command = command_line(job, compiler, job.target.kind, first_output, image);
        append_messages(output.messages, run_nvcc(command, folder.path(), first_output, image));
    }
    output.image = read_file(join_path(folder.path(), image)).value_or("");
    if (const auto text = read_file(rule)) {
        output.lists_dependencies = true;
        for (const std::string& name : parse_dependency_rule(*text))
            if (name != file) output.dependencies.push_back(dependency(job, folder.path(), name));
    }
    if (job.keep) output.build_dir = folder.path();
    return output;
}

std::vector<int> nvcc_architectures(const Compiler& compiler) {
    // --list-gpu-arch came with CUDA 11; the help text of any version names them too.
    std::set<int> numbers;
    for (const char* option : {"--list-gpu-arch", "--help"}) {
        const std::string text = run_process({compiler.path, option}).stdout_text;
        for (std::size_t at = 0; (at = text.find("compute_", at)) != std::string::npos;) {
            at += 8;
            if (const int number = std::atoi(text.c_str() + at); number >= 10) numbers.insert(number);
        }
        if (!numbers.empty()) break;
    }
    return {numbers.begin(), numbers.end()};
}

}  // namespace pycuda
