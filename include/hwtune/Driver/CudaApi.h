//===- CudaApi.h - our declarations of the CUDA driver API ------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver API that hwtune uses, under names of our own, so
// that nothing needs CUDA installed to be built. Values and signatures are
// compared with NVIDIA's `cuda.h` by a test, where that header exists. The
// binary interface is C's: a library that answers these calls (the vendor's,
// the simulated one, the fault-injecting one) exports the `symbol` column of
// `HWTUNE_CUDA_FUNCTIONS` with exactly these parameters.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_DRIVER_CUDAAPI_H
#define HWTUNE_DRIVER_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace hwtune::cuda {

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

using Device = int;
using DevicePtr = unsigned long long;
using Context = struct ContextImpl *;
using Module = struct ModuleImpl *;
using Function = struct FunctionImpl *;
using Stream = struct StreamImpl *;
using Event = struct EventImpl *;
struct Uuid {
  char bytes[16];
};

//===----------------------------------------------------------------------===//
// Enumerations: X(our name, name in cuda.h, value)
//===----------------------------------------------------------------------===//

// clang-format off
#define HWTUNE_CUDA_RESULTS(X)                                                 \
  X(Success, CUDA_SUCCESS, 0)                                                  \
  X(InvalidValue, CUDA_ERROR_INVALID_VALUE, 1)                                 \
  X(OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2)                                  \
  X(NotInitialized, CUDA_ERROR_NOT_INITIALIZED, 3)                             \
  X(Deinitialized, CUDA_ERROR_DEINITIALIZED, 4)                                \
  X(StubLibrary, CUDA_ERROR_STUB_LIBRARY, 34)                                  \
  X(DeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                      \
  X(NoDevice, CUDA_ERROR_NO_DEVICE, 100)                                       \
  X(InvalidDevice, CUDA_ERROR_INVALID_DEVICE, 101)                             \
  X(InvalidImage, CUDA_ERROR_INVALID_IMAGE, 200)                               \
  X(InvalidContext, CUDA_ERROR_INVALID_CONTEXT, 201)                           \
  X(NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                         \
  X(EccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214)                       \
  X(InvalidPtx, CUDA_ERROR_INVALID_PTX, 218)                                   \
  X(JitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)               \
  X(UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)            \
  X(InvalidSource, CUDA_ERROR_INVALID_SOURCE, 300)                             \
  X(FileNotFound, CUDA_ERROR_FILE_NOT_FOUND, 301)                              \
  X(SharedObjectInitFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303)         \
  X(OperatingSystem, CUDA_ERROR_OPERATING_SYSTEM, 304)                         \
  X(InvalidHandle, CUDA_ERROR_INVALID_HANDLE, 400)                             \
  X(IllegalState, CUDA_ERROR_ILLEGAL_STATE, 401)                               \
  X(NotFound, CUDA_ERROR_NOT_FOUND, 500)                                       \
  X(NotReady, CUDA_ERROR_NOT_READY, 600)                                       \
  X(IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700)                           \
  X(LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)             \
  X(LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702)                             \
  X(ContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                  \
  X(Assert, CUDA_ERROR_ASSERT, 710)                                            \
  X(HostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
  X(HostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)       \
  X(HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                  \
  X(IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                   \
  X(MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716)                     \
  X(InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                \
  X(InvalidPc, CUDA_ERROR_INVALID_PC, 718)                                     \
  X(LaunchFailed, CUDA_ERROR_LAUNCH_FAILED, 719)                               \
  X(NotPermitted, CUDA_ERROR_NOT_PERMITTED, 800)                               \
  X(NotSupported, CUDA_ERROR_NOT_SUPPORTED, 801)                               \
  X(SystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY, 802)                          \
  X(SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)              \
  X(InvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                  \
  X(Unknown, CUDA_ERROR_UNKNOWN, 999)

#define HWTUNE_CUDA_DEVICE_ATTRIBUTES(X)                                       \
  X(MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)          \
  X(MaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                      \
  X(MaxBlockDimY, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                      \
  X(MaxBlockDimZ, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                      \
  X(MaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                        \
  X(MaxGridDimY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                        \
  X(MaxGridDimZ, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                        \
  X(MaxSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
  X(TotalConstantMemory, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)         \
  X(WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                               \
  X(MaxPitch, CU_DEVICE_ATTRIBUTE_MAX_PITCH, 11)                               \
  X(MaxRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12)     \
  X(ClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                             \
  X(TextureAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 14)               \
  X(GpuOverlap, CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 15)                           \
  X(MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)         \
  X(Integrated, CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                            \
  X(CanMapHostMemory, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)             \
  X(ComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                         \
  X(SurfaceAlignment, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 30)               \
  X(ConcurrentKernels, CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 31)             \
  X(EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32)                           \
  X(PciBusId, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                              \
  X(PciDeviceId, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                        \
  X(MemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                \
  X(GlobalMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)     \
  X(L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                        \
  X(MaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39) \
  X(AsyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 40)              \
  X(UnifiedAddressing, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 41)             \
  X(TexturePitchAlignment, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 51)    \
  X(ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)  \
  X(ComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)  \
  X(MaxSharedMemoryPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) \
  X(MaxRegistersPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82) \
  X(ManagedMemory, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                     \
  X(PageableMemoryAccess, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 88)      \
  X(ConcurrentManagedAccess, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89) \
  X(CooperativeLaunch, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)             \
  X(MaxSharedMemoryPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
  X(MaxBlocksPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106) \
  X(VirtualMemoryManagement, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102) \
  X(ReservedSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111) \
  X(MemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)     \
  X(ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)

#define HWTUNE_CUDA_FUNCTION_ATTRIBUTES(X)                                     \
  X(MaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)            \
  X(SharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                   \
  X(ConstSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                     \
  X(LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                     \
  X(NumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                    \
  X(PtxVersion, CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                              \
  X(BinaryVersion, CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                        \
  X(CacheModeCa, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 7)                           \
  X(MaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
  X(PreferredSharedMemoryCarveout, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)

#define HWTUNE_CUDA_JIT_OPTIONS(X)                                             \
  X(MaxRegisters, CU_JIT_MAX_REGISTERS, 0)                                     \
  X(InfoLogBuffer, CU_JIT_INFO_LOG_BUFFER, 3)                                  \
  X(InfoLogBufferSizeBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4)              \
  X(ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER, 5)                                \
  X(ErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)            \
  X(OptimizationLevel, CU_JIT_OPTIMIZATION_LEVEL, 7)                           \
  X(GenerateDebugInfo, CU_JIT_GENERATE_DEBUG_INFO, 11)                         \
  X(LogVerbose, CU_JIT_LOG_VERBOSE, 12)                                        \
  X(GenerateLineInfo, CU_JIT_GENERATE_LINE_INFO, 13)

// Plain flag words of the API: X(our constant, name in cuda.h, value)
#define HWTUNE_CUDA_FLAGS(X)                                                   \
  X(kStreamDefault, CU_STREAM_DEFAULT, 0x0)                                    \
  X(kStreamNonBlocking, CU_STREAM_NON_BLOCKING, 0x1)                           \
  X(kEventDefault, CU_EVENT_DEFAULT, 0x0)                                      \
  X(kEventBlockingSync, CU_EVENT_BLOCKING_SYNC, 0x1)                           \
  X(kEventDisableTiming, CU_EVENT_DISABLE_TIMING, 0x2)                         \
  X(kMemAttachGlobal, CU_MEM_ATTACH_GLOBAL, 0x1)                               \
  X(kMemAttachHost, CU_MEM_ATTACH_HOST, 0x2)                                   \
  X(kContextSchedAuto, CU_CTX_SCHED_AUTO, 0x0)                                 \
  X(kContextSchedSpin, CU_CTX_SCHED_SPIN, 0x1)                                 \
  X(kContextSchedYield, CU_CTX_SCHED_YIELD, 0x2)                               \
  X(kContextSchedBlockingSync, CU_CTX_SCHED_BLOCKING_SYNC, 0x4)                \
  X(kMemHostRegisterPortable, CU_MEMHOSTREGISTER_PORTABLE, 0x1)                \
  X(kMemHostRegisterDeviceMap, CU_MEMHOSTREGISTER_DEVICEMAP, 0x2)
// clang-format on

#define HWTUNE_CUDA_ENUMERATOR(ours, theirs, value) ours = value,
enum class Result : int { HWTUNE_CUDA_RESULTS(HWTUNE_CUDA_ENUMERATOR) };
enum class DeviceAttribute : int {
  HWTUNE_CUDA_DEVICE_ATTRIBUTES(HWTUNE_CUDA_ENUMERATOR)
};
enum class FunctionAttribute : int {
  HWTUNE_CUDA_FUNCTION_ATTRIBUTES(HWTUNE_CUDA_ENUMERATOR)
};
enum class JitOption : int { HWTUNE_CUDA_JIT_OPTIONS(HWTUNE_CUDA_ENUMERATOR) };
#undef HWTUNE_CUDA_ENUMERATOR

#define HWTUNE_CUDA_CONSTANT(ours, theirs, value)                              \
  inline constexpr unsigned ours = value;
HWTUNE_CUDA_FLAGS(HWTUNE_CUDA_CONSTANT)
#undef HWTUNE_CUDA_CONSTANT

/// "CUDA_ERROR_ILLEGAL_ADDRESS"; null for one we do not list.
/// A driver's own `cuGetErrorName` is preferred where there is one.
const char *resultName(Result result);

/// True for an error after which the context answers nothing but that error
/// (illegal address, illegal instruction, time-out, ...): the process that saw
/// it has to end.
bool isSticky(Result result);

//===----------------------------------------------------------------------===//
// Functions: X(required or optional, member name = documented name, exported
// symbol, parameters)
//===----------------------------------------------------------------------===//
//
// The exported symbol carries the version suffix that `cuda.h` maps the
// documented name to (CUDA 12 binary interface, which CUDA 13 keeps).

// clang-format off
#define HWTUNE_CUDA_FUNCTIONS(X)                                               \
  X(Required, cuInit, cuInit, (unsigned flags))                                \
  X(Required, cuDriverGetVersion, cuDriverGetVersion, (int *version))          \
  X(Required, cuGetErrorName, cuGetErrorName, (Result error, const char **text)) \
  X(Required, cuGetErrorString, cuGetErrorString, (Result error, const char **text)) \
  /* devices and contexts */                                                   \
  X(Required, cuDeviceGetCount, cuDeviceGetCount, (int *count))                \
  X(Required, cuDeviceGet, cuDeviceGet, (Device *device, int ordinal))         \
  X(Required, cuDeviceGetName, cuDeviceGetName, (char *name, int length, Device device)) \
  X(Required, cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, Device device)) \
  X(Required, cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, Device device)) \
  X(Optional, cuDeviceGetUuid, cuDeviceGetUuid_v2, (Uuid *uuid, Device device)) \
  X(Required, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *context, Device device)) \
  X(Required, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (Device device)) \
  X(Required, cuCtxGetCurrent, cuCtxGetCurrent, (Context *context))            \
  X(Required, cuCtxSetCurrent, cuCtxSetCurrent, (Context context))             \
  X(Required, cuCtxPushCurrent, cuCtxPushCurrent_v2, (Context context))        \
  X(Required, cuCtxPopCurrent, cuCtxPopCurrent_v2, (Context *context))         \
  X(Required, cuCtxSynchronize, cuCtxSynchronize, ())                          \
  /* modules and kernels */                                                    \
  X(Required, cuModuleLoadData, cuModuleLoadData, (Module *module, const void *image)) \
  X(Required, cuModuleLoadDataEx, cuModuleLoadDataEx, (Module *module, const void *image, unsigned count, JitOption *options, void **values)) \
  X(Required, cuModuleUnload, cuModuleUnload, (Module module))                 \
  X(Required, cuModuleGetFunction, cuModuleGetFunction, (Function *function, Module module, const char *name)) \
  X(Optional, cuModuleGetGlobal, cuModuleGetGlobal_v2, (DevicePtr *address, size_t *bytes, Module module, const char *name)) \
  X(Required, cuFuncGetAttribute, cuFuncGetAttribute, (int *value, FunctionAttribute attribute, Function function)) \
  X(Required, cuFuncSetAttribute, cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value)) \
  X(Required, cuLaunchKernel, cuLaunchKernel, (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **params, void **extra)) \
  X(Optional, cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, Function function, int blockSize, size_t dynamicSharedBytes)) \
  /* memory */                                                                 \
  X(Required, cuMemGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))    \
  X(Required, cuMemAlloc, cuMemAlloc_v2, (DevicePtr *address, size_t bytes))   \
  X(Optional, cuMemAllocManaged, cuMemAllocManaged, (DevicePtr *address, size_t bytes, unsigned flags)) \
  X(Optional, cuMemAllocAsync, cuMemAllocAsync, (DevicePtr *address, size_t bytes, Stream stream)) \
  X(Required, cuMemFree, cuMemFree_v2, (DevicePtr address))                    \
  X(Optional, cuMemFreeAsync, cuMemFreeAsync, (DevicePtr address, Stream stream)) \
  X(Optional, cuMemAllocHost, cuMemAllocHost_v2, (void **address, size_t bytes)) \
  X(Optional, cuMemFreeHost, cuMemFreeHost, (void *address))                   \
  X(Optional, cuMemHostRegister, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags)) \
  X(Optional, cuMemHostUnregister, cuMemHostUnregister, (void *address))       \
  X(Optional, cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (DevicePtr *device, void *host, unsigned flags)) \
  X(Required, cuMemcpy, cuMemcpy, (DevicePtr to, DevicePtr from, size_t bytes)) \
  X(Required, cuMemcpyAsync, cuMemcpyAsync, (DevicePtr to, DevicePtr from, size_t bytes, Stream stream)) \
  X(Required, cuMemcpyHtoD, cuMemcpyHtoD_v2, (DevicePtr to, const void *from, size_t bytes)) \
  X(Required, cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *to, DevicePtr from, size_t bytes)) \
  X(Required, cuMemcpyDtoD, cuMemcpyDtoD_v2, (DevicePtr to, DevicePtr from, size_t bytes)) \
  X(Optional, cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePtr to, const void *from, size_t bytes, Stream stream)) \
  X(Optional, cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, DevicePtr from, size_t bytes, Stream stream)) \
  X(Optional, cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePtr to, DevicePtr from, size_t bytes, Stream stream)) \
  X(Required, cuMemsetD8, cuMemsetD8_v2, (DevicePtr to, unsigned char value, size_t count)) \
  X(Optional, cuMemsetD16, cuMemsetD16_v2, (DevicePtr to, unsigned short value, size_t count)) \
  X(Required, cuMemsetD32, cuMemsetD32_v2, (DevicePtr to, unsigned value, size_t count)) \
  X(Optional, cuMemsetD8Async, cuMemsetD8Async, (DevicePtr to, unsigned char value, size_t count, Stream stream)) \
  X(Optional, cuMemsetD16Async, cuMemsetD16Async, (DevicePtr to, unsigned short value, size_t count, Stream stream)) \
  X(Optional, cuMemsetD32Async, cuMemsetD32Async, (DevicePtr to, unsigned value, size_t count, Stream stream)) \
  /* streams and events */                                                     \
  X(Required, cuStreamCreate, cuStreamCreate, (Stream *stream, unsigned flags)) \
  X(Required, cuStreamDestroy, cuStreamDestroy_v2, (Stream stream))            \
  X(Required, cuStreamSynchronize, cuStreamSynchronize, (Stream stream))       \
  X(Required, cuStreamWaitEvent, cuStreamWaitEvent, (Stream stream, Event event, unsigned flags)) \
  X(Required, cuEventCreate, cuEventCreate, (Event *event, unsigned flags))    \
  X(Required, cuEventDestroy, cuEventDestroy_v2, (Event event))                \
  X(Required, cuEventRecord, cuEventRecord, (Event event, Stream stream))      \
  X(Required, cuEventQuery, cuEventQuery, (Event event))                       \
  X(Required, cuEventSynchronize, cuEventSynchronize, (Event event))           \
  X(Required, cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, Event start, Event end))
// clang-format on

/// One pointer per function; null where a library lacks an optional one.
struct Functions {
#define HWTUNE_CUDA_MEMBER(need, name, symbol, params)                         \
  Result(*name) params = nullptr;
  HWTUNE_CUDA_FUNCTIONS(HWTUNE_CUDA_MEMBER)
#undef HWTUNE_CUDA_MEMBER
};

/// Entry of the simulated driver that a real one does not have: its presence
/// tells the two apart. Returns null on success, else the reason as text that
/// stays valid until the next call. Keys of the JSON object, all optional:
/// `target` (id or file; before `cuInit` only), `mode` ("functional" or
/// "timed"), `check` (boolean), `blocks` (list of [x, y, z] to run to the end;
/// empty: all). What is not named stays as it was. `mode`, `check` and `blocks`
/// may change between launches and hold from the next one on.
using SimConfigureFn = const char *(*)(const char *json);
inline constexpr const char *kSimConfigureSymbol = "hwtuneSimConfigure";

} // namespace hwtune::cuda

#endif // HWTUNE_DRIVER_CUDAAPI_H
