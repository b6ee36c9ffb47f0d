// Shared by the tests of texture and surface references: programs in the language of CUDA 11, compiled by the test.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "pycuda/arrays/array.hpp"
#include "pycuda/arrays/memcpy_nd.hpp"
#include "pycuda/arrays/texture.hpp"
#include "pycuda/arrays/texture_object.hpp"
#include "pycuda/compiler/compiler.hpp"
#include "pycuda/constants/array_formats.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/toolchain/toolchain.hpp"
#include "support.hpp"

namespace pycuda::test {

class TextureTest : public ContextTest {
protected:
    void SetUp() override {
        const std::filesystem::path root = PYCUDA_SOURCE_DIR;
        set_device_include_dir((root / "core/device/include").generic_string());
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(PYTHON_LIBRARIES, error))
            add_toolkit_search_root((entry.path() / "site-packages").generic_string());
        ContextTest::SetUp();
    }
    void TearDown() override {
        for (const char* kind : {"array", "mipmapped array", "texture object", "surface object"})
            EXPECT_EQ(live_handles(kind), 0) << kind;
        ContextTest::TearDown();
    }

    static std::shared_ptr<Module> load(const std::string& source, const std::string& backend = "nvrtc") {
        CompileRequest request;
        request.source = source;
        request.backend = backend;
        request.use_cache = false;
        const CompileResult result = compile(request);
        for (const std::string& warning : result.warnings) ADD_FAILURE() << warning;
        return Module::from_buffer(result.image.data(), result.image.size());
    }

    /// An array of `shape` with these texels, one for each element.
    template <class T>
    static std::shared_ptr<Array> filled(const ArrayDescriptor3D& shape, const std::vector<T>& texels) {
        auto array = std::make_shared<Array>(shape);
        Memcpy3D copy;
        copy.width_in_bytes = copy.src_pitch = shape.width * shape.num_channels * channel_bytes(shape.format);
        copy.height = copy.src_height = std::max<std::size_t>(shape.height, 1);
        copy.depth = std::max<std::size_t>(shape.depth, 1);
        copy.set_src_host(texels.data(), texels.size() * sizeof(T), nullptr);
        copy.set_dst_array(array);
        copy.execute();
        return array;
    }

    /// Queues `kernel`(T* out) with `count` threads.
    template <class T>
    static void queue(Module& module, const std::string& kernel, const DeviceAllocation& out, unsigned count,
                      const Stream* stream = nullptr, std::size_t offset = 0) {
        LaunchConfig config;
        config.block[0] = count;
        const auto queue = use_of(stream);
        config.stream = queue;
        const DevicePtr pointer = out.pointer() + offset * sizeof(T);
        module.get_function(kernel).launch(config, &pointer, sizeof pointer);
    }

    /// The elements that `kernel`(T* out) writes with `count` threads.
    template <class T>
    static std::vector<T> run(Module& module, const std::string& kernel, unsigned count) {
        const DeviceAllocation out(count * sizeof(T));
        queue<T>(module, kernel, out, count);
        std::vector<T> values(count);
        memcpy_dtoh(values.data(), count * sizeof(T), out.pointer());
        return values;
    }
};

}  // namespace pycuda::test
