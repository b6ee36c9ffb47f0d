#pragma once

// What the benchmarks of all languages compare with, in their own process: the driver's functions as a C program calls
// them. A C interface, for Python's ctypes.
extern "C" {

/// Readies the calls below in the current context, with the driver that this process has already loaded. A CUresult, or
/// -1 if it has loaded none.
int plain_open();

/// PTX with the kernel `add` that plain_launch launches.
const char* plain_kernel();

/// What `count` calls take after a synchronise: microseconds a call, or minus the CUresult that is not 0.
double plain_launch(int count);         ///< a kernel of three pointers and an int, one block of 32 threads
double plain_allocate_free(int count);  ///< 1 MB
double plain_copy(int count);           ///< 1,600 bytes to the device
}
