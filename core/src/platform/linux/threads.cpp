#include "platform/threads.hpp"

#include <pthread.h>
#include <unistd.h>

namespace pycuda {

bool is_first_thread_of_process() noexcept {
    return gettid() == getpid();
}

std::uint64_t number_of_this_thread() noexcept {
    return static_cast<std::uint64_t>(pthread_self());
}

void run_on_stack(std::size_t nbytes, void (*body)(void*), void* argument) noexcept {
    struct Task {
        void (*body)(void*);
        void* argument;
    } task{body, argument};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, nbytes);
    pthread_t thread;
    const auto start = [](void* given) -> void* {
        const auto& mine = *static_cast<const Task*>(given);
        mine.body(mine.argument);
        return nullptr;
    };
    const int error = pthread_create(&thread, &attributes, start, &task);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        pthread_join(thread, nullptr);
    else
        body(argument);
}

}  // namespace pycuda
