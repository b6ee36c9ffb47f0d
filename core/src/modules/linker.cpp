#include "pycuda/modules/linker.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "driver/driver_table.hpp"
#include "modules/jit_options.hpp"
#include "platform/files.hpp"
#include "pycuda/driver/driver.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/toolchain/toolchain.hpp"

namespace pycuda {

namespace {

std::vector<JitSetting> with_verbosity(std::vector<JitSetting> options, bool verbose) {
    if (verbose) options.push_back({static_cast<JitOption>(CU_JIT_LOG_VERBOSE), 1});
    return options;
}

const char* lto_kind(JitInputType type) {
    switch (type) {
        case JitInputType::CUBIN:
            return "cubin";
        case JitInputType::PTX:
            return "ptx";
        case JitInputType::FATBINARY:
            return "fatbin";
        case JitInputType::OBJECT:
            return "object";
        case JitInputType::LIBRARY:
            return "library";
        case JitInputType::NVVM:
            return "ltoir";
    }
    throw std::invalid_argument("unknown type of linker input: " + std::to_string(static_cast<int>(type)));
}

}  // namespace

namespace {

struct LinkerInput {
    Bytes image;
    JitInputType type;
    std::string name;
};

bool is_ltoir(const LinkerInput& input) {
    return input.type == JitInputType::NVVM;
}

std::vector<LtoInput> lto_inputs(const std::vector<LinkerInput>& inputs) {
    std::vector<LtoInput> made;
    for (const LinkerInput& input : inputs) made.push_back({input.image, lto_kind(input.type), input.name});
    return made;
}

/// A driver's link for the length of a scope. Driver 580's linker belongs to the thread that created it: used or ended
/// on another, it corrupts memory. So none outlives a call, and no finalizer ever sees one.
class DriverLink {
public:
    DriverLink(JitOptions& jit, JitLog& said) : jit_(jit), said_(said) {
        driver().cuLinkCreate(jit.count(), jit.keys(), jit.values(), &link_);
    }
    ~DriverLink() { driver().cuLinkDestroy.clean_up(link_); }
    DriverLink(const DriverLink&) = delete;
    DriverLink& operator=(const DriverLink&) = delete;

    void add(LinkerInput& input) {
        const auto& add_data = driver().cuLinkAddData;
        check(add_data,
              add_data.try_call(link_, static_cast<CUjitInputType>(input.type), input.image.data(), input.image.size(),
                                input.name.c_str(), 0, nullptr, nullptr),
              input.name);
    }
    Bytes complete() {
        void* image = nullptr;
        std::size_t nbytes = 0;
        const auto& link = driver().cuLinkComplete;
        check(link, link.try_call(link_, &image, &nbytes), "linking");
        const auto* bytes = static_cast<const unsigned char*>(image);
        return Bytes(bytes, bytes + nbytes);
    }

private:
    /// The log explains more than the error code.
    template <class Function>
    void check(const Function& function, CUresult result, const std::string& what) {
        said_ = jit_.log(result == CUDA_SUCCESS);
        if (result != CUDA_SUCCESS) function.fail(result, said_.error.empty() ? what : what + ": " + said_.error);
    }

    JitOptions& jit_;
    JitLog& said_;
    CUlinkState link_ = nullptr;
};

}  // namespace

struct Linker::State {
    void check_open() const {
        if (completed)
            throw LogicError("Linker", 0, "link() was already called: create another linker to add or link more");
    }
    Bytes complete_with_driver(std::vector<LinkerInput>& parts) {
        JitOptions jit(options);
        DriverLink link(jit, said);
        for (LinkerInput& input : parts) link.add(input);
        return link.complete();
    }
    /// cuLink no longer optimises at link time.
    Bytes complete_with_nvjitlink() {
        const ComputeCapability capability = Context::get_device().compute_capability();
        const std::string arch = "sm_" + std::to_string(10 * capability.major + capability.minor);
        said = {};
        try {
            Bytes linked = driver_info().is_cpu_device ? complete_as_ptx(arch) : link_lto(lto_inputs(inputs), arch);
            said.success = true;
            return linked;
        } catch (const CompileError& error) {
            said.error = error.stderr_text();
            throw;
        }
    }
    /// The CPU device runs PTX. nvJitLink makes PTX from LTO-IR only and does not report missing symbols, so the
    /// driver's linker adds the rest.
    Bytes complete_as_ptx(const std::string& arch) {
        std::vector<LinkerInput> parts = inputs;
        const auto rest = std::stable_partition(parts.begin(), parts.end(), is_ltoir);
        Bytes ptx = link_lto(lto_inputs({parts.begin(), rest}), arch, {"-ptx"});
        parts.erase(parts.begin(), rest);
        parts.insert(parts.begin(), {std::move(ptx), JitInputType::PTX, "link-time optimised code"});
        try {
            return complete_with_driver(parts);
        } catch (const Error& error) {
            throw CompileError(error.what(), "", said.error, {"cuLinkComplete"});
        }
    }

    std::vector<JitSetting> options;
    std::shared_ptr<Context> context;
    std::vector<LinkerInput> inputs;
    JitLog said;
    bool completed = false;
};

Linker::Linker(const std::vector<JitSetting>& options, bool verbose)
    : state_(std::make_unique<State>(State{with_verbosity(options, verbose), Context::current(), {}, {}, false})) {}
Linker::~Linker() = default;
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;

void Linker::add_data(const void* image, std::size_t nbytes, JitInputType type, const std::string& name) {
    state_->check_open();
    const auto* bytes = static_cast<const unsigned char*>(image);
    Bytes copy(bytes, bytes + nbytes);
    // PTX must end with a NUL, which its size includes.
    if (type == JitInputType::PTX && (copy.empty() || copy.back() != 0)) copy.push_back(0);
    state_->inputs.push_back({std::move(copy), type, name});
}

void Linker::add_file(const std::string& filename, JitInputType type) {
    const std::optional<std::string> content = read_file(filename);
    if (!content) throw RuntimeError("Linker.add_file", 0, "cannot read " + filename + ": " + std::strerror(errno));
    add_data(content->data(), content->size(), type, filename);
}

void Linker::add_library(const std::string& name, const std::string& library_dir) {
    add_file(find_static_library(name, library_dir), JitInputType::LIBRARY);
}

Bytes Linker::complete() {
    state_->check_open();
    const ContextScope scope(*state_->context);
    auto& inputs = state_->inputs;
    const bool has_ltoir = std::any_of(inputs.begin(), inputs.end(), is_ltoir);
    Bytes linked = has_ltoir ? state_->complete_with_nvjitlink() : state_->complete_with_driver(inputs);
    state_->completed = true;
    inputs.clear();
    return linked;
}

const JitLog& Linker::log() const {
    return state_->said;
}

}  // namespace pycuda
