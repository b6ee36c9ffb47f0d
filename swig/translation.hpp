#pragma once

#include <cxxabi.h>

#include <new>
#include <stdexcept>

#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/composed/linalg.hpp"

/// The kinds of C++ exceptions that a language distinguishes.
namespace pycuda::bindings {

/// Pass the exception in flight to `language`, which translates it. Its own exceptions propagate; so does the forced
/// unwinding of a thread, which must not be stopped.
template <class Language>
void translate_current_exception(Language&& language) {
    try {
        throw;
    } catch (const CompileError& error) {
        language.compile_error(error);
    } catch (const Error& error) {
        language.error(error);
    } catch (const gpuarray::LinAlgError& error) {
        language.linear_algebra(error.what());
    } catch (const ArgumentTypeError& error) {
        language.wrong_type(error.what());
    } catch (const std::invalid_argument& error) {
        language.wrong_value(error.what());
    } catch (const std::out_of_range& error) {
        language.out_of_range(error.what());
    } catch (const std::bad_alloc&) {
        language.no_memory();
    } catch (const std::exception& error) {
        language.other(error.what());
    } catch (const abi::__forced_unwind&) {
        throw;
    } catch (...) {
        language.other("unknown C++ exception");
    }
}

}  // namespace pycuda::bindings
