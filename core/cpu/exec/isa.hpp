#pragma once
// ops.def made into handlers. Included by isa_baseline.cpp, isa_v3.cpp and isa_v4.cpp, which are compiled with
// different -march flags; ISA_TABLE names the function that each defines.

#include "exec/access.hpp"
#include "exec/exchange.hpp"
#include "exec/op_table.hpp"
#include "exec/scalar_float.hpp"
#include "exec/scalar_half.hpp"
#include "exec/scalar_integer.hpp"
#include "exec/scalar_video.hpp"

namespace cpu::exec {
namespace {

template <class T>
constexpr char width = sizeof(T) == 16  ? 'o'
                       : sizeof(T) == 8 ? 'q'
                                        : 'w';
template <class... T>
struct Widths {
    static constexpr char text[] = {width<T>..., 0};
};
template <class... T>
struct PredicateWidths {
    static constexpr char text[] = {'p', width<T>..., 0};
};

#define FN(R, ...) decltype([](__VA_ARGS__) __attribute__((always_inline)) -> R
#define UNARY(key, D, A, ...)                                                             \
    {key, Widths<D, A>::text, unary < false, D, A, FN(D, A a){return D(__VA_ARGS__);      \
    })>, \
     unary<true, D, A, FN(D, A a) {                                                       \
        return D(__VA_ARGS__);                                                            \
    })>                            \
    }                                                                                     \
    ,
#define UNARY_ROUNDED(key, D, A, ...)                                                              \
    {key, Widths<D, A>::text, rounded < unary < false, D, A, FN(D, A a){return D(__VA_ARGS__);     \
    })>>, \
     rounded<unary<true, D, A, FN(D, A a) {                                                        \
        return D(__VA_ARGS__);                                                                     \
    })>>                            \
    }                                                                                              \
    ,
#define BINARY(key, D, A, B, ...)                                                                     \
    {key, Widths<D, A, B>::text, binary < false, D, A, B, FN(D, A a, B b){return D(__VA_ARGS__);      \
    })>, \
     binary<true, D, A, B, FN(D, A a, B b) {                                                          \
        return D(__VA_ARGS__);                                                                        \
    })>                               \
    }                                                                                                 \
    ,
#define BINARY_ROUNDED(key, D, A, B, ...)                                                                      \
    {key, Widths<D, A, B>::text, rounded < binary < false, D, A, B, FN(D, A a, B b){return D(__VA_ARGS__);     \
    })>>, \
     rounded<binary<true, D, A, B, FN(D, A a, B b) {                                                           \
        return D(__VA_ARGS__);                                                                                 \
    })>>                               \
    }                                                                                                          \
    ,
#define TERNARY(key, D, A, B, C, ...)                                                                             \
    {key, Widths<D, A, B, C>::text, ternary < false, D, A, B, C, FN(D, A a, B b, C c){return D(__VA_ARGS__);      \
    })>, \
     ternary<true, D, A, B, C, FN(D, A a, B b, C c) {                                                             \
        return D(__VA_ARGS__);                                                                                    \
    })>                                  \
    }                                                                                                             \
    ,
#define TERNARY_ROUNDED(key, D, A, B, C, ...)                                                                          \
    {key, Widths<D, A, B, C>::text, rounded < ternary < false, D, A, B, C, FN(D, A a, B b, C c){return D(__VA_ARGS__); \
    })>>, \
     rounded<ternary<true, D, A, B, C, FN(D, A a, B b, C c) {                                                          \
        return D(__VA_ARGS__);                                                                                         \
    })>>                              \
    }                                                                                                                  \
    ,
#define TERNARY_AUX(key, D, A, B, C, ...)                                                       \
    {key, Widths<D, A, B, C>::text, ternary_aux < false, D, A, B, C,                            \
     FN(D, A a, B b, C c, u32 aux){return D(__VA_ARGS__);                                       \
    })>, \
     ternary_aux<true, D, A, B, C, FN(D, A a, B b, C c, u32 aux) {                              \
        return D(__VA_ARGS__);                                                                  \
    })>   \
    }                                                                                           \
    ,
