#pragma once

#include <cxxabi.h>

#include <new>
#include <stdexcept>

#include "pycuda/error.hpp"

/// Which kinds of C++ exceptions there are for a language.
namespace pycuda::bindings {

/// Hands the exception in flight to `language`, which makes one of its own of it. What that throws flies on; so does
/// the unwinding of a thread that is ended, which nobody may stop.
template <class Language>
void translate_current_exception(Language&& language) {
    try {
        throw;
    } catch (const CompileError& error) {
        language.compile_error(error);
    } catch (const Error& error) {
        language.error(error);
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
