//===- CopyTest.cpp - rectangles, boxes, contexts, fills on streams -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Simulator/Cuda/Types.h"
#include "CudaTest.h"

#include <numeric>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
struct CopyTest : CudaTest {
  /// 0, 1, 2, …
  std::vector<float> counted(size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
  }
  Stream stream() {
    Stream s = nullptr;
    EXPECT_CUDA(Success, driver().cuStreamCreate(&s, 0));
    return s;
  }
};

/// Columns 1 and 2 of rows 1 and 2 of a matrix of four columns, to the second
/// row of one of three columns.
TEST_F(CopyTest, RectanglesAreCopied) {
  std::vector<float> from = counted(16);
  DevicePtr source = upload(from), target = upload(std::vector<float>(9));
  Memcpy2D c{};
  c.srcX = 4, c.srcY = 1, c.srcPitch = 16;
  c.srcType = c.dstType = MemoryType::Device;
  c.srcDevice = source, c.dstDevice = target;
  c.dstY = 1, c.dstPitch = 12;
  c.width = 8, c.height = 2;
  std::vector<float> expected = {0, 0, 0, 5, 6, 0, 9, 10, 0};
  const Memcpy2D *p = &c;
  for (const char *name : {"cuMemcpy2D_v2", "cuMemcpy2DUnaligned_v2"}) {
    EXPECT_CUDA(Success, driver().cuMemsetD32Async(target, 0, 9, nullptr));
    EXPECT_CUDA(Success, invoke(name, p));
    EXPECT_EQ(download(target, 9), expected) << name;
  }
  Stream s = stream();
  EXPECT_CUDA(Success, driver().cuMemsetD32Async(target, 0, 9, s));
  c.srcType = MemoryType::Host, c.srcHost = from.data();
  EXPECT_CUDA(Success, invoke("cuMemcpy2DAsync_v2", p, s));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(s));
  EXPECT_EQ(download(target, 9), expected);
  c.dstPitch = 4; // less than a row
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpy2D_v2", p));
  c.dstPitch = 12, c.height = 3; // past the end of the target
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpy2D_v2", p));
  c.dstType = MemoryType::Array;
  EXPECT_CUDA(NotSupported, invoke("cuMemcpy2D_v2", p));
}

/// The last element of each row, plane 1 alone, of a box of 2 x 3 x 2.
TEST_F(CopyTest, BoxesAreCopied) {
  DevicePtr source = upload(counted(12));
  std::vector<float> got(3, -1);
  Memcpy3D c{};
  c.srcX = 4, c.srcZ = 1, c.srcPitch = 8, c.srcHeight = 3;
  c.srcType = MemoryType::Device, c.srcDevice = source;
  c.dstType = MemoryType::Host, c.dstHost = got.data(), c.dstPitch = 4;
  c.width = 4, c.height = 3, c.depth = 1;
  const Memcpy3D *p = &c;
  EXPECT_CUDA(Success, invoke("cuMemcpy3D_v2", p));
  EXPECT_EQ(got, (std::vector<float>{7, 9, 11}));
  got.assign(3, -1);
  Stream s = stream();
  EXPECT_CUDA(Success, invoke("cuMemcpy3DAsync_v2", p, s));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(s));
  EXPECT_EQ(got, (std::vector<float>{7, 9, 11}));
  c.depth = 2; // plane 2 of two
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpy3D_v2", p));
}

/// A device address is no host memory, whatever the call believes.
TEST_F(CopyTest, DeviceAddressesAsHostMemoryAreRefused) {
  DevicePtr source = upload(counted(4)), target = upload(counted(4));
  void *host = reinterpret_cast<void *>(uintptr_t(target));
  const void *from = host;
  Stream s = stream();
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpyHtoD_v2", source, from, size_t(8)));
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpyDtoH_v2", host, source, size_t(8)));
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemcpyHtoDAsync_v2", source, from, size_t(8), s));
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemcpyDtoHAsync_v2", host, source, size_t(8), s));
  Memcpy2D c{};
  c.srcType = MemoryType::Host, c.srcHost = host, c.srcPitch = 8;
  c.dstType = MemoryType::Device, c.dstDevice = source, c.dstPitch = 8;
  c.width = 8, c.height = 1;
  const Memcpy2D *p = &c;
  EXPECT_CUDA(InvalidValue, invoke("cuMemcpy2D_v2", p));
  EXPECT_EQ(download(target, 4), counted(4));
}

