#pragma once
// ops.def made into handlers. Included by isa_baseline.cpp, isa_v3.cpp and isa_v4.cpp, which are compiled with
// different -march flags; ISA_TABLE names the function that each defines.

#include "exec/handlers/access.hpp"
#include "exec/handlers/exchange.hpp"
#include "exec/handlers/op_table.hpp"
#include "exec/handlers/scalar_float.hpp"
#include "exec/handlers/scalar_half.hpp"
#include "exec/handlers/scalar_integer.hpp"
#include "exec/handlers/scalar_video.hpp"

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

/// How a row serves a partial mask. Instructions that most kernels use have a handler of their own for it, if their
/// types are not narrow; the others are blended.
enum class Use { Common, Rare };

template <Use use, class F, class D, class... S>
constexpr Op lanewise_row(const char* key) {
    constexpr bool narrow = sizeof(D) < 4 || ((sizeof(S) < 4) || ...);
    if constexpr (use == Use::Common && !narrow)
        return {key, Widths<D, S...>::text, lanewise<false, F, D, S...>, lanewise<true, F, D, S...>};
    else
        return {key, Widths<D, S...>::text, blended<D>, lanewise<true, F, D, S...>};
}
template <Use use, class F, class D, class... S>
constexpr Op mode_row(const char* key) {
    if constexpr (use == Use::Common)
        return {key, Widths<D, S...>::text, lanewise_mode<false, F, D, S...>, lanewise_mode<true, F, D, S...>};
    else
        return {key, Widths<D, S...>::text, blended<D>, lanewise_mode<true, F, D, S...>};
}

template <class F, class... S>
constexpr Op compare_row(const char* key) {
    return {key, PredicateWidths<S...>::text, compare_some<F, S...>, compare<F, S...>};
}
template <Handler handler>
constexpr Op same_row(const char* key) {
    return {key, "?", handler, handler};
}

// clang-format off
/// The type of a function that computes a row's expression.
#define FN(R, parameters, ...) decltype([] parameters __attribute__((always_inline)) -> R { return R(__VA_ARGS__); })

#define UNARY(key, D, A, ...) lanewise_row<Use::Common, FN(D, (A a), __VA_ARGS__), D, A>(key),
#define UNARY_RARE(key, D, A, ...) lanewise_row<Use::Rare, FN(D, (A a), __VA_ARGS__), D, A>(key),
#define BINARY(key, D, A, B, ...) lanewise_row<Use::Common, FN(D, (A a, B b), __VA_ARGS__), D, A, B>(key),
#define BINARY_RARE(key, D, A, B, ...) lanewise_row<Use::Rare, FN(D, (A a, B b), __VA_ARGS__), D, A, B>(key),
#define TERNARY(key, D, A, B, C, ...) lanewise_row<Use::Common, FN(D, (A a, B b, C c), __VA_ARGS__), D, A, B, C>(key),
#define TERNARY_RARE(key, D, A, B, C, ...) lanewise_row<Use::Rare, FN(D, (A a, B b, C c), __VA_ARGS__), D, A, B, C>(key),
#define MODE_FN(...) FN(u32, (u32 a, u32 b, u32 c, u32 mode), __VA_ARGS__)
#define TERNARY_MODE(key, ...) mode_row<Use::Common, MODE_FN(__VA_ARGS__), u32, u32, u32, u32>(key),
#define TERNARY_MODE_RARE(key, ...) mode_row<Use::Rare, MODE_FN(__VA_ARGS__), u32, u32, u32, u32>(key),
#define QUATERNARY(key, D, A, B, C, E, ...) \
    lanewise_row<Use::Common, FN(D, (A a, B b, C c, E e), __VA_ARGS__), D, A, B, C, E>(key),
#define COMPARE(key, A, B, ...) compare_row<FN(bool, (A a, B b), __VA_ARGS__), A, B>(key),
#define TEST(key, A, ...) compare_row<FN(bool, (A a), __VA_ARGS__), A>(key),
#define SELECT(key, T) {key, sizeof(T) == 8 ? "qqqp" : "wwwp", select<false, T>, select<true, T>},
#define LOGIC_FN(...) FN(u32, (u32 a, [[maybe_unused]] u32 b), __VA_ARGS__)
#define LOGIC(key, ...) {key, "p", logic<false, LOGIC_FN(__VA_ARGS__)>, logic<true, LOGIC_FN(__VA_ARGS__)>},
#define CARRY_FN(T, ...) FN(bool, (T a, T b, [[maybe_unused]] T c, [[maybe_unused]] T in, T& r), __VA_ARGS__)
#define CARRY(key, T, out, ...) {key, "?", blended_carry<T>, carry<CARRY_FN(T, __VA_ARGS__), T, out>},
#define UNPACK(key, H, T) {key, Widths<H, H, T>::text, unpack<false, H, T>, unpack<true, H, T>},
#define PACK(key, T, H) {key, Widths<T, H, H>::text, pack<false, T, H>, pack<true, T, H>},
/// A handler whose template arguments name All where the two differ.
#define CUSTOM_HANDLER(all, ...) [](Warp& w, const Insn& i) { constexpr bool All = all; (__VA_ARGS__)(w, i); }
#define CUSTOM(key, operands, ...) {key, operands, CUSTOM_HANDLER(false, __VA_ARGS__), CUSTOM_HANDLER(true, __VA_ARGS__)},
/// The same code for every mask.
#define COMMON(key, ...) same_row<__VA_ARGS__>(key),
#define ATOMIC(key, T, ...) \
    COMMON(key, atomic<T, FN(T, ([[maybe_unused]] T old, [[maybe_unused]] T b, [[maybe_unused]] T c), __VA_ARGS__)>)
#define DEPOSIT(key, operands, bring_values, ...) {key, "?", bring_values, __VA_ARGS__},
#define REDUX(key, ...) {key, "?", bring<u32>, reduce<FN(u32, (u32 a, u32 b), __VA_ARGS__)>},
// clang-format on

constexpr Op table[] = {
#include "exec/handlers/ops.def"
};

}  // namespace

OpTable ISA_TABLE() {
    return {table, sizeof table / sizeof *table, ISA_NAME};
}

}  // namespace cpu::exec
