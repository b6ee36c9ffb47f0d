// The compiler layer: what both languages wrap of it. Included by a language's module file after core.i.
%{
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/compiler/cache.hpp"
#include "pycuda/report.hpp"
#include "pycuda/compiler/toolchain.hpp"
%}
%threadallow pycuda::compile;
%threadallow pycuda::find_toolkits;
%threadallow pycuda::report;
%threadallow pycuda::CompilerCache::list;
%threadallow pycuda::CompilerCache::size;
%threadallow pycuda::CompilerCache::clear;
%threadallow pycuda::CompilerCache::export_to;
%threadallow pycuda::CompilerCache::import_from;

%include "pycuda/compiler/compiler.hpp"
%include "pycuda/compiler/cache.hpp"
%include "pycuda/compiler/toolchain.hpp"
%include "pycuda/report.hpp"
