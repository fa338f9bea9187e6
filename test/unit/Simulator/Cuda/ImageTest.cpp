//===- ImageTest.cpp - fat binaries, linking, looking functions up --------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>

using namespace hwtune;
using namespace hwtune::cuda;

namespace {
struct Image : CudaTest {};

enum class Packing { Plain, Lz4, Zstd };

template <typename T> void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// One entry as `fatbinary` writes it: 80 bytes of header, then the payload in
/// multiples of 8 bytes.
std::string fatEntry(const std::string &text, uint32_t arch, Packing packing,
                     uint16_t kind = 1) {
  std::string payload = text;
  uint64_t flags = 0x11;
  if (packing == Packing::Lz4) {
    payload.resize(size_t(LZ4_compressBound(int(text.size()))));
    payload.resize(size_t(LZ4_compress_default(
        text.data(), payload.data(), int(text.size()), int(payload.size()))));
    flags |= 0x2000;
  } else if (packing == Packing::Zstd) {
    payload.resize(ZSTD_compressBound(text.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), text.data(),
                                 text.size(), 3));
    flags |= 0x8000;
  }
  bool compressed = packing != Packing::Plain;
  uint32_t compressedBytes = compressed ? uint32_t(payload.size()) : 0;
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string bytes;
  append<uint16_t>(bytes, kind);
  append<uint16_t>(bytes, 0x101);
  append<uint32_t>(bytes, 80);
  append<uint64_t>(bytes, payload.size());
  append<uint32_t>(bytes, compressedBytes);
  append<uint32_t>(bytes, 64);
  append<uint16_t>(bytes, 0);
  append<uint16_t>(bytes, 8);
  append<uint32_t>(bytes, arch);
  append<uint64_t>(bytes, 0);
  append<uint64_t>(bytes, flags);
  append<uint64_t>(bytes, 0);
  append<uint64_t>(bytes, compressed ? text.size() : 0);
  bytes.resize(80);
  return bytes + payload;
}

std::string fatBinary(const std::string &entries) {
  std::string bytes;
  append<uint32_t>(bytes, 0xba55ed50);
  append<uint16_t>(bytes, 1);
  append<uint16_t>(bytes, 16);
  append<uint64_t>(bytes, entries.size());
  return bytes + entries;
}

std::string kernelFor(const std::string &arch, const std::string &name) {
  std::string text = ".version 8.0\n.target sm_" + arch +
                     "\n.address_size 64\n.visible .entry " + name +
                     "() { ret; }\n";
  return text + std::string(1, '\0');
}

bool has(Module module, const char *name) {
  Function f;
  return driver().cuModuleGetFunction(&f, module, name) == Result::Success;
}

TEST_F(Image, FatBinariesInAllPackings) {
  for (Packing packing : {Packing::Plain, Packing::Lz4, Packing::Zstd}) {
    std::string image =
        fatBinary(fatEntry(std::string(kVectorAdd), 80, packing));
    Module module = nullptr;
    EXPECT_CUDA(Success, driver().cuModuleLoadData(&module, image.data()));
    EXPECT_TRUE(has(module, "vector_add")) << int(packing);
    struct {
      uint32_t magic = 0x466243b1, version = 1;
      const void *data, *unused = nullptr;
    } wrapper;
    wrapper.data = image.data();
    EXPECT_CUDA(Success, driver().cuModuleLoadData(&module, &wrapper));
  }
}

TEST_F(Image, TheNewestPtxThatRunsIsTaken) {
  std::string image =
      fatBinary(fatEntry("machine code", 80, Packing::Plain, 2) +
                fatEntry(kernelFor("70", "old"), 70, Packing::Zstd) +
                fatEntry(kernelFor("80", "right"), 80, Packing::Lz4) +
                fatEntry(kernelFor("75", "older"), 75, Packing::Plain) +
                fatEntry(kernelFor("90", "newer"), 90, Packing::Plain));
  Module module = nullptr;
  EXPECT_CUDA(Success, driver().cuModuleLoadData(&module, image.data()));
  EXPECT_TRUE(has(module, "right"));
  EXPECT_FALSE(has(module, "old"));
}

