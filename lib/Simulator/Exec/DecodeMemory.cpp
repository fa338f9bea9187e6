//===- DecodeMemory.cpp - loads, stores, atomics, async copies ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SymbolKind;

/// What may stand between the opcode and the type of an access without
/// changing what one simulated SM sees.
static bool isHint(std::string_view m) {
  static constexpr std::string_view hints[] = {
      "weak", "volatile", "relaxed", "acquire", "release", "acq_rel",
      "sc",   "cta",      "cluster", "gpu",     "sys",     "mmio",
      "nc",   "ca",       "cg",      "cs",      "lu",      "cv",
      "wb",   "wt",       "unified", "noftz"};
  return std::find(std::begin(hints), std::end(hints), m) != std::end(hints) ||
         m.starts_with("L1::") || m.starts_with("L2::") ||
         m.starts_with("level::");
}

/// A cluster has one block: its shared memory is the block's own.
static bool isShared(std::string_view m) {
  return m == "shared" || m == "shared::cta" || m == "shared::cluster";
}
bool FunctionDecoder::hasShared() const {
  for (size_t i = 0; i < numMods(); ++i)
    if (isShared(mod(i)))
      return true;
  return false;
}

/// How st.async and red.async say that they are done: as a transaction of a
/// barrier. They are done at once.
static bool isCompletion(std::string_view m) {
  return m == "async" || m == "mbarrier::complete_tx::bytes";
}
bool FunctionDecoder::isAsync() const {
  return isOneOf(opcode(), {"st", "red"}) && hasMod("async") &&
         hasMod("mbarrier::complete_tx::bytes");
}
bool FunctionDecoder::completeTransaction(unsigned bytes) {
  if (!needs(3))
    return false;
  emitMbarrier("mbarrier.complete_tx", operands()[2], {},
               constant(false, bytes));
  return !failed;
}

bool FunctionDecoder::memoryForm(MemForm &form) {
  form.type = lastMod();
  for (size_t i = 0; i + 1 < numMods(); ++i) {
    std::string_view m = mod(i);
    if (m == "global")
      form.space = Space::Global;
    else if (isShared(m))
      form.space = Space::Shared;
    else if (m == "local")
      form.space = Space::Local;
    else if (m == "param" || m == "param::entry" || m == "param::func")
      form.space = Space::Param;
    else if (m == "const")
      form.space = Space::Const;
    else if (m == "v2" || m == "v4" || m == "v8")
      form.elems = unsigned(m[1] - '0');
    else if (!isHint(m) && !(isAsync() && isCompletion(m)))
      return false;
  }
  return true;
}

uint32_t FunctionDecoder::addMem(MemDesc desc) {
  desc.meta = meta;
  B.P.mem.push_back(desc);
  return uint32_t(B.P.mem.size() - 1);
}

static AddrSpace addrSpace(Space space, bool isEntry) {
  switch (space) {
  case Space::Global:
  case Space::Const:
    return AddrSpace::Global;
  case Space::Shared:
    return AddrSpace::Shared;
  case Space::Local:
    return AddrSpace::Local;
  case Space::Param:
    return isEntry ? AddrSpace::Param : AddrSpace::Local;
  default:
    return AddrSpace::Generic;
  }
}

Space FunctionDecoder::spaceOf(const ptx::Symbol &symbol) const {
  switch (symbol.kind) {
  case SymbolKind::Global:
    return M.variables[symbol.index].space;
  case SymbolKind::Variable:
    return F.variables[symbol.index].space;
  default:
    return Space::Param;
  }
}

