#include "exec/image.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "exec/code.hpp"
#include "exec/lowering/lower.hpp"
#include "exec/running/memory.hpp"
#include "exec/source_text.hpp"
#include "platform/pages.hpp"
#include "ptx/error.hpp"

namespace cpu::exec {
namespace {

constexpr std::size_t page = 4096;  // the gap between variables, not the system's page size
constexpr std::uint64_t largest_variable = 1ull << 36;

std::size_t round_to_page(std::size_t size) {
    return (size + page - 1) / page * page;
}

bool is_reference(const ptx::Variable& v) {
    return ptx::info(v.type).kind == ptx::Kind::Opaque && v.space == ptx::Space::Global;
}

/// ptxas also ignores `.extern` if no other text could define the variable.
bool has_storage(const ptx::Program& program, const ptx::Variable& v) {
    if (is_reference(v) || (v.space != ptx::Space::Global && v.space != ptx::Space::Const)) return false;
    return v.linkage != ptx::Linkage::Extern || (!program.linked && !v.unsized);
}

void check_constants(const ptx::Program& program) {
    std::uint64_t end = 0;
    for (const ptx::Variable& v : program.variables) {
        if (v.space != ptx::Space::Const || !has_storage(program, v)) continue;
        end = (end + v.alignment - 1) / v.alignment * v.alignment + v.size();
        if (end > limits::constant_memory) throw too_much("File", "global constant data", end, limits::constant_memory);
    }
}

/// The linker requires a definition of every declared variable, even an unused one.
void check_resolved(const ptx::Program& program) {
    for (const ptx::Variable& v : program.variables) {
        if (v.linkage != ptx::Linkage::Extern || v.space == ptx::Space::Shared || has_storage(program, v)) continue;
        if (program.linked) throw LoadError(CUDA_ERROR_INVALID_PTX, 0, "Undefined reference to '" + v.name + "'");
        throw LoadError(CUDA_ERROR_INVALID_PTX, static_cast<int>(v.line), "unresolved extern variable " + v.name);
    }
}

/// The number of threads that `.maxntid` or `.reqntid` gives for a block; 0 without them.
std::uint32_t threads_of(const std::array<std::uint32_t, 3>& d) {
    return static_cast<std::uint32_t>(std::min<double>(1.0 * d[0] * d[1] * d[2], limits::threads_per_block));
}

/// The maximum number of registers that ptxas would give a thread; it would spill the rest.
std::uint32_t max_registers(const ptx::Program& program, const ptx::Directives& d) {
    std::uint32_t max = limits::registers_per_thread;
    const std::uint32_t threads = threads_of(d.reqntid[0] ? d.reqntid : d.maxntid);
    if (threads && !d.maxnreg)
        max = std::min(max, limits::registers / threads / limits::register_step * limits::register_step);
    for (const std::uint32_t declared : {d.maxnreg, program.max_registers})
        if (declared) max = std::min(max, std::max(declared, limits::fewest_registers_per_thread));
    return max;
}

/// The storage of a module's variables, each with an unregistered page on both sides.
class Storage {
public:
    Storage(const ptx::Program& program, Memory& memory) : memory_(memory) {
        for (const ptx::Variable& v : program.variables) {
            if (!has_storage(program, v)) continue;
            if (v.size() > largest_variable)
                throw LoadError(CUDA_ERROR_OUT_OF_MEMORY, static_cast<int>(v.line),
                                "variable " + v.name + " is too large");
            size_ += round_to_page(std::max<std::size_t>(v.size(), 1)) + page;
        }
        size_ += page;
        start_ = static_cast<std::byte*>(platform::map_pages(size_));
        if (!start_) throw LoadError(CUDA_ERROR_OUT_OF_MEMORY, 0, "out of memory for the variables of a module");
    }
    ~Storage() {
        for (std::uintptr_t base : registered_) memory_.remove(base);
        platform::unmap_pages(start_, size_);
    }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    std::byte* place(const ptx::Variable& v) {
        std::byte* at = start_ + used_ + page;
        used_ += round_to_page(std::max<std::size_t>(v.size(), 1)) + page;
        if (v.size() > 0) {
            const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(at);
            memory_.add({base, v.size(), v.space == ptx::Space::Const, !v.managed});
            registered_.push_back(base);
        }
        return at;
    }

private:
    Memory& memory_;
    std::byte* start_ = nullptr;
    std::size_t size_ = 0;
    std::size_t used_ = 0;
    std::vector<std::uintptr_t> registered_;
};

class LoadedImage final : public Image {
public:
    LoadedImage(std::string_view ptx, const ptx::Program& program, Memory& memory, const Options& options)
        : storage_(program, memory) {
        check_constants(program);
        check_resolved(program);
        place_variables(program);
        if (options.line_info) locations_ = describe_locations(ptx, program);
        const Lowering lowering(program, addresses_);
        for (ptx::FunctionId id = 0; id < program.functions.size(); ++id)
            if (program.functions[id].entry && program.functions[id].defined) add_kernel(program, id, lowering);
        for (const auto& kernel : kernels_) kernel->kernels = by_address_;
    }