TEST_F(Image, FatBinariesThatDoNotLoad) {
  Module module = nullptr;
  auto code = [&](const std::string &image) {
    return driver().cuModuleLoadData(&module, image.data());
  };
  EXPECT_CUDA(NoBinaryForGpu, code(fatBinary("")));
  EXPECT_CUDA(NoBinaryForGpu,
              code(fatBinary(fatEntry("x", 80, Packing::Plain, 2))));
  EXPECT_CUDA(NoBinaryForGpu, code(fatBinary(fatEntry(kernelFor("90", "k"), 90,
                                                      Packing::Plain))));
  std::string damaged =
      fatBinary(fatEntry(std::string(kVectorAdd), 80, Packing::Zstd));
  damaged[16 + 80 + 6] ^= 0x55;
  EXPECT_CUDA(InvalidImage, code(damaged));
  std::string tooLong =
      fatBinary(fatEntry(std::string(kVectorAdd), 80, Packing::Plain));
  tooLong[16 + 8 + 4] = 1; // the entry claims 4 GiB more than there are
  EXPECT_CUDA(InvalidImage, code(tooLong));
}

TEST_F(Image, LinkingJoinsTextsAndKeepsPrivateNamesApart) {
  const char *kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
  std::string first = std::string(kHead) + R"(
.global .u32 state = 7;
.visible .func (.param .b32 r) get() { .reg .b32 %r; ld.global.u32 %r, [state]; st.param.b32 [r], %r; ret; })";
  std::string second = std::string(kHead) + R"(
.extern .func (.param .b32 r) get();
.global .u32 state = 35;
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd;
  { .param .b32 r; call.uni (r), get, (); ld.param.b32 %r1, [r]; }
  ld.global.u32 %r2, [state];
  add.u32 %r3, %r1, %r2;
  ld.param.u64 %rd, [out];
  st.global.u32 [%rd], %r3;
  ret;
})";
  using Link = void *;
  auto *create =
      entry<Result(unsigned, int *, void **, Link *)>("cuLinkCreate_v2");
  auto *add = entry<Result(Link, int, void *, size_t, const char *, unsigned,
                           int *, void **)>("cuLinkAddData_v2");
  auto *complete = entry<Result(Link, void **, size_t *)>("cuLinkComplete");
  auto *destroy = entry<Result(Link)>("cuLinkDestroy");
  Link link = nullptr;
  void *image = nullptr;
  size_t bytes = 0;
  EXPECT_CUDA(Success, create(0, nullptr, nullptr, &link));
  EXPECT_CUDA(InvalidImage, complete(link, &image, &bytes));
  EXPECT_CUDA(Success, add(link, 1, second.data(), second.size() + 1, "b", 0,
                           nullptr, nullptr));
  EXPECT_CUDA(InvalidPtx, add(link, 1, const_cast<char *>("junk"), 5, "c", 0,
                              nullptr, nullptr));
  EXPECT_CUDA(Success, add(link, 1, first.data(), first.size() + 1, "a", 0,
                           nullptr, nullptr));
  EXPECT_CUDA(Success, complete(link, &image, &bytes));
  Module module = load(static_cast<const char *>(image));
  EXPECT_CUDA(Success, destroy(link));
  EXPECT_CUDA(InvalidHandle, destroy(link));
  DevicePtr out = upload({0});
  EXPECT_CUDA(Success, launch(function(module, "k"), 1, 1, {&out}));
  unsigned value = 0;
  EXPECT_CUDA(Success, driver().cuMemcpyDtoH(&value, out, 4));
  EXPECT_EQ(value, 42u);
}

