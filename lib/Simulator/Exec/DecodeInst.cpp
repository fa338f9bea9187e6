//===- DecodeInst.cpp - instructions on registers -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most instructions are looked up in the registry by their canonical PTX name
// and take their operands in order. The others have a function here.
//
//===----------------------------------------------------------------------===//

#include "ConvertAny.h"
#include "Decode.h"

#include <fmt/format.h>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;

std::string untyped(std::string_view type) {
  if (type == "f16x2" || type == "bf16x2")
    return "b32";
  if (type == "bf16" || type == "f16")
    return "b16";
  if (type == "tf32")
    return "b32";
  if (type == "f32x2")
    return "b64";
  if (!type.empty() && (type[0] == 'u' || type[0] == 's' || type[0] == 'f'))
    return "b" + std::string(type.substr(1));
  return std::string(type);
}

/// The modifiers in the order of the ISA's grammar: the rounding before `.ftz`,
/// which assemblers take in either order.
std::vector<std::string_view> FunctionDecoder::orderedMods() const {
  std::vector<std::string_view> mods;
  for (size_t i = 0; i < numMods(); ++i)
    mods.push_back(mod(i));
  for (size_t i = 1; i < mods.size(); ++i)
    for (std::string_view rounding : {"rn", "rz", "rm", "rp", "approx", "full"})
      if (mods[i] == rounding && mods[i - 1] == "ftz")
        std::swap(mods[i], mods[i - 1]);
  return mods;
}

/// The name under which the registry has the instruction: default rounding
/// dropped, untyped where the type does not matter.
std::string FunctionDecoder::canonicalName() const {
  std::string_view op = opcode();
  std::string out(op);
  bool dropRn =
      op == "add" || op == "sub" || op == "mul" || op == "fma" || op == "mad";
  bool typeless = op == "selp" || op == "shl" || op == "and" || op == "or" ||
                  op == "xor" || op == "not";
  if ((op == "min" || op == "max") && operands().size() == 4)
    out += "3";
  std::vector<std::string_view> mods = orderedMods();
  for (size_t i = 0; i < mods.size(); ++i) {
    std::string_view m = mods[i];
    if (dropRn && m == "rn")
      continue;
    out += '.';
    if ((typeless && i + 1 == mods.size()) ||
        (op == "slct" && i + 2 == mods.size()))
      out += untyped(m);
    else
      out += m;
  }
  return out;
}

namespace {

struct Family {
  std::string_view opcode;
  bool (FunctionDecoder::*decode)();
};

} // namespace

/// Those that need more than a signature, by opcode.
bool FunctionDecoder::decodeFamily(bool &handled) {
  using D = FunctionDecoder;
  static constexpr Family families[] = {
      {"setp", &D::decodeSetp},
      {"set", &D::decodeSet},
      {"mov", &D::decodeMov},
      {"cvt", &D::decodeCvt},
      {"cvta", &D::decodeCvta},
      {"isspacep", &D::decodeIsspacep},
      {"lop3", &D::decodeLop3},
      {"ld", &D::decodeLoad},
      {"ldu", &D::decodeLoad},
      {"st", &D::decodeStore},
      {"atom", &D::decodeAtomic},
      {"red", &D::decodeAtomic},
      {"bar", &D::decodeBar},
      {"barrier", &D::decodeBar},
      {"call", &D::decodeCall},
      {"shfl", &D::decodeWarp},
      {"vote", &D::decodeWarp},
      {"match", &D::decodeWarp},
      {"redux", &D::decodeWarp},
      {"elect", &D::decodeWarp},
      {"activemask", &D::decodeWarp},
      {"mma", &D::decodeMatrix},
      {"wmma", &D::decodeMatrix},
      {"ldmatrix", &D::decodeMatrix},
      {"stmatrix", &D::decodeMatrix},
      {"movmatrix", &D::decodeMatrix},
      {"cp", &D::decodeAsync},
      {"mbarrier", &D::decodeMbarrier},
      {"alloca", &D::decodeStack},
      {"stacksave", &D::decodeStack},
      {"stackrestore", &D::decodeStack},
      {"mapa", &D::decodeClusterAddress},
      {"getctarank", &D::decodeClusterAddress},
      {"createpolicy", &D::decodePolicy},
  };
  for (const Family &family : families)
    if (family.opcode == opcode())
      return (this->*family.decode)();
  handled = false;
  return false;
}

