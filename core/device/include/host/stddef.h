#pragma once
extern "C++" {
typedef decltype(sizeof(0)) size_t;
typedef decltype(static_cast<char*>(nullptr) - static_cast<char*>(nullptr)) ptrdiff_t;
typedef struct {
    long long integer;
    alignas(16) double number;
} max_align_t;
namespace std {
using ::max_align_t;
using ::ptrdiff_t;
using ::size_t;
typedef decltype(nullptr) nullptr_t;
#if __cplusplus >= 201703L
enum class byte : unsigned char {};
#endif
}  // namespace std
}
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) \
    (reinterpret_cast<size_t>(&reinterpret_cast<const volatile char&>(static_cast<type*>(nullptr)->member)))
#endif
