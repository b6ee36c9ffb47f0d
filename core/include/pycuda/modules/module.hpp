#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/handles/handle.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/modules/jit.hpp"

namespace pycuda {

class Function;
class LaunchPreparation;
class GraphResources;
class Library;
class ReferenceTable;
class SurfaceReference;
class TextureReference;

struct ModuleTraits {
    using type = CUmodule;
    static constexpr const char* what = "module";
    /// If graphs use it, they unload it.
    static void destroy(CUmodule module, Context* owner) noexcept;
};

/// A variable of a module: address and size in bytes.
struct GlobalSymbol {
    DevicePtr pointer;
    std::size_t size;
};

/// Loaded code, in the context current at loading. Held by std::shared_ptr: its functions keep it alive.
class Module : public std::enable_shared_from_this<Module> {
public:
    /// PTX text, cubin or fatbin from a file. RuntimeError if it cannot be read.
    static std::shared_ptr<Module> from_file(const std::string& filename);
    /// PTX text (a missing NUL is added), cubin or fatbin from `nbytes` bytes (cuModuleLoadDataEx). A failure's
    /// message carries the error log. `log`, if given, is filled on success and on failure.
    static std::shared_ptr<Module> from_buffer(const void* image, std::size_t nbytes,
                                               const std::vector<JitSetting>& options = {}, JitLog* log = nullptr);

    /// LogicError, which names the function and lists the existing ones, if there is none of that name
    /// (cuModuleGetFunction).
    Function get_function(const std::string& name);
    /// cuModuleGetGlobal
    GlobalSymbol get_global(const std::string& name) const;
    /// The texture reference that the source declares as `texture<...> name;` (cuModuleGetTexRef, and from CUDA 12 on
    /// the variable that stands for it). LogicError if there is none of that name.
    TextureReference get_texref(const std::string& name);
    /// The surface reference that the source declares as `surface<void, ...> name;` (cuModuleGetSurfRef).
    SurfaceReference get_surfref(const std::string& name);
    /// When the driver loads the kernels of modules, as the environment variable CUDA_MODULE_LOADING says
    /// (cuModuleGetLoadingMode). Needs a driver of CUDA 11.7.
    static ModuleLoadingMode loading_mode();
    /// Names of all kernels (cuModuleEnumerateFunctions, driver 12.4 or newer).
    std::vector<std::string> function_names() const;

    /// Call `preparation` before and after every launch of a kernel of this module, in the order of registration, while
    /// another owner keeps it alive. Thread-safe.
    void prepare_launches_with(const std::shared_ptr<LaunchPreparation>& preparation);
    /// Whether a launch needs a PreparedLaunch around it.
    bool has_launch_preparations() const noexcept { return has_preparations_.load(std::memory_order_acquire); }

    /// Its kernels stay loaded as long as the graph lives, even after close.
    void keep_in(const std::shared_ptr<GraphResources>& graph) const;

    /// Whether it is a library's module, which ends with the library.
    bool is_of_library() const noexcept { return library_ != nullptr; }

    CUmodule handle() const { return module_.get(); }
    Handle<ModuleTraits>::Use use() const { return module_.use(); }
    /// LogicError after close.
    std::shared_ptr<Context> context() const { return module_.live_owner(); }
    /// Unload now, without waiting for launches that other threads are queueing; the last of them unloads.
    /// Its functions are unusable afterwards. Idempotent.
    void close() noexcept;

private:
    friend class PreparedLaunch;
    friend class Library;
    /// `library`: identifies the library that it is a part of, which the owner of the handle keeps loaded; null: none.
    explicit Module(Handle<ModuleTraits> module, const void* library = nullptr)
        : module_(std::move(module)), library_(library) {}
    std::shared_ptr<ReferenceTable> references();

    Handle<ModuleTraits> module_;
    const void* const library_;
    using Preparations = std::vector<std::weak_ptr<LaunchPreparation>>;
    std::atomic<bool> has_preparations_{false};
    mutable std::mutex preparations_mutex_;
    std::shared_ptr<const Preparations> preparations_;  ///< replaced, never changed: launches may be in it
    std::mutex references_mutex_;
    std::shared_ptr<ReferenceTable> references_;  ///< destroyed before the module
};

}  // namespace pycuda
