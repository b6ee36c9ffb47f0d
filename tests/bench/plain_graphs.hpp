#pragma once

// Graphs as a C program uses them; see plain_driver.hpp. A C interface, for Python's ctypes.
extern "C" {

/// Readies the calls below in the current context, with the driver that this process has already loaded. A CUresult, or
/// -1 if it has loaded none.
int plain_graphs_open();

/// The time of `count` calls after a synchronise, in microseconds per call, or minus a CUresult that is not 0.
double plain_graph_launch(int count);    ///< a graph of one kernel of three pointers and an int
double plain_graph_100(int count);       ///< a graph of 100 such kernels
double plain_node_update(int count);     ///< of that kernel's arguments
double plain_updated_launch(int count);  ///< the same, and a launch in the default stream: what a repeated launch does
double plain_capture(int count);         ///< of 100 launches; the graph is destroyed
double plain_100_launches(int count);    ///< 100 launches, not captured
}