Val FunctionDecoder::address(const Operand &operand, Space space,
                             MemDesc &desc) {
  desc.space = addrSpace(space, F.isEntry);
  desc.wideBase = true;
  desc.imm = operand.value;
  if (operand.kind != OperandKind::Address) {
    fail(fmt::format("'{}' needs an address in brackets", M.str(name->full)));
    return {};
  }
  if (operand.index != ptx::kNone) {
    desc.wideBase = classes[operand.index] == RegClass::Quad;
    if (classes[operand.index] != RegClass::Quad &&
        classes[operand.index] != RegClass::Word)
      fail(fmt::format("address register '{}' has the wrong type",
                       M.str(F.registers[operand.index].name)));
    return Val::reg(operand.index);
  }
  if (operand.symbol.kind == SymbolKind::None) {
    desc.imm = 0;
    return constant(true, uint64_t(operand.value));
  }
  Operand symbol = operand;
  symbol.kind = OperandKind::Symbol;
  symbol.value = 0;
  // A variable by its name says where it is, also where the access does not.
  if (space == Space::None && operand.symbol.kind != SymbolKind::Function)
    desc.space = addrSpace(space = spaceOf(operand.symbol), F.isEntry);
  // Formal parameters of a kernel live apart, those of a call in the frame.
  if (space == Space::Param && operand.symbol.kind != SymbolKind::Param)
    desc.space = AddrSpace::Local;
  return symbolAddress(symbol, 'q');
}

/// Register elements of an access, as the slots of its descriptor.
static std::vector<Operand> elementsOf(const ptx::Function &F,
                                       const Operand &operand) {
  if (operand.kind != OperandKind::Vector)
    return {operand};
  auto e = F.elements(operand);
  return {e.begin(), e.end()};
}

static std::string fastName(const MemDesc &d, bool isStore) {
  bool global = d.space == AddrSpace::Global || d.space == AddrSpace::Generic;
  bool shared = d.space == AddrSpace::Shared;
  if (!(global && d.wideBase) && !shared)
    return "";
  return fmt::format("mem.{}.{}.{}.{}x{}", isStore ? "st" : "ld",
                     shared ? "shared" : "global", d.wideBase ? 'q' : 'w',
                     unsigned(d.elemBytes), unsigned(d.elems));
}

/// The register of one element of an access of `type`, `bytes` wide.
Val FunctionDecoder::memoryValue(const Operand &e, std::string_view type,
                                 unsigned bytes, bool isStore) {
  if (bytes == 16)
    return isStore ? source(e, 'o') : destination(e, 'o');
  if (bytes == 8)
    return isStore ? source(e, type == "f64" ? 'd' : 'q') : destination(e, 'q');
  if (isStore)
    return source(e, type == "f32" ? 'f' : 'w');
  if (e.kind == OperandKind::Sink)
    return Val::reg(temp(RegClass::Word));
  return wideDestination(e, type[0] == 's' ? std::string(type)
                                           : "u" + untyped(type).substr(1));
}

/// Makes `op` a read of the kernel's parameters at a fixed place.
bool FunctionDecoder::readKernelParam(const Operand &at, MemDesc &desc,
                                      VOp &op) {
  if (desc.isStore)
    return unsupported("kernel parameters are read-only");
  uint64_t offset = 0;
  if (at.symbol.kind == SymbolKind::Param)
    offset = F.params[at.symbol.index].offset;
  desc.imm = int64_t(offset) + at.value;
  if (desc.imm < 0 || uint64_t(desc.imm) + desc.laneBytes > F.paramBytes)
    return fail(fmt::format(
        "'{}' reads bytes {} to {} of {} bytes of parameters",
        M.str(name->full), desc.imm, desc.imm + desc.laneBytes, F.paramBytes));
  op.entry =
      entry(fmt::format("mem.ld.kernelparam.{}", unsigned(desc.elemBytes)));
  op.a = {};
  op.kernelParam = true;
  return true;
}

const Entry *FunctionDecoder::memoryEntry(const MemDesc &desc) {
  std::string fast = fastName(desc, desc.isStore);
  const Entry *e = fast.empty() ? nullptr : B.P.registry->find(fast);
  return e ? e
           : entry(fmt::format("mem.{}.slow.{}", desc.isStore ? "st" : "ld",
                               unsigned(desc.elemBytes)));
}

size_t FunctionDecoder::usedElements(size_t count, unsigned bytes) const {
  auto place = uint32_t(inst - F.body.data());
  for (auto [at, mask] : F.usedBytes)
    if (at == place)
      return std::min<size_t>(count,
                              (std::bit_width(mask) + bytes - 1) / bytes);
  return count;
}

