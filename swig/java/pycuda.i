// The Java package org.pycuda. Driver extends the module class DriverProxy, whose public static methods are the core's functions;
// the classes are the core's, over the hand-written ones of java/src (lifetime.i).
%module(jniclassname="DriverJNI") DriverProxy

%pragma(java) moduleclassmodifiers="public abstract class"
%pragma(java) modulebase="DriverOverloads"  // generated: constants, and what takes host data of many types
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLoader.load();
    MemoryReport.recordFromStart();
    Trace.recordWholeProgram();
  }
%}
%pragma(java) modulecode=%{
  private static final Stream stream = Stream.DEFAULT;  // of copies and fills that are given none: the default stream

  DriverProxy() {}
%}

%rename("%(lowercamelcase)s", %$isfunction) "";

%include "exceptions.i"
%include "../errors.i"
%include "errors.i"  // before the first %extend: it guards what is declared after it only
%include "types.i"
%include "enums.i"
%include "buffers.i"
%include "lifetime.i"
%include "handles.i"
%include "streams.i"
%include "names.i"
%include "results.i"
%include "textures.i"
%include "copies.i"
%include "gl.i"
%include "launching.i"
%include "lists.i"
%include "graphs.i"
%include "../core.i"
%include "managed_memory.i"
%include "natives.i"
