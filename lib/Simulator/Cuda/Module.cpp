//===- Module.cpp - modules, libraries and functions ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Load.h"

#include <fstream>
#include <sstream>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::Function;
using cuda::Kernel;
using cuda::Library;
using cuda::Module;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuModuleLoadDataEx(Module *module, const void *image,
                                          unsigned count,
                                          cuda::JitOption *options,
                                          void **values) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!module || !image || (count && (!options || !values)))
    return Result::InvalidValue;
  std::vector<int> numbers;
  for (unsigned i = 0; i < count; ++i)
    numbers.push_back(int(options[i]));
  JitLog log;
  if (!JitLog::read(log, count, numbers.data(), values))
    return Result::InvalidValue;
  Id id = 0;
  Result result = loadImage(call, image, 0, log, id);
  if (result == Result::Success)
    *module = handleOf<Module>(id);
  return result;
}

HWTUNE_CUDA_API Result cuModuleLoadData(Module *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

HWTUNE_CUDA_API Result cuModuleLoadFatBinary(Module *module,
                                             const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

static bool readFile(const char *path, std::string &bytes) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return false;
  std::ostringstream all;
  all << file.rdbuf();
  bytes = std::move(all).str();
  return true;
}

HWTUNE_CUDA_API Result cuModuleLoad(Module *module, const char *path) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!module || !path)
    return Result::InvalidValue;
  std::string bytes;
  if (!readFile(path, bytes))
    return Result::FileNotFound;
  Id id = 0;
  Result result =
      bytes.empty() ? Result::InvalidImage
                    : loadImage(call, bytes.data(), bytes.size(), JitLog(), id);
  if (result == Result::Success)
    *module = handleOf<Module>(id);
  return result;
}

HWTUNE_CUDA_API Result cuModuleUnload(Module module) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!call.driver.modules.count(idOf(module)))
    return Result::InvalidHandle;
  call.driver.unloadModule(idOf(module));
  return Result::Success;
}

HWTUNE_CUDA_API Result cuModuleGetFunction(Function *function, Module module,
                                           const char *name) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!function || !name)
    return Result::InvalidValue;
  if (!call.driver.modules.count(idOf(module)))
    return Result::InvalidHandle;
  Id id = 0;
  Result result = findFunction(call.driver, idOf(module), name, id);
  if (result == Result::Success)
    *function = handleOf<Function>(id);
  return result;
}

HWTUNE_CUDA_API Result cuModuleGetFunctionCount(unsigned *count,
                                                Module module) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  auto it = call.driver.modules.find(idOf(module));
  if (!count)
    return Result::InvalidValue;
  if (it == call.driver.modules.end())
    return Result::InvalidHandle;
  *count = 0;
  for (const exec::FunctionInfo &info : it->second.program->functions())
    *count += info.isEntry;
  return Result::Success;
}

static Result findGlobal(Driver &driver, Id module, const char *name,
                         DevicePtr *address, size_t *bytes) {
  const exec::GlobalInfo *info =
      driver.modules.at(module).program->findGlobal(name);
  if (!info)
    return Result::NotFound;
  if (address)
    *address = info->address;
  if (bytes)
    *bytes = info->bytes;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuModuleGetGlobal_v2(DevicePtr *address, size_t *bytes,
                                            Module module, const char *name) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!name)
    return Result::InvalidValue;
  if (!call.driver.modules.count(idOf(module)))
    return Result::InvalidHandle;
  return findGlobal(call.driver, idOf(module), name, address, bytes);
}

HWTUNE_CUDA_API Result cuModuleGetLoadingMode(int *mode) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!mode)
    return Result::InvalidValue;
  *mode = 1; // eager
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Libraries: modules that belong to no context in particular
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuLibraryLoadData(Library *library, const void *image,
                                         int *jitOptions, void **jitValues,
                                         unsigned jitCount, int *options,
                                         void **values, unsigned count) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  JitLog log;
  if (!library || !image || (jitCount && (!jitOptions || !jitValues)) ||
      !JitLog::read(log, jitCount, jitOptions, jitValues))
    return Result::InvalidValue;
  // It belongs to no context: none can take it along when it is destroyed.
  call.contextId = 0;
  Id module = 0;
  Result result = loadImage(call, image, 0, log, module);
  if (result != Result::Success)
    return result;
  Id id = call.driver.newId();
  call.driver.libraries.emplace(id, LibraryState{module});
  *library = handleOf<Library>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuLibraryUnload(Library library) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  auto it = call.driver.libraries.find(idOf(library));
  if (it == call.driver.libraries.end())
    return Result::InvalidHandle;
  call.driver.unloadModule(it->second.module);
  call.driver.libraries.erase(it);
  return Result::Success;
}

/// The module of a library, or 0.
static Id moduleOf(Driver &driver, Library library) {
  auto it = driver.libraries.find(idOf(library));
  return it == driver.libraries.end() ? 0 : it->second.module;
}

