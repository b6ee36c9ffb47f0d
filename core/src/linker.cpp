#include "pycuda/linker.hpp"

#include <optional>
#include <stdexcept>
#include <utility>

#include "driver_table.hpp"
#include "files.hpp"
#include "jit_options.hpp"
#include "pycuda/error.hpp"
#include "pycuda/handle.hpp"
#include "pycuda/toolchain.hpp"

namespace pycuda {

namespace {

struct LinkTraits {
    using type = CUlinkState;
    static constexpr const char* what = "linker";
    static void destroy(CUlinkState link) noexcept { driver().cuLinkDestroy.clean_up(link); }
};

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
    throw std::invalid_argument("unknown type of linker input " + std::to_string(static_cast<int>(type)));
}

}  // namespace

struct Linker::State {
    State(const std::vector<JitSetting>& options, bool verbose)
        : jit(with_verbosity(options, verbose)), context(Context::current()) {
        CUlinkState created = nullptr;
        driver().cuLinkCreate(jit.count(), jit.keys(), jit.values(), &created);
        link = Handle<LinkTraits>(created, context);
    }

    /// What every call does with its result: the log is worth more than the code.
    template <class Function>
    void check(const Function& function, CUresult result, const std::string& what) {
        said = jit.log(result == CUDA_SUCCESS);
        if (result != CUDA_SUCCESS) function.fail(result, said.error.empty() ? what : what + ": " + said.error);
    }
    void check_open() const {
        if (completed) throw LogicError("Linker", 0, "the linker is complete: nothing can be added, nor linked again");
    }

    /// For nvJitLink, which takes over when the first LTO-IR comes: cuLink no longer optimises at link time.
    void remember(const void* image, std::size_t nbytes, JitInputType type, const std::string& name) {
        const auto* bytes = static_cast<const unsigned char*>(image);
        inputs.push_back({Bytes(bytes, bytes + nbytes), lto_kind(type), name});
        has_ltoir |= type == JitInputType::NVVM;
    }
    Bytes complete_with_nvjitlink() {
        const ComputeCapability capability = Context::get_device().compute_capability();
        said = {};
        try {
            Bytes linked = link_lto(inputs, "sm_" + std::to_string(10 * capability.major + capability.minor));
            said.success = true;
            return linked;
        } catch (const CompileError& error) {
            said.error = error.stderr_text();
            throw;
        }
    }

    JitOptions jit;  // the driver writes into its buffers as long as `link` lives
    std::shared_ptr<Context> context;
    Handle<LinkTraits> link;
    std::vector<LtoInput> inputs;
    bool has_ltoir = false;
    JitLog said;
    bool completed = false;
};

Linker::Linker(const std::vector<JitSetting>& options, bool verbose)
    : state_(std::make_unique<State>(options, verbose)) {}
Linker::~Linker() = default;
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;

void Linker::add_data(const void* image, std::size_t nbytes, JitInputType type, const std::string& name) {
    state_->check_open();
    // PTX has to end in a NUL that counts.
    std::string terminated;
    if (type == JitInputType::PTX) {
        terminated.assign(static_cast<const char*>(image), nbytes);
        if (terminated.empty() || terminated.back() != '\0') terminated += '\0';
        image = terminated.data();
        nbytes = terminated.size();
    }
    state_->remember(image, nbytes, type, name);
    if (type == JitInputType::NVVM) return;
    const ContextScope scope(*state_->context);
    const auto& add = driver().cuLinkAddData;
    state_->check(add,
                  add.try_call(state_->link.get(), static_cast<CUjitInputType>(type), const_cast<void*>(image), nbytes,
                               name.c_str(), 0, nullptr, nullptr),
                  name);
}

void Linker::add_file(const std::string& filename, JitInputType type) {
    const std::optional<std::string> content = read_file(filename);
    if (!content) throw RuntimeError("Linker.add_file", 0, filename + " cannot be read");
    add_data(content->data(), content->size(), type, filename);
}

void Linker::add_library(const std::string& name, const std::string& library_dir) {
    add_file(find_static_library(name, library_dir), JitInputType::LIBRARY);
}

Bytes Linker::complete() {
    state_->check_open();
    const ContextScope scope(*state_->context);
    if (state_->has_ltoir) {
        Bytes linked = state_->complete_with_nvjitlink();
        state_->completed = true;
        return linked;
    }
    void* image = nullptr;
    std::size_t nbytes = 0;
    const auto& link = driver().cuLinkComplete;
    state_->check(link, link.try_call(state_->link.get(), &image, &nbytes), "linking");
    const auto* bytes = static_cast<const unsigned char*>(image);
    Bytes linked(bytes, bytes + nbytes);
    state_->completed = true;
    state_->link.reset();
    return linked;
}

const JitLog& Linker::log() const {
    return state_->said;
}

}  // namespace pycuda
