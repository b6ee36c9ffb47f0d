#include "gpuarray/libraries/cufft.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "gpuarray/libraries/vendor_library.hpp"
#include "gpuarray/scratch.hpp"

namespace pycuda::gpuarray {
namespace {

/// With fewer elements, our kernels are done before the library would be loaded.
constexpr std::int64_t few_elements = 1 << 14;
/// How many plans a context keeps.
constexpr std::size_t max_plans = 32;

// cufftType
enum TransformType : int {
    RealToComplex = 0x2a,
    ComplexToReal = 0x2c,
    ComplexToComplex = 0x29,
    DoubleToComplex = 0x6a,
    ComplexToDouble = 0x6c,
    DoubleComplex = 0x69
};

/// Functions of cuFFT, declared here because cufft.h may be missing when this is built. All return a status, 0 for
/// success; plans are integers.
struct Cufft : VendorLibrary {
    int (*create)(int* plan) = nullptr;
    int (*destroy)(int plan) = nullptr;
    int (*set_auto_allocation)(int plan, int allocates) = nullptr;
    int (*make_plan)(int plan, int rank, long long* n, long long* in_embed, long long in_stride, long long in_distance,
                     long long* out_embed, long long out_stride, long long out_distance, int type, long long count,
                     std::size_t* work_size) = nullptr;
    int (*set_stream)(int plan, CUstream) = nullptr;
    int (*set_work_area)(int plan, void* area) = nullptr;
    int (*complex64)(int plan, void* in, void* out, int direction) = nullptr;
    int (*complex128)(int plan, void* in, void* out, int direction) = nullptr;
    int (*from_float32)(int plan, void* in, void* out) = nullptr;
    int (*from_float64)(int plan, void* in, void* out) = nullptr;
    int (*to_float32)(int plan, void* in, void* out) = nullptr;
    int (*to_float64)(int plan, void* in, void* out) = nullptr;

    Cufft() : VendorLibrary("cuFFT", "cufft", "PYCUDA_CUFFT") {
        find("cufftCreate", create);
        find("cufftDestroy", destroy);
        find("cufftSetAutoAllocation", set_auto_allocation);
        find("cufftMakePlanMany64", make_plan);
        find("cufftSetStream", set_stream);
        find("cufftSetWorkArea", set_work_area);
        find("cufftExecC2C", complex64);
        find("cufftExecZ2Z", complex128);
        find("cufftExecR2C", from_float32);
        find("cufftExecD2Z", from_float64);
        find("cufftExecC2R", to_float32);
        find("cufftExecZ2D", to_float64);
    }

    int run(int plan, int type, void* in, void* out, int sign) const {
        switch (type) {
            case ComplexToComplex:
                return complex64(plan, in, out, sign);
            case DoubleComplex:
                return complex128(plan, in, out, sign);
            case RealToComplex:
                return from_float32(plan, in, out);
            case DoubleToComplex:
                return from_float64(plan, in, out);
            case ComplexToReal:
                return to_float32(plan, in, out);
            default:
                return to_float64(plan, in, out);
        }
    }
};

const Cufft& cufft() {
    static const auto* const loaded = new Cufft;
    return *loaded;
}

struct Transforms {
    int type, rank;
    std::array<long long, max_fourier_axes> n;
    long long count;
    bool operator==(const Transforms&) const = default;
};

struct FftPlan {
    Transforms of;
    int number;
    std::size_t work_size;
};

/// A context's plans, the most recently used one first. Transforms are queued one at a time, because stream and work
/// area are properties of a plan.
class FftPlans : public ContextAttachment {
public:
    void context_ends(bool reachable) noexcept override {
        const auto lock = lock_over_calls(mutex_);
        if (reachable) {
            const WaitScope unlocked;
            for (const FftPlan& plan : plans_) cufft().destroy(plan.number);
        }
        plans_.clear();
    }

    /// False if there is no plan for these transforms, and cuFFT is not demanded.
    bool run(const Transforms& wanted, void* in, void* out, int sign, CUstream stream) {
        const auto lock = lock_over_calls(mutex_);
        const FftPlan* const plan = plan_for(wanted);
        if (!plan) return false;
        const Scratch work(std::max<std::size_t>(plan->work_size, 1), stream);
        const WaitScope unlocked;
        cufft().check(cufft().set_stream(plan->number, stream), "cufftSetStream");
        cufft().check(cufft().set_work_area(plan->number, reinterpret_cast<void*>(work.pointer())), "cufftSetWorkArea");
        cufft().check(cufft().run(plan->number, wanted.type, in, out, sign), "cufftExec");
        return true;
    }

private:
    const FftPlan* plan_for(const Transforms& wanted) {
        const auto at =
            std::find_if(plans_.begin(), plans_.end(), [&](const FftPlan& plan) { return plan.of == wanted; });
        if (at != plans_.end()) {
            std::rotate(plans_.begin(), at, at + 1);
            return &plans_.front();
        }
        if (plans_.size() == max_plans) {
            const int oldest = plans_.back().number;
            plans_.pop_back();
            const WaitScope unlocked;
            cufft().destroy(oldest);
        }
        plans_.reserve(max_plans);
        FftPlan made{wanted, 0, 0};
        if (const int status = make(made)) {
            if (cufft().is_demanded()) cufft().check(status, "cufftMakePlanMany64");
            return nullptr;
        }
        return &*plans_.insert(plans_.begin(), made);
    }

    static int make(FftPlan& plan) {
        const WaitScope unlocked;
        if (const int status = cufft().create(&plan.number)) return status;
        int status = cufft().set_auto_allocation(plan.number, 0);
        auto n = plan.of.n;  // without embedding: the elements of a transform are contiguous
        if (status == 0)
            status = cufft().make_plan(plan.number, plan.of.rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, plan.of.type,
                                       plan.of.count, &plan.work_size);
        if (status != 0) cufft().destroy(plan.number);
        return status;
    }

    std::mutex mutex_;
    std::vector<FftPlan> plans_;
};

int type_of(DType in, DType out) {
    switch (in) {
        case DType::Float32:
            return RealToComplex;
        case DType::Float64:
            return DoubleToComplex;
        case DType::Complex64:
            return out == DType::Float32 ? ComplexToReal : ComplexToComplex;
        default:
            return out == DType::Float64 ? ComplexToDouble : DoubleComplex;
    }
}

}  // namespace

bool is_for_cufft(std::int64_t results) {
    return cufft().is_there() && results >= (cufft().is_demanded() ? 1 : few_elements);
}

bool transform_with_cufft(const Array& out, const Array& in, std::span<const std::int64_t> n, int sign,
                          CUstream stream) {
    if (!is_for_cufft(out.layout().size())) return false;
    Transforms wanted{type_of(in.dtype(), out.dtype()), static_cast<int>(n.size()), {}, out.layout().shape()[0]};
    std::ranges::copy(n, wanted.n.begin());
    return Context::current()->attachment<FftPlans>()->run(wanted, reinterpret_cast<void*>(in.ref(stream).address),
                                                           reinterpret_cast<void*>(out.ref(stream).address), sign,
                                                           stream);
}

}  // namespace pycuda::gpuarray