/// A policy of the cache is a number that nothing looks at.
bool FunctionDecoder::decodePolicy() {
  if (!needs(1))
    return false;
  Val d = destination(operands()[0], 'q');
  emit("mov.b64", d, {constant(true, 0)});
  return !failed;
}

bool FunctionDecoder::decodeRegular() {
  std::string_view op = opcode();
  bool handled = true;
  bool ok = decodeFamily(handled);
  if (handled)
    return ok;
  if (op.size() > 3 && op[0] == 'v')
    return decodeVideo();
  // What changes only when things happen, or how fast.
  if (isOneOf(op, {"membar", "fence", "prefetch", "prefetchu", "applypriority",
                   "pmevent", "discard", "griddepcontrol", "setmaxnreg"}))
    emit("nop", {});
  else if (isOneOf(op, {"trap", "brkpt"}))
    emit("trap", {});
  else if (op == "nanosleep")
    emit("sleep", {});
  else if (const Entry *e = B.P.registry->find(canonicalName()))
    return decodeBySignature(*e, operands());
  else
    return unsupported();
  return !failed;
}

bool FunctionDecoder::decodeBySignature(const Entry &e,
                                        std::span<const Operand> ops) {
  std::string_view sig = e.sig;
  if (sig.size() != ops.size())
    return fail(fmt::format("'{}' with {} operands, expected {}",
                            M.str(name->full), ops.size(), sig.size()));
  std::vector<Val> sources;
  for (size_t i = 1; i < sig.size(); ++i)
    sources.push_back(source(ops[i], sig[i]));
  VOp op;
  op.entry = &e;
  op.d = destination(ops[0], sig[0]);
  note(op, op.d, true);
  Val *slots[] = {&op.a, &op.b, &op.c, &op.ext[0], &op.ext[1], &op.ext[2]};
  for (size_t i = 0; i < sources.size(); ++i) {
    *slots[i] = sources[i];
    note(op, sources[i], false);
  }
  op.hasExt = sources.size() > 3;
  append(std::move(op));
  return !failed;
}

// --- comparisons ------------------------------------------------------------

static std::string booleanOp(std::string_view name, bool negatedFirst) {
  if (!negatedFirst)
    return fmt::format("{}.pred", name);
  return name == "and"  ? "notand.pred"
         : name == "or" ? "notor.pred"
                        : "xnor.pred";
}

/// setp.cmp{.bool}{.ftz}.type p{|q}, a, b{, c}: p = (a cmp b) bool c,
/// q = !(a cmp b) bool c.
bool FunctionDecoder::decodeSetp() {
  if (lastMod() == "f16x2" || lastMod() == "bf16x2")
    return decodePairSetp();
  auto ops = operands();
  if (numMods() < 2 || ops.size() < 3)
    return unsupported();
  std::string_view type = lastMod(), boolean;
  std::string key = fmt::format("setp.{}", mod(0));
  for (size_t i = 1; i + 1 < numMods(); ++i)
    if (mod(i) == "and" || mod(i) == "or" || mod(i) == "xor")
      boolean = mod(i);
    else
      key += fmt::format(".{}", mod(i));
  key += fmt::format(".{}", type);
  const Entry *e = entry(key);
  if (!e)
    return false;
  std::span<const Operand> results = ops.subspan(0, 1);
  if (ops[0].kind == OperandKind::Pair)
    results = F.elements(ops[0]);
  if (!boolean.empty() && !needs(4))
    return false;
  Val a = source(ops[1], e->sig[1]), b = source(ops[2], e->sig[2]);
  if (boolean.empty() && results.size() == 1) {
    emit(e, destination(results[0], 'p'), {a, b});
    return !failed;
  }
  Val test = Val::reg(temp(RegClass::Pred));
  emit(e, test, {a, b});
  Val c = boolean.empty() ? Val::raw(kTruePredicate) : source(ops[3], 'p');
  std::string_view how = boolean.empty() ? "and" : boolean;
  // Both results are made before either register is written: c may be one.
  Val first = Val::reg(temp(RegClass::Pred)),
      second = Val::reg(temp(RegClass::Pred));
  emit(booleanOp(how, false), first, {test, c});
  if (results.size() == 2)
    emit(booleanOp(how, true), second, {test, c});
  emit("mov.pred", destination(results[0], 'p'), {first});
  if (results.size() == 2)
    emit("mov.pred", destination(results[1], 'p'), {second});
  return !failed;
}

