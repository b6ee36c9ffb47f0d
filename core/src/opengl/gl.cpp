#include "pycuda/opengl/gl.hpp"

#include <string>
#include <vector>

#include "driver/driver_table.hpp"
#include "pycuda/driver/failures.hpp"
#include "pycuda/streams/stream.hpp"
#include "pycuda/threads/waiting.hpp"
#include "streams/pending_waits.hpp"
#include "streams/stream_order.hpp"

namespace pycuda {
namespace {

constexpr int all_devices = 1;  // CU_GL_DEVICE_LIST_ALL

std::atomic<long>& live_mappings() {
    static std::atomic<long>& counter = live_handle_counter(RegisteredMapping::what);
    return counter;
}

CUresult ask_for_devices() {
    unsigned count = 0;
    CUdevice first = 0;
    return driver().cuGLGetDevices.try_call(&count, &first, 1, all_devices);
}

/// Ask before: a resource that NVIDIA's driver (580) refuses to unmap for want of OpenGL can be neither unmapped nor
/// unregistered afterwards; one that it refuses to unregister is freed all the same, and unregistering it again
/// crashes.
bool has_opengl() {
    return ask_for_devices() == CUDA_SUCCESS;
}

/// Raise the error of a call for the OpenGL object `name`. Drivers have many codes for a thread without OpenGL,
/// and one for an OpenGL implementation that is not CUDA's.
template <class Function>
[[noreturn]] void fail(const Function& function, CUresult result, const std::string& object) {
    const CUresult devices = ask_for_devices();
    const bool no_context = devices != CUDA_SUCCESS && devices != CUDA_ERROR_NO_DEVICE;
    function.fail(result, no_context ? "an OpenGL context of this driver must be current on this thread" : object);
}

void unmap_resource(CUgraphicsResource resource, CUstream stream, const std::string& object) {
    if (const CUresult result = ask_for_devices()) fail(driver().cuGLGetDevices, result, object);
    const auto& call = driver().cuGraphicsUnmapResources;
    if (const CUresult result = call.try_call(1, &resource, stream)) fail(call, result, object);
}

/// Resources of a context that were dropped while no OpenGL context was current, as on a collector's thread, or while a
/// stream was captured or waited for a word. The next call with OpenGL releases them; the rest ends with the context.
class DroppedResources final : public ContextAttachment {
public:
    ~DroppedResources() override = default;
    void context_ends(bool) noexcept override {
        const auto lock = lock_over_calls(mutex_);
        resources_.clear();
    }

    void add(CUgraphicsResource resource) {
        const auto lock = lock_over_calls(mutex_);
        resources_.push_back(resource);
    }

