//===- Linker.cpp - several PTX texts made one ----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result of a link is PTX again: the texts one after the other under one
// head, with the names that are private to a text made unique.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Load.h"
#include "hwtune/Simulator/Ptx/Parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace hwtune;
using namespace hwtune::simcuda;
using cuda::LinkState;

namespace {
struct Link {
  JitLog log;
  std::vector<ptx::Module> modules;
  std::string image; ///< once completed
};

/// Links in progress. Behind the driver's mutex.
std::map<Id, Link> &links() {
  static auto *all = new std::map<Id, Link>;
  return *all;
}

/// Renames what is private to `module` where another text has the name.
void makePrivateNamesUnique(ptx::Module &module, size_t index,
                            std::set<std::string> &taken) {
  auto rename = [&](ptx::StringId &name, ptx::Linkage linkage) {
    std::string text(module.str(name));
    if (linkage == ptx::Linkage::Internal && taken.count(text)) {
      do
        text += fmt::format("$link{}", index);
      while (taken.count(text));
      name = module.strings.intern(text);
    }
    taken.insert(text);
  };
  for (ptx::Variable &variable : module.variables)
    rename(variable.name, variable.linkage);
  for (ptx::Function &function : module.functions)
    rename(function.name,
           function.isEntry ? ptx::Linkage::Visible : function.linkage);
}

/// `text` without its `.version`, `.target` and `.address_size` lines.
std::string_view withoutHead(std::string_view text) {
  for (int line = 0; line < 3; ++line)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

/// `CUjitInputType`: cubin, PTX, fat binary, object, library, NVVM. What the
/// bytes are tells more.
bool isInputType(int type) {
  constexpr int kInputTypes = 6;
  return type >= 0 && type < kInputTypes;
}

/// Whether all that is called is there. The real linker gives the same code for
/// what is not.
Result resolve(const ptx::Module &whole, int capability, std::string &message) {
  exec::GlobalMemory scratch;
  exec::ProgramOptions options;
  options.computeCapability = uint32_t(capability);
  auto program = exec::Program::create(whole, scratch, options);
  if (program)
    return Result::Success;
  message = program.error().str();
  return Result::Unknown;
}

Result add(Call &call, Id id, const void *data, size_t bytes) {
  auto it = links().find(id);
  if (it == links().end())
    return Result::InvalidHandle;
  Link &link = it->second;
  ImageText text = ptxOfImage(data, bytes, call.driver.capability());
  ptx::Module module;
  if (text.result == Result::Success)
    text.result =
        parsePtx(text.text, call.driver.capability(), module, text.message);
  if (text.result == Result::Success)
    link.modules.push_back(std::move(module));
  else
    link.log.writeError(text.message);
  return text.result;
}
} // namespace

HWTUNE_CUDA_API Result cuLinkCreate_v2(unsigned count, int *options,
                                       void **values, LinkState *state) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  Link link;
  if (!state || (count && (!options || !values)) ||
      !JitLog::read(link.log, count, options, values))
    return Result::InvalidValue;
  Id id = call.driver.newId();
  links().emplace(id, std::move(link));
  *state = handleOf<LinkState>(id);
  return Result::Success;
}
HWTUNE_CUDA_ALIAS(cuLinkCreate, cuLinkCreate_v2)

HWTUNE_CUDA_API Result cuLinkAddData_v2(LinkState state, int type, void *data,
                                        size_t bytes, const char *name,
                                        unsigned count, int *options,
                                        void **values) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!data || !bytes || !isInputType(type))
    return Result::InvalidValue;
  return add(call, idOf(state), data, bytes);
}
HWTUNE_CUDA_ALIAS(cuLinkAddData, cuLinkAddData_v2)

HWTUNE_CUDA_API Result cuLinkAddFile_v2(LinkState state, int type,
                                        const char *path, unsigned count,
                                        int *options, void **values) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!path || !isInputType(type))
    return Result::InvalidValue;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Result::FileNotFound;
  std::ostringstream all;
  all << file.rdbuf();
  std::string bytes = std::move(all).str();
  return bytes.empty() ? Result::InvalidImage
                       : add(call, idOf(state), bytes.data(), bytes.size());
}
HWTUNE_CUDA_ALIAS(cuLinkAddFile, cuLinkAddFile_v2)

HWTUNE_CUDA_API Result cuLinkComplete(LinkState state, void **image,
                                      size_t *bytes) {
  Call call(Need::Context);
  if (!call.ok())
    return call.result;
  if (!image)
    return Result::InvalidValue;
  auto it = links().find(idOf(state));
  if (it == links().end())
    return Result::InvalidHandle;
  Link &link = it->second;
  if (link.modules.empty())
    return Result::InvalidImage;
  std::set<std::string> taken;
  uint32_t major = 0, minor = 0;
  for (size_t i = 0; i < link.modules.size(); ++i) {
    ptx::Module &module = link.modules[i];
    makePrivateNamesUnique(module, i, taken);
    if (std::tie(module.versionMajor, module.versionMinor) >
        std::tie(major, minor))
      major = module.versionMajor, minor = module.versionMinor;
  }
  auto newest = std::max_element(
      link.modules.begin(), link.modules.end(),
      [](const auto &a, const auto &b) { return a.targetSm < b.targetSm; });
  link.image = fmt::format(".version {}.{}\n.target {}\n.address_size {}\n",
                           major, minor, newest->target, newest->addressSize);
  for (const ptx::Module &module : link.modules)
    link.image += withoutHead(ptx::print(module));
  ptx::Module whole;
  std::string message;
  Result result =
      parsePtx(link.image, call.driver.capability(), whole, message);
  if (result == Result::Success)
    result = resolve(whole, call.driver.capability(), message);
  if (result != Result::Success) {
    link.log.writeError("linking: " + message);
    return result;
  }
  *image = link.image.data();
  if (bytes)
    *bytes = link.image.size() + 1;
  return Result::Success;
}

HWTUNE_CUDA_API Result cuLinkDestroy(LinkState state) {
  Call call(Need::Init);
  if (!call.ok())
    return call.result;
  return links().erase(idOf(state)) ? Result::Success : Result::InvalidHandle;
}