bool FunctionDecoder::decodeMemory(bool isStore) {
  auto ops = operands();
  MemForm form;
  if (!memoryForm(form) || ops.size() < 2)
    return unsupported();
  auto type = ptx::typeFromName(form.type);
  if (!type || *type == ptx::Type::Pred)
    return unsupported();
  unsigned bytes = ptx::typeBytes(*type);
  std::vector<Operand> elems = elementsOf(F, ops[isStore ? 1 : 0]);
  if (elems.size() != form.elems)
    return fail(fmt::format("'{}' with {} elements, expected {}",
                            M.str(name->full), elems.size(), form.elems));
  // What a load brings beyond the last byte that is used need not exist.
  size_t used = isStore ? elems.size() : usedElements(elems.size(), bytes);
  elems.resize(used);
  form.elems = unsigned(used);
  const Operand &at = ops[isStore ? 0 : 1];
  MemDesc desc;
  desc.isStore = isStore;
  desc.isStrong = hasMod("volatile") || hasMod("relaxed") ||
                  hasMod("acquire") || hasMod("release") || hasMod("mmio");
  desc.isConstant = form.space == Space::Const;
  VOp op;
  op.a = address(at, form.space, desc);
  if (failed)
    return false;
  // 16 bytes are two elements of 8, the halves of an Oct register.
  desc.halves = bytes == 16;
  desc.elemBytes = uint8_t(std::min(bytes, 8u));
  desc.elems = uint8_t(form.elems * (desc.halves ? 2 : 1));
  desc.laneBytes = uint8_t(bytes * form.elems);
  for (const Operand &e : elems) {
    Val v = memoryValue(e, form.type, bytes, isStore);
    if (failed)
      return false;
    note(op, v, !isStore);
    op.memSlots.insert(op.memSlots.end(), desc.halves ? 2 : 1, v);
  }
  note(op, op.a, false);
  if (desc.elems > 8)
    return unsupported();
  (isStore ? op.b : op.d) = op.memSlots[0];
  if (desc.space == AddrSpace::Param && at.index == ptx::kNone) {
    if (!readKernelParam(at, desc, op))
      return false;
  } else {
    op.entry = memoryEntry(desc);
  }
  op.mem = addMem(desc);
  op.c = Val::raw(op.mem);
  append(std::move(op));
  return !failed;
}

/// st{...}.async [a], b, [barrier] as well.
bool FunctionDecoder::decodeStore() {
  if (!decodeMemory(true))
    return false;
  const VOp &store = blocks.back().ops.back();
  return !isAsync() || completeTransaction(B.P.mem[store.mem].laneBytes);
}

// --- atomics ----------------------------------------------------------------

/// atom{.sem}{.scope}{.space}.op{.noftz}.type d, [a], b{, c}; red has no d.
bool FunctionDecoder::readAtomic(AtomicForm &form) {
  form.type = lastMod();
  for (size_t i = 0; i + 1 < numMods(); ++i) {
    std::string_view m = mod(i);
    if (m == "global")
      form.space = Space::Global;
    else if (isShared(m))
      form.space = Space::Shared;
    else if (m == "v2" || m == "v4" || m == "v8")
      form.elems = unsigned(m[1] - '0');
    else if (!isHint(m) && !(isAsync() && isCompletion(m))) {
      if (!form.what.empty())
        return unsupported();
      form.what = m;
    }
  }
  form.entry =
      B.P.registry->find(fmt::format("atom.{}.{}", form.what, form.type));
  return form.entry || unsupported();
}