/// The test of one half of a pair: "low" or "high".
Val FunctionDecoder::pairTest(Val a, Val b, std::string_view half,
                              size_t lastOption, std::string_view &boolean) {
  std::string key = fmt::format("setp.{}.{}.{}", mod(0), half, lastMod());
  for (size_t i = 1; i < lastOption; ++i)
    if (mod(i) == "and" || mod(i) == "or" || mod(i) == "xor")
      boolean = mod(i);
    else if (mod(i) == "ftz")
      key = fmt::format("setp.{}.{}.ftz.{}", mod(0), half, lastMod());
  Val test = Val::reg(temp(RegClass::Pred));
  emit(key, test, {a, b});
  return test;
}

/// setp.cmp{.bool}{.ftz}.f16x2 p|q, a, b{, c}: p of the low halves, q of the
/// high ones.
bool FunctionDecoder::decodePairSetp() {
  auto ops = operands();
  if (ops.size() < 3 || ops[0].kind != OperandKind::Pair)
    return unsupported();
  Val a = source(ops[1], 'w'), b = source(ops[2], 'w');
  std::string_view boolean;
  Val tests[2] = {pairTest(a, b, "low", numMods() - 1, boolean),
                  pairTest(a, b, "high", numMods() - 1, boolean)};
  if (!boolean.empty() && !needs(4))
    return false;
  Val c = boolean.empty() ? Val::raw(kTruePredicate) : source(ops[3], 'p');
  for (Val &t : tests) {
    Val both = Val::reg(temp(RegClass::Pred));
    emit(booleanOp(boolean.empty() ? "and" : boolean, false), both, {t, c});
    t = both;
  }
  for (int i = 0; i < 2; ++i)
    emit("mov.pred", destination(F.elements(ops[0])[i], 'p'), {tests[i]});
  return !failed;
}

/// set.cmp{.bool}{.ftz}.{f16x2,u32,s32}.f16x2 d, a, b{, c}: 1.0 (all ones) or 0
/// in each half.
bool FunctionDecoder::decodePairSet() {
  auto ops = operands();
  Val a = source(ops[1], 'w'), b = source(ops[2], 'w');
  std::string_view boolean;
  std::string_view dtype = mod(numMods() - 2);
  uint64_t one = dtype == "f16x2"    ? 0x3c00
                 : dtype == "bf16x2" ? 0x3f80
                                     : 0xffff;
  Val halves[2];
  for (int i = 0; i < 2; ++i) {
    Val test = pairTest(a, b, i ? "high" : "low", numMods() - 2, boolean);
    if (!boolean.empty()) {
      if (!needs(4))
        return false;
      Val both = Val::reg(temp(RegClass::Pred));
      emit(booleanOp(boolean, false), both, {test, source(ops[3], 'p')});
      test = both;
    }
    halves[i] = Val::reg(temp(RegClass::Word));
    emit("selp.b16", halves[i],
         {constant(false, one), constant(false, 0), test});
  }
  emit("pack.2x16", destination(ops[0], 'w'), {halves[0], halves[1]});
  return !failed;
}

/// set.cmp{.bool}{.ftz}.dtype.stype d, a, b{, c}: all ones (1.0) or 0.
bool FunctionDecoder::decodeSet() {
  auto ops = operands();
  if (numMods() < 3 || ops.size() < 3)
    return unsupported();
  std::string_view stype = lastMod(), dtype = mod(numMods() - 2), boolean;
  if (stype == "f16x2" || stype == "bf16x2")
    return dtype == stype || dtype == "u32" || dtype == "s32" ? decodePairSet()
                                                              : unsupported();
  std::string key = fmt::format("setp.{}", mod(0));
  for (size_t i = 1; i + 2 < numMods(); ++i)
    if (mod(i) == "and" || mod(i) == "or" || mod(i) == "xor")
      boolean = mod(i);
    else
      key += fmt::format(".{}", mod(i));
  const Entry *e = entry(key + fmt::format(".{}", stype));
  if (!e)
    return false;
  if (!boolean.empty() && !needs(4))
    return false;
  Val test = Val::reg(temp(RegClass::Pred));
  emit(e, test, {source(ops[1], e->sig[1]), source(ops[2], e->sig[2])});
  if (!boolean.empty()) {
    Val both = Val::reg(temp(RegClass::Pred));
    emit(booleanOp(boolean, false), both, {test, source(ops[3], 'p')});
    test = both;
  }
  bool half =
      dtype == "f16" || dtype == "bf16" || dtype == "u16" || dtype == "s16";
  uint64_t yes = dtype == "f32"    ? 0x3f800000
                 : dtype == "f16"  ? 0x3c00
                 : dtype == "bf16" ? 0x3f80
                 : half            ? 0xffff
                                   : 0xffffffff;
  emit(half ? "selp.b16" : "selp.b32", destination(ops[0], half ? 'h' : 'w'),
       {constant(false, yes), constant(false, 0), test});
  return !failed;
}

