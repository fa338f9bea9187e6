//===- Program.cpp - decoding a module into a device's memory -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "Ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace hwtune::exec {

using ptx::Space;
using ptx::SymbolKind;

// --- the registry of this host ----------------------------------------------

std::string_view hostVectorUnit() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    return "avx512";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2"))
    return "avx2";
  return "";
#else
  return "plain";
#endif
}

static std::unique_ptr<Registry>
makeRegistry([[maybe_unused]] std::string_view unit) {
  auto r = std::make_unique<Registry>();
  addHalfOps(*r); // before the families, which replace what they do better
#define HWTUNE_ADD_FAMILIES(unit)                                              \
  unit::addIntOps(*r), unit::addLogicOps(*r), unit::addCompareOps(*r),         \
      unit::addFloatOps(*r), unit::addConvertOps(*r), unit::addMoveOps(*r),    \
      unit::addMemoryOps(*r), unit::addMatrixOps(*r),                          \
      unit::addHalfVectorOps(*r)
#if defined(__x86_64__)
  if (unit == "avx512")
    HWTUNE_ADD_FAMILIES(avx512);
  else
    HWTUNE_ADD_FAMILIES(avx2);
#else
  HWTUNE_ADD_FAMILIES(plain);
#endif
  addAnyConversion(*r);
  addSpecialOps(*r);
  addRoundingOps(*r);
  addVideoOps(*r);
  addControlOps(*r);
  addWarpOps(*r);
  addAtomicOps(*r);
  addMbarrierOps(*r);
  addModeOps(*r);
  addBuiltinOps(*r);
  return r;
}

const Registry *hostRegistry(std::string_view unit) {
  std::string_view best = hostVectorUnit();
  if (best.empty() ||
      (!unit.empty() && unit != best && !(unit == "avx2" && best == "avx512")))
    return nullptr;
  // Immutable once made; one for each unit that is asked for.
  if (unit == "avx2" && best == "avx512") {
    static const std::unique_ptr<Registry> narrow = makeRegistry("avx2");
    return narrow.get();
  }
  static const std::unique_ptr<Registry> registry = makeRegistry(best);
  return registry.get();
}

// --- module variables -------------------------------------------------------

static uint32_t alignUp(uint64_t n, uint64_t align) {
  align = align ? align : 1;
  return uint32_t((n + align - 1) / align * align);
}

static Error at(ptx::Loc loc, std::string message) {
  return {std::move(message), fmt::format("{}:{}", loc.line, loc.column)};
}

