// What sanitizers find in the code of others. They look for these functions in the executable.
extern "C" {
__attribute__((visibility("default"))) const char* __lsan_default_suppressions();
__attribute__((visibility("default"))) const char* __tsan_default_suppressions();
}

// CUDA's driver, which nvJitLink starts too.
const char* __lsan_default_suppressions() {
    return "leak:libcuda.so\n";
}

// As in thread_sanitizer.supp.
const char* __tsan_default_suppressions() {
    return "race:_dl_deallocate_tls\n";
}