TEST_F(CopyTest, BetweenContextsOfTheDevice) {
  DevicePtr source = upload({1, 2, 3});
  Context other = nullptr, gone = context;
  EXPECT_CUDA(Success, invoke("cuCtxCreate_v2", &other, 0u, Device(0)));
  DevicePtr target = upload({0, 0, 0});
  Stream s = stream();
  EXPECT_CUDA(Success, invoke("cuMemcpyPeer", target, other, source, context,
                              size_t(8)));
  EXPECT_CUDA(Success, invoke("cuMemcpyPeerAsync", target + 8, other,
                              source + 8, context, size_t(4), s));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(s));
  EXPECT_EQ(download(target, 3), (std::vector<float>{1, 2, 3}));
  gone = reinterpret_cast<Context>(uintptr_t(0x40));
  EXPECT_CUDA(InvalidContext,
              invoke("cuMemcpyPeer", target, gone, source, context, size_t(8)));
  EXPECT_CUDA(InvalidContext, invoke("cuMemcpyPeerAsync", target, other, source,
                                     gone, size_t(8), s));
  EXPECT_CUDA(Success, invoke("cuCtxDestroy_v2", other));
}

TEST_F(CopyTest, FillsOfEveryWidth) {
  DevicePtr at = upload(std::vector<float>(8)); // 32 bytes
  Stream s = stream();
  using Byte = unsigned char;
  using Short = unsigned short;
  EXPECT_CUDA(Success, invoke("cuMemsetD16_v2", at, Short(0x0201), size_t(2)));
  EXPECT_CUDA(Success,
              invoke("cuMemsetD8Async", at + 4, Byte(3), size_t(3), s));
  EXPECT_CUDA(Success,
              invoke("cuMemsetD16Async", at + 8, Short(0x0504), size_t(1), s));
  EXPECT_CUDA(Success, invoke("cuMemsetD2D8Async", at + 12, size_t(2), Byte(6),
                              size_t(1), size_t(2), s));
  EXPECT_CUDA(Success, invoke("cuMemsetD2D16Async", at + 16, size_t(4),
                              Short(0x0807), size_t(1), size_t(2), s));
  EXPECT_CUDA(Success, invoke("cuMemsetD2D32Async", at + 24, size_t(4),
                              0x0c0b0a09u, size_t(1), size_t(2), s));
  EXPECT_CUDA(Success, driver().cuStreamSynchronize(s));
  std::vector<Byte> got(32),
      expected = {1, 2, 1, 2, 3, 3, 3, 0, 4, 5,  0,  0,  6, 0,  6,  0,
                  7, 8, 0, 0, 7, 8, 0, 0, 9, 10, 11, 12, 9, 10, 11, 12};
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(got.data(), at, 32));
  EXPECT_EQ(got, expected);
  EXPECT_CUDA(InvalidValue, invoke("cuMemsetD16Async", at + 1, Short(1),
                                   size_t(1), s)); // misaligned
  EXPECT_CUDA(InvalidValue, invoke("cuMemsetD8Async", at, Byte(1), size_t(513),
                                   s)); // past the end
}

TEST_F(CopyTest, RangesAndFlagsOfMemory) {
  DevicePtr at = upload(counted(100)), base = 0;
  size_t bytes = 0;
  EXPECT_CUDA(Success,
              invoke("cuMemGetAddressRange_v2", &base, &bytes, at + 200));
  EXPECT_EQ(base, at);
  EXPECT_EQ(bytes, 400u);
  EXPECT_CUDA(NotFound,
              invoke("cuMemGetAddressRange_v2", &base, &bytes, DevicePtr(64)));
  constexpr unsigned kPortable = 1, kDeviceMap = 2, kWriteCombined = 4;
  void *pinned = nullptr;
  unsigned flags = 0;
  EXPECT_CUDA(Success, invoke("cuMemHostAlloc", &pinned, size_t(64),
                              kPortable | kWriteCombined));
  EXPECT_CUDA(Success, invoke("cuMemHostGetFlags", &flags, pinned));
  EXPECT_EQ(flags, kPortable | kDeviceMap | kWriteCombined);
  int local = 0;
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemHostGetFlags", &flags, static_cast<void *>(&local)));
  EXPECT_CUDA(Success, invoke("cuMemFreeHost", pinned));
}

/// Hints are checked, and what they are about stays as it is.
TEST_F(CopyTest, HintsAboutManagedMemory) {
  constexpr int kSetReadMostly = 1;
  DevicePtr managed = 0, plain = upload({1});
  Stream s = stream();
  EXPECT_CUDA(Success, invoke("cuMemAllocManaged", &managed, size_t(64), 1u));
  EXPECT_CUDA(Success, invoke("cuMemAdvise", managed, size_t(64),
                              kSetReadMostly, Device(0)));
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemAdvise", managed, size_t(64), 7, Device(0)));
  EXPECT_CUDA(InvalidValue, invoke("cuMemAdvise", plain, size_t(4),
                                   kSetReadMostly, Device(0)));
  EXPECT_CUDA(Success,
              invoke("cuMemPrefetchAsync", managed, size_t(64), Device(0), s));
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemPrefetchAsync", managed, size_t(65), Device(0), s));
  EXPECT_CUDA(Success,
              invoke("cuStreamAttachMemAsync", s, managed, size_t(0), 4u));
  EXPECT_CUDA(InvalidValue,
              invoke("cuStreamAttachMemAsync", s, plain, size_t(0), 4u));
  EXPECT_CUDA(Success, driver().cuMemFree(managed));
}
} // namespace