/// Memory that the host sees at the same address; 0 where there is none.
DeviceAddress ProgramBuilder::allocateManaged(uint64_t bytes) {
  constexpr uint64_t kPage = 4096;
  uint64_t whole = (std::max<uint64_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  P.managed.emplace_back(std::aligned_alloc(kPage, whole));
  void *host = P.managed.back().get();
  auto address = DeviceAddress(uintptr_t(host));
  if (!host || !memory.map(address, host, whole))
    return 0;
  memset(host, 0, whole);
  return address;
}

Status ProgramBuilder::placeModuleVariables() {
  for (const ptx::Variable &v : M.variables) {
    Place place;
    place.space = v.space;
    GlobalInfo info;
    info.name = std::string(M.str(v.name));
    info.bytes = v.bytes;
    info.align = v.align;
    info.isConst = v.space == Space::Const;
    info.managed = v.managed;
    if (v.space == Space::Shared) {
      if (!v.unsized) {
        moduleSharedBytes = alignUp(moduleSharedBytes, v.align);
        place.address = moduleSharedBytes;
        moduleSharedBytes += uint32_t(v.bytes);
      }
    } else if (v.space == Space::Global || v.space == Space::Const) {
      if (v.linkage == ptx::Linkage::Extern) {
        info.isExtern = true;
        place.address =
            options.resolveExtern ? options.resolveExtern(info.name) : 0;
        if (!place.address)
          return at(v.loc,
                    fmt::format("unresolved extern variable '{}'", info.name));
      } else {
        place.address = v.managed
                            ? allocateManaged(v.bytes)
                            : memory.allocate(std::max<uint64_t>(v.bytes, 1),
                                              std::max<uint32_t>(v.align, 256));
        if (!place.address)
          return at(v.loc, fmt::format("no memory for the {} bytes of '{}'",
                                       v.bytes, info.name));
        P.owned.push_back(place.address);
      }
      info.address = place.address;
      P.globals.push_back(info);
    } else {
      return at(
          v.loc,
          fmt::format("module variable '{}' in the {} space is not supported",
                      info.name, ptx::spaceName(v.space)));
    }
    modulePlaces.push_back(place);
  }
  return success();
}

Status ProgramBuilder::initialise() {
  for (size_t i = 0; i < M.variables.size(); ++i) {
    const ptx::Variable &v = M.variables[i];
    if (v.space == Space::Shared || v.linkage == ptx::Linkage::Extern)
      continue;
    std::byte *host =
        memory.host(modulePlaces[i].address, std::max<uint64_t>(v.bytes, 1));
    if (v.init.size() > v.bytes)
      return at(v.loc,
                fmt::format("initial value of '{}' is longer than the variable",
                            M.str(v.name)));
    if (!v.init.empty())
      memcpy(host, v.init.data(), v.init.size());
    for (const ptx::Relocation &r : v.relocations) {
      uint64_t address = 0;
      if (r.symbol.kind == SymbolKind::Global)
        address =
            modulePlaces[r.symbol.index].address +
            (r.generic && modulePlaces[r.symbol.index].space == Space::Shared
                 ? kSharedWindow
                 : 0);
      else if (r.symbol.kind == SymbolKind::Function)
        address = kCodeWindow + kCodeStride * r.symbol.index;
      address = (address + uint64_t(r.addend)) >> r.shift;
      if (r.offset + r.bytes > v.bytes || r.bytes > 8)
        return at(
            v.loc,
            fmt::format("initial value of '{}' is longer than the variable",
                        M.str(v.name)));
      memcpy(host + r.offset, &address, r.bytes);
    }
    if (v.space == Space::Const)
      memory.setReadOnly(modulePlaces[i].address, true);
  }
  return success();
}

// --- functions --------------------------------------------------------------

void ProgramBuilder::placeShared() {
  for (const ptx::Function &f : M.functions) {
    std::vector<uint32_t> places;
    uint32_t top = moduleSharedBytes;
    for (const ptx::Variable &v : f.variables) {
      if (v.space == Space::Shared && !v.unsized) {
        top = alignUp(top, v.align);
        places.push_back(top);
        top += uint32_t(v.bytes);
      } else {
        places.push_back(0);
      }
    }
    sharedPlace.push_back(std::move(places));
    sharedTop.push_back(alignUp(top, 16));
  }
}

/// Device functions may declare shared memory too: theirs starts where the
/// module's ends, and all of them share one region, apart from each other.
void ProgramBuilder::sumShared() {
  uint32_t top = moduleSharedBytes;
  for (size_t i = 0; i < M.functions.size(); ++i) {
    if (M.functions[i].isEntry)
      continue;
    uint32_t base = alignUp(top, 16), own = sharedTop[i] - moduleSharedBytes;
    bool any = false;
    for (const ptx::Variable &v : M.functions[i].variables)
      any |= v.space == Space::Shared && !v.unsized;
    if (!any)
      continue;
    for (uint32_t &p : sharedPlace[i])
      p += base - moduleSharedBytes;
    top = base + own;
  }
  functionsSharedTop = top;
  uint32_t shift = top - moduleSharedBytes;
  if (shift)
    shift = alignUp(shift, 128);
  uint32_t entryTop = 0;
  for (size_t i = 0; i < M.functions.size(); ++i) {
    if (!M.functions[i].isEntry)
      continue;
    for (uint32_t &p : sharedPlace[i])
      p += shift;
    sharedTop[i] += shift;
    entryTop = std::max(entryTop, sharedTop[i]);
  }
  // Dynamic shared memory that a device function names is that of its kernel;
  // they agree where all kernels have equal static sizes.
  for (size_t i = 0; i < M.functions.size(); ++i)
    if (!M.functions[i].isEntry)
      sharedTop[i] = entryTop;
}

FunctionInfo ProgramBuilder::describe(const ptx::Function &f) const {
  FunctionInfo info;
  info.name = std::string(M.str(f.name));
  info.isEntry = f.isEntry;
  for (const ptx::Variable &v : f.params)
    info.params.push_back({v.offset, uint32_t(v.bytes), v.align});
  info.paramBytes = f.paramBytes;
  for (const ptx::Variable &v : f.variables) {
    if (v.space == Space::Local)
      info.localBytes = alignUp(info.localBytes, v.align) + uint32_t(v.bytes);
    info.usesDynamicShared |= v.space == Space::Shared && v.unsized;
  }
  for (const ptx::Variable &v : M.variables) {
    info.usesDynamicShared |= v.space == Space::Shared && v.unsized;
    if (v.space == Space::Const)
      info.constBytes = alignUp(info.constBytes, v.align) + uint32_t(v.bytes);
  }
  info.maxNTid = f.bounds.maxNTid;
  info.reqNTid = f.bounds.reqNTid;
  info.clusterBlocks = f.bounds.reqNCtaPerCluster;
  info.wantsClusterSize = f.bounds.explicitCluster;
  info.minBlocksPerSM = f.bounds.minNCtaPerSm;
  info.maxRegisters = f.bounds.maxNReg;
  return info;
}

Status ProgramBuilder::build() {
  P.memory = &memory;
  P.registry = hostRegistry(options.vectorUnit);
  if (!P.registry)
    return Error{
        options.vectorUnit.empty()
            ? "this host has no AVX2 with FMA and F16C, which the simulator "
              "needs"
            : fmt::format("this host has no vector unit '{}', it has '{}'",
                          options.vectorUnit, hostVectorUnit()),
        ""};
  if (M.addressSize != 64)
    return Error{fmt::format("'.address_size {}' is not supported, expected 64",
                             M.addressSize),
                 ""};
  capability =
      options.computeCapability ? options.computeCapability : M.targetSm;
  if (M.targetSm > capability)
    return Error{
        fmt::format("the module is for '{}', newer than the device's sm_{}",
                    M.target, capability),
        ""};
  if (M.targetSuffix == 'a' && M.targetSm != capability)
    return Error{
        fmt::format("the module is for '{}' alone, the device is sm_{}",
                    M.target, capability),
        ""};
  if (Status s = placeModuleVariables(); !s)
    return s;
  placeShared();
  sumShared();
  P.functions.resize(M.functions.size());
  for (size_t i = 0; i < M.functions.size(); ++i)
    P.functions[i].info = describe(M.functions[i]);
  for (size_t i = 0; i < M.functions.size(); ++i) {
    DecodedFunction &f = P.functions[i];
    f.firstMeta = uint32_t(P.metas.size());
    if (M.functions[i].isDefined)
      if (Status s = FunctionDecoder(*this, uint32_t(i)).decode(); !s)
        return s;
    f.firstBlock = P.numBlocks;
    for (const OpBlock &b : f.blocks)
      P.blockInfos.push_back({b.firstMeta, b.numMetas});
    P.numBlocks += uint32_t(f.blocks.size());
    f.info.staticSharedBytes = M.functions[i].isEntry ? sharedTop[i] : 0;
    if (f.info.staticSharedBytes && !f.info.usesDynamicShared) {
      // Exact where nothing follows: the top was rounded for what is dynamic.
      uint32_t exact = functionsSharedTop;
      for (size_t k = 0; k < M.functions[i].variables.size(); ++k)
        if (const ptx::Variable &v = M.functions[i].variables[k];
            v.space == Space::Shared)
          exact = std::max(exact, sharedPlace[i][k] + uint32_t(v.bytes));
      f.info.staticSharedBytes = exact;
    }
  }
  for (const DecodedFunction &f : P.functions)
    P.infos.push_back(f.info);
  return initialise();
}

// --- the public class -------------------------------------------------------

Program::Program() : pimpl(std::make_unique<Impl>()) {}
Program::~Program() {
  for (DeviceAddress a : pimpl->owned)
    pimpl->memory->release(a);
}

Expected<std::shared_ptr<const Program>>
Program::create(const ptx::Module &module, GlobalMemory &memory,
                const ProgramOptions &options) {
  std::shared_ptr<Program> program(new Program());
  program->pimpl->memory = &memory;
  if (Status s =
          ProgramBuilder(module, memory, options, *program->pimpl).build();
      !s)
    return s.error();
  return std::shared_ptr<const Program>(std::move(program));
}

std::span<const FunctionInfo> Program::functions() const {
  return pimpl->infos;
}
const FunctionInfo *Program::findFunction(std::string_view name) const {
  for (const FunctionInfo &f : pimpl->infos)
    if (f.name == name)
      return &f;
  return nullptr;
}
std::span<const GlobalInfo> Program::globals() const { return pimpl->globals; }
const GlobalInfo *Program::findGlobal(std::string_view name) const {
  for (const GlobalInfo &g : pimpl->globals)
    if (g.name == name)
      return &g;
  return nullptr;
}
std::span<const Refusal> Program::refusals() const { return pimpl->refusals; }
std::span<const InstMeta> Program::instructions() const { return pimpl->metas; }
std::span<const InstMeta>
Program::instructions(const FunctionInfo &function) const {
  size_t i = size_t(&function - pimpl->infos.data());
  const DecodedFunction &f = pimpl->functions[i];
  return std::span(pimpl->metas).subspan(f.firstMeta, f.numMetas);
}

// --- names ------------------------------------------------------------------

std::string_view statusName(LaunchStatus status) {
  constexpr std::string_view names[] = {"ok",
                                        "illegal address",
                                        "misaligned address",
                                        "illegal instruction",
                                        "trap",
                                        "timeout",
                                        "deadlock",
                                        "out of resources",
                                        "invalid request",
                                        "unsupported instruction",
                                        "check failed"};
  return names[size_t(status)];
}
std::string_view diagnosticName(DiagnosticKind kind) {
  constexpr std::string_view names[] = {"none",
                                        "out-of-bounds",
                                        "misaligned",
                                        "write-to-constant",
                                        "uninitialized-read",
                                        "shared-race",
                                        "divergent-barrier",
                                        "trap",
                                        "watchdog",
                                        "deadlock",
                                        "illegal-instruction",
                                        "unsupported",
                                        "launch"};
  return names[size_t(kind)];
}
std::string Diagnostic::str() const {
  if (!line)
    return fmt::format("{}: {}", function, text);
  return fmt::format(
      "{}: PTX line {}: thread ({},{},{}) of block ({},{},{}): {}: {}",
      function, line, thread[0], thread[1], thread[2], block[0], block[1],
      block[2], diagnosticName(kind), text);
}
std::string_view instClassName(InstClass cls) {
  constexpr std::string_view names[] = {
      "fp32",        "fp64",         "fp16",          "integer",
      "integer_mul", "special",      "slow",          "convert",
      "move",        "control",      "barrier",       "warp",
      "matrix",      "shared_load",  "shared_store",  "shared_atomic",
      "global_load", "global_store", "global_atomic", "local_load",
      "local_store", "const_load",   "param_load",    "async_copy",
      "other"};
  return names[size_t(cls)];
}

} // namespace hwtune::exec
