#pragma once
// ops.def made into handlers. Included by isa_baseline.cpp, isa_v3.cpp and isa_v4.cpp, which are compiled with
// different -march flags; ISA_TABLE names the function that each defines, ISA_RARE says if it has the rare rows.

#include <type_traits>

#include "exec/handlers/access.hpp"
#include "exec/handlers/affine.hpp"
#include "exec/handlers/atomics.hpp"
#include "exec/handlers/exchange.hpp"
#include "exec/handlers/op_table.hpp"
#include "exec/handlers/scalar_float.hpp"
#include "exec/handlers/scalar_half.hpp"
#include "exec/handlers/scalar_integer.hpp"
#include "exec/handlers/scalar_video.hpp"
#include "exec/handlers/spaces.hpp"

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

/// How a row serves a partial mask. Instructions that most kernels use and that take little time have a handler of
/// their own for it, if their types are not narrow; the others are blended.
enum class Use { Common, Blended };

template <class T>
constexpr bool is_index = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

template <Use use, Law law, class F, class D, class... S>
constexpr Op lanewise_row(const char* key) {
    constexpr bool narrow = sizeof(D) < 4 || ((sizeof(S) < 4) || ...);
    Op op{key, Widths<D, S...>::text, blended<D>, lanewise<true, F, D, S...>};
    if constexpr (use == Use::Common && !narrow) op.some = lanewise<false, F, D, S...>;
    if constexpr (law != Law::None && is_index<D> && (is_index<S> && ...)) {
        op.affine = law == Law::Uniform ? uniform<F, D, S...> : affine<F, D, S...>;
        op.law = law;
    }
    return op;
}
template <Use use, class F, class D, class... S>
constexpr Op mode_row(const char* key) {
    if constexpr (use == Use::Common)
        return {key, Widths<D, S...>::text, lanewise_mode<false, F, D, S...>, lanewise_mode<true, F, D, S...>};
    else
        return {key, Widths<D, S...>::text, blended<D>, lanewise_mode<true, F, D, S...>};
}

template <bool Order, class F, class A, class... B>
constexpr Op compare_row(const char* key) {
    Op op{key, PredicateWidths<A, B...>::text, compare_some, compare<F, A, B...>};
    if constexpr (is_index<A> && sizeof...(B) == 1) {
        op.affine = compare_affine<F, Order, A>;
        op.law = Law::Compare;
    }
    return op;
}
template <Handler handler>
constexpr Op same_row(const char* key) {
    return {key, "?", handler, handler};
}

template <class T, class F>
constexpr Op atomic_row(const char* key) {
    return {key, "?", atomic<T, F>, atomic<T, F>, atomic_affine<T, F>, Law::Access, true};
}

// clang-format off
/// What is compiled for any processor only: OpIndex takes it from there for the others, too.
#if ISA_RARE
#define ONCE(...) __VA_ARGS__
#else
#define ONCE(...)
#endif

/// The type of a function that computes a row's expression.
#define FN(R, parameters, ...) decltype([] parameters __attribute__((always_inline)) -> R { return R(__VA_ARGS__); })

#define UNARY_LAW(law, use, key, D, A, ...) lanewise_row<Use::use, Law::law, FN(D, (A a), __VA_ARGS__), D, A>(key),
#define BINARY_LAW(law, use, key, D, A, B, ...) \
    lanewise_row<Use::use, Law::law, FN(D, (A a, B b), __VA_ARGS__), D, A, B>(key),
#define TERNARY_LAW(law, use, key, D, A, B, C, ...) \
    lanewise_row<Use::use, Law::law, FN(D, (A a, B b, C c), __VA_ARGS__), D, A, B, C>(key),
#define UNARY(...) UNARY_LAW(Uniform, Common, __VA_ARGS__)
#define UNARY_BLENDED(...) UNARY_LAW(None, Blended, __VA_ARGS__)
#define UNARY_RARE(...) ONCE(UNARY_BLENDED(__VA_ARGS__))
#define UNARY_SUM(...) UNARY_LAW(Sum, Common, __VA_ARGS__)
#define BINARY(...) BINARY_LAW(Uniform, Common, __VA_ARGS__)
#define BINARY_BLENDED(...) BINARY_LAW(None, Blended, __VA_ARGS__)
#define BINARY_RARE(...) ONCE(BINARY_BLENDED(__VA_ARGS__))
#define BINARY_SUM(...) BINARY_LAW(Sum, Common, __VA_ARGS__)
#define BINARY_PRODUCT(...) BINARY_LAW(Product, Common, __VA_ARGS__)
#define BINARY_SCALE(...) BINARY_LAW(Scale, Common, __VA_ARGS__)
#define TERNARY(...) TERNARY_LAW(Uniform, Common, __VA_ARGS__)
#define TERNARY_BLENDED(...) TERNARY_LAW(None, Blended, __VA_ARGS__)
#define TERNARY_RARE(...) ONCE(TERNARY_BLENDED(__VA_ARGS__))
#define TERNARY_PRODUCT(...) TERNARY_LAW(Product, Common, __VA_ARGS__)
#define MODE_FN(...) FN(u32, (u32 a, u32 b, u32 c, u32 mode), __VA_ARGS__)
#define TERNARY_MODE(key, ...) mode_row<Use::Common, MODE_FN(__VA_ARGS__), u32, u32, u32, u32>(key),
#define TERNARY_MODE_RARE(key, ...) ONCE(mode_row<Use::Blended, MODE_FN(__VA_ARGS__), u32, u32, u32, u32>(key),)
#define QUATERNARY(key, D, A, B, C, E, ...) \
    lanewise_row<Use::Common, Law::Uniform, FN(D, (A a, B b, C c, E e), __VA_ARGS__), D, A, B, C, E>(key),
#define COMPARE(key, A, B, ...) compare_row<true, FN(bool, (A a, B b), __VA_ARGS__), A, B>(key),
#define COMPARE_EQUAL(key, A, B, ...) compare_row<false, FN(bool, (A a, B b), __VA_ARGS__), A, B>(key),
#define TEST(key, A, ...) compare_row<false, FN(bool, (A a), __VA_ARGS__), A>(key),
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
/// Loads and stores of addresses that may be kept as Affine.
#define INDEXED(key, handler, T, N) \
    {key, "?", handler<false, T, N>, handler<true, T, N>, handler##_affine<T, N>, Law::Access},
#define CVTA_SHARED(key, handler, to_shared) \
    {key, "qq", handler<false, Window::Shared>, handler<true, Window::Shared>, convert_shared<to_shared>, Law::Sum},
/// The same code for every mask.
#define COMMON(key, ...) same_row<__VA_ARGS__>(key),
#define ATOMIC_FN(T, ...) \
    FN(T, ([[maybe_unused]] T old, [[maybe_unused]] T b, [[maybe_unused]] T c, [[maybe_unused]] bool shared), __VA_ARGS__)
#define ATOMIC(key, T, ...) COMMON(key, atomic<T, ATOMIC_FN(T, __VA_ARGS__)>)
/// What is common enough to have a handler for lanes that share an address.
#define ATOMIC_ADD(key, T, ...) atomic_row<T, ATOMIC_FN(T, __VA_ARGS__)>(key),
#define ATOMIC_SUM(key, T) {key, "?", atomic_add<T>, atomic_add<T>, atomic_add_affine<T>, Law::Access, true},
/// The same without result, which may be delayed.
#define DELAYED_SUM(key, T) {key, "?", delayed_add<false, T>, delayed_add<true, T>, delayed_add_affine<T>, Law::Access, true},
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
