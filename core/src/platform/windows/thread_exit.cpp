// Destructors of thread-local objects, in place of those of libstdc++ 12 (as of mingw-w64). There a thread of
// std::thread holds winpthread's lock of all threads while they run, and each ends with FreeLibrary, which takes the
// loader's lock. Another thread that ends holds the loader's lock, and takes winpthread's: a deadlock. Fiber-local
// storage calls back before either is taken.
#include <windows.h>

#include <cstdlib>

namespace {

struct PendingDestructor {
    void (*destroy)(void*);
    void* object;
    PendingDestructor* next;
};

thread_local PendingDestructor* pending_destructors = nullptr;

/// Destructors may construct further thread-local objects.
void run_pending_destructors() noexcept {
    while (PendingDestructor* const pending = pending_destructors) {
        pending_destructors = pending->next;
        pending->destroy(pending->object);
        std::free(pending);
    }
}

void WINAPI run_at_thread_exit(void*) noexcept {
    run_pending_destructors();
}

/// The system calls into this module from now on, so it stays loaded.
DWORD prepare_thread_exit() noexcept {
    HMODULE self = nullptr;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       reinterpret_cast<LPCWSTR>(&run_at_thread_exit), &self);
    std::atexit(run_pending_destructors);  // those of the thread that ends the process
    return FlsAlloc(run_at_thread_exit);
}

}  // namespace

/// What compilers call once such an object is constructed.
extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void*) noexcept {
    static const DWORD slot = prepare_thread_exit();
    auto* const pending = static_cast<PendingDestructor*>(std::malloc(sizeof(PendingDestructor)));
    if (!pending || slot == FLS_OUT_OF_INDEXES || !FlsSetValue(slot, &pending_destructors)) {
        std::free(pending);
        return -1;  // the object is not destroyed
    }
    *pending = {destroy, object, pending_destructors};
    pending_destructors = pending;
    return 0;
}
