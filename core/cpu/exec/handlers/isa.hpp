#pragma once
// Expands ops.def into handlers. Included by isa_baseline.cpp, isa_v3.cpp and isa_v4.cpp, which are compiled with
// different -march flags; ISA_TABLE names the function that each defines, ISA_RARE says if it has the rare rows.

#include <type_traits>

#include "exec/handlers/access.hpp"
#include "exec/handlers/affine.hpp"
#include "exec/handlers/atomics.hpp"
#include "exec/handlers/exchange.hpp"
#include "exec/handlers/op.hpp"
#include "exec/handlers/scalar_float.hpp"
#include "exec/handlers/scalar_half.hpp"
#include "exec/handlers/scalar_integer.hpp"
#include "exec/handlers/scalar_video.hpp"
#include "exec/handlers/spaces.hpp"

namespace cpu::exec {
namespace {

/// Which handlers a row gets: see ops.def.
enum class Kind { Common, Sum, Product, Scale, Mask, Shift, Select, Order, Equality, Compact, Rare };

template <class T>
constexpr bool is_index = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

constexpr AffineRule rule_of(Kind kind) {
    switch (kind) {
        case Kind::Sum:
            return AffineRule::Sum;
        case Kind::Product:
            return AffineRule::Product;
        case Kind::Scale:
            return AffineRule::Scale;
        case Kind::Mask:
            return AffineRule::Mask;
        case Kind::Shift:
            return AffineRule::Shift;
        case Kind::Select:
            return AffineRule::Select;
        case Kind::Common:
        case Kind::Compact:
            return AffineRule::Uniform;
        default:
            return AffineRule::None;
    }
}
constexpr bool is_compact(Kind kind) {
    return kind == Kind::Compact || kind == Kind::Rare;
}

/// The handlers of a row whose function F returns a D, from S: one specialisation for each kind of result. Narrow types
/// need no handlers of their own for partial masks.
template <Kind kind, class F, class D, class... S>
struct Row {
    static constexpr Op op(const char* name) {
        constexpr bool narrow = sizeof(D) < 4 || ((sizeof(S) < 4 && !std::is_same_v<S, bool>) || ...);
        Op op{name, Operands<D, S...>::text.data(), blended<D>, lanewise<true, F, D, S...>};
        if constexpr (!is_compact(kind) && !narrow) op.some = lanewise<false, F, D, S...>;
        if constexpr (rule_of(kind) != AffineRule::None && is_index<D> && (is_index<S> && ...)) {
            if constexpr (rule_of(kind) == AffineRule::Uniform)
                op.affine = uniform<F, D, S...>;
            else if constexpr (kind == Kind::Mask || kind == Kind::Shift)
                op.affine = part_of_number<F, D, S...>;
            else
                op.affine = affine<F, D, S...>;
            op.rule = rule_of(kind);
        }
        if constexpr (kind == Kind::Select && is_index<D>) {
            op.affine = select_affine<D>;
            op.rule = AffineRule::Select;
        }
        return op;
    }
};
template <Kind kind, class F, class... S>
struct Row<kind, F, bool, S...> {
    static constexpr Op op(const char* name) {
        Op op{name, Operands<bool, S...>::text.data(), compare_some, compare<F, S...>};
        if constexpr ((kind == Kind::Order || kind == Kind::Equality) && (is_index<S> && ...)) {
            op.affine = compare_affine<F, kind == Kind::Order, std::common_type_t<S...>>;
            op.rule = AffineRule::Compare;
        }
        return op;
    }
};
template <Kind kind, class F, class... S>
struct Row<kind, F, Lanes, S...> {
    static constexpr Op op(const char* name) {
        return {name, Operands<Lanes, S...>::text.data(), logic<false, F>, logic<true, F>};
    }
};
template <Kind kind, class F, class D, class... S>
struct Row<kind, F, Carried<D>, S...> {
    static constexpr Op op(const char* name) {
        return {name, Operands<D, S...>::text.data(), blended_carry<D, sizeof...(S)>, carry<F, D, S...>};
    }
};
template <Kind kind, class F, class D, class S>
struct Row<kind, F, Pair<D>, S> {
    static constexpr Op op(const char* name) {
        return {name, Operands<Pair<D>, S>::text.data(), pairwise<false, F, D, S>, pairwise<true, F, D, S>};
    }
};
template <Kind kind, class F, class D, class... S>
constexpr Op row(const char* name, D (F::*)(S...) const) {
    Op op = Row<kind, F, D, S...>::op(name);
    op.all_of_group = true;
    return op;
}
template <Kind kind, class F>
constexpr Op row(const char* name, F) {
    return row<kind, F>(name, &F::operator());
}

/// Rows of kind Common also get a handler for affine code, where often all lanes share an address.
template <Kind kind, class F, class T, class... S>
constexpr Op atomic_row(const char* name, T (F::*)(T, S...) const) {
    if constexpr (kind == Kind::Common)
        return {name, "?", atomic<T, F>, atomic<T, F>, atomic_affine<T, F>, AffineRule::Access, true};
    else
        return {name, "?", atomic<T, F>, atomic<T, F>};
}
template <Kind kind, class F>
constexpr Op atomic_row(const char* name, F) {
    return atomic_row<kind, F>(name, &F::operator());
}

// A row's handlers, or only its name if OpIndex takes the handlers from the baseline build.
#define BUILT(name, ...) __VA_ARGS__,
#define BUILT_Common BUILT
#define BUILT_Sum BUILT
#define BUILT_Product BUILT
#define BUILT_Scale BUILT
#define BUILT_Mask BUILT
#define BUILT_Shift BUILT
#define BUILT_Select BUILT
#define BUILT_Order BUILT
#define BUILT_Equality BUILT
#define BUILT_Compact BUILT
#if ISA_RARE
#define BUILT_Rare BUILT
#else
#define BUILT_Rare(name, ...) Op{name},
#endif
#define OP(name, signature, kind, ...) \
    BUILT_##kind(name, row<Kind::kind>(name, [] [[gnu::always_inline]] signature { return __VA_ARGS__; }))
#define ATOMIC(name, signature, kind, ...) \
    BUILT_##kind(name, atomic_row<Kind::kind>(name, [] [[gnu::always_inline]] signature { return __VA_ARGS__; }))
#define HANDLERS(name, kind, operands, ...) BUILT_##kind(name, Op{name, operands, __VA_ARGS__})
#define ALIAS(name, row)

constexpr Op table[] = {
#include "exec/handlers/ops.def"
};

}  // namespace

OpTable ISA_TABLE() {
    return {table, sizeof table / sizeof *table, ISA_NAME};
}

}  // namespace cpu::exec