// --- moves ------------------------------------------------------------------

/// mov.type d, {a, b, ...}, `bytes` in all.
bool FunctionDecoder::decodePack(unsigned bytes) {
  auto ops = operands();
  auto parts = F.elements(ops[1]);
  if (parts.size() != 2 && parts.size() != 4)
    return unsupported();
  if (bytes == 16) {
    Val d = destination(ops[0], 'o');
    emit("pack.2x64", d,
         {source(parts[0], 'q'), source(parts[1 % parts.size()], 'q')});
    return !failed;
  }
  const Entry *e =
      entry(fmt::format("pack.{}x{}", parts.size(), bytes * 8 / parts.size()));
  if (!e)
    return false;
  std::vector<Val> v;
  for (size_t i = 0; i < parts.size(); ++i)
    v.push_back(source(parts[i], e->sig[i + 1]));
  Val d = destination(ops[0], e->sig[0]);
  if (v.size() == 2)
    emit(e, d, {v[0], v[1]});
  else
    emit(e, d, {v[0], v[1], v[2], v[3]});
  return !failed;
}

/// mov.type {d, e, ...}, a, `bytes` in all.
bool FunctionDecoder::decodeUnpack(unsigned bytes) {
  auto ops = operands();
  auto parts = F.elements(ops[0]);
  if (parts.size() != 2 && parts.size() != 4)
    return unsupported();
  const Entry *e = entry(
      fmt::format("unpack.{}x{}", parts.size(), bytes * 8 / parts.size()));
  if (!e)
    return false;
  char part = e->sig[0];
  Val src = source(ops[1], e->sig[parts.size()]);
  VOp op;
  op.entry = e;
  std::vector<Val> d;
  for (const Operand &p : parts)
    d.push_back(destination(p, part));
  op.d = d[0];
  op.a = d[1];
  if (d.size() == 2) {
    op.b = src;
  } else {
    op.b = d[2];
    op.c = d[3];
    op.ext[1] = src;
    op.hasExt = true;
  }
  for (Val v : d)
    note(op, v, true);
  note(op, src, false);
  append(std::move(op));
  return !failed;
}

/// mov.v4.u32 {d, e, f, g}, %tid: the special registers that are vectors.
bool FunctionDecoder::decodeVectorMov() {
  auto ops = operands();
  using S = ptx::SpecialReg;
  constexpr S kVectors[] = {S::Tid,          S::NTid,         S::CtaId,
                            S::NCtaId,       S::ClusterId,    S::NClusterId,
                            S::ClusterCtaId, S::ClusterNCtaId};
  auto parts = F.elements(ops[0]);
  if (ops[0].kind != OperandKind::Vector || parts.size() != 4 ||
      ops[1].kind != OperandKind::Special || ops[1].component != 0xff ||
      std::ranges::find(kVectors, ops[1].special) == std::end(kVectors))
    return unsupported();
  bool half = untyped(lastMod()) == "b16";
  for (uint8_t i = 0; i < 4; ++i) {
    Operand element = ops[1];
    element.component = i;
    emit(half ? "mov.b16" : "mov.b32", destination(parts[i], half ? 'h' : 'w'),
         {source(element, half ? 'h' : 'w')});
  }
  return !failed;
}