    const Kernel* kernel(std::string_view name) const override {
        for (const auto& kernel : kernels_)
            if (kernel->info.name == name) return kernel.get();
        return nullptr;
    }
    std::vector<const Kernel*> kernels() const override {
        std::vector<const Kernel*> result;
        for (const auto& kernel : kernels_) result.push_back(kernel.get());
        return result;
    }
    const GlobalVariable* global(std::string_view name) const override {
        const auto found = std::ranges::find(globals_, name, &GlobalVariable::name);
        return found == globals_.end() ? nullptr : &*found;
    }
    std::span<const GlobalVariable> globals() const override { return globals_; }
    std::span<const Reference> references() const override { return references_; }

private:
    void place_variables(const ptx::Program& program) {
        addresses_.assign(program.variables.size(), 0);
        for (std::size_t id = 0; id < program.variables.size(); ++id) {
            const ptx::Variable& v = program.variables[id];
            if (is_reference(v)) {
                addresses_[id] = references_.size();
                add_reference(v);
                continue;
            }
            if (!has_storage(program, v)) continue;
            std::byte* at = storage_.place(v);
            addresses_[id] = reinterpret_cast<std::uintptr_t>(at);
            if (!v.data.empty()) std::memcpy(at, v.data.data(), std::min<std::size_t>(v.data.size(), v.size()));
            if (v.owner == ptx::none)
                globals_.push_back({v.name, addresses_[id], v.size(), v.space == ptx::Space::Const, v.managed});
        }
        for (std::size_t id = 0; id < program.variables.size(); ++id)
            relocate(program, program.variables[id], addresses_[id]);
    }

    void add_reference(const ptx::Variable& v) {
        if (v.type == ptx::Type::Samplerref)  // this is what driver 580 reports
            throw LoadError(CUDA_ERROR_NOT_FOUND, static_cast<int>(v.line), "no sampler has the name " + v.name);
        references_.push_back({v.name, v.type == ptx::Type::Surfref, v.count > 1});
    }

    void relocate(const ptx::Program& program, const ptx::Variable& v, std::uint64_t at) {
        for (const ptx::Relocation& r : v.relocations) {
            // A reference is resolved when a kernel is launched, not before.
            if (!r.is_function && is_reference(program.variables[r.symbol]))
                throw LoadError(CUDA_ERROR_NO_BINARY_FOR_GPU, static_cast<int>(v.line),
                                "a texture or surface in the initial value of " + v.name + " is not supported");
            if (at == 0 || r.offset + r.size > v.size()) continue;
            const std::uint64_t symbol = r.is_function ? function_address(r.symbol) : addresses_[r.symbol];
            const std::uint64_t value = (symbol + static_cast<std::uint64_t>(r.addend)) >> r.shift;
            std::memcpy(reinterpret_cast<std::byte*>(at) + r.offset, &value,
                        std::min<std::size_t>(r.size, sizeof value));
        }
    }

