#include "pycuda/gpuarray/kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "contexts/interruptible_wait.hpp"
#include "driver/driver_table.hpp"
#include "known_memory/allocations.hpp"
#include "platform/environment.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/driver/open_captures.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda::gpuarray {
namespace {

/// Spreads keys, whose low bits are types, over the slots.
std::size_t hash_of(KernelKey key) {
    return static_cast<std::size_t>(key.bits * 0x9e3779b97f4a7c15ull >> 20);
}

std::vector<std::string> options_of(const KernelSource& source) {
    if (source.rounds) return {"-fmad=false"};
    return {};
}

void show(const KernelSource& source) {
    const std::string wanted = environment("PYCUDA_SHOW_SOURCE");
    if (wanted.empty() || wanted == "0") return;
    std::string title = source.name;
    for (const std::string& option : options_of(source)) title += ' ' + option;
    std::fprintf(stderr, "// ---- %s\n%s\n", title.c_str(), source.text.c_str());
}

CompileResult compiled(const KernelSource& source, bool use_prebuilt = true) {
    CompileRequest request;
    request.source = source.text;
    request.name = source.name + ".cu";
    request.no_extern_c = true;
    request.minimal = true;
    request.use_prebuilt = use_prebuilt;
    request.options = options_of(source);
    return compile(request);
}

CUmodule load(const KernelSource& source, CompileResult given) {
    const RelaxedCapture relaxed;
    const LibraryAllocation own;
    given.image.push_back(0);  // PTX is text
    CUmodule module = nullptr;
    const CUresult result = driver().cuModuleLoadDataEx.try_call(&module, given.image.data(), 0, nullptr, nullptr);
    // Older drivers cannot unpack what came with the package, nor can the CPU device where libzstd is missing.
    const bool was_prebuilt = given.kind == "fatbin";
    if (result != CUDA_SUCCESS && was_prebuilt) return load(source, compiled(source, false));
    if (result != CUDA_SUCCESS) driver().cuModuleLoadDataEx.fail(result, "kernel '" + source.name + "'");
    return module;
}

std::unique_ptr<Kernel> made_of(const KernelSource& source) {
    auto made = std::make_unique<Kernel>();
    made->compute = source.compute;
    made->result = source.result;
    made->elements = source.elements;
    made->name = source.name;
    return made;
}

}  // namespace

std::shared_ptr<Kernels> Kernels::current() {
    return of(*Context::current());
}

std::shared_ptr<Kernels> Kernels::of(Context& context) {
    return context.attachment<Kernels>();
}

Kernels::Kernels(Context& context) {
    const ContextScope scope(context);
    multiprocessors_ = Context::get_device().get_attribute(DeviceAttribute::MULTIPROCESSOR_COUNT);
    all_slots_.push_back(std::make_unique<Slots>(256));
    slots_ = all_slots_.back().get();
}

Kernels::~Kernels() {
    for (auto& rows : rows_)
        for (auto& row : rows) delete row.load();
}

void Kernels::context_ends(bool reachable) noexcept {
    const auto lock = lock_over_calls(mutex_);
    alive_ = false;
    if (reachable)
        for (const CUmodule module : modules_) {
            forget_launch_graphs_of(module);
            driver().cuModuleUnload.clean_up(module);
        }
    modules_.clear();
}

const Kernel* Kernels::find(KernelKey key) const noexcept {
    const Slots& table = *slots_.load(std::memory_order_acquire);
    for (std::size_t at = hash_of(key) & table.mask;; at = (at + 1) & table.mask) {
        const std::uint64_t found = table.slots[at].key.load(std::memory_order_acquire);
        if (found == key.bits) return table.slots[at].kernel.load(std::memory_order_relaxed);
        if (found == 0) return nullptr;
    }
}

void Kernels::insert(Slots& table, KernelKey key, const Kernel* kernel) {
    std::size_t at = hash_of(key) & table.mask;
    while (table.slots[at].key.load(std::memory_order_relaxed) != 0) at = (at + 1) & table.mask;
    table.slots[at].kernel.store(kernel, std::memory_order_relaxed);
    table.slots[at].key.store(key.bits, std::memory_order_release);
}

const Kernel& Kernels::add(KernelKey key, const KernelSource& source) {
    if (!alive_) raise_context_gone("the table of array kernels");
    const WaitScope unlocked;
    show(source);
    // Not under the lock: compiling takes long, and other threads need not wait.
    return add(key, source, compiled(source));
}

