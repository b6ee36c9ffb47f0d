#include "pycuda/opengl/gl.hpp"

#include <cstring>
#include <thread>
#include <vector>

#include "gl_program.hpp"
#include "pycuda/memory/memcpy.hpp"
#include "pycuda/streams/stream.hpp"
#include "support.hpp"

namespace pycuda::test {
namespace {

/// With a CUDA and an OpenGL context, and a buffer of 64 bytes with value 1.
class GlTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        const char* const why_not = gl_program_start();
        const bool on_cpu_device = driver_info().is_cpu_device;
        if (why_not && !on_cpu_device) GTEST_SKIP() << why_not;
        ASSERT_EQ(why_not, nullptr) << why_not;
        started_ = true;
        if (!on_cpu_device && !std::strstr(gl_program_vendor(), "NVIDIA"))
            GTEST_SKIP() << "OpenGL of " << gl_program_vendor() << " is not the driver's own";
        name_ = gl_program_new_buffer(std::vector<unsigned char>(64, 1).data(), 64);
    }
    void TearDown() override {
        if (started_) gl_program_stop();
        ContextTest::TearDown();
    }
    std::vector<unsigned char> seen_by_opengl() const {
        std::vector<unsigned char> read(64);
        gl_program_read_buffer(name_, read.data(), read.size());
        return read;
    }
    unsigned name_ = 0;

private:
    bool started_ = false;
};

class WithoutGl : public ContextTest {};

}  // namespace

TEST_F(WithoutGl, SaysWhatIsMissing) {
    try {
        std::make_shared<RegisteredBuffer>(1);
        FAIL() << "nothing was raised";
    } catch (const Error& error) {
        EXPECT_EQ(error.routine(), "cuGraphicsGLRegisterBuffer");
        EXPECT_NE(std::string(error.what()).find("OpenGL context"), std::string::npos) << error.what();
    }
    const auto before = Context::current();
    EXPECT_THROW(make_gl_context(Device(0)), Error);
    EXPECT_EQ(Context::current(), before);
    EXPECT_EQ(live_handles(GraphicsResourceTraits::what), 0);
}

TEST_F(GlTest, AMappingIsOfOneStateOfItsObject) {
    const auto buffer = std::make_shared<RegisteredBuffer>(name_);
    const auto first = buffer->map();
    first->unmap();
    const auto second = buffer->map();
    first->close();
    EXPECT_THROW(first->unmap(), LogicError);
    EXPECT_EQ(second->device_ptr_and_size().size, 64u);
    EXPECT_EQ(live_handles(RegisteredMapping::what), 1);
    memset_d8(second->device_ptr_and_size().pointer, 7, 64);
    second->close();
    second->close();
    EXPECT_EQ(seen_by_opengl(), std::vector<unsigned char>(64, 7));
    EXPECT_EQ(live_handles(RegisteredMapping::what), 0);
}

TEST_F(GlTest, ClosingUnmapsFirst) {
    const auto buffer = std::make_shared<RegisteredBuffer>(name_);
    const auto mapping = buffer->map();
    memset_d8(mapping->device_ptr_and_size().pointer, 8, 64);
    EXPECT_THROW(buffer->unregister(), LogicError);
    buffer->close();
    EXPECT_EQ(seen_by_opengl(), std::vector<unsigned char>(64, 8));
    EXPECT_THROW(mapping->handle(), LogicError);
    EXPECT_THROW(mapping->context(), LogicError);
}

TEST_F(GlTest, AStreamThatHasEndedIsWaitedFor) {
    const auto buffer = std::make_shared<RegisteredBuffer>(name_);
    auto stream = std::make_unique<Stream>(StreamFlags::NON_BLOCKING);
    const auto mapping = buffer->map(stream.get());
    stream->add_host_function([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
    memset_d8_async(mapping->device_ptr_and_size().pointer, 9, 64, stream.get());
    stream.reset();
    const Stream next(StreamFlags::NON_BLOCKING);  // may have the handle of the other
    mapping->unmap();
    EXPECT_EQ(seen_by_opengl(), std::vector<unsigned char>(64, 9));
}

TEST_F(GlTest, AnArrayEndsWithItsMapping) {
    constexpr unsigned texture_2d = 0x0DE1, r32f = 0x822E;
    const auto image =
        std::make_shared<RegisteredImage>(gl_program_new_image(texture_2d, r32f, 4, 3, 1, 1), texture_2d);
    auto mapping = image->map();
    const auto array = mapping->array(0, 0);
    EXPECT_EQ(array->get_descriptor().height, 3u);
    EXPECT_TRUE(*array == *mapping->array(0, 0));
    EXPECT_THROW(mapping->device_ptr_and_size(), LogicError);
    EXPECT_THROW(mapping->array(0, 1), LogicError);
    mapping->unmap();
    EXPECT_THROW(array->get_descriptor(), LogicError);
    EXPECT_THROW(array->free(), LogicError);
    EXPECT_THROW(image->set_map_flags(77), LogicError);
}

TEST_F(GlTest, ClosesWhileOthersUseIt) {
    const auto buffer = std::make_shared<RegisteredBuffer>(name_, GraphicsMapFlags::READ_ONLY);
    for (int round = 0; round < 20; ++round) {
        const auto mapping = buffer->map();
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
                try {
                    static_cast<void>(mapping->handle());
                    static_cast<void>(mapping->device_ptr_and_size());
                } catch (const LogicError&) {  // it is closed
                }
            });
        mapping->close();
        for (auto& thread : threads) thread.join();
        EXPECT_EQ(live_handles(RegisteredMapping::what), 0);
    }
}

}  // namespace pycuda::test
