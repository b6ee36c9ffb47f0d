// Linked into every shared library, so that one that was linked on a newer system runs with glibc 2.28 too (RHEL 8,
// manylinux_2_28): what moved into another library of glibc since is taken by the version that it had, and what is
// newer is here. None of it is seen from outside. libstdc++ is linked statically beside this, and finds its functions
// here as well.

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#define PYCUDA_JUMP_TO(TARGET) "jmp *" TARGET "@GOTPCREL(%rip)"
#elif defined(__aarch64__)
#define PYCUDA_JUMP_TO(TARGET) "b " TARGET
#endif
#define PYCUDA_JUMP(NAME, TARGET) \
    ".pushsection .text\n"                                                                                \
    ".globl " NAME "\n.hidden " NAME "\n.type " NAME ", %function\n" NAME ": " PYCUDA_JUMP_TO(TARGET) "\n" \
    ".size " NAME ", .-" NAME "\n"                                                                        \
    ".popsection\n"

// Functions that moved: a jump to the function of that version, which newer systems keep.
#if defined(__x86_64__)
#define PYCUDA_MOVED(NAME, VERSION) PYCUDA_MOVED_FROM(NAME, VERSION)
#elif defined(__aarch64__)
#define PYCUDA_MOVED(NAME, VERSION) PYCUDA_MOVED_FROM(NAME, "GLIBC_2.17")
#endif
#define PYCUDA_MOVED_FROM(NAME, VERSION) \
    asm(".symver pycuda_moved_" #NAME "," #NAME "@" VERSION "\n" PYCUDA_JUMP(#NAME, "pycuda_moved_" #NAME));
PYCUDA_MOVED(dladdr, "GLIBC_2.2.5")
PYCUDA_MOVED(dlclose, "GLIBC_2.2.5")
PYCUDA_MOVED(dlerror, "GLIBC_2.2.5")
PYCUDA_MOVED(dlinfo, "GLIBC_2.3.3")
PYCUDA_MOVED(dlopen, "GLIBC_2.2.5")
PYCUDA_MOVED(dlsym, "GLIBC_2.2.5")
PYCUDA_MOVED(log2, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_attr_setstacksize, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_create, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_detach, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_getaffinity_np, "GLIBC_2.3.4")
PYCUDA_MOVED(pthread_getspecific, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_join, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_key_create, "GLIBC_2.2.5")
PYCUDA_MOVED(__pthread_key_create, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_key_delete, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_mutex_trylock, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_once, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_rwlock_rdlock, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_rwlock_trywrlock, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_rwlock_unlock, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_rwlock_wrlock, "GLIBC_2.2.5")
PYCUDA_MOVED(pthread_setaffinity_np, "GLIBC_2.3.4")
PYCUDA_MOVED(pthread_setspecific, "GLIBC_2.2.5")

// 2.38: its headers replace these functions with C23's, which also read binary numbers.
#define PYCUDA_BEFORE_C23(NAME) asm(PYCUDA_JUMP("__isoc23_" #NAME, #NAME));
PYCUDA_BEFORE_C23(sscanf)
PYCUDA_BEFORE_C23(strtol)
PYCUDA_BEFORE_C23(strtoll)
PYCUDA_BEFORE_C23(strtoul)
PYCUDA_BEFORE_C23(strtoull)

// Functions that are newer.

#pragma GCC visibility push(hidden)

namespace {

/// The system's own function, where it has one.
template <class Function>
Function* newer(const char* name) noexcept {
    return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

constexpr long nanoseconds_of_a_second = 1'000'000'000;

/// The time on the clock that pthread_cond_timedwait knows; waits are repeated when it was set meanwhile.
timespec by_wall_clock(clockid_t clock, const timespec& time) noexcept {
    timespec now, wall;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &wall);
    wall.tv_sec += time.tv_sec - now.tv_sec;
    wall.tv_nsec += time.tv_nsec - now.tv_nsec;
    for (; wall.tv_nsec < 0; wall.tv_nsec += nanoseconds_of_a_second) --wall.tv_sec;
    for (; wall.tv_nsec >= nanoseconds_of_a_second; wall.tv_nsec -= nanoseconds_of_a_second) ++wall.tv_sec;
    return wall;
}

}  // namespace

extern "C" {

/// Never true, which is always right: references are then counted with atomic operations.
char __libc_single_threaded = 0;

// 2.29
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* folder) noexcept {
    static const auto add =
        newer<int(posix_spawn_file_actions_t*, const char*)>("posix_spawn_file_actions_addchdir_np");
    return add ? add(actions, folder) : ENOSYS;
}

// 2.30
pid_t gettid() noexcept {
    return static_cast<pid_t>(syscall(SYS_gettid));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
    static const auto wait =
        newer<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
    if (wait) return wait(condition, mutex, clock, time);
    const timespec wall = by_wall_clock(clock, *time);
    return pthread_cond_timedwait(condition, mutex, &wall);
}

// 2.33: inline functions before
int stat(const char* path, struct stat* result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, 0));
}

int lstat(const char* path, struct stat* result) noexcept {
    return static_cast<int>(syscall(SYS_newfstatat, AT_FDCWD, path, result, AT_SYMLINK_NOFOLLOW));
}

int fstat(int file, struct stat* result) noexcept {
    return static_cast<int>(syscall(SYS_fstat, file, result));
}

int fstat64(int file, struct stat64* result) noexcept {
    return fstat(file, reinterpret_cast<struct stat*>(result));  // the same on systems of 64 bits
}

// 2.36: what std::random_device reads
std::uint32_t arc4random() noexcept {
    std::uint32_t number = 0;
    while (getrandom(&number, sizeof number, 0) != sizeof number) {
    }
    return number;
}

#ifdef DLFO_EH_SEGMENT_TYPE
// 2.35: where the code that unwinds is linked in too, it looks for the library of an address by this.
int _dl_find_object(void* address, dl_find_object* result) noexcept {
    static const auto find = newer<int(void*, dl_find_object*)>("_dl_find_object");
    if (find) return find(address, result);
    struct Search {
        std::uintptr_t address;
        dl_find_object* result;
    } search{reinterpret_cast<std::uintptr_t>(address), result};
    const auto look = [](dl_phdr_info* library, std::size_t, void* data) noexcept {
        const auto& wanted = *static_cast<const Search*>(data);
        const auto at = [&](std::uintptr_t offset) { return reinterpret_cast<void*>(library->dlpi_addr + offset); };
        bool is_here = false;
        void* unwinding = nullptr;
        for (int n = 0; n < library->dlpi_phnum; ++n) {
            const auto& part = library->dlpi_phdr[n];
            const std::uintptr_t start = library->dlpi_addr + part.p_vaddr;
            if (part.p_type == PT_LOAD && wanted.address - start < part.p_memsz) is_here = true;
            if (part.p_type == DLFO_EH_SEGMENT_TYPE) unwinding = at(part.p_vaddr);
        }
        if (!is_here || !unwinding) return 0;
        *wanted.result = {};
        wanted.result->dlfo_eh_frame = unwinding;
        return 1;
    };
    return dl_iterate_phdr(look, &search) == 1 ? 0 : -1;
}
#endif

}  // extern "C"
#pragma GCC visibility pop
