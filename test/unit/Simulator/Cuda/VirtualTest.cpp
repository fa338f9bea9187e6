//===- VirtualTest.cpp - reserved addresses and mapped memory -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using cuda::DevicePtr;
using cuda::Result;

namespace {

using Handle = unsigned long long;
struct Location {
  int type = 1, id = 0;
};
struct Properties {
  int type = 1, handleTypes = 0;
  Location location;
  void *windows = nullptr;
  unsigned char flags[8] = {};
};
struct Access {
  Location location;
  int access = 3; ///< read and write
};
constexpr size_t kPiece = 2 << 20;

class VirtualTest : public CudaTest {
protected:
  Result reserve(DevicePtr *at, size_t bytes) {
    return entry<Result(DevicePtr *, size_t, size_t, DevicePtr, Handle)>(
        "cuMemAddressReserve")(at, bytes, 0, 0, 0);
  }
  Result create(Handle *handle, size_t bytes, Properties properties = {}) {
    return entry<Result(Handle *, size_t, const Properties *, Handle)>(
        "cuMemCreate")(handle, bytes, &properties, 0);
  }
  Result map(DevicePtr at, size_t bytes, Handle handle, size_t offset = 0) {
    return entry<Result(DevicePtr, size_t, size_t, Handle, Handle)>("cuMemMap")(
        at, bytes, offset, handle, 0);
  }
  Result allow(DevicePtr at, size_t bytes, Access access = {}) {
    return entry<Result(DevicePtr, size_t, const Access *, size_t)>(
        "cuMemSetAccess")(at, bytes, &access, 1);
  }
  Result unmap(DevicePtr at, size_t bytes) {
    return entry<Result(DevicePtr, size_t)>("cuMemUnmap")(at, bytes);
  }
  Result release(Handle handle) {
    return entry<Result(Handle)>("cuMemRelease")(handle);
  }
  Result freeRange(DevicePtr at, size_t bytes) {
    return entry<Result(DevicePtr, size_t)>("cuMemAddressFree")(at, bytes);
  }
};

TEST_F(VirtualTest, PiecesSideBySideAreOneRange) {
  DevicePtr at = 0;
  Handle a = 0, b = 0;
  EXPECT_CUDA(Success, reserve(&at, 4 * kPiece));
  EXPECT_CUDA(Success, create(&a, kPiece));
  EXPECT_CUDA(Success, create(&b, kPiece));
  EXPECT_CUDA(Success, map(at, kPiece, a));
  EXPECT_CUDA(Success, map(at + kPiece, kPiece, b));
  std::vector<float> values(1024, 2.5f);
  auto copyIn = [&] {
    return driver().cuMemcpyHtoD(at + kPiece - 2048, values.data(), 4096);
  };
  EXPECT_CUDA(InvalidValue, copyIn()); // no access yet
  EXPECT_CUDA(Success, allow(at, 2 * kPiece));
  EXPECT_CUDA(Success, copyIn());
  // A kernel across the border: c = a + a, in place.
  auto add = function(load(kVectorAdd), "vector_add");
  DevicePtr from = at + kPiece - 2048;
  unsigned n = 1024;
  EXPECT_CUDA(Success, launch(add, 8, 128, {&from, &from, &from, &n}));
  EXPECT_EQ(download(from, 1024), std::vector<float>(1024, 5.0f));
  // What was mapped stays when its handle goes, and moves with it.
  EXPECT_CUDA(Success, release(a));
  EXPECT_CUDA(Success, unmap(at + kPiece, kPiece));
  EXPECT_CUDA(Success, map(at + 3 * kPiece, kPiece, b));
  EXPECT_CUDA(Success, allow(at + 3 * kPiece, kPiece));
  EXPECT_EQ(download(at + 3 * kPiece, 1)[0], 5.0f);
  EXPECT_EQ(download(at + kPiece - 4, 1)[0], 5.0f);
  EXPECT_CUDA(InvalidValue, freeRange(at, 4 * kPiece)); // still mapped
  EXPECT_CUDA(InvalidValue, driver().cuMemFree(at));
  EXPECT_CUDA(Success, unmap(at, kPiece));
  EXPECT_CUDA(Success, unmap(at + 3 * kPiece, kPiece));
  EXPECT_CUDA(Success, release(b));
  EXPECT_CUDA(Success, freeRange(at, 4 * kPiece));
}

TEST_F(VirtualTest, OnePieceIsSeenAtTwoPlaces) {
  DevicePtr at = 0;
  Handle handle = 0;
  EXPECT_CUDA(Success, reserve(&at, 2 * kPiece));
  EXPECT_CUDA(Success, create(&handle, kPiece));
  EXPECT_CUDA(Success, map(at, kPiece, handle));
  EXPECT_CUDA(Success, map(at + kPiece, kPiece, handle));
  EXPECT_CUDA(Success, allow(at, 2 * kPiece));
  float value = 7;
  EXPECT_CUDA(Success, driver().cuMemcpyHtoD(at + 256, &value, 4));
  EXPECT_EQ(download(at + kPiece + 256, 1)[0], 7.0f);
  EXPECT_CUDA(Success, unmap(at, 2 * kPiece));
  EXPECT_CUDA(Success, release(handle));
  EXPECT_CUDA(Success, freeRange(at, 2 * kPiece));
}

TEST_F(VirtualTest, WrongUseIsRefused) {
  DevicePtr at = 0;
  Handle handle = 0, second = 0;
  EXPECT_CUDA(InvalidValue, reserve(&at, kPiece + 1));
  EXPECT_CUDA(InvalidValue, create(&handle, 4096));
  Properties other;
  other.location.id = 1;
  EXPECT_CUDA(InvalidDevice, create(&handle, kPiece, other));
  EXPECT_CUDA(OutOfMemory, create(&handle, size_t(1) << 40));
  EXPECT_CUDA(Success, reserve(&at, 2 * kPiece));
  EXPECT_CUDA(Success, create(&handle, kPiece));
  EXPECT_CUDA(InvalidValue, map(at, 2 * kPiece, handle)); // it has one piece
  EXPECT_CUDA(InvalidValue, map(at + 4096, kPiece, handle));
  EXPECT_CUDA(InvalidValue, map(at, kPiece, handle, kPiece));
  EXPECT_CUDA(InvalidValue, map(at, kPiece, handle + 64));
  EXPECT_CUDA(Success, map(at, kPiece, handle));
  EXPECT_CUDA(InvalidValue, map(at, kPiece, handle)); // taken
  EXPECT_CUDA(InvalidValue, unmap(at, 2 * kPiece));   // half of it is empty
  EXPECT_CUDA(InvalidValue, allow(at, 2 * kPiece));
  Access readOnly;
  readOnly.access = 1;
  EXPECT_CUDA(NotSupported, allow(at, kPiece, readOnly));
  auto retain = entry<Result(Handle *, void *)>("cuMemRetainAllocationHandle");
  EXPECT_CUDA(Success, retain(&second, reinterpret_cast<void *>(at + 4)));
  EXPECT_EQ(second, handle);
  EXPECT_CUDA(Success, release(second));
  EXPECT_CUDA(Success, release(handle));
  EXPECT_CUDA(InvalidValue, release(handle));
  EXPECT_CUDA(Success, unmap(at, kPiece));
  EXPECT_CUDA(Success, freeRange(at, 2 * kPiece));
  EXPECT_CUDA(InvalidValue, freeRange(at, 2 * kPiece));
}

TEST_F(VirtualTest, PropertiesAndAccessAreAnswered) {
  size_t granularity = 0;
  Properties asked, got;
  const void *given = &asked;
  EXPECT_CUDA(Success,
              invoke("cuMemGetAllocationGranularity", &granularity, given, 0));
  EXPECT_EQ(granularity, kPiece);
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemGetAllocationGranularity", &granularity, given, 2));
  Handle handle = 0;
  DevicePtr at = 0;
  EXPECT_CUDA(Success, create(&handle, kPiece));
  got.location.type = 0;
  EXPECT_CUDA(Success,
              invoke("cuMemGetAllocationPropertiesFromHandle", &got, handle));
  EXPECT_EQ(got.location.type, 1); // a device
  EXPECT_EQ(got.location.id, 0);
  EXPECT_CUDA(InvalidValue, invoke("cuMemGetAllocationPropertiesFromHandle",
                                   &got, handle + 1));
  EXPECT_CUDA(Success, reserve(&at, 2 * kPiece));
  EXPECT_CUDA(Success, map(at, kPiece, handle));
  unsigned long long access = 9;
  Location ours;
  const Location *where = &ours;
  EXPECT_CUDA(Success, invoke("cuMemGetAccess", &access, where, at));
  EXPECT_EQ(access, 0u);
  EXPECT_CUDA(Success, allow(at, kPiece));
  EXPECT_CUDA(Success, invoke("cuMemGetAccess", &access, where, at + 100));
  EXPECT_EQ(access, 3u); // read and write
  EXPECT_CUDA(Success, invoke("cuMemGetAccess", &access, where, at + kPiece));
  EXPECT_EQ(access, 0u); // nothing is mapped there
  EXPECT_CUDA(Success, unmap(at, kPiece));
  EXPECT_CUDA(Success, release(handle));
  EXPECT_CUDA(Success, freeRange(at, 2 * kPiece));
}
} // namespace