/// Kernels and functions are the same thing here, under one handle.
HWTUNE_CUDA_API Result cuLibraryGetKernel(Kernel *kernel, Library library,
                                          const char *name) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!kernel || !name)
    return Result::InvalidValue;
  Id module = moduleOf(call.driver, library), id = 0;
  if (!module)
    return Result::InvalidHandle;
  Result result = findFunction(call.driver, module, name, id);
  if (result == Result::Success)
    *kernel = handleOf<Kernel>(id);
  return result;
}

HWTUNE_CUDA_API Result cuLibraryGetModule(Module *module, Library library) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!module)
    return Result::InvalidValue;
  Id id = moduleOf(call.driver, library);
  if (!id)
    return Result::InvalidHandle;
  *module = handleOf<Module>(id);
  return Result::Success;
}

HWTUNE_CUDA_API Result cuLibraryGetGlobal(DevicePtr *address, size_t *bytes,
                                          Library library, const char *name) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!name)
    return Result::InvalidValue;
  Id module = moduleOf(call.driver, library);
  return module ? findGlobal(call.driver, module, name, address, bytes)
                : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuKernelGetFunction(Function *function, Kernel kernel) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!function)
    return Result::InvalidValue;
  if (!call.driver.functions.count(idOf(kernel)))
    return Result::InvalidHandle;
  *function = handleOf<Function>(idOf(kernel));
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

HWTUNE_CUDA_API Result cuFuncGetAttribute(int *value,
                                          cuda::FunctionAttribute attribute,
                                          Function function) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!value)
    return Result::InvalidValue;
  FunctionState *state = functionOf(call.driver, function);
  return state ? functionAttribute(call.driver, *state, int(attribute), *value)
               : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuFuncSetAttribute(Function function,
                                          cuda::FunctionAttribute attribute,
                                          int value) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  FunctionState *state = functionOf(call.driver, function);
  return state
             ? setFunctionAttribute(call.driver, *state, int(attribute), value)
             : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuKernelGetAttribute(int *value, int attribute,
                                            Kernel kernel,
                                            cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (!value)
    return Result::InvalidValue;
  if (device != 0)
    return Result::InvalidDevice;
  FunctionState *state =
      functionOf(call.driver, handleOf<Function>(idOf(kernel)));
  return state ? functionAttribute(call.driver, *state, attribute, *value)
               : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuKernelSetAttribute(int attribute, int value,
                                            Kernel kernel,
                                            cuda::Device device) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  if (device != 0)
    return Result::InvalidDevice;
  FunctionState *state =
      functionOf(call.driver, handleOf<Function>(idOf(kernel)));
  return state ? setFunctionAttribute(call.driver, *state, attribute, value)
               : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuFuncSetCacheConfig(Function function, int config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (config < 0 || config > 3)
    return Result::InvalidValue;
  return functionOf(call.driver, function) ? Result::Success
                                           : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuFuncSetSharedMemConfig(Function function, int config) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (config < 0 || config > 2)
    return Result::InvalidValue;
  return functionOf(call.driver, function) ? Result::Success
                                           : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuFuncGetModule(Module *module, Function function) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!module)
    return Result::InvalidValue;
  FunctionState *state = functionOf(call.driver, function);
  if (!state)
    return Result::InvalidHandle;
  *module = handleOf<Module>(state->module);
  return Result::Success;
}

/// The name lives as long as the module.
HWTUNE_CUDA_API Result cuFuncGetName(const char **name, Function function) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!name)
    return Result::InvalidValue;
  FunctionState *state = functionOf(call.driver, function);
  if (!state)
    return Result::InvalidHandle;
  *name = state->info->name.c_str();
  return Result::Success;
}

HWTUNE_CUDA_API Result cuKernelGetName(const char **name, Kernel kernel) {
  return cuFuncGetName(name, handleOf<Function>(idOf(kernel)));
}

HWTUNE_CUDA_API Result cuFuncGetParamInfo(Function function, size_t index,
                                          size_t *offset, size_t *bytes) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  FunctionState *state = functionOf(call.driver, function);
  if (!state)
    return Result::InvalidHandle;
  if (!offset || index >= state->info->params.size())
    return Result::InvalidValue;
  *offset = state->info->params[index].offset;
  if (bytes)
    *bytes = state->info->params[index].bytes;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuKernelGetParamInfo(Kernel kernel, size_t index,
                                            size_t *offset, size_t *bytes) {
  return cuFuncGetParamInfo(handleOf<Function>(idOf(kernel)), index, offset,
                            bytes);
}

HWTUNE_CUDA_API Result cuFuncLoad(Function function) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  return functionOf(call.driver, function) ? Result::Success
                                           : Result::InvalidHandle;
}

HWTUNE_CUDA_API Result cuFuncIsLoaded(int *state, Function function) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!state)
    return Result::InvalidValue;
  *state = 1;
  return functionOf(call.driver, function) ? Result::Success
                                           : Result::InvalidHandle;
}
