#include "pycuda/linker.hpp"

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

    JitOptions jit;  // the driver writes into its buffers as long as `link` lives
    std::shared_ptr<Context> context;
    Handle<LinkTraits> link;
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
    const ContextScope scope(*state_->context);
    const auto& add = driver().cuLinkAddData;
    state_->check(add,
                  add.try_call(state_->link.get(), static_cast<CUjitInputType>(type), const_cast<void*>(image), nbytes,
                               name.c_str(), 0, nullptr, nullptr),
                  name);
}

void Linker::add_file(const std::string& filename, JitInputType type) {
    state_->check_open();
    if (!is_file(filename)) throw RuntimeError("Linker.add_file", 0, filename + " cannot be read");
    const ContextScope scope(*state_->context);
    const auto& add = driver().cuLinkAddFile;
    state_->check(
        add, add.try_call(state_->link.get(), static_cast<CUjitInputType>(type), filename.c_str(), 0, nullptr, nullptr),
        filename);
}

void Linker::add_library(const std::string& name, const std::string& library_dir) {
    add_file(find_static_library(name, library_dir), JitInputType::LIBRARY);
}

Bytes Linker::complete() {
    state_->check_open();
    const ContextScope scope(*state_->context);
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
