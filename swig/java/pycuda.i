// The Java package org.pycuda: proxies of the core's headers, and the package-private natives (class Core) that the
// hand-written classes in java/src/main/java stand on.
%module(jniclassname="CoreJNI") Core

%{
#include "pycuda/function.hpp"
#include "pycuda/prepared_arguments.hpp"
%}

// Nothing generated but the proxies is public API.
%pragma(java) moduleclassmodifiers="final class"
%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) jniclasscode=%{
  static {
    NativeLoader.load();
  }
%}

%rename("%(lowercamelcase)s", %$isfunction) "";

%include "exceptions.i"
%include "../errors.i"
%include "errors.i"  // before the first %extend: it guards what is declared after it only
%include "types.i"
%include "enums.i"
%include "buffers.i"
%include "handles.i"
%include "lifetime.i"
%include "../core.i"
%include "extras.i"
