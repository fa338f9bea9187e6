//===- MemoryTest.cpp - fills, pitched memory, what pointers are ----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

using namespace hwtune;
using namespace hwtune::cuda;

namespace {

/// CUpointer_attribute
enum PointerAttribute {
  kContext = 1,
  kMemoryType = 2,
  kDevicePointer = 3,
  kHostPointer = 4,
  kIsManaged = 8,
  kRangeStart = 11,
  kRangeSize = 12
};
constexpr unsigned kHostMemory = 1, kDeviceMemory = 2; ///< CUmemorytype

struct Memory : CudaTest {
  template <typename T>
  Result fill(const char *name, DevicePtr to, size_t pitch, T value,
              size_t width, size_t height) {
    return entry<Result(DevicePtr, size_t, T, size_t, size_t)>(name)(
        to, pitch, value, width, height);
  }
  std::vector<unsigned char> bytes(DevicePtr from, size_t count) {
    std::vector<unsigned char> got(count);
    EXPECT_CUDA(Success, driver().cuMemcpyDtoH(got.data(), from, count));
    return got;
  }
  template <typename T> T attribute(int which, DevicePtr address) {
    T value{};
    EXPECT_CUDA(Success, (entry<Result(void *, int, DevicePtr)>(
                             "cuPointerGetAttribute")(&value, which, address)));
    return value;
  }
};

TEST_F(Memory, RectanglesAreFilled) {
  DevicePtr at = upload(std::vector<float>(16)); // 64 bytes of zeros
  EXPECT_CUDA(Success,
              fill<unsigned char>("cuMemsetD2D8_v2", at + 1, 16, 7, 3, 2));
  EXPECT_CUDA(Success, fill<unsigned short>("cuMemsetD2D16_v2", at + 32, 8,
                                            0x0102, 2, 2));
  EXPECT_CUDA(Success,
              fill<unsigned>("cuMemsetD2D32_v2", at + 48, 8, 0x01020304, 1, 2));
  std::vector<unsigned char> expected(64);
  for (size_t y : {0, 16})
    for (size_t x : {1, 2, 3})
      expected[y + x] = 7;
  for (size_t i : {32, 34, 40, 42})
    expected[i] = 2, expected[i + 1] = 1;
  for (size_t i : {48, 56})
    for (unsigned char k = 0; k < 4; ++k)
      expected[i + k] = 4 - k;
  EXPECT_EQ(bytes(at, 64), expected);
  // Misaligned, rows that overlap, past the end.
  EXPECT_CUDA(InvalidValue,
              fill<unsigned short>("cuMemsetD2D16_v2", at + 1, 8, 1, 1, 1));
  EXPECT_CUDA(InvalidValue,
              fill<unsigned char>("cuMemsetD2D8_v2", at, 4, 1, 8, 2));
  EXPECT_CUDA(InvalidValue,
              fill<unsigned char>("cuMemsetD2D8_v2", at, 32, 1, 33, 2));
}

/// Large memory is set to zero without touching it all; its neighbours stay.
TEST_F(Memory, LargeFillsEndWhereTheyShould) {
  constexpr size_t kBytes = 4 << 20;
  DevicePtr at = 0;
  EXPECT_CUDA(Success, driver().cuMemAlloc(&at, kBytes));
  auto *fill = entry<Result(DevicePtr, unsigned, size_t)>("cuMemsetD32_v2");
  EXPECT_CUDA(Success, fill(at, 0x05050505, kBytes / 4));
  EXPECT_CUDA(Success, fill(at + 100, 0, (kBytes - 300) / 4));
  std::vector<unsigned char> expected(kBytes);
  std::fill_n(expected.begin(), 100, 5);
  std::fill(expected.end() - 200, expected.end(), 5);
  EXPECT_TRUE(bytes(at, kBytes) == expected);
  EXPECT_CUDA(Success, fill(at, 0x06060606, 1));
  EXPECT_CUDA(Success, fill(at + kBytes / 2, 0x07070707, 1));
  EXPECT_EQ(bytes(at, 1)[0], 6);
  EXPECT_EQ(bytes(at + kBytes / 2, 1)[0], 7);
}

TEST_F(Memory, RowsOfPitchedMemoryAreAligned) {
  auto *allocate =
      entry<Result(DevicePtr *, size_t *, size_t, size_t, unsigned)>(
          "cuMemAllocPitch_v2");
  DevicePtr at = 0;
  size_t pitch = 0;
  EXPECT_CUDA(Success, allocate(&at, &pitch, 100, 3, 4));
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(pitch % 16, 0u);
  EXPECT_GE(attribute<size_t>(kRangeSize, at), 2 * pitch + 100);
  EXPECT_CUDA(InvalidValue, allocate(&at, &pitch, 100, 3, 5));
  EXPECT_CUDA(InvalidValue, allocate(&at, &pitch, 0, 3, 4));
}

TEST_F(Memory, PointersSayWhatTheyAre) {
  DevicePtr device = upload({1, 2, 3, 4}), managed = 0;
  void *pinned = nullptr;
  EXPECT_CUDA(Success, (entry<Result(void **, size_t, unsigned)>(
                           "cuMemHostAlloc")(&pinned, 64, 0)));
  EXPECT_CUDA(Success, (entry<Result(DevicePtr *, size_t, unsigned)>(
                           "cuMemAllocManaged")(&managed, 64, 1)));
  auto host = DevicePtr(reinterpret_cast<uintptr_t>(pinned));
  EXPECT_EQ(attribute<unsigned>(kMemoryType, device), kDeviceMemory);
  EXPECT_EQ(attribute<unsigned>(kMemoryType, host), kHostMemory);
  EXPECT_EQ(attribute<unsigned>(kIsManaged, managed), 1u);
  EXPECT_EQ(attribute<unsigned>(kIsManaged, device), 0u);
  EXPECT_EQ(attribute<Context>(kContext, device), context);
  EXPECT_EQ(attribute<void *>(kHostPointer, host + 8),
            static_cast<char *>(pinned) + 8);
  EXPECT_EQ(attribute<DevicePtr>(kRangeStart, device + 12), device);
  EXPECT_EQ(attribute<size_t>(kRangeSize, device + 12), 16u);
  unsigned type = 9;
  size_t size = 0;
  int which[] = {kMemoryType, kRangeSize};
  void *values[] = {&type, &size};
  auto *all = entry<Result(unsigned, int *, void **, DevicePtr)>(
      "cuPointerGetAttributes");
  EXPECT_CUDA(Success, all(2, which, values, device));
  EXPECT_EQ(type, kDeviceMemory);
  EXPECT_EQ(size, 16u);
  // A pointer that is nobody's is an error for one attribute, not for several.
  auto *one = entry<Result(void *, int, DevicePtr)>("cuPointerGetAttribute");
  EXPECT_CUDA(InvalidValue, one(&type, kMemoryType, 0x1234));
  EXPECT_CUDA(InvalidValue, one(&type, kHostPointer, device));
  EXPECT_CUDA(InvalidValue, one(&type, 77, device));
  EXPECT_CUDA(Success, all(1, which, values, 0x1234));
  EXPECT_EQ(type, 0u);
}

/// A variable of a module is memory as an allocation is.
TEST_F(Memory, VariablesOfModulesHaveAttributes) {
  Module module = load(R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 8 .b8 plain[24];
.visible .global .attribute(.managed) .align 4 .u32 shared_with_host = 5;
)");
  DevicePtr plain = 0, managed = 0;
  size_t bytes = 0;
  EXPECT_CUDA(Success,
              driver().cuModuleGetGlobal(&plain, &bytes, module, "plain"));
  EXPECT_CUDA(Success, driver().cuModuleGetGlobal(&managed, &bytes, module,
                                                  "shared_with_host"));
  EXPECT_EQ(attribute<unsigned>(kMemoryType, plain + 23), kDeviceMemory);
  EXPECT_EQ(attribute<unsigned>(kIsManaged, plain), 0u);
  EXPECT_EQ(attribute<DevicePtr>(kRangeStart, plain + 8), plain);
  EXPECT_EQ(attribute<size_t>(kRangeSize, plain), 24u);
  EXPECT_EQ(attribute<Context>(kContext, plain), context);
  EXPECT_EQ(attribute<unsigned>(kMemoryType, managed), kDeviceMemory);
  EXPECT_EQ(attribute<unsigned>(kIsManaged, managed), 1u);
  EXPECT_EQ(*static_cast<unsigned *>(attribute<void *>(kHostPointer, managed)),
            5u);
  EXPECT_CUDA(Success, invoke("cuMemAdvise", managed, size_t(4), 1, Device(0)));
  EXPECT_CUDA(InvalidValue,
              invoke("cuMemAdvise", plain, size_t(4), 1, Device(0)));
  DevicePtr base = 0;
  EXPECT_CUDA(Success,
              invoke("cuMemGetAddressRange_v2", &base, &bytes, plain + 16));
  EXPECT_EQ(base, plain);
  EXPECT_EQ(bytes, 24u);
}

} // namespace