bool FunctionDecoder::decodeAtomic() {
  auto ops = operands();
  bool isRed = opcode() == "red";
  AtomicForm form;
  if (!readAtomic(form))
    return false;
  size_t at = isRed ? 0 : 1;
  bool cas = form.what == "cas";
  if (ops.size() < at + (cas ? 3u : 2u))
    return unsupported();
  unsigned bytes = ptx::typeBytes(*ptx::typeFromName(form.type));
  char letter = bytes == 16          ? 'o'
                : bytes == 8         ? (form.type == "f64" ? 'd' : 'q')
                : bytes == 2         ? 'h'
                : form.type == "f32" ? 'f'
                                     : 'w';
  std::vector<Operand> values = elementsOf(F, ops[at + 1]);
  std::vector<Operand> results =
      isRed ? std::vector<Operand>(values.size()) : elementsOf(F, ops[0]);
  if (values.size() != form.elems || results.size() != form.elems)
    return unsupported();
  for (unsigned i = 0; i < form.elems; ++i) {
    MemDesc desc;
    desc.isAtomic = true;
    desc.elemBytes = desc.laneBytes = uint8_t(bytes);
    VOp op;
    op.entry = form.entry;
    op.a = address(ops[at], form.space, desc);
    desc.imm += i * bytes;
    op.b = source(values[i], letter);
    op.ext[0] = cas ? source(ops[at + 2], letter) : Val{};
    op.d = destination(results[i], letter);
    op.hasExt = true;
    if (failed)
      return false;
    note(op, op.d, true);
    for (Val v : {op.a, op.b, op.ext[0]})
      note(op, v, false);
    op.mem = addMem(desc);
    op.memSlots = {op.b};
    op.c = Val::raw(op.mem);
    append(std::move(op));
  }
  return isAsync() ? completeTransaction(bytes) : !failed;
}

// --- asynchronous copies ----------------------------------------------------

/// cp.async.{ca,cg}.shared.global [dst], [src], size{, src-size}{, policy}.
/// The data land when the group is waited for.
bool FunctionDecoder::decodeAsync() {
  auto ops = operands();
  if (numMods() < 1 || mod(0) != "async")
    return unsupported();
  std::string_view what = numMods() > 1 ? mod(1) : "";
  if (what == "commit_group") {
    emit("async.commit", {});
    return !failed;
  }
  if (what == "wait_group" || what == "wait_all") {
    uint32_t n =
        what == "wait_all" ? 0 : uint32_t(ops.size() ? ops[0].value : 0);
    emit("async.wait", {}, {Val::raw(n), Val::raw(what == "wait_all")});
    return !failed;
  }
  if (what == "mbarrier")
    return decodeCopyArrive();
  if ((what != "ca" && what != "cg") || ops.size() < 3 ||
      ops[2].kind != OperandKind::Immediate)
    return unsupported();
  uint32_t bytes = uint32_t(ops[2].value);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return fail(fmt::format("'{}' of {} bytes, expected 4, 8 or 16",
                            M.str(name->full), bytes));
  MemDesc to, from;
  to.elemBytes = to.laneBytes = from.elemBytes = from.laneBytes =
      uint8_t(bytes);
  to.isAsync = from.isAsync = to.isStore = true;
  Val toBase = address(ops[0], Space::Shared, to),
      fromBase = address(ops[1], Space::Global, from);
  // A fourth operand is the number of bytes to read, or a predicate that says
  // to read none; a cache policy comes after it or alone with .L2::cache_hint.
  Val size{}, ignore{};
  bool hint = hasMod("L2::cache_hint");
  size_t extra = ops.size() - 3 - (hint ? 1 : 0);
  if (extra == 1) {
    bool isPredicate = ops[3].kind == OperandKind::Register &&
                       classOf(ops[3]) == RegClass::Pred;
    (isPredicate ? ignore : size) = source(ops[3], isPredicate ? 'p' : 'w');
  }
  if (failed)
    return false;
  VOp op;
  op.entry = entry("async.copy");
  op.a = fromBase;
  op.b = toBase;
  op.ext[0] = size;
  op.ext[1] = ignore;
  for (Val v : {toBase, fromBase, size, ignore})
    note(op, v, false);
  op.mem = addMem(from);
  uint32_t second = addMem(to);
  B.P.mem[op.mem].partner = second;
  op.c = Val::raw(op.mem);
  op.ext[2] = Val::raw(second);
  op.hasExt = true;
  append(std::move(op));
  return !failed;
}

// --- what a timing model wants to know --------------------------------------