/// What the bytes are decides, whatever type is said; nothing that is called
/// may be missing at the end (the real linker answers UNKNOWN, and names it).
TEST_F(Image, LinkingRefusesMachineCodeAndWhatIsMissing) {
  using Link = void *;
  auto *create =
      entry<Result(unsigned, int *, void **, Link *)>("cuLinkCreate_v2");
  auto *add = entry<Result(Link, int, void *, size_t, const char *, unsigned,
                           int *, void **)>("cuLinkAddData_v2");
  auto *addFile =
      entry<Result(Link, int, const char *, unsigned, int *, void **)>(
          "cuLinkAddFile_v2");
  auto *complete = entry<Result(Link, void **, size_t *)>("cuLinkComplete");
  constexpr int kPtx = 1, kObject = 3, kLibrary = 4;
  char log[256] = "";
  int options[] = {int(JitOption::ErrorLogBuffer),
                   int(JitOption::ErrorLogBufferSizeBytes)};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Link link = nullptr;
  EXPECT_CUDA(Success, create(2, options, values, &link));
  auto give = [&](int type, std::string data) {
    return add(link, type, data.data(), data.size(), "x", 0, nullptr, nullptr);
  };
  EXPECT_CUDA(NoBinaryForGpu, give(kLibrary, "!<arch>\n/  0"));
  EXPECT_NE(std::string(log).find("library of machine code"),
            std::string::npos);
  EXPECT_CUDA(NoBinaryForGpu, give(kObject, "\177ELF\2\1\1"));
  EXPECT_CUDA(InvalidValue, give(99, kVectorAdd));
  EXPECT_CUDA(FileNotFound,
              addFile(link, kPtx, "/no/such/file", 0, nullptr, nullptr));
  EXPECT_CUDA(Success, give(kPtx, R"(.version 8.0
.target sm_80
.address_size 64
.extern .func missing();
.visible .entry k() { call.uni missing, (); ret; })"));
  void *image = nullptr;
  size_t bytes = 0;
  EXPECT_CUDA(Unknown, complete(link, &image, &bytes));
  EXPECT_NE(std::string(log).find("'missing'"), std::string::npos) << log;
  EXPECT_CUDA(Success, entry<Result(Link)>("cuLinkDestroy")(link));
}

/// What is not implemented is in the info log when the module loads, with its
/// place, and ends the launch of the thread that comes to it.
TEST_F(Image, TheInfoLogWarnsOfWhatIsNotImplemented) {
  const char *text = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 p, .param .b64 s);
.visible .entry parent() {
  .param .b64 p; .param .b64 s; .param .b32 r;
  call.uni (r), cudaLaunchDeviceV2, (p, s);
  ret;
})";
  char log[512] = "";
  JitOption options[] = {JitOption::InfoLogBuffer,
                         JitOption::InfoLogBufferSizeBytes};
  void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
  Module module = nullptr;
  EXPECT_CUDA(Success,
              driver().cuModuleLoadDataEx(&module, text, 2, options, values));
  EXPECT_NE(std::string(log).find("ptx:7:3: warning: "), std::string::npos)
      << log;
  EXPECT_NE(std::string(log).find("'cudaLaunchDeviceV2'"), std::string::npos)
      << log;
  EXPECT_CUDA(Success, launch(function(module, "parent"), 1, 1, {}));
  EXPECT_CUDA(NotSupported, driver().cuCtxSynchronize());
}

