// Small results become records, lists or arrays.
%define PYCUDA_JAVA_ARRAY_RESULT(JNI_ELEMENT, JNI_ARRAY, ELEMENT, JSTYPE, FLATTEN, WRAP, CXX_TYPE...)
%typemap(jni) CXX_TYPE "JNI_ARRAY"
%typemap(jtype) CXX_TYPE "ELEMENT[]"
%typemap(jstype) CXX_TYPE "JSTYPE"
%typemap(out) CXX_TYPE %{ {
        const auto& value = $1;
        $result = pycuda_java::to_java(jenv, std::vector<JNI_ELEMENT> FLATTEN);
    } %}
%typemap(javaout) CXX_TYPE {
    var parts = $jnicall;
    return WRAP;
  }
%enddef
%define PYCUDA_PAIR(FIRST, SECOND) {static_cast<jlong>(value.FIRST), static_cast<jlong>(value.SECOND)} %enddef
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.MemInfo, PYCUDA_PAIR(free, total), Driver.MemInfo.of(parts), pycuda::MemInfo)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.GlobalSymbol, PYCUDA_PAIR(pointer, size), Driver.GlobalSymbol.of(parts),
                         pycuda::GlobalSymbol)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.AddressRange, PYCUDA_PAIR(base, size), Driver.AddressRange.of(parts),
                         pycuda::AddressRange)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.MappedMemory, PYCUDA_PAIR(pointer, size), Driver.MappedMemory.of(parts),
                         pycuda::MappedMemory)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, Driver.ArrayMemory, PYCUDA_PAIR(size, alignment), Driver.ArrayMemory.of(parts),
                         pycuda::ArrayMemory)
PYCUDA_JAVA_ARRAY_RESULT(jlong, jlongArray, long, java.util.List<Kernel.Parameter>, (pycuda_java::flat_parameters(value)),
                         Kernel.Parameter.of(parts), std::vector<pycuda::KernelParameter>)
%{
#include <pycuda/memory/managed_memory.hpp>

namespace pycuda_java {
/// Type and number of each, one after another.
inline std::vector<jint> flat_locations(const std::vector<pycuda::MemoryLocation>& locations) {
    std::vector<jint> flat;
    for (const auto& location : locations) flat.insert(flat.end(), {static_cast<jint>(location.type), location.id});
    return flat;
}
}  // namespace pycuda_java
%}
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, java.util.List<Driver.MemoryLocation>, (pycuda_java::flat_locations(value)),
                         Driver.MemoryLocation.of(parts), std::vector<pycuda::MemoryLocation>)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.ComputeCapability, ({value.major, value.minor}),
                         new Driver.ComputeCapability(parts[0], parts[1]), pycuda::ComputeCapability)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.PotentialBlockSize, ({value.min_grid_size, value.block_size}),
                         new Driver.PotentialBlockSize(parts[0], parts[1]), pycuda::PotentialBlockSize)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.StreamPriorityRange, ({value.least, value.greatest}),
                         new Driver.StreamPriorityRange(parts[0], parts[1]), pycuda::StreamPriorityRange)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, Driver.Version, (value.begin(), value.end()), Driver.Version.of(parts), std::array<int, 3>)
PYCUDA_JAVA_ARRAY_RESULT(jint, jintArray, int, int[], (value.begin(), value.end()), parts, std::vector<jint>)
PYCUDA_JAVA_ARRAY_RESULT(std::string, jobjectArray, String, java.util.List<String>, (value), java.util.List.of(parts),
                         std::vector<std::string>)
// Moved out of the pair: Java then owns it.
%typemap(jni) pycuda::PitchedAllocation "jlongArray"
%typemap(jtype) pycuda::PitchedAllocation "long[]"
%typemap(jstype) pycuda::PitchedAllocation "Driver.PitchedAllocation"
%feature("valuewrapper") pycuda::PitchedAllocation;
%typemap(out) pycuda::PitchedAllocation %{ {
        pycuda::PitchedAllocation pitched = $1;
        auto owned = std::make_unique<pycuda::DeviceAllocation>(std::move(pitched.allocation));
        $result = pycuda_java::to_java(jenv, std::vector<jlong>{reinterpret_cast<jlong>(owned.get()), static_cast<jlong>(pitched.pitch)});
        if ($result) owned.release();
    } %}
%typemap(javaout) pycuda::PitchedAllocation {
    long[] parts;
    var allocation = new DeviceAllocation((parts = $jnicall)[0], true);  // made before the call: it may find no room
    return new Driver.PitchedAllocation(allocation, parts[1]);
  }
%ignore pycuda::PitchedAllocation;
%ignore pycuda::PotentialBlockSize;
%ignore pycuda::StreamPriorityRange;
%ignore pycuda::MemInfo;
%ignore pycuda::GlobalSymbol;
%ignore pycuda::MappedMemory;
%ignore pycuda::AddressRange;
%ignore pycuda::ArrayMemory;
%ignore pycuda::MemoryLocation;
%ignore pycuda::ComputeCapability;
%ignore pycuda::DriverInfo;
%ignore pycuda::driver_info;