static InstClass memoryClass(std::string_view op, Space space) {
  bool store = op == "st", atomic = op == "atom" || op == "red";
  switch (space) {
  case Space::Shared:
    return atomic  ? InstClass::SharedAtomic
           : store ? InstClass::SharedStore
                   : InstClass::SharedLoad;
  case Space::Local:
    return store ? InstClass::LocalStore : InstClass::LocalLoad;
  case Space::Const:
    return InstClass::ConstLoad;
  case Space::Param:
    return InstClass::ParamLoad;
  default:
    return atomic  ? InstClass::GlobalAtomic
           : store ? InstClass::GlobalStore
                   : InstClass::GlobalLoad;
  }
}

InstClass classify(std::string_view op, std::string_view type, Space space,
                   std::string_view full) {
  auto is = [&](std::initializer_list<std::string_view> names) {
    return isOneOf(op, names);
  };
  auto has = [&](std::string_view part) {
    return full.find(part) != full.npos;
  };
  if (is({"ld", "ldu", "st", "atom", "red"}))
    return memoryClass(op, space);
  if (op == "mbarrier")
    return InstClass::SharedAtomic;
  if (op == "ldmatrix")
    return InstClass::SharedLoad;
  if (op == "stmatrix")
    return InstClass::SharedStore;
  if (op == "wmma" && !has(".mma"))
    return has(".store") ? memoryClass("st", space) : memoryClass("ld", space);
  if (is({"mma", "wmma"}))
    return InstClass::Matrix;
  if (op == "cp")
    return has("commit") || has("wait") ? InstClass::Other
                                        : InstClass::AsyncCopy;
  if (is({"bra", "brx", "ret", "exit", "call", "trap", "brkpt"}))
    return InstClass::Control;
  if (is({"bar", "barrier"}))
    return has(".warp") ? InstClass::Warp : InstClass::Barrier;
  if (is({"shfl", "vote", "match", "redux", "elect", "activemask",
          "movmatrix"}))
    return InstClass::Warp;
  if (is({"mov", "cvta", "isspacep", "stacksave", "stackrestore", "alloca"}) ||
      type == "pred")
    return InstClass::Move;
  if (op == "cvt")
    return InstClass::Convert;
  if (is({"ex2", "lg2", "sin", "cos", "tanh", "rsqrt"}) ||
      (is({"rcp", "sqrt", "div"}) && has("approx")))
    return InstClass::Special;
  if (is({"div", "rem", "rcp", "sqrt"}))
    return InstClass::Slow;
  if (type.find("f16") != type.npos)
    return InstClass::FP16;
  if (type == "f32")
    return InstClass::FP32;
  if (type == "f64")
    return InstClass::FP64;
  if (is({"mul", "mad", "madc", "mul24", "mad24", "dp4a", "dp2a"}))
    return InstClass::IntegerMul;
  if (is({"membar", "fence", "prefetch", "prefetchu", "nanosleep", "pmevent",
          "discard", "applypriority", "createpolicy"}))
    return InstClass::Other;
  return InstClass::Integer;
}

static bool differsByLane(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  return reg == Tid || reg == LaneId ||
         (reg >= LaneMaskEq && reg <= LaneMaskGt);
}

/// Adds the registers of an operand to what the instruction reads or writes.
void FunctionDecoder::describeOperand(const Operand &o, bool isWritten,
                                      InstMeta &m) const {
  m.readsSpecial |= o.kind == OperandKind::Special;
  m.readsLane |= o.kind == OperandKind::Special && differsByLane(o.special);
  switch (o.kind) {
  case OperandKind::Register:
    (isWritten ? m.writes : m.reads).push_back(o.index);
    break;
  case OperandKind::Address:
    if (o.index != ptx::kNone)
      m.reads.push_back(o.index);
    break;
  case OperandKind::Immediate:
    m.immediate = o.value;
    break;
  case OperandKind::Vector:
  case OperandKind::Pair:
  case OperandKind::List:
    for (const Operand &e : F.elements(o))
      describeOperand(e, isWritten, m);
    break;
  default:
    break;
  }
}

