#pragma once

// What the benchmarks of all languages compare with, in their own process: the driver's functions as a C program calls
// them. A C interface, for Python's ctypes.
extern "C" {

/// Readies the calls below in the current context, with the driver that this process has already loaded. A CUresult, or
/// -1 if it has loaded none.
int plain_open();

/// PTX with the kernel `add` that plain_launch launches.
const char* fast_kernel();

/// The time of `count` calls after a synchronise, in microseconds per call, or minus a CUresult that is not 0.
double plain_launch(int count);         ///< a kernel of three pointers and an int, one block of 32 threads
double plain_allocate_free(int count);  ///< 1 MB
double plain_copy(int count);           ///< 1,600 bytes to the device
double plain_copy_pinned(int count);    ///< the same, page-locked, queued
double plain_copy_large(int count);     ///< 16 MB to the device
double plain_copy_large_pinned(int count);
double plain_in_out(int count);  ///< two copies of 128 bytes to the device, the launch, one back; nothing allocated
double plain_in_out_pinned(int count);  ///< the same on a stream, from and to page-locked memory, without waiting
}
