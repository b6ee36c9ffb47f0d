// Copies, fills and arrays: one bad argument per call.
#include "driver/arguments/arguments.hpp"

class CopyArgumentsTest : public ArgumentsTest {
protected:
    CUdeviceptr on_host() const { return reinterpret_cast<CUdeviceptr>(host); }
};

TEST_F(CopyArgumentsTest, Linear) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(0, host, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(nowhere, host, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(memory, nullptr, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(memory, host, huge));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoD(0, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(nullptr, memory, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, nowhere, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(memory, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(nowhere, memory, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoD(memory, memory, 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoD(memory, memory + 16, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy(0, memory, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy(memory, 0, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoD(memory, on_host(), 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoD(on_host(), memory, 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoD(on_host(), host + 64, 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoH(host, on_host() + 64, 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoD(memory, reinterpret_cast<void*>(memory + 64), 64));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyDtoH(reinterpret_cast<void*>(memory), memory + 64, 64));
}

TEST_F(CopyArgumentsTest, Asynchronous) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoDAsync(0, host, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoDAsync(memory, nullptr, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoHAsync(nullptr, memory, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoHAsync(host, nowhere, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoDAsync(memory, nowhere, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(0, memory, 4, stream));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoDAsync(0, nullptr, 0, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMemcpyHtoDAsync(memory, host, 4, garbage<CUstream>()));
    EXPECT_OK(cuStreamSynchronize(stream));
}

TEST_F(CopyArgumentsTest, Peer) {
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyPeer(memory, context, memory + 64, context, 64));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyPeer(0, context, memory, context, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyPeer(memory, context, nowhere, context, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyPeer(memory, nullptr, memory + 64, context, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyPeer(memory, context, memory + 64, nullptr, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyPeerAsync(memory, nullptr, memory + 64, context, 4, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT,
                         cuMemcpyPeer(memory, garbage<CUcontext>(), memory + 64, context, 4));
}

TEST_F(CopyArgumentsTest, Fills) {
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(0, 1, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(nowhere, 1, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD8(0, 1, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(memory, 1, huge));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16(memory + 1, 1, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(memory + 2, 1, 4));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(memory, 1, SIZE_MAX / 2));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD8(on_host(), 1, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(0, 64, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(memory, 3, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8(memory, 0, 1, 4, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD2D8(nowhere, 64, 1, 0, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD32(memory + 1, 0, 0));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD2D32(memory, 15, 1, 1, 1));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD2D8(memory, 3, 1, 4, 1));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD2D8(memory, 64, 1, 0, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemsetD2D8(memory, 64, 1, 4, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D16(memory + 1, 64, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D16(memory, 63, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(memory + 2, 64, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(memory, 62, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(memory, 12, 1, 4, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(nowhere, 1, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD16Async(memory + 1, 1, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32Async(memory, 62, 1, 4, 4, stream));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(memory, 1, 4, garbage<CUstream>()));
}

/// Copies of boxes, each made wrong in one member.
class BoxArgumentsTest : public ArgumentsTest {
protected:
    CUDA_MEMCPY2D rows() const {
        CUDA_MEMCPY2D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.srcPitch = 128;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = memory;
        copy.dstPitch = 128;
        copy.WidthInBytes = 64;
        copy.Height = 8;
        return copy;
    }
    CUDA_MEMCPY3D box() const {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_HOST;
        copy.srcHost = host;
        copy.srcPitch = 128;
        copy.srcHeight = 16;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = memory;
        copy.dstPitch = 128;
        copy.dstHeight = 16;
        copy.WidthInBytes = 64;
        copy.Height = 8;
        copy.Depth = 2;
        return copy;
    }
    CUDA_MEMCPY3D_PEER peer_box() const {
        CUDA_MEMCPY3D_PEER copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = memory + 32768;
        copy.srcContext = copy.dstContext = context;
        copy.srcPitch = copy.dstPitch = 128;
        copy.srcHeight = copy.dstHeight = 16;
        copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = memory;
        copy.WidthInBytes = 64;
        copy.Height = 8;
        copy.Depth = 2;
        return copy;
    }
    template <class Change>
    CUresult rows_with(Change change) const {
        CUDA_MEMCPY2D copy = rows();
        change(copy);
        return cuMemcpy2D(&copy);
    }
    template <class Change>
    CUresult box_with(Change change) const {
        CUDA_MEMCPY3D copy = box();
        change(copy);
        return cuMemcpy3D(&copy);
    }
    template <class Change>
    CUresult peer_box_with(Change change) const {
        CUDA_MEMCPY3D_PEER copy = peer_box();
        change(copy);
        return cuMemcpy3DPeer(&copy);
    }
};

TEST_F(BoxArgumentsTest, Rows) {
    const size_t largest = 0x80000000;
    EXPECT_RESULT(CUDA_SUCCESS, rows_with([](auto&) {}));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.srcMemoryType = value<CUmemorytype>(0); }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstMemoryType = value<CUmemorytype>(9); }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.srcHost = nullptr; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstDevice = 0; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstDevice = nowhere; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.srcPitch = 63; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstPitch = 63; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.srcXInBytes = 65; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstXInBytes = 65; }));
    EXPECT_RESULT(CUDA_SUCCESS, rows_with([](auto& c) { c.srcPitch = c.dstPitch = 0; }));
    EXPECT_RESULT(CUDA_SUCCESS, rows_with([](auto& c) { c.WidthInBytes = 0; }));
    EXPECT_RESULT(CUDA_SUCCESS, rows_with([](auto& c) { c.Height = 0; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([&](auto& c) { c.srcPitch = largest; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([&](auto& c) { c.dstPitch = largest; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, rows_with([](auto& c) { c.dstY = size_t{1} << 34; }));
    CUDA_MEMCPY2D zero{};
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpy2D(&zero));
}

TEST_F(BoxArgumentsTest, RowsOfAnArray) {
    const auto into_array = [this](CUDA_MEMCPY2D& c) {
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = array;
        c.dstPitch = 0;
    };
    EXPECT_RESULT(CUDA_SUCCESS, rows_with(into_array));
    const auto with = [&](auto change) {
        return rows_with([&](CUDA_MEMCPY2D& c) {
            into_array(c);
            change(c);
        });
    };
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.dstArray = nullptr; }));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.dstArray = garbage<CUarray>(); }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.WidthInBytes = 132; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.Height = 17; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.dstXInBytes = 68; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, with([](auto& c) { c.dstY = 9; }));
    EXPECT_RESULT(CUDA_SUCCESS, with([](auto& c) { c.dstXInBytes = 2; }));
    EXPECT_RESULT(CUDA_SUCCESS, with([](auto& c) { c.WidthInBytes = 62; }));
}

TEST_F(BoxArgumentsTest, Boxes) {
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto&) {}));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DAsync(nullptr, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.srcMemoryType = value<CUmemorytype>(0); }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.srcHost = nullptr; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.dstDevice = 0; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.srcPitch = 63; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.srcHeight = 7; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.dstHeight = 7; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, box_with([](auto& c) { c.dstY = 9; }));
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto& c) { c.srcLOD = 1; }));
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto& c) { c.dstLOD = 1; }));
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto& c) { c.reserved0 = &c; }));
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto& c) { c.Depth = 0; }));
    EXPECT_RESULT(CUDA_SUCCESS, box_with([](auto& c) {
                      c.srcPitch = c.dstPitch = 0;
                      c.srcHeight = c.dstHeight = 0;
                  }));
}

TEST_F(BoxArgumentsTest, BoxesBetweenPeers) {
    EXPECT_RESULT(CUDA_SUCCESS, peer_box_with([](auto&) {}));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeer(nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, peer_box_with([](auto& c) { c.srcDevice = nowhere; }));
    EXPECT_RESULT(CUDA_SUCCESS, peer_box_with([](auto& c) { c.srcContext = nullptr; }));
    EXPECT_RESULT(CUDA_SUCCESS, peer_box_with([](auto& c) { c.dstContext = nullptr; }));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, peer_box_with([](auto& c) { c.srcPitch = 63; }));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_CONTEXT,
                         peer_box_with([](auto& c) { c.dstContext = garbage<CUcontext>(); }));
}

class ArrayArgumentsTest : public ArgumentsTest {
protected:
    static CUresult create(size_t width, size_t height, CUarray_format format, unsigned channels) {
        CUDA_ARRAY_DESCRIPTOR description{width, height, format, channels};
        CUarray made = nullptr;
        return cuArrayCreate(&made, &description);
    }
    static CUresult create3(size_t width, size_t height, size_t depth, unsigned flags, unsigned channels = 1) {
        CUDA_ARRAY3D_DESCRIPTOR description{width, height, depth, CU_AD_FORMAT_FLOAT, channels, flags};
        CUarray made = nullptr;
        return cuArray3DCreate(&made, &description);
    }
    static CUresult create_levels(size_t width, size_t height, unsigned levels) {
        CUDA_ARRAY3D_DESCRIPTOR description{width, height, 0, CU_AD_FORMAT_FLOAT, 1, 0};
        CUmipmappedArray made = nullptr;
        return cuMipmappedArrayCreate(&made, &description, levels);
    }
};

TEST_F(ArrayArgumentsTest, Create) {
    CUDA_ARRAY_DESCRIPTOR description{8, 8, CU_AD_FORMAT_FLOAT, 1};
    CUarray made = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(nullptr, &description));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&made, nullptr));
    EXPECT_RESULT(CUDA_SUCCESS, create(8, 0, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(0, 8, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(0, 0, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(8, 8, CU_AD_FORMAT_FLOAT, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(8, 8, CU_AD_FORMAT_FLOAT, 3));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(8, 8, CU_AD_FORMAT_FLOAT, 5));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(8, 8, value<CUarray_format>(0x77), 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(size_t{1} << 20, 0, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(size_t{1} << 20, 8, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create(8, 1 << 20, CU_AD_FORMAT_FLOAT, 1));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(garbage<CUarray>()));
}

TEST_F(ArrayArgumentsTest, Create3D) {
    CUDA_ARRAY3D_DESCRIPTOR description{8, 8, 8, CU_AD_FORMAT_FLOAT, 1, 0};
    CUarray made = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(nullptr, &description));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&made, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(0, 8, 8, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 0, 8, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 8, 0x10000));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 1 << 15, 0));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 0, 8, CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 8, CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 0, CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 1 << 12, CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 6, CUDA_ARRAY3D_CUBEMAP));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 5, CUDA_ARRAY3D_CUBEMAP));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 4, 6, CUDA_ARRAY3D_CUBEMAP));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 8, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 0, CUDA_ARRAY3D_SURFACE_LDST));
    EXPECT_RESULT(CUDA_SUCCESS, create3(8, 8, 0, CUDA_ARRAY3D_TEXTURE_GATHER));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 8, 8, CUDA_ARRAY3D_TEXTURE_GATHER));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create3(8, 0, 0, CUDA_ARRAY3D_TEXTURE_GATHER));
}

