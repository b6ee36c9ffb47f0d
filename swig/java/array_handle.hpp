// Arguments of calls of Java's arrays: arrays and streams, as the addresses of their C++ objects.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "array_calls.hpp"
#include "jni_support.hpp"
#include "pycuda/errors/error.hpp"
#include "pycuda/gpuarray/array.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda_java {

inline const pycuda::gpuarray::Array& at(ArrayHandle handle) {
    return *reinterpret_cast<const pycuda::gpuarray::Array*>(handle);
}

/// Java deletes it.
inline ArrayHandle give(std::unique_ptr<pycuda::gpuarray::Array> array) {
    return reinterpret_cast<ArrayHandle>(array.release());
}
inline ArrayHandle give(pycuda::gpuarray::Array array) {
    return reinterpret_cast<ArrayHandle>(new pycuda::gpuarray::Array(std::move(array)));
}

static_assert(sizeof(jlong) == sizeof(std::int64_t));
inline std::span<const std::int64_t> numbers(const std::vector<jlong>& values) {
    return {reinterpret_cast<const std::int64_t*>(values.data()), values.size()};
}

/// The stream of an operation, for the duration of the call: 0 means the stream in use on this thread. Arrays refer to
/// their stream, and may outlive it.
class StreamOfOperation {
public:
    explicit StreamOfOperation(pycuda::Handle<pycuda::StreamTraits>::Use given)
        : given_(std::move(given)), stream_(given_ ? CUstream(given_) : pycuda::gpuarray::stream_in_use()) {}
    operator CUstream() const noexcept { return stream_; }

private:
    pycuda::Handle<pycuda::StreamTraits>::Use given_;
    CUstream stream_;
};

inline StreamOfOperation stream_of(std::uint64_t stream) {
    try {
        return StreamOfOperation(pycuda::use_of(reinterpret_cast<const pycuda::Stream*>(stream)));
    } catch (const pycuda::LogicError& error) {
        throw pycuda::LogicError(
            "on(stream)", 0,
            std::string(error.what()) + "; on(Stream.DEFAULT) takes an array or a kernel to the default stream");
    }
}

}  // namespace pycuda_java