/// The access of the instruction, if it has one: the last descriptor added, but
/// for the barrier that an asynchronous store completes.
void FunctionDecoder::describeAccess(Space space, InstMeta &m) const {
  std::string_view op = opcode();
  for (size_t b = blocks.size(); b-- > 0;)
    for (size_t k = blocks[b].ops.size(); k-- > 0;) {
      const VOp &o = blocks[b].ops[k];
      if (o.mem == kNoMeta || B.P.mem[o.mem].meta != meta)
        continue;
      const MemDesc &d = B.P.mem[o.mem];
      if (d.isAtomic && op == "st")
        continue;
      m.isMemory = !o.kernelParam;
      m.bytesPerLane = d.laneBytes;
      m.offset = d.imm;
      m.isAtomic = d.isAtomic;
      m.isAsync = d.isAsync;
      m.isStore =
          op == "st" || op == "stmatrix" || (op == "wmma" && hasMod("store"));
      m.isLoad = !m.isStore && !m.isAtomic;
      m.space = op == "cp" ? Space::Global : space;
      m.bypassesL1 = hasMod("cg") || hasMod("cv") || hasMod("volatile") ||
                     hasMod("relaxed") || hasMod("acquire") || d.isAtomic;
      m.isReadOnly = hasMod("nc");
      if (d.isFragment) {
        m.fragment = fragmentShape(B.P.matrices[o.matrix]);
        m.accesses = m.fragment->instructions(space == Space::Shared);
        m.bytesPerLane = m.fragment->accesses() * m.fragment->laneBytes();
      }
      return;
    }
}

/// The metadata of the instruction, and which registers it touches as PTX
/// says (not what it was lowered to).
void FunctionDecoder::describe(uint32_t i) {
  const ptx::Instruction &I = F.body[i];
  InstMeta m;
  m.id = meta;
  m.function = index;
  m.line = I.loc.line;
  m.name = std::string(M.str(name->full));
  MemForm form;
  memoryForm(form);
  std::string_view op = opcode();
  if (op == "atom" || op == "red" || op == "wmma")
    form.space = hasShared()        ? Space::Shared
                 : hasMod("global") ? Space::Global
                                    : Space::None;
  if (op == "ldmatrix" || op == "stmatrix" || op == "mbarrier")
    form.space = Space::Shared;
  m.cls = classify(op, lastMod(), form.space, m.name);
  m.guarded = I.guard != ptx::kNone;
  m.isBranch = op == "bra" || op == "brx";
  m.isBlockStart = blocks.back().numMetas == 0;
  if (m.guarded)
    m.reads.push_back(I.guard);
  bool hasResult =
      !isOneOf(op, {"st", "red", "bra", "bar", "barrier", "cp", "stmatrix",
                    "ret", "exit", "brx", "stackrestore", "nanosleep"}) &&
      !(op == "wmma" && hasMod("store"));
  auto ops = operands();
  for (size_t k = 0; k < ops.size(); ++k)
    describeOperand(ops[k], k == 0 && hasResult, m);
  if (op == "st" && ops.size() == 2)
    for (const Operand &e : ops[1].kind == OperandKind::Vector
                                ? F.elements(ops[1])
                                : ops.subspan(1))
      m.stored.push_back(e.kind == OperandKind::Register ? e.index
                                                         : ptx::kNone);
  bool isLogic = isOneOf(m.name, {"and.pred", "or.pred"});
  if ((op == "selp" && ops.size() == 4) || (isLogic && ops.size() == 3)) {
    auto reg = [](const Operand &o) {
      return o.kind == OperandKind::Register && !o.negated ? o.index
                                                           : ptx::kNone;
    };
    m.choices = {reg(ops[1]), reg(ops[2])};
  }
  if (op == "cp") {
    m.commitsGroup = hasMod("commit_group") || hasMod("wait_all");
    if (hasMod("wait_group") || hasMod("wait_all"))
      m.groupsLeft = uint32_t(ops.empty() ? 0 : ops[0].value);
  }
  describeAccess(form.space, m);
  B.P.metas.push_back(std::move(m));
}

} // namespace hwtune::exec
