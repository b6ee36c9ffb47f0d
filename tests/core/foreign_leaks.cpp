// What others leave behind, and the address sanitizer need not tell: CUDA's driver, which nvJitLink starts too.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();

const char* __lsan_default_suppressions() {
    return "leak:libcuda.so\n";
}