TEST_F(ArrayArgumentsTest, Questions) {
    CUDA_ARRAY_DESCRIPTOR description;
    CUDA_ARRAY3D_DESCRIPTOR description3;
    CUDA_ARRAY_MEMORY_REQUIREMENTS requirements;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetDescriptor(nullptr, array));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor(&description, nullptr));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArray3DGetDescriptor(nullptr, array));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor(&description3, nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor(&description, garbage<CUarray>()));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(nullptr, array, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&requirements, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&requirements, array, 99));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&requirements, array, 0));
}

TEST_F(ArrayArgumentsTest, SparseAndPlanar) {
    CUDA_ARRAY_SPARSE_PROPERTIES properties;
    CUarray plane = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetSparseProperties(&properties, array));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuArrayGetPlane(&plane, array, 0));
}

TEST_F(ArrayArgumentsTest, Mipmaps) {
    CUDA_ARRAY3D_DESCRIPTOR description{8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray levels = nullptr;
    CUarray level = nullptr;
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(nullptr, &description, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&levels, nullptr, 2));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, create_levels(0, 8, 2));
    EXPECT_RESULT(CUDA_SUCCESS, create_levels(8, 8, 0));
    EXPECT_RESULT(CUDA_SUCCESS, create_levels(8, 8, 4));
    EXPECT_RESULT(CUDA_SUCCESS, create_levels(8, 8, 5));
    ASSERT_OK(cuMipmappedArrayCreate(&levels, &description, 3));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(nullptr, levels, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, levels, 3));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, nullptr, 0));
    EXPECT_OK(cuMipmappedArrayGetLevel(&level, levels, 2));
    EXPECT_RESULT(CUDA_SUCCESS, cuArrayDestroy(level));
    EXPECT_OK(cuMipmappedArrayDestroy(levels));
    EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(nullptr));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(garbage<CUmipmappedArray>()));
}

TEST_F(ArrayArgumentsTest, LinearCopies) {
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoA(array, 0, host, 128));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(array, 128, host, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(array, 0, host, 132));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoA(array, 0, host, 2));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoA(array, 2, host, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(array, 0, nullptr, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyHtoA(array, 0, nullptr, 0));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(nullptr, 0, host, 4));
    EXPECT_RESULT_ON_CPU(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(garbage<CUarray>(), 0, host, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(nullptr, array, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(host, nullptr, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(host, array, 0, 132));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoA(array, 0, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoA(array, 0, nowhere, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoA(nullptr, 0, memory, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoD(nowhere, array, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoD(memory, nullptr, 0, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA(array, 0, nullptr, 0, 4));
    EXPECT_RESULT(CUDA_SUCCESS, cuMemcpyAtoA(array, 0, array, 64, 4));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoAAsync(array, 0, nullptr, 4, stream));
    EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoHAsync(host, nullptr, 0, 4, stream));
}