TEST_F(Image, Libraries) {
  using Library = void *;
  using Kernel = void *;
  auto *loadLibrary =
      entry<Result(Library *, const void *, int *, void **, unsigned, int *,
                   void **, unsigned)>("cuLibraryLoadData");
  auto *getKernel =
      entry<Result(Kernel *, Library, const char *)>("cuLibraryGetKernel");
  auto *unload = entry<Result(Library)>("cuLibraryUnload");
  Library library = nullptr;
  Kernel kernel = nullptr;
  EXPECT_CUDA(Success, loadLibrary(&library, kVectorAdd, nullptr, nullptr, 0,
                                   nullptr, nullptr, 0));
  EXPECT_CUDA(NotFound, getKernel(&kernel, library, "nothing"));
  EXPECT_CUDA(Success, getKernel(&kernel, library, "bounded"));
  DevicePtr p = 0;
  EXPECT_CUDA(Success, launch(static_cast<Function>(kernel), 1, 32, {&p}));
  EXPECT_CUDA(Success, unload(library));
  EXPECT_CUDA(InvalidHandle, unload(library));
  EXPECT_CUDA(InvalidHandle,
              launch(static_cast<Function>(kernel), 1, 32, {&p}));
}

TEST_F(Image, RectanglesAreCopied) {
  struct {
    size_t srcX, srcY;
    unsigned srcType;
    const void *srcHost;
    DevicePtr srcDevice;
    void *srcArray;
    size_t srcPitch, dstX, dstY;
    unsigned dstType;
    void *dstHost;
    DevicePtr dstDevice;
    void *dstArray;
    size_t dstPitch, width, height;
  } copy{};
  DevicePtr from = upload({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  std::vector<float> to(4, -1);
  copy.srcType = 2;
  copy.srcDevice = from;
  copy.srcPitch = 16;
  copy.srcX = 4;
  copy.srcY = 1;
  copy.dstType = 1;
  copy.dstHost = to.data();
  copy.dstPitch = 8;
  copy.width = 8;
  copy.height = 2;
  auto *memcpy2D = entry<Result(const void *)>("cuMemcpy2D_v2");
  EXPECT_CUDA(Success, memcpy2D(&copy));
  EXPECT_EQ(to, (std::vector<float>{5, 6, 9, 10}));
  copy.height = 3; // past the end of the source
  EXPECT_CUDA(InvalidValue, memcpy2D(&copy));
  copy.height = 2;
  copy.dstPitch = 7;
  EXPECT_CUDA(InvalidValue, memcpy2D(&copy));
  copy.dstType = 3; // an array
  EXPECT_CUDA(NotSupported, memcpy2D(&copy));
}

TEST_F(Image, FunctionsAreLookedUpByNameAndVersion) {
  auto *get =
      entry<Result(const char *, void **, int, unsigned long long, int *)>(
          "cuGetProcAddress_v2");
  void *found = nullptr;
  int status = -1;
  EXPECT_CUDA(Success, get("cuMemAlloc", &found, 12000, 0, &status));
  EXPECT_EQ(found, driver().symbol("cuMemAlloc_v2"));
  EXPECT_EQ(status, 0);
  EXPECT_CUDA(Success, get("cuMemAlloc", &found, 3000, 0, nullptr));
  EXPECT_EQ(found, driver().symbol("cuMemAlloc"));
  EXPECT_CUDA(Success, get("cuMemcpy", &found, 12000, 2, nullptr));
  EXPECT_EQ(found, driver().symbol("cuMemcpy_ptds"));
  EXPECT_CUDA(NotFound, get("cuLaunchKernelEx", &found, 11000, 0, &status));
  EXPECT_EQ(status, 2);
  EXPECT_EQ(found, nullptr);
  EXPECT_CUDA(NotFound, get("cuNoSuchThing", &found, 12000, 0, &status));
  EXPECT_EQ(status, 1);
  EXPECT_CUDA(InvalidValue, get(nullptr, &found, 12000, 0, &status));
}

TEST_F(Image, ErrorsHaveNamesAndWords) {
  const char *text = nullptr;
  EXPECT_CUDA(Success, driver().cuGetErrorName(Result::IllegalAddress, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_CUDA(Success,
              driver().cuGetErrorString(Result::IllegalAddress, &text));
  EXPECT_STREQ(text, "an illegal memory access was encountered");
  EXPECT_CUDA(InvalidValue, driver().cuGetErrorName(Result(12345), &text));
  EXPECT_EQ(text, nullptr);
}
} // namespace