bool FunctionDecoder::decodeMov() {
  auto ops = operands();
  if (ops.size() != 2 || numMods() < 1)
    return unsupported();
  if (numMods() == 2 && mod(0) == "v4")
    return decodeVectorMov();
  std::string type = untyped(lastMod());
  unsigned size = type == "pred" ? 1 : unsigned(atoi(type.c_str() + 1)) / 8;
  if (ops[1].kind == OperandKind::Vector)
    return decodePack(size);
  if (ops[0].kind == OperandKind::Vector)
    return decodeUnpack(size);
  if (type == "pred")
    emit("mov.pred", destination(ops[0], 'p'), {source(ops[1], 'p')});
  else if (size == 8)
    emit("mov.b64", destination(ops[0], 'q'),
         {source(ops[1], lastMod() == "f64" ? 'd' : 'q')});
  else if (size == 4)
    emit("mov.b32", destination(ops[0], 'w'),
         {source(ops[1], lastMod() == "f32" ? 'f' : 'w')});
  else if (size == 2)
    emit("mov.b16", destination(ops[0], 'h'), {source(ops[1], 'h')});
  else if (size == 16)
    emit("mov.b128", destination(ops[0], 'o'), {source(ops[1], 'o')});
  else
    return unsupported();
  return !failed;
}

/// d = the named predicate operation of three inputs; lop3.and.b32 d|p, ..., q
/// also gives p = (d != 0) bool q.
bool FunctionDecoder::decodeLop3() {
  auto ops = operands();
  std::string_view boolean = numMods() == 2 ? mod(0) : "";
  if (ops.size() != (boolean.empty() ? 5u : 6u) ||
      ops[4].kind != OperandKind::Immediate)
    return unsupported();
  Operand d = ops[0], p{};
  if (ops[0].kind == OperandKind::Pair) {
    d = F.elements(ops[0])[0];
    p = F.elements(ops[0])[1];
  }
  Val result =
      boolean.empty() ? destination(d, 'w') : Val::reg(temp(RegClass::Word));
  VOp &op =
      emit("lop3.b32", result,
           {source(ops[1], 'w'), source(ops[2], 'w'), source(ops[3], 'w')});
  op.ext[0] = Val::raw(uint32_t(ops[4].value) & 0xff);
  op.hasExt = true;
  if (!boolean.empty()) {
    Val test = Val::reg(temp(RegClass::Pred));
    emit("setp.ne.u32", test, {result, constant(false, 0)});
    emit(booleanOp(boolean, false), destination(p, 'p'),
         {test, source(ops[5], 'p')});
    emit("mov.b32", destination(d, 'w'), {result});
  }
  return !failed;
}

// --- conversions ------------------------------------------------------------

static bool isInteger(std::string_view t) { return t[0] == 'u' || t[0] == 's'; }

/// What has no handler of its own.
bool FunctionDecoder::decodeAnyCvt() {
  auto ops = operands();
  auto to = scalarOf(mod(numMods() - 2)), from = scalarOf(lastMod());
  if (!to || !from || ops.size() != 2)
    return unsupported();
  ConvertDesc desc;
  desc.to = *to;
  desc.from = *from;
  for (size_t i = 0; i + 2 < numMods(); ++i)
    if (!desc.addModifier(mod(i)))
      return unsupported();
  bool narrow = isInteger(*to) && scalarBits(*to) < 64;
  Val a = source(ops[1], scalarBits(*from) == 64   ? 'q'
                         : scalarBits(*from) == 16 ? 'h'
                                                   : 'w');
  Val d = narrow ? wideDestination(ops[0], mod(numMods() - 2))
                 : destination(ops[0], scalarBits(*to) == 64   ? 'q'
                                       : scalarBits(*to) == 16 ? 'h'
                                                               : 'w');
  emit("cvt.any", d, {a, Val::raw(desc.pack())});
  return !failed;
}

bool FunctionDecoder::decodeCvt() {
  auto ops = operands();
  if (numMods() < 2 || ops.size() < 2)
    return unsupported();
  std::string full(M.str(name->full));
  if (hasMod("pack")) {
    const Entry *e = entry(full);
    return e && decodeBySignature(*e, ops);
  }
  std::string_view to = mod(numMods() - 2), from = lastMod();
  const Entry *e = B.P.registry->find(full);
  if (size_t at = full.find(".satfinite.relu"); !e && at != full.npos)
    e = B.P.registry->find(full.replace(at, 15, ".relu.satfinite"));
  if (!e)
    return decodeAnyCvt();
  std::string_view sig = e->sig;
  if (sig.size() != ops.size())
    return fail(fmt::format("'{}' with {} operands, expected {}", full,
                            ops.size(), sig.size()));
  std::vector<Val> src;
  for (size_t i = 1; i < ops.size(); ++i)
    src.push_back(source(ops[i], sig[i]));
  Val d = isInteger(to) && to != "u64" && to != "s64"
              ? wideDestination(ops[0], to)
              : destination(ops[0], sig[0]);
  (void)from;
  if (src.size() == 1)
    emit(e, d, {src[0]});
  else if (src.size() == 2)
    emit(e, d, {src[0], src[1]});
  else
    return unsupported();
  return !failed;
}