#define QUATERNARY(key, D, A, B, C, E, ...)                                                   \
    {key, Widths<D, A, B, C, E>::text, quaternary < false, D, A, B, C, E,                     \
     FN(D, A a, B b, C c, E e){return D(__VA_ARGS__);                                         \
    })>, \
     quaternary<true, D, A, B, C, E, FN(D, A a, B b, C c, E e) {                              \
        return D(__VA_ARGS__);                                                                \
    })>   \
    }                                                                                         \
    ,
#define COMPARE(key, A, B, ...)                                                                           \
    {key, PredicateWidths<A, B>::text, compare < false, A, B, FN(bool, A a, B b){return __VA_ARGS__;      \
    })>, \
     compare<true, A, B, FN(bool, A a, B b) {                                                             \
        return __VA_ARGS__;                                                                               \
    })>                                     \
    }                                                                                                     \
    ,
#define TEST(key, A, ...)                                                                   \
    {key, PredicateWidths<A>::text, test < false, A, FN(bool, A a){return __VA_ARGS__;      \
    })>, \
     test<true, A, FN(bool, A a) {                                                          \
        return __VA_ARGS__;                                                                 \
    })>                                  \
    }                                                                                       \
    ,
#define SELECT(key, T) {key, sizeof(T) == 8 ? "qqqp" : "wwwp", select<false, T>, select<true, T>},
#define LOGIC(key, ...)                                                                       \
    {key, "p", logic < false, FN(u32, u32 a, [[maybe_unused]] u32 b){return __VA_ARGS__;      \
    })>, \
     logic<true, FN(u32, u32 a, [[maybe_unused]] u32 b) {                                     \
        return __VA_ARGS__;                                                                   \
    })>             \
    }                                                                                         \
    ,
#define CARRY_FN(T, ...)                                                    \
    FN(bool, T a, T b, [[maybe_unused]] T c, [[maybe_unused]] T in, T& r) { \
        return __VA_ARGS__;                                                 \
    })
#define CARRY(key, T, out, ...) \
    {key, "?", carry<false, T, out, CARRY_FN(T, __VA_ARGS__)>, carry<true, T, out, CARRY_FN(T, __VA_ARGS__)>},
#define UNPACK(key, H, T) {key, Widths<H, H, T>::text, unpack<false, H, T>, unpack<true, H, T>},
#define PACK(key, T, H) {key, Widths<T, H, H>::text, pack<false, T, H>, pack<true, T, H>},
#define CUSTOM_FN(all, ...)            \
    FN(void, Warp& w, const Insn& i) { \
        constexpr bool All = all;      \
        (__VA_ARGS__)(w, i);           \
    }){}
#define CUSTOM(key, operands, ...) \
    {key, operands, custom<false>(CUSTOM_FN(false, __VA_ARGS__)), custom<true>(CUSTOM_FN(true, __VA_ARGS__))},
#define ATOMIC_FN(T, ...)                                                       \
    FN(T, [[maybe_unused]] T old, [[maybe_unused]] T b, [[maybe_unused]] T c) { \
        return T(__VA_ARGS__);                                                  \
    })
#define ATOMIC(key, T, ...) {key, "?", atomic<T, ATOMIC_FN(T, __VA_ARGS__)>, atomic<T, ATOMIC_FN(T, __VA_ARGS__)>},
/// The same code for every instruction set.
#define COMMON(key, ...) {key, "?", __VA_ARGS__, __VA_ARGS__},
#define DEPOSIT(key, operands, bring_values, ...) {key, "?", bring_values, __VA_ARGS__},
#define REDUX(key, ...)                                                                               \
    {key, "?", bring<u32>, reduce < FN(u32, u32 a, u32 b){return __VA_ARGS__;                         \
    })> \
    }                                                                                                 \
    ,

/// The handler that a captureless lambda is.
template <bool, class F>
constexpr Handler custom(F) {
    return [](Warp& w, const Insn& i) { F{}(w, i); };
}

constexpr Op table[] = {
#include "exec/ops.def"
};

}  // namespace

OpTable ISA_TABLE() {
    return {table, sizeof table / sizeof *table, ISA_NAME};
}

}  // namespace cpu::exec