    void add_kernel(const ptx::Program& program, ptx::FunctionId id, const Lowering& lowering) {
        auto kernel = std::make_unique<Kernel>();
        describe(program, program.functions[id], kernel->info);
        lowering.lower(id, *kernel);
        kernel->info.local_bytes = kernel->local_bytes;
        const std::uint32_t slots = (kernel->affine_slots - kernel->fixed.end) / (4 * warp_size);
        kernel->info.registers = std::clamp(slots, 1u, max_registers(program, program.functions[id].directives));
        kernel->locations = locations_;
        by_address_->emplace(function_address(id), kernel.get());
        kernels_.push_back(std::move(kernel));
    }

    static std::shared_ptr<const std::vector<std::string>> describe_locations(std::string_view ptx,
                                                                              const ptx::Program& program) {
        auto result = std::make_shared<std::vector<std::string>>();
        SourceText sources(ptx);
        const auto describe = [&](const ptx::SourceLocation& l) {
            const auto file = program.files.find(l.file);
            return file == program.files.end() ? "?:" + std::to_string(l.line) : sources.describe(file->second, l.line);
        };
        for (const ptx::SourceLocation& l : program.locations)
            result->push_back(describe(l) + (l.outermost == ptx::none
                                                 ? ""
                                                 : ", inlined at " + describe(program.locations[l.outermost])));
        return result;
    }

    static void describe(const ptx::Program& program, const ptx::Function& function, KernelInfo& info) {
        info.name = function.name;
        for (ptx::VariableId id : function.parameters) {
            const ptx::Variable& v = program.variables[id];
            info.parameters.push_back(
                {static_cast<std::uint32_t>(v.offset), static_cast<std::uint32_t>(v.size()), v.alignment});
        }
        info.parameter_bytes = static_cast<std::uint32_t>(function.parameter_bytes);
        const ptx::Directives& d = function.directives;
        if (d.reqntid[0]) {
            std::ranges::copy(d.reqntid, info.required_block);
            info.max_threads = threads_of(d.reqntid);
        } else if (d.maxntid[0]) {
            info.max_threads = threads_of(d.maxntid);
        }
        std::ranges::copy(d.reqnctapercluster, info.required_cluster);
        info.max_clustered = d.maxclusterrank;
        info.needs_cluster = d.explicitcluster;
        info.ptx_version = program.target;
    }

    Storage storage_;
    std::vector<std::uint64_t> addresses_;
    std::shared_ptr<const std::vector<std::string>> locations_;
    std::vector<std::unique_ptr<Kernel>> kernels_;
    std::shared_ptr<std::unordered_map<std::uint64_t, const Kernel*>> by_address_ =
        std::make_shared<std::unordered_map<std::uint64_t, const Kernel*>>();
    std::vector<GlobalVariable> globals_;
    std::vector<Reference> references_;
};

}  // namespace

LoadError too_much(const std::string& who, const std::string& of_what, std::uint64_t bytes, std::uint64_t max) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, " (0x%llx bytes, 0x%llx max)", static_cast<unsigned long long>(bytes),
                  static_cast<unsigned long long>(max));
    return {CUDA_ERROR_INVALID_PTX, 0, who + " uses too much " + of_what + numbers};
}

std::shared_ptr<const Image> Image::load(std::string_view ptx, Memory& memory, const Options& options) {
    try {
        return std::make_shared<LoadedImage>(ptx, ptx::parse(ptx), memory, options);
    } catch (const ptx::SyntaxError& e) {
        const bool unsupported = e.reason() == ptx::SyntaxError::Reason::Unsupported;
        throw LoadError(unsupported ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_PTX, e.line(), e.what());
    }
}

const KernelInfo& info(const Kernel& kernel) {
    return kernel.info;
}

}  // namespace cpu::exec
