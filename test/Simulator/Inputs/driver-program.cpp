//===- driver-program.cpp - an unmodified program of the driver API -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program that knows nothing of hwtune: the driver API as NVIDIA's header
// declares it, linked with -lcuda. argv[1]: a fat binary or PTX with `scale`.
#include <cstdio>
#include <cuda.h>
#include <vector>

static void check(CUresult result, const char *call) {
  const char *name = "?";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  std::printf("%s: %s\n", call, name);
  throw 1;
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) try {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  char name[100];
  CHECK(cuDeviceGetName(name, sizeof name, device));
  std::printf("device: %s\n", name);
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  int n = 1000;
  std::vector<float> x(n, 3);
  CUdeviceptr p;
  CHECK(cuMemAlloc(&p, n * sizeof(float)));
  CHECK(cuMemcpyHtoD(p, x.data(), n * sizeof(float)));
  float factor = 2.5f;
  void *params[] = {&p, &factor, &n};
  CHECK(cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, nullptr, params, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(x.data(), p, n * sizeof(float)));
  for (int i = 0; i < n; ++i)
    if (x[i] != 7.5f + i % 7) {
      std::printf("x[%d] = %g\n", i, x[i]);
      return 1;
    }
  std::printf("all %d right\n", n);
  CHECK(cuMemFree(p));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
} catch (int) {
  return 1;
}
