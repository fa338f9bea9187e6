//===- kernels.cpp - host side of kernels compiled by nvcc ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs kernels.cu and compares with what the host computes.
#include <cmath>
#include <cstdio>
#include <cuda.h>
#include <vector>

static int failures = 0;
static CUmodule module;

static void expect(bool right, const char *what) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  failures += !right;
}

static void launch(const char *name, unsigned blocks, unsigned threads,
                   std::vector<void *> params, bool cooperative = false) {
  CUfunction f;
  if (cuModuleGetFunction(&f, module, name) != CUDA_SUCCESS) {
    expect(false, name);
    return;
  }
  CUresult launched =
      cooperative ? cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, 0,
                                              nullptr, params.data())
                  : cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, nullptr,
                                   params.data(), nullptr);
  if (launched != CUDA_SUCCESS || cuCtxSynchronize() != CUDA_SUCCESS)
    expect(false, name);
}

template <typename T> CUdeviceptr upload(const std::vector<T> &v) {
  CUdeviceptr p = 0;
  cuMemAlloc(&p, v.size() * sizeof(T));
  cuMemcpyHtoD(p, v.data(), v.size() * sizeof(T));
  return p;
}
template <typename T> std::vector<T> download(CUdeviceptr p, size_t n) {
  std::vector<T> v(n);
  cuMemcpyDtoH(v.data(), p, n * sizeof(T));
  return v;
}

int main(int argc, char **argv) {
  CUcontext context;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  if (cuModuleLoad(&module, argv[1]) != CUDA_SUCCESS) {
    std::printf("module does not load\n");
    return 1;
  }
  CUdeviceptr p = upload<float>({0, 6});
  int n = 1, none = 0;
  launch("virtualCall", 1, 1, {&p, &n});
  bool square = download<float>(p, 1)[0] == 36;
  launch("virtualCall", 1, 1, {&p, &none});
  expect(square && download<float>(p, 1)[0] == 12, "virtual calls");

  std::vector<int> counts(256);
  int sum = 0;
  for (int i = 0; i < 256; ++i)
    sum += counts[i] = i * 7 % 31;
  CUdeviceptr in = upload(counts), out = upload<int>({0});
  launch("groupReduce", 1, 256, {&in, &out});
  expect(download<int>(out, 1)[0] == sum, "cooperative groups");

  CUdeviceptr cells = upload(std::vector<int>(512, 5));
  launch("gridSync", 8, 64, {&cells}, true);
  expect(download<int>(cells, 1)[0] == 512, "grid synchronisation");

  // Halves of small integers: 0x3c00 is 1, 0x4000 is 2, 0x4200 is 3.
  const unsigned short halves[] = {0, 0x3c00, 0x4000, 0x4200};
  std::vector<unsigned short> a(256), b(256);
  for (int i = 0; i < 256; ++i) {
    a[i] = halves[(i * 5 + i / 16) % 4];
    b[i] = halves[(i * 3 + 1) % 4];
  }
  auto value = [&](unsigned short h) {
    return h == 0 ? 0 : h == 0x3c00 ? 1 : h == 0x4000 ? 2 : 3;
  };
  CUdeviceptr pa = upload(a), pb = upload(b),
              pc = upload(std::vector<float>(256));
  launch("tensorCore", 1, 32, {&pa, &pb, &pc});
  std::vector<float> c = download<float>(pc, 256);
  bool right = true;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      int want = 1;
      for (int k = 0; k < 16; ++k)
        want += value(a[i * 16 + k]) * value(b[j * 16 + k]);
      right &= c[i * 16 + j] == want;
    }
  expect(right, "tensor core");

  struct {
    float values[64];
  } big;
  for (int i = 0; i < 64; ++i)
    big.values[i] = i * 0.5f;
  launch("bigParameter", 1, 64, {&big, &pc});
  c = download<float>(pc, 64);
  right = true;
  for (int i = 0; i < 64; ++i)
    right &= c[i] == (63 - i) * 0.5f;
  expect(right, "large parameter");

  launch("heap", 1, 64, {&cells});
  std::vector<int> own = download<int>(cells, 64);
  right = true;
  for (int i = 0; i < 64; ++i)
    right &= own[i] == i;
  expect(right, "device heap");

  std::vector<double> x(64);
  for (int i = 0; i < 64; ++i)
    x[i] = 0.1 + i * 0.37;
  CUdeviceptr px = upload(x);
  launch("doubles", 1, 64, {&px});
  std::vector<double> y = download<double>(px, 64);
  right = true;
  for (int i = 0; i < 64; ++i) {
    double want = std::sin(x[i]) + std::sqrt(x[i]) / 3 + std::fmod(x[i], 0.7) +
                  std::exp(-x[i]) + std::pow(x[i], 1.5);
    right &= std::fabs(y[i] - want) <= 1e-13 * std::fabs(want) + 1e-13;
  }
  expect(right, "doubles");
  return failures != 0;
}