const Kernel& Kernels::add(KernelKey key, const KernelSource& source, CompileResult image) {
    const RelaxedCapture relaxed;  // also covers unloading a module that another thread loaded first
    const CUmodule module = load(source, std::move(image));
    std::unique_ptr<Kernel> made = made_of(source);
    const CUresult result = driver().cuModuleGetFunction.try_call(&made->function, module, source.name.c_str());
    const auto lock = lock_over_calls(mutex_);
    const Kernel* known = find(key);
    if (known || result != CUDA_SUCCESS || !alive_) {
        if (alive_) driver().cuModuleUnload.clean_up(module);
        if (known) return *known;  // another thread compiled it first
        if (result != CUDA_SUCCESS) driver().cuModuleGetFunction.fail(result, "'" + source.name + "'");
        raise_context_gone("the table of array kernels");
    }
    modules_.push_back(module);
    return insert(key, std::move(made));
}

const Kernel& Kernels::insert(KernelKey key, std::unique_ptr<Kernel> kernel) {
    kernels_.push_back(std::move(kernel));
    Slots* table = slots_.load(std::memory_order_relaxed);
    if (++count_ * 2 > table->mask) {
        auto larger = std::make_unique<Slots>((table->mask + 1) * 2);
        for (std::size_t at = 0; at <= table->mask; ++at)
            if (const std::uint64_t old = table->slots[at].key) insert(*larger, {old}, table->slots[at].kernel);
        insert(*larger, key, kernels_.back().get());
        slots_.store(larger.get(), std::memory_order_release);
        all_slots_.push_back(std::move(larger));
    } else {
        insert(*table, key, kernels_.back().get());
    }
    return *kernels_.back();
}

void Kernels::prepare(std::span<const Wanted> wanted) {
    if (std::all_of(wanted.begin(), wanted.end(), [this](const Wanted& each) { return find(each.key); })) [[likely]]
        return;
    std::vector<Job> jobs;
    for (const Wanted& each : wanted)
        if (!find(each.key)) jobs.push_back({each.key, each.source()});
    compile_together(jobs);
}

void Kernels::remember_prepared(KernelKey key) {
    const auto lock = lock_over_calls(mutex_);
    if (!find(key)) insert(key, std::make_unique<Kernel>());
}

/// Compilers parse one source at a time and run in parallel only afterwards: start with the longest.
void Kernels::compile_together(std::span<const Job> jobs) {
    if (jobs.size() < 2) return;
    if (!alive_) raise_context_gone("the table of array kernels");
    const WaitScope unlocked;
    const std::shared_ptr<Context> context = Context::current();
    std::vector<std::optional<CompileResult>> results(jobs.size());
    const auto work = [&](std::size_t k) {
        try {
            const ContextScope scope(*context);  // determines the architecture
            results[k] = compiled(jobs[k].source);
        } catch (const std::exception&) {
            // get() tries again and reports the error
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t k = 1; k < jobs.size(); ++k) {
            try {
                threads.emplace_back(work, k);
            } catch (const std::system_error&) {
                break;  // no thread available: the rest is compiled on demand
            }
        }
        work(0);  // runs on this thread, without starting another one
    }
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        if (!results[k]) continue;
        show(jobs[k].source);
        add(jobs[k].key, jobs[k].source, std::move(*results[k]));
    }
}

void Kernels::remember_dense(Op op, DType a, unsigned b, bool first_type, const Kernel& kernel) {
    const auto lock = lock_over_calls(mutex_);
    auto& slot = rows_[first_type][static_cast<std::size_t>(op)];
    Row* row = slot.load(std::memory_order_relaxed);
    if (!row) slot.store(row = new Row, std::memory_order_release);
    row->entries[static_cast<unsigned>(a)][b].store(&kernel, std::memory_order_release);
}

namespace {

const char* hint_for(CUresult result) noexcept {
    switch (result) {
        case CUDA_ERROR_INVALID_HANDLE:
        case CUDA_ERROR_INVALID_CONTEXT:
            return "; the arrays' context must be current";
        default:
            return "";
    }
}

}  // namespace

void Kernels::launch(const Kernel& kernel, std::uint64_t blocks, unsigned threads, const void* arguments,
                     std::size_t nbytes, CUstream stream, unsigned shared_bytes) const {
    if (!alive_.load(std::memory_order_relaxed)) [[unlikely]]
        raise_context_gone("the table of array kernels");
    if (blocks > 0x7fffffff) [[unlikely]]
        throw std::invalid_argument("the array is too large for one launch of '" + kernel.name + "'");
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments), CU_LAUNCH_PARAM_BUFFER_SIZE, &nbytes,
                     CU_LAUNCH_PARAM_END};
    note_long_work();
    const LaunchConfig config{{static_cast<unsigned>(blocks), 1, 1}, {threads, 1, 1}, shared_bytes, stream};
    const CUresult result = kernel.launches.queue(kernel.function, config, extra);
    if (result != CUDA_SUCCESS) [[unlikely]]
        driver().cuLaunchKernel.fail(result, "kernel '" + kernel.name + "', " + std::to_string(blocks) + " blocks of " +
                                                 std::to_string(threads) + " threads" + hint_for(result));
}

}  // namespace pycuda::gpuarray
