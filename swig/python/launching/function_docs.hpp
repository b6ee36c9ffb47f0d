// The texts that help() shows for Function's calls.
#pragma once

namespace pycuda::python {

constexpr const char call_doc[] =
    R"(__call__($self, /, *args, block, grid=(1, 1), stream=None, shared=0, texrefs=[], time_kernel=False, cooperative=False, cluster=None, attributes=None)
--

Launch the kernel.

Parameters
----------
args : numpy scalar, GPUArray, DeviceAllocation, TensorMap, ArgumentHandler or buffer
    The kernel's arguments. Their number and sizes are checked.
block : tuple of int
    Threads per block along x, y and z.
grid : tuple of int, optional
    Blocks along x, y and z.
stream : Stream, optional
    The stream to queue the launch on; None is the default stream.
shared : int, optional
    Bytes of dynamic shared memory per block.
texrefs : sequence of TextureReference, optional
    Texture references that the kernel reads; each must be bound.
time_kernel : bool, optional
    Whether to wait for the kernel and return its time. Not with a stream.
cooperative : bool, optional
    Whether blocks may synchronise with each other.
cluster : tuple of int, optional
    Blocks per cluster along x, y and z; None: no clusters.
attributes : mapping, optional
    Further attributes of the launch by name or `launch_attribute`, as in ``{"priority": -1, "programmatic_stream_serialization": True}``.
    A value of several parts is a tuple.

Returns
-------
float or None
    With `time_kernel`, the time in seconds.

Raises
------
TypeError
    The number or size of the arguments is wrong; the message names the argument. Or an attribute has a value of another type.
ValueError
    There is no attribute of this name, or its value is out of range.
RuntimeError
    The driver is older than an attribute; the message says which version brought it.
LogicError
    The geometry is invalid, the module was closed, or its context is not current.
LaunchError
    The kernel failed, if the call waits for it.
Error
    The driver refused the call; the subclass says why.

Notes
-----
Driver call: cuLaunchKernel, or cuLaunchKernelEx with `cooperative`, `cluster` or `attributes`.

Examples
--------
>>> module = SourceModule("__global__ void fill(int *x, int n) { x[threadIdx.x] = n; }")
>>> fill = module.get_function("fill")
>>> x = np.empty(4, np.int32)
>>> fill(drv.Out(x), np.int32(7), block=(4, 1, 1))
>>> x.tolist()
[7, 7, 7, 7]
>>> fill(drv.Out(x), np.int32(8), block=(4, 1, 1), time_kernel=True) > 0
True
)";

constexpr const char prepare_doc[] =
    R"(prepare($self, arg_types, shared=None, texrefs=[])
--

Fix the types of the arguments, for `prepared_call`.

Parameters
----------
arg_types : str or sequence
    Characters of the struct module ("F" and "D" for complex numbers, "T" for a `TensorMap`), or a sequence of those, NumPy types and
    dtypes, and `TensorMap`. Anything else stands for a pointer.
shared : int, optional
    Deprecated: pass `shared_size` to the call.
texrefs : sequence of TextureReference, optional
    Texture references that the kernel reads.

Returns
-------
Function
    This function.

Raises
------
TypeError
    The types do not fit the kernel's parameters.

Examples
--------
>>> module = SourceModule("__global__ void fill(int *x, int n) { x[threadIdx.x] = n; }")
>>> fill = module.get_function("fill")
>>> fill.prepare("Pi").prepared_call((1, 1), (4, 1, 1), drv.mem_alloc(16), 7)
)";

constexpr const char prepared_call_doc[] =
    R"(prepared_call($self, grid, block, *args, shared_size=0, attributes=None)
--

Launch with arguments of the types given to `prepare`, on the default stream.

Parameters
----------
grid : tuple of int
    Blocks along x and y, or x, y and z.
block : tuple of int
    Threads per block along x, y and z.
args : object
    The kernel's arguments.
shared_size : int, optional
    Bytes of dynamic shared memory per block.
attributes : mapping, optional
    Attributes of the launch, as for a call.

Raises
------
LogicError
    `prepare` was not called, or the geometry is invalid.
TypeError
    The number of arguments is wrong, or one does not fit its type.
Error
    The driver refused the call; the subclass says why.

Notes
-----
Driver call: cuLaunchKernel, or cuLaunchKernelEx with `attributes`.
)";

constexpr const char prepared_async_call_doc[] =
    R"(prepared_async_call($self, grid, block, stream, *args, shared_size=0, attributes=None)
--

Launch with arguments of the types given to `prepare`, on a stream.

Parameters
----------
grid : tuple of int
    Blocks along x and y, or x, y and z.
block : tuple of int
    Threads per block along x, y and z.
stream : Stream or None
    The stream to queue the launch on; None is the default stream.
args : object
    The kernel's arguments.
shared_size : int, optional
    Bytes of dynamic shared memory per block.
attributes : mapping, optional
    Attributes of the launch, as for a call.

Raises
------
LogicError
    `prepare` was not called, or the geometry is invalid.
TypeError
    The number of arguments is wrong, or one does not fit its type.
Error
    The driver refused the call; the subclass says why.

Notes
-----
Driver call: cuLaunchKernel, or cuLaunchKernelEx with `attributes`.
)";

}  // namespace pycuda::python
