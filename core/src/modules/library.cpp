#include "pycuda/modules/library.hpp"

#include <algorithm>
#include <optional>

#include "driver/driver_table.hpp"
#include "modules/jit_options.hpp"
#include "modules/loadable_image.hpp"
#include "modules/loaded_library.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/launching/repeated_launches.hpp"
#include "pycuda/observing/live_handles.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"
#include "timeline/nvtx_range.hpp"

namespace pycuda {
namespace {

constexpr const char* what = "library";

/// ask(name): the driver's result. `rule`: what else may be the reason if nothing is found.
template <class Call, class Ask>
void look_up(const Call& call, const char* kind, const std::string& name, Ask ask, const char* rule = "") {
    const CUresult result = ask(name.c_str());
    if (result == CUDA_ERROR_NOT_FOUND)
        throw LogicError(call.name(), result, std::string("no ") + kind + " '" + name + "' in the library" + rule);
    if (result != CUDA_SUCCESS) call.fail(result, "'" + name + "'");
}

}  // namespace

// ---- the driver's library

Library::Loaded::Loaded(CUlibrary made) : library(made) {
    ++live_handle_counter(what);
}

Library::Loaded::~Loaded() {
    clean_up_unlocked([library = library, modules = std::move(modules_)] {
        --live_handle_counter(what);
        const auto unload = [library] { driver().cuLibraryUnload.clean_up(library); };
        bool is_put_off = false;
        for (const auto& [module, context] : modules)
            if (const auto alive = context.lock())
                if (const CleanupScope scope(*alive); scope) {
                    forget_launch_graphs_of(module);
                    is_put_off = is_put_off || PendingWaits::put_off_or_wait(unload);
                }
        if (is_put_off) return;
        const PendingWaits::Free running;
        std::shared_ptr<Context> waiting;
        for (const auto& [module, context] : modules)
            if (const auto alive = context.lock(); alive && PendingWaits::any_in(*alive)) waiting = alive;
        const RelaxedCapture relaxed{RelaxedCapture::Always{}};
        std::optional<CleanupScope> in_waiting;
        if (waiting) in_waiting.emplace(*waiting);
        free_when_none_waits(driver().cuLibraryUnload, library, false);
    });
}

void Library::Loaded::note(CUmodule module, const std::shared_ptr<Context>& context) {
    const std::lock_guard lock(mutex_);
    std::erase_if(modules_, [](const auto& known) { return known.second.expired(); });
    const bool is_known = std::ranges::any_of(modules_, [&](const auto& known) {
        return known.first == module && !known.second.owner_before(context) && !context.owner_before(known.second);
    });
    if (!is_known) modules_.emplace_back(module, context);
}

void Library::Loaded::forget_launch_graphs(const Device& device) noexcept {
    std::vector<std::pair<CUmodule, std::shared_ptr<Context>>> found;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [module, context] : modules_)
            if (auto alive = context.lock()) found.emplace_back(module, std::move(alive));
    }
    for (const auto& [module, context] : found)
        if (const CleanupScope scope(*context); scope && Context::get_device() == device)
            forget_launch_graphs_of(module);
}

// ---- the library

Library::Library(CUlibrary library) : loaded_(std::make_shared<Loaded>(library)) {}

std::shared_ptr<Library> Library::from_file(const std::string& filename, const std::vector<JitSetting>& options,
                                            JitLog* log) {
    const std::string image = read_image("cuLibraryLoadFromFile", filename);
    return from_buffer(image.data(), image.size(), options, log);
}

std::shared_ptr<Library> Library::from_buffer(const void* image, std::size_t nbytes,
                                              const std::vector<JitSetting>& options, JitLog* log) {
    const auto& load = driver().cuLibraryLoadData;
    const LoadableImage loadable(load.name(), image, nbytes);
    JitOptions jit(options);
    CUlibrary library = nullptr;
    const NvtxRange range("load library");
    const RelaxedCapture relaxed;
    const CUresult result =
        load.try_call(&library, loadable.data(), jit.keys(), jit.values(), jit.count(), nullptr, nullptr, 0);
    JitLog said = jit.log(result == CUDA_SUCCESS);
    if (log) *log = said;
    if (result != CUDA_SUCCESS) load.fail(result, said.error);
    return std::shared_ptr<Library>(new Library(library), DeleteUnlocked());
}

std::shared_ptr<Library::Loaded> Library::loaded() const {
    const std::lock_guard lock(mutex_);
    if (!loaded_) raise_closed(what);
    return loaded_;
}

CUlibrary Library::handle() const {
    return loaded()->library;
}

std::shared_ptr<Module> Library::module() {
    const auto loaded = this->loaded();
    auto context = Context::current();
    const RelaxedCapture relaxed;
    CUmodule module = nullptr;
    driver().cuLibraryGetModule(&module, loaded->library);
    // The owner of the handle keeps the context and the library.
    struct Keeps {
        std::shared_ptr<Context> context;
        std::shared_ptr<Loaded> loaded;
    };
    Context& there = *context;
    const auto keeps = std::make_shared<Keeps>(Keeps{context, loaded});
    std::shared_ptr<Module> made(
        new Module(Handle<ModuleTraits>::borrow(module, std::shared_ptr<Context>(keeps, &there)), loaded.get()),
        DeleteUnlocked());
    std::vector<std::shared_ptr<Module>> others;  // dropped without the lock
    const std::lock_guard lock(mutex_);
    if (!loaded_) raise_closed(what);
    std::erase_if(modules_, [](const auto& known) { return known.expired(); });
    for (const auto& known : modules_) {
        others.push_back(known.lock());
        const auto& other = others.back();
        if (other && other->module_.get_or_null() == module && other->module_.owner().get() == &there) return other;
    }
    modules_.push_back(made);
    loaded->note(module, context);
    return made;
}

GlobalSymbol Library::get_global(const std::string& name) const {
    const auto loaded = this->loaded();
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    const auto& call = driver().cuLibraryGetGlobal;
    look_up(call, "variable", name,
            [&](const char* text) { return call.try_call(&pointer, &size, loaded->library, text); });
    return {pointer, size};
}

GlobalSymbol Library::get_managed(const std::string& name) const {
    const auto loaded = this->loaded();
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    const auto& call = driver().cuLibraryGetManaged;
    look_up(
        call, "managed variable", name,
        [&](const char* text) {
            const CUresult result = call.try_call(&pointer, &size, loaded->library, text);
            return result == CUDA_SUCCESS && pointer == 0 ? CUDA_ERROR_NOT_FOUND : result;
        },
        "; such variables exist once a context has loaded the library: ask for its module there first");
    return {pointer, size};
}

std::uint64_t Library::get_unified_function(const std::string& name) const {
    const auto loaded = this->loaded();
    void* address = nullptr;
    const auto& call = driver().cuLibraryGetUnifiedFunction;
    look_up(call, "unified function", name,
            [&](const char* text) { return call.try_call(&address, loaded->library, text); });
    return reinterpret_cast<std::uintptr_t>(address);
}

void Library::close() noexcept {
    std::shared_ptr<Loaded> last;
    std::vector<std::weak_ptr<Module>> modules;
    {
        const std::lock_guard lock(mutex_);
        last.swap(loaded_);
        modules.swap(modules_);
    }
    for (const auto& known : modules)
        if (const auto module = known.lock()) module->close();
}

}  // namespace pycuda
