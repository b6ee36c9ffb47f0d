// The Python module: pycuda._driver, with its C part pycuda._native. The files beside this one are Python's own, with one concept in each
// file; core.i is what both languages share.
%module(package="pycuda", threads="1", naturalvar=1) _driver

%pythoncode %{
from abc import ABCMeta as _ABCMeta

from pycuda._copies import Memcpy2DMixin as _Memcpy2DMixin, Memcpy3DMixin as _Memcpy3DMixin
from pycuda._core_dumps import CoreDumpsMixin as _CoreDumpsMixin, DriverCallbackMixin as _DriverCallbackMixin
from pycuda._device import DeviceMixin as _DeviceMixin, add_attributes_by_name as _add_attributes_by_name
from pycuda._folders import tell_core as _tell_core
from pycuda._function import FunctionMixin as _FunctionMixin
from pycuda._graphs import ExecutableGraphMixin as _ExecutableGraphMixin, GraphMixin as _GraphMixin, \
    ExecutableNode, GraphNodeMixin as _GraphNodeMixin, NodeBuilder as _NodeBuilder
from pycuda._handles import SharedMixin as _SharedMixin, \
    make_handles_properties as _make_handles_properties, make_properties as _make_properties
from pycuda._native import HostPointer, PointerHolderBase, PooledDeviceAllocation
from pycuda._libraries import KernelMixin as _KernelMixin, LibraryMixin as _LibraryMixin
from pycuda._tensor_maps import TensorMapMixin as _TensorMapMixin
from pycuda._stream import EventMixin as _EventMixin, StreamMixin as _StreamMixin
%}

// Included first, so that the typemaps below replace SWIG's.
%include <stdint.i>
%include <std_string.i>
%ignore SHARED_PTR_DISOWN;
%include <std_shared_ptr.i>

%include "runtime.i"
%include "exceptions.i"
%include "lifetime.i"
%include "strings.i"
%include "buffers.i"
%include "enums.i"
%include "handles.i"
%include "textures/textures.i"
%include "graphs/graphs.i"
%include "green_contexts.i"
%include "names.i"
%include "core.i"
%include "functions.i"
%include "graphs/functions.i"

%pythoncode %{
_make_handles_properties(globals())
_make_properties({
    **dict.fromkeys((DeviceMemoryPool, _PageLockedMemoryPool), "held_blocks active_blocks managed_bytes active_bytes"),
    **dict.fromkeys((TextureReference, SurfaceReference), "name"),
    Stream: "flags priority id device", Context: "id", MemoryOperations: "count", MemoryRanges: "count", CopyBatch: "count", Graph: "id", GraphNode: "local_id tools_id", ExecutableGraph: "flags id", Function: "name is_loaded", Kernel: "name library parameters",
    ResourceDescriptor: "type source format num_channels width height pitch", PhysicalMemory: "size", VirtualMemory: "reserved mapped", GreenContext: "sm_resource id",
    SMResource: "sm_count min_partition_size coscheduled_alignment device", TensorMap: "allocation_class", SMGroups: "count", ExternalMemory: "size", ExternalSemaphore: "handle_type", SemaphoreValues: "count", DriverCallback: "is_registered", CudaProcess: "pid state restore_thread_id"})
VirtualMemory.size = property(VirtualMemory._size)  # size() of memory is hidden, because most of it has no such property
DeviceAllocation.register(PooledDeviceAllocation)
IPCMemoryHandle.close = IPCMemoryHandle.free
_add_attributes_by_name(Device, device_attribute)
_add_attributes_by_name(Function, function_attribute)
_tell_core(_native)
_native.enable_vectorcall(Function)
_native.replace_hot_calls(globals())
# What stands above is public as pycuda.driver, but for names with an underscore; what follows is not.
__all__ = [_name for _name in globals() if not _name.startswith("_")]
%}

%include "loading.i"
%include "compilation.i"
%include "modules/linking.i"
%include "sources.i"
