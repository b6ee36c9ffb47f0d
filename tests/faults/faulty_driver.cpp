// Passes every function that the core calls on to the CPU device, except one call of one thread, which fails.

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

/// Of the thread that sweeps; calls of other threads neither count nor fail.
struct Sweep {
    bool armed = false;
    int fails = 0;  ///< which call fails, from 1; 0: none
    CUresult code = CUDA_SUCCESS;
    int calls = 0;
    std::string names;   ///< of all calls, a blank after each
    std::string locked;  ///< of those made with the GIL held
    std::string failed;  ///< of the one that failed
};
thread_local Sweep sweep;

/// A call that releases something releases it and still reports the failure, as such calls do after faults of earlier
/// work; except calls that only queue the release.
bool gives_back(const std::string& name) {
    if (name == "cuMemFreeAsync") return false;
    for (const char* part : {"Free", "Destroy", "Unload", "Unregister", "Release", "CloseMemHandle", "cuMemUnmap"})
        if (name.find(part) != std::string::npos) return true;
    return false;
}

bool holds_python_lock() {
    static const auto check = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
    return check && check();
}

/// Whether this call fails.
bool count_call(const char* name) {
    if (!sweep.armed) return false;
    sweep.names += std::string(name) + " ";
    if (holds_python_lock()) sweep.locked += std::string(name) + " ";
    if (++sweep.calls != sweep.fails) return false;
    sweep.failed = name;
    return true;
}

/// One function: the CPU device's, and the wrapper before it.
template <int Number, class Signature>
struct Function;
template <int Number, class... Parameters>
struct Function<Number, CUresult(Parameters...)> {
    using Pointer = CUresult (*)(Parameters...);
    static inline Pointer target;
    static inline const char* name;

    static CUresult call(Parameters... arguments) {
        if (!count_call(name)) return target(arguments...);
        if (gives_back(name)) static_cast<void>(target(arguments...));
        return sweep.code;
    }
    static void* stand_before(const char* function, void* address) {
        name = function;
        target = reinterpret_cast<Pointer>(address);
        return reinterpret_cast<void*>(call);
    }
};

using StandBefore = void* (*)(const char* function, void* address);

const std::map<std::string, StandBefore>& functions() {
    static const auto* const all = new std::map<std::string, StandBefore>{
#define X(name, version) {#name, Function<__COUNTER__, std::remove_pointer_t<decltype(&::name)>>::stand_before},
#define X_AS(name, version, ...) {#name, Function<__COUNTER__, __VA_ARGS__>::stand_before},
#define X_DROPPED X_AS
#include "driver/driver_functions.def"
    };
    return *all;
}

using Resolve = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

Resolve resolve() {
    static const auto function = [] {
        void* const library = dlopen(CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<Resolve>(library ? dlsym(library, "cuGetProcAddress_v2") : nullptr);
    }();
    return function;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
    if (!resolve()) return CUDA_ERROR_NOT_FOUND;
    const CUresult result = resolve()(symbol, function, version, flags, status);
    const auto found = functions().find(symbol);
    if (result == CUDA_SUCCESS && *function && found != functions().end())
        *function = found->second(found->first.c_str(), *function);
    return result;
}

/// Count this thread's calls from here on, and make the call with this number fail with this code; 0: none.
void faults_arm(int number, int code) {
    sweep = {};
    sweep.armed = true;
    sweep.fails = number;
    sweep.code = static_cast<CUresult>(code);
}

/// The names of the calls since, each with a blank after it.
const char* faults_disarm() {
    sweep.armed = false;
    return sweep.names.c_str();
}

/// The same for those made with the GIL held.
const char* faults_locked() {
    return sweep.locked.c_str();
}

/// The name of the call that failed; empty if there were fewer calls.
const char* faults_failed() {
    return sweep.failed.c_str();
}
}

#ifdef WITH_JNI
#include <jni.h>

extern "C" {
JNIEXPORT void JNICALL Java_org_pycuda_Faults_arm(JNIEnv*, jclass, jint number, jint code) {
    faults_arm(number, code);
}
JNIEXPORT jstring JNICALL Java_org_pycuda_Faults_disarm(JNIEnv* environment, jclass) {
    return environment->NewStringUTF(faults_disarm());
}
JNIEXPORT jstring JNICALL Java_org_pycuda_Faults_failed(JNIEnv* environment, jclass) {
    return environment->NewStringUTF(faults_failed());
}
}
#endif