    /// With the context current.
    void end_all() noexcept {
        const auto lock = lock_over_calls(mutex_);
        const auto context = resources_.empty() ? nullptr : Context::current_in_cleanup();
        if (!context || !has_opengl()) return;
        // It is unknown which work still uses them.
        PendingWaits::run_when_idle(*context, [this] {
            for (CUgraphicsResource resource : resources_) {
                static_cast<void>(
                    driver().cuGraphicsUnmapResources.try_call(1, &resource, nullptr));  // most are not mapped
                driver().cuGraphicsUnregisterResource.clean_up(resource);
            }
            resources_.clear();
        });
    }

private:
    std::mutex mutex_;
    std::vector<CUgraphicsResource> resources_;
};

bool end_later(Context& context, CUgraphicsResource resource) noexcept {
    try {
        context.attachment<DroppedResources>()->add(resource);
        return true;
    } catch (...) {
        return false;
    }
}

void end_dropped_resources(const Context& context) {
    if (const auto dropped = context.attachment_if_any<DroppedResources>()) dropped->end_all();
}

/// Get the context first: nothing may fail between a registration and the creation of its owner.
template <class Function, class... What>
Handle<GraphicsResourceTraits> registered(const Function& call, const std::string& object, What... what) {
    auto owner = Context::owner_of_new();
    if (owner) end_dropped_resources(*owner);
    CUgraphicsResource resource = nullptr;
    if (const CUresult result = call.try_call(&resource, what...)) fail(call, result, object);
    return {resource, std::move(owner)};
}

std::string text_of(const char* kind, unsigned name, unsigned flags) {
    return std::string(kind) + " " + std::to_string(name) + ", flags " + std::to_string(flags);
}

std::uint64_t life_of(CUstream stream, Context& context) {
    return stream ? context.attachment<StreamOrder>()->life_of(stream) : 0;
}

}  // namespace

std::shared_ptr<Context> make_gl_context(const Device& dev, unsigned flags) {
    auto context = dev.make_context(flags);
    try {
        if (const CUresult result = ask_for_devices())
            fail(driver().cuGLGetDevices, result, "the OpenGL context that is current runs on no device of CUDA");
    } catch (...) {
        context->close();
        throw;
    }
    return context;
}

void GraphicsResourceTraits::destroy(CUgraphicsResource resource, Context* owner) noexcept {
    if (owner && (any_capture_is_open() || PendingWaits::any_in(*owner) || !has_opengl()) &&
        end_later(*owner, resource))
        return;
    driver().cuGraphicsUnregisterResource.clean_up(resource);
}

RegisteredBuffer::RegisteredBuffer(unsigned bufobj, unsigned flags)
    : RegisteredObject(
          bufobj, registered(driver().cuGraphicsGLRegisterBuffer, text_of("buffer", bufobj, flags), bufobj, flags)) {}

RegisteredImage::RegisteredImage(unsigned bufobj, unsigned target, unsigned flags)
    : RegisteredObject(bufobj, registered(driver().cuGraphicsGLRegisterImage,
                                          text_of("image", bufobj, flags) + ", target " + std::to_string(target),
                                          bufobj, target, flags)) {}

std::shared_ptr<RegisteredMapping> RegisteredObject::map(const Stream* stream) {
    const auto queue = use_of(stream);
    std::shared_ptr<RegisteredMapping> mapping;  // outlives the lock, which its end takes
    const auto lock = lock_over_calls(mutex_);
    const ContextHold hold(context());
    end_dropped_resources(*context());
    CUgraphicsResource resource = ready();
    mapping.reset(new RegisteredMapping(shared_from_this(), ++mappings_, stream));
    const auto& call = driver().cuGraphicsMapResources;
    if (const CUresult result = call.try_call(1, &resource, queue)) fail(call, result, object_text());
    mapped_as_ = mappings_;
    ++live_mappings();
    return mapping;
}

std::string RegisteredObject::object_text() const {
    return "OpenGL object " + std::to_string(name_);
}

void RegisteredObject::set_map_flags(unsigned flags) {
    const auto lock = lock_over_calls(mutex_);
    const ContextHold hold(context());
    driver().cuGraphicsResourceSetMapFlags(ready(), flags);
}

void RegisteredObject::unregister() {
    const auto lock = lock_over_calls(mutex_);
    const auto owner = context();  // outlives the hold
    const ContextHold hold(owner);
    static_cast<void>(ready());
    if (mapped_as_) driver().cuGraphicsUnregisterResource.fail(CUDA_ERROR_ALREADY_MAPPED, "unmap it first");
    resource_.reset();
}

void RegisteredObject::close() noexcept {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(mutex_);
    end_mapping(mapped_as_);
    const auto owner = unmap_is_due_ ? resource_.owner() : nullptr;
    if (owner && end_later(*owner, resource_.get_or_null())) resource_.forget();  // it is unmapped there, too
    resource_.reset();
}

/// The handle, after releasing a mapping that was dropped without OpenGL. The lock is held, the context current.
CUgraphicsResource RegisteredObject::ready() {
    CUgraphicsResource resource = handle();
    if (!unmap_is_due_) return resource;
    static_cast<void>(driver().cuCtxSynchronize.try_call());  // it is unknown which work still uses it
    unmap_resource(resource, nullptr, object_text());
    unmap_is_due_ = false;
    return resource;
}

/// With the lock held. Also ends what could not be unmapped when its mapping ended.
void RegisteredObject::end_mapping(std::uint64_t number) noexcept {
    if (number != 0 && mapped_as_ == number) {
        mapped_as_ = 0;
        --live_mappings();
        unmap_is_due_ = true;
    }
    if (!unmap_is_due_) return;
    CUgraphicsResource resource = resource_.get_or_null();
    const auto owner = resource_.owner();
    if (!owner) return;
    const CleanupScope scope(*owner);
    if (!scope) return;  // it ended with the context
    if (!has_opengl()) return;
    // It is unknown which work still uses it.
    PendingWaits::run_when_idle(*owner, [&] {
        driver().cuGraphicsUnmapResources.clean_up(1, &resource, nullptr);
        unmap_is_due_ = false;
    });
}

RegisteredMapping::RegisteredMapping(std::shared_ptr<RegisteredObject> object, std::uint64_t number,
                                     const Stream* stream)
    : object_(std::move(object)),
      number_(number),
      stream_(use_of(stream)),
      life_of_stream_(life_of(stream_, *object_->context())) {}

MappedMemory RegisteredMapping::device_ptr_and_size() const {
    const auto in_use = object_->use();
    const CUgraphicsResource resource = handle();
    const ContextScope scope(*context());
    CUdeviceptr pointer = 0;
    std::size_t size = 0;
    const auto& call = driver().cuGraphicsResourceGetMappedPointer;
    if (const CUresult result = call.try_call(&pointer, &size, resource))
        call.fail(result,
                  result == CUDA_ERROR_NOT_MAPPED_AS_POINTER ? "it is an image: array(index, level) has it" : "");
    return {pointer, size};
}

std::shared_ptr<Array> RegisteredMapping::array(unsigned index, unsigned level) const {
    const auto in_use = object_->use();
    const CUgraphicsResource resource = handle();
    const ContextScope scope(*context());
    CUarray array = nullptr;
    const auto& call = driver().cuGraphicsSubResourceGetMappedArray;
    if (const CUresult result = call.try_call(&array, resource, index, level))
        call.fail(result, result == CUDA_ERROR_NOT_MAPPED_AS_ARRAY
                              ? "it is a buffer: device_ptr_and_size() has it"
                              : "index " + std::to_string(index) + ", level " + std::to_string(level));
    return Array::part_of([mapping = shared_from_this()] { return mapping->context(); }, array);
}

void RegisteredMapping::unmap() {
    unmap_after(stream_, Ordered::AfterStreamOfMap);
}

void RegisteredMapping::unmap(const Stream* stream) {
    unmap_after(use_of(stream), Ordered::AfterGivenStream);
}

void RegisteredMapping::unmap_after(CUstream stream, Ordered ordered) {
    const auto lock = lock_over_calls(object_->mutex_);
    CUgraphicsResource resource = handle();
    const auto owner = context();
    const ContextHold hold(owner);
    if (ordered == Ordered::AfterStreamOfMap && life_of(stream, *owner) != life_of_stream_) {
        driver().cuCtxSynchronize();
        stream = nullptr;
    }
    unmap_resource(resource, stream, object_->object_text());
    object_->mapped_as_ = 0;
    --live_mappings();
}

void RegisteredMapping::close() noexcept {
    const WaitScope unlocked;
    const auto lock = lock_over_calls(object_->mutex_);
    object_->end_mapping(number_);
}

CUgraphicsResource RegisteredMapping::handle() const {
    const CUgraphicsResource resource = object_->handle();
    if (object_->mapped_as_ != number_) raise_closed(what);
    return resource;
}

std::shared_ptr<Context> RegisteredMapping::context() const {
    static_cast<void>(handle());
    return object_->context();
}

}  // namespace pycuda
