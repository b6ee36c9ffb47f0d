#include "pycuda/external/external_semaphore.hpp"

#include <stdexcept>
#include <string>

#include "driver/driver_table.hpp"
#include "external/described_semaphores.hpp"
#include "external/file_descriptor.hpp"
#include "pycuda/streams/stream.hpp"
#include "streams/pending_waits.hpp"

namespace pycuda {

void ExternalSemaphoreTraits::destroy(CUexternalSemaphore semaphore) noexcept {
    driver().cuDestroyExternalSemaphore.clean_up(semaphore);
}

ExternalSemaphore::ExternalSemaphore(int descriptor, ExternalSemaphoreHandleType handle_type)
    : handle_type_(handle_type) {
    require_descriptor(descriptor);
    const auto& call = driver().cuImportExternalSemaphore;
    const bool is_descriptor = handle_type == ExternalSemaphoreHandleType::OPAQUE_FD ||
                               handle_type == ExternalSemaphoreHandleType::TIMELINE_SEMAPHORE_FD;
    if (!is_descriptor)
        call.fail(CUDA_ERROR_NOT_SUPPORTED,
                  not_a_descriptor("ExternalSemaphoreHandleType", static_cast<int>(handle_type),
                                   "OPAQUE_FD or TIMELINE_SEMAPHORE_FD"));
    auto owner = Context::owner_of_new();
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
    description.type = static_cast<CUexternalSemaphoreHandleType>(handle_type);
    description.handle.fd = descriptor;
    CUexternalSemaphore semaphore = nullptr;
    if (const CUresult result = call.try_call(&semaphore, &description))
        call.fail(result, descriptor_text(descriptor) +
                              ": expected a descriptor of a semaphore of this type that another interface exported");
    semaphore_.take(semaphore, std::move(owner));
}

void SemaphoreValues::add(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value) {
    if (!semaphore) throw std::invalid_argument("semaphore must not be null");
    values_.push_back({std::move(semaphore), value});
}

namespace {

SemaphoreValues one_semaphore(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value) {
    SemaphoreValues values;
    values.add(std::move(semaphore), value);
    return values;
}

/// Queues one call for all of them, and keeps them until it is done.
template <class Parameters, class Call>
void queue_semaphores(const Call& call, const Stream& stream, const SemaphoreValues& semaphores) {
    const auto queue = stream.use();
    if (semaphores.count() == 0) return;
    auto described = std::make_shared<DescribedSemaphores<Parameters>>(semaphores);
    if (const CUresult result =
            call.try_call(described->handles.data(), described->parameters.data(), described->count(), queue))
        call.fail(result, semaphores_text(described->count()));
    stream.keep_until_done(std::move(described));
}

}  // namespace

void Stream::signal_semaphores(const SemaphoreValues& semaphores) const {
    queue_semaphores<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(driver().cuSignalExternalSemaphoresAsync, *this,
                                                            semaphores);
}

void Stream::wait_for_semaphores(const SemaphoreValues& semaphores) const {
    queue_wait(this, use(), [&] {
        queue_semaphores<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(driver().cuWaitExternalSemaphoresAsync, *this,
                                                              semaphores);
    });
}

void Stream::signal_semaphore(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value) const {
    signal_semaphores(one_semaphore(std::move(semaphore), value));
}

void Stream::wait_for_semaphore(std::shared_ptr<ExternalSemaphore> semaphore, std::uint64_t value) const {
    wait_for_semaphores(one_semaphore(std::move(semaphore), value));
}

}  // namespace pycuda
