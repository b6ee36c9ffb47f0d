#include "api/abi.hpp"
#include "api/declarations/newer.hpp"
#include "api/declarations/opengl.hpp"
#include "exec/environment.hpp"
#include "exec/interruption.hpp"
#include "exec/observation.hpp"
#include "state/memory/address_space.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

extern "C" {
CUresult cuProfilerInitialize(const char*, const char*, int);
CUresult cuProfilerStart();
CUresult cuProfilerStop();
}

// Every exported function is declared, by cuda.h or here, so that its address can be taken.
using namespace cpu::api;
using cpu::state::AddressSpace;
namespace exec = cpu::exec;

namespace {

enum class DefaultStream { LEGACY, PER_THREAD };

struct Export {
    void* address;
    int version;  ///< the CUDA version that introduced this variant
    DefaultStream stream;
};

using Table = std::unordered_map<std::string_view, std::vector<Export>>;

const Table& exports() {
    static const auto* const table = [] {
        auto* made = new Table;
        const auto add = [&](std::string_view base, auto* function, int version, DefaultStream stream) {
            (*made)[base].push_back({reinterpret_cast<void*>(function), version, stream});
        };
        using enum DefaultStream;
#define IMPLEMENTED(symbol, base, version, stream) add(#base, &symbol, version, stream);
#define NOT_SUPPORTED(symbol, base, version, stream) add(#base, &symbol, version, stream);
#include "exports.def"
#undef IMPLEMENTED
#undef NOT_SUPPORTED
        return made;
    }();
    return *table;
}

/// The newest variant that the program's version allows; among those, the one for the requested default stream.
const Export* pick(const std::vector<Export>& variants, int version, DefaultStream wanted) {
    const Export* best = nullptr;
    for (const Export& variant : variants) {
        if (variant.version > version || (variant.stream != wanted && variant.stream == DefaultStream::PER_THREAD))
            continue;
        const auto rank = [&](const Export& e) { return std::pair(e.stream == wanted, e.version); };
        if (!best || rank(variant) > rank(*best)) best = &variant;
    }
    return best;
}

CUdriverProcAddressQueryResult look_up(const char* symbol, void** function, int version, cuuint64_t flags) {
    require(symbol != nullptr && function != nullptr && *symbol != '\0');
    constexpr auto known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    require((flags & ~static_cast<cuuint64_t>(known)) == 0);
    *function = nullptr;
    const auto found = exports().find(symbol);
    if (found == exports().end()) return CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const bool own_stream = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    const Export* const variant =
        pick(found->second, version, own_stream ? DefaultStream::PER_THREAD : DefaultStream::LEGACY);
    if (!variant) return CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    *function = variant->address;
    return CU_GET_PROC_ADDRESS_SUCCESS;
}

}  // namespace

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
    return entry_before_init("cuGetProcAddress", [&] {
        const auto status = look_up(symbol, pfn, cudaVersion, flags);
        put_optional(symbolStatus, status);
    });
}

namespace {

/// Functions that this driver has in addition to CUDA's, for libraries that know it.
constexpr struct {
    void (*set_interrupt_check)(cpu::exec::InterruptCheck check);
} interruption{cpu::exec::set_interrupt_check};
constexpr struct {
    void (*set_work_observer)(cpu::exec::WorkObserver observer);
} observation{cpu::exec::set_work_observer};
constexpr struct {
    void (*set_memory_lines)(cpu::exec::MemoryLines describe);
} lines_of_memory{cpu::exec::set_memory_lines};
exec::Lease* lease_at(CUdeviceptr base) noexcept try { return &AddressSpace::instance().lease_at(base); } catch (...) {
    return nullptr;  // then all of the allocation may be accessed
}
void lend(exec::Lease* lease, std::size_t bytes) noexcept {
    lease->begin(bytes);
}
void take_back(exec::Lease* lease, bool freed_by_call) noexcept {
    lease->end(freed_by_call ? exec::Lease::Ending::Freed : exec::Lease::Ending::Unreachable);
}

/// For pools of the program: what they have lent of an allocation.
constexpr struct {
    exec::Lease* (*lease_at)(CUdeviceptr base) noexcept;
    void (*lend)(exec::Lease* lease, std::size_t bytes) noexcept;
    void (*take_back)(exec::Lease* lease, bool freed_by_call) noexcept;
} lending{lease_at, lend, take_back};
constexpr struct {
    char id[sizeof CUuuid::bytes + 1];
    const void* table;
} own_tables[] = {{"pycuda-interrupt", &interruption},
                  {"pycuda-observers", &observation},
                  {"pycuda-mem-lines", &lines_of_memory},
                  {"pycuda-pool-lent", &lending}};

/// Null for tables of other libraries.
const void* own_table(const CUuuid& id) noexcept {
    for (const auto& own : own_tables)
        if (std::memcmp(id.bytes, own.id, sizeof id.bytes) == 0) return own.table;
    return nullptr;
}

/// The tables that the runtime library (cudart) requests at its first call, and cannot do without. NVRTC requests
/// another one and works without it.
constexpr unsigned char tables_of_cudart[][sizeof CUuuid::bytes] = {
    {0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9},
    {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9}};

bool is_of_cudart(const CUuuid& id) noexcept {
    return std::any_of(std::begin(tables_of_cudart), std::end(tables_of_cudart),
                       [&](const auto& table) { return std::memcmp(id.bytes, table, sizeof table) == 0; });
}

}  // namespace

// The private tables that NVIDIA's libraries use between each other are deliberately not provided: their functions are
// undocumented. The runtime library passes only the error code on to the program.
CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
    return entry_before_init("cuGetExportTable", [&] {
        require(ppExportTable != nullptr && pExportTableId != nullptr);
        const void* const table = own_table(*pExportTableId);
        if (!table && is_of_cudart(*pExportTableId))
            cpu::exec::say_once(
                "the CUDA runtime library (cudart) requested an undocumented table of NVIDIA's driver, which the CPU "
                "device does not have: it runs programs that use the driver API (cuMemAlloc, not cudaMalloc)");
        if (!table) fail(CUDA_ERROR_NOT_SUPPORTED);
        *ppExportTable = table;
    });
}

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
    return entry_before_init("cuGetProcAddress", [&] {
        const auto status = look_up(symbol, pfn, cudaVersion, flags);
        return status == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
    });
}