/// cvta{.to}.space: to or from the generic space. Global (and const) addresses
/// are generic ones.
bool FunctionDecoder::decodeCvta() {
  auto ops = operands();
  bool to = hasMod("to"), wide = lastMod() == "u64";
  uint64_t window = 0;
  if (hasShared())
    window = kSharedWindow;
  else if (hasMod("local"))
    window = kLocalWindow;
  else if (hasMod("param") || hasMod("param::entry"))
    window = F.isEntry ? kParamWindow : kLocalWindow;
  else if (!hasMod("global") && !hasMod("const"))
    return unsupported();
  if (!wide)
    return unsupported("32-bit addresses");
  if (ops.size() != 2)
    return unsupported();
  Val a = source(ops[1], 'q'), d = destination(ops[0], 'q');
  if (window == 0)
    emit("mov.b64", d, {a});
  else
    emit(to ? "sub.u64" : "add.u64", d, {a, constant(true, window)});
  return !failed;
}

/// p = (a in [begin, begin + bytes)), of addresses.
void FunctionDecoder::emitInWindow(Val p, Val a, uint64_t begin,
                                   uint64_t bytes) {
  Val offset = Val::reg(temp(RegClass::Quad));
  emit("sub.u64", offset, {a, constant(true, begin)});
  emit("setp.lt.u64", p, {offset, constant(true, bytes)});
}

/// p = whether a lies in a constant of the module. These are allocated like
/// global variables, one by one.
void FunctionDecoder::emitIsConstant(Val p, Val a) {
  emitInWindow(p, a, 0, 0);
  for (const GlobalInfo &variable : B.P.globals)
    if (variable.isConst) {
      Val here = Val::reg(temp(RegClass::Pred));
      emitInWindow(here, a, variable.address, variable.bytes);
      emit("or.pred", p, {p, here});
    }
}

bool FunctionDecoder::decodeIsspacep() {
  auto ops = operands();
  if (ops.size() != 2)
    return unsupported();
  Val a = source(ops[1], 'q'), d = destination(ops[0], 'p');
  if (hasShared()) {
    emitInWindow(d, a, kSharedWindow, kSharedWindowBytes);
  } else if (hasMod("local")) {
    emitInWindow(d, a, kLocalWindow, kLocalWindowBytes);
  } else if (hasMod("param") || hasMod("param::entry")) {
    emitInWindow(d, a, kParamWindow, kParamWindowBytes);
  } else if (hasMod("const")) {
    emitIsConstant(d, a);
  } else if (hasMod("global")) {
    Val isConstant = Val::reg(temp(RegClass::Pred));
    emitIsConstant(isConstant, a);
    emit("setp.ge.u64", d, {a, constant(true, kFirstDeviceAddress)});
    emit("andnot.pred", d, {d, isConstant});
  } else {
    return unsupported();
  }
  return !failed;
}

/// In a cluster of one block, an address maps to itself and its rank is 0.
bool FunctionDecoder::decodeClusterAddress() {
  auto ops = operands();
  bool wide = lastMod() == "u64", isMap = opcode() == "mapa";
  if (!needs(isMap ? 3 : 2))
    return false;
  Val from = source(ops[1], wide ? 'q' : 'w');
  if (isMap)
    emit(wide ? "mov.b64" : "mov.b32", destination(ops[0], wide ? 'q' : 'w'),
         {from});
  else
    emit("mov.b32", destination(ops[0], 'w'), {constant(false, 0)});
  return !failed;
}

bool FunctionDecoder::decodeStack() {
  auto ops = operands();
  if (lastMod() != "u64")
    return unsupported();
  if (!needs(opcode() == "alloca" ? 2 : 1))
    return false;
  if (opcode() == "stacksave") {
    emit("stacksave", destination(ops[0], 'q'));
  } else if (opcode() == "stackrestore") {
    emit("stackrestore", {}, {source(ops[0], 'q')});
  } else {
    D.usesAlloca = true;
    uint32_t align = ops.size() > 2 ? uint32_t(ops[2].value) : 16;
    emit("alloca", destination(ops[0], 'q'),
         {source(ops[1], 'q'), Val::raw(align < 16 ? 16 : align)});
  }
  return !failed;
}

} // namespace hwtune::exec
