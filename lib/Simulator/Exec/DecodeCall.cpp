//===- DecodeCall.cpp - calls, barriers, warp-level operations ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

#include <fmt/format.h>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;
using ptx::SymbolKind;

/// Places of the returns and parameters in the callee's frame, as its own
/// layOutLocals() gives them.
static void placeSignature(const std::vector<ptx::Variable> &returns,
                           const std::vector<ptx::Variable> &params,
                           std::vector<CallValue> &outReturns,
                           std::vector<CallValue> &outParams) {
  uint32_t top = 0;
  auto place = [&](const std::vector<ptx::Variable> &list,
                   std::vector<CallValue> &out) {
    for (const ptx::Variable &v : list) {
      uint32_t align = v.align ? v.align : 1;
      top = (top + align - 1) / align * align;
      CallValue value;
      value.calleeOffset = top;
      value.bytes = uint32_t(v.bytes);
      out.push_back(value);
      top += value.bytes;
    }
  };
  place(returns, outReturns);
  place(params, outParams);
}

static int builtinOf(std::string_view name) {
  constexpr std::string_view names[] = {"vprintf", "__assertfail", "malloc",
                                        "free"};
  for (int i = 0; i < 4; ++i)
    if (names[i] == name)
      return i;
  return -1;
}

/// Kernels that launch kernels call a library of NVIDIA's.
static bool isDeviceRuntime(std::string_view name) {
  return name.starts_with("__cudaCDP") || name.starts_with("cudaDevice") ||
         name.starts_with("cudaLaunchDevice") ||
         name.starts_with("cudaGetParameterBuffer");
}

/// The function that is called, and where it keeps its values.
bool FunctionDecoder::bindDirectCallee(const Operand &operand, CallDesc &call) {
  uint32_t target = operand.symbol.index;
  for (auto [alias, to] : M.aliases)
    if (alias == target)
      target = to;
  const ptx::Function &G = M.functions[target];
  placeSignature(G.returns, G.params, call.returns, call.args);
  call.function = int32_t(target);
  std::string_view callee = M.str(G.name);
  if (!G.isDefined && isDeviceRuntime(callee))
    return unsupported(fmt::format("'{}' of the device runtime", callee));
  D.callees.push_back(target);
  if (G.isDefined)
    return true;
  int builtin = builtinOf(callee);
  if (builtin < 0)
    return fail(fmt::format("call of '{}', which has no body", callee));
  call.builtin = uint32_t(builtin) + 1;
  return true;
}

/// Of a call through a register only the signature is known: that of its
/// prototype, or of the first of its possible targets.
bool FunctionDecoder::bindIndirectCallee(std::span<const Operand> ops,
                                         CallDesc &call) {
  if (ops.size() < 4)
    return fail("indirect call without a prototype or list of targets");
  D.callsIndirect = true;
  if (ops[3].kind == OperandKind::Prototype) {
    const ptx::Prototype &p = F.prototypes[ops[3].index];
    placeSignature(p.returns, p.params, call.returns, call.args);
    return true;
  }
  const auto &targets = F.callTargets[ops[3].index];
  if (targets.empty())
    return fail("indirect call with an empty list of targets");
  const ptx::Function &G = M.functions[targets[0]];
  placeSignature(G.returns, G.params, call.returns, call.args);
  return true;
}

/// Says where the caller keeps `values`: at a place of its frame, or in a
/// register that is appended to `registers`.
bool FunctionDecoder::bindCallValues(const Operand &list, bool areResults,
                                     std::vector<CallValue> &values,
                                     std::vector<Val> &registers) {
  auto elems = F.elements(list);
  if (elems.size() != values.size())
    return fail(fmt::format("call with {} {}, expected {}", elems.size(),
                            areResults ? "results" : "arguments",
                            values.size()));
  for (size_t i = 0; i < elems.size(); ++i) {
    const Operand &e = elems[i];
    if (e.kind == OperandKind::Symbol &&
        (e.symbol.kind == SymbolKind::Variable ||
         e.symbol.kind == SymbolKind::Param ||
         e.symbol.kind == SymbolKind::Return)) {
      values[i].caller = frameOffset(e.symbol);
      continue;
    }
    char letter = values[i].bytes == 8 ? 'q' : 'w';
    values[i].inRegister = true;
    values[i].caller = uint32_t(registers.size());
    registers.push_back(areResults ? destination(e, letter)
                                   : source(e, letter));
  }
  return !failed;
}

bool FunctionDecoder::decodeCall() {
  auto ops = operands();
  if (ops.size() < 3)
    return unsupported();
  CallDesc call;
  call.meta = meta;
  std::vector<Val> registers;
  const Operand &callee = ops[1];
  if (callee.kind == OperandKind::Symbol &&
      callee.symbol.kind == SymbolKind::Function) {
    if (!bindDirectCallee(callee, call))
      return false;
  } else if (callee.kind == OperandKind::Register) {
    if (!bindIndirectCallee(ops, call))
      return false;
    call.slot = 0;
    registers.push_back(source(callee, 'q'));
  } else {
    return unsupported();
  }
  if (!bindCallValues(ops[2], false, call.args, registers))
    return false;
  size_t firstResult = registers.size();
  return bindCallValues(ops[0], true, call.returns, registers) &&
         emitCall(std::move(call), registers, firstResult);
}

/// Two operations that share one descriptor: the call, and what takes its
/// results, which begin at `firstResult` of the registers.
bool FunctionDecoder::emitCall(CallDesc call, const std::vector<Val> &registers,
                               size_t firstResult) {
  uint32_t id = uint32_t(B.P.calls.size());
  bool builtin = call.builtin != 0, indirect = call.function < 0;
  B.P.calls.push_back(std::move(call));
  VOp there;
  there.entry = entry(builtin    ? "call.builtin"
                      : indirect ? "call.indirect"
                                 : "call.direct");
  VOp back;
  back.entry = entry(builtin ? "call.results" : "call.return");
  for (VOp *op : {&there, &back}) {
    op->a = Val::raw(id);
    op->call = id;
    op->memSlots = registers;
  }
  for (size_t i = 0; i < firstResult; ++i)
    note(there, registers[i], false);
  for (size_t i = firstResult; i < registers.size(); ++i)
    note(back, registers[i], true);
  append(std::move(there));
  append(std::move(back));
  return !failed;
}

// --- block barriers ---------------------------------------------------------

/// A cluster of one block: to arrive is to promise the wait that must follow,
/// and the wait is a barrier of the block apart from the numbered ones.
bool FunctionDecoder::decodeClusterBarrier() {
  if (hasMod("arrive")) {
    emit("nop", {});
    return !failed;
  }
  if (!hasMod("wait"))
    return unsupported();
  VOp op;
  op.entry = entry("barrier.sync");
  op.hasExt = true;
  op.a = constant(false, kClusterBarrier);
  op.ext[1] = Val::raw(hasMod("aligned"));
  append(std::move(op));
  return !failed;
}

bool FunctionDecoder::decodeBar() {
  auto ops = operands();
  D.info.usesBarriers = true;
  if (hasMod("cluster"))
    return decodeClusterBarrier();
  if (!needs(1))
    return false;
  if (hasMod("warp")) {
    emit("bar.warp", {}, {source(ops[0], 'w')});
    return !failed;
  }
  bool arrive = hasMod("arrive"), red = hasMod("red");
  bool aligned = opcode() == "bar" || hasMod("aligned");
  if (!arrive && !red && !hasMod("sync"))
    return unsupported();
  VOp op;
  op.entry = entry(arrive ? "barrier.arrive" : "barrier.sync");
  op.hasExt = true;
  op.ext[1] = Val::raw(aligned);
  size_t at = 0;
  uint32_t kind = 0;
  if (red && !needs(3))
    return false;
  if (red) {
    bool popc = hasMod("popc");
    kind = popc ? 1 : hasMod("and") ? 2 : 3;
    op.d = destination(ops[at++], popc ? 'w' : 'p');
    note(op, op.d, true);
  }
  op.ext[0] = Val::raw(kind);
  if (at >= ops.size())
    return unsupported();
  op.a = source(ops[at++], 'w');
  note(op, op.a, false);
  if (at + (red ? 1 : 0) < ops.size()) {
    op.b = source(ops[at++], 'w');
    note(op, op.b, false);
  }
  if (red) {
    if (at >= ops.size())
      return unsupported();
    op.c = source(ops[at], 'p');
    note(op, op.c, false);
  }
  append(std::move(op));
  return !failed;
}

// --- warp-level operations --------------------------------------------------

std::pair<Operand, Operand>
FunctionDecoder::resultAndPredicate(const Operand &operand) const {
  if (operand.kind != OperandKind::Pair)
    return {operand, Operand{}};
  auto both = F.elements(operand);
  return {both[0], both[1]};
}

bool FunctionDecoder::decodeElect() {
  auto ops = operands();
  auto [lane, isHere] = resultAndPredicate(ops[0]);
  VOp o;
  o.entry = entry("elect");
  o.d = destination(lane, 'w');
  o.b = destination(isHere, 'p');
  o.a = source(ops[1], 'w');
  note(o, o.d, true);
  note(o, o.b, true);
  note(o, o.a, false);
  append(std::move(o));
  return !failed;
}

/// The lanes that take part: without .sync those that are here.
Val FunctionDecoder::members() {
  if (hasMod("sync"))
    return source(operands().back(), 'w');
  Val here = Val::reg(temp(RegClass::Word));
  emit("activemask", here);
  return here;
}

bool FunctionDecoder::decodeShuffle(std::string_view mode) {
  auto ops = operands();
  if (ops.size() != (hasMod("sync") ? 5 : 4))
    return unsupported();
  auto [value, inRange] = resultAndPredicate(ops[0]);
  VOp o;
  o.entry = entry(fmt::format("shfl.{}", mode));
  o.a = source(ops[1], 'w');
  o.b = source(ops[2], 'w');
  o.c = source(ops[3], 'w');
  o.ext[0] = members();
  o.hasExt = true;
  o.d = destination(value, 'w');
  o.ext[1] = ops[0].kind == OperandKind::Pair ? destination(inRange, 'p')
                                              : Val::raw(0);
  note(o, o.d, true);
  note(o, o.ext[1], true);
  for (Val v : {o.a, o.b, o.c, o.ext[0]})
    note(o, v, false);
  append(std::move(o));
  return !failed;
}

bool FunctionDecoder::decodeVote(std::string_view mode) {
  auto ops = operands();
  if (ops.size() != (hasMod("sync") ? 3 : 2))
    return unsupported();
  auto [result, none] = resultAndPredicate(ops[0]);
  Val lanes = members();
  emit(fmt::format("vote.{}", mode),
       destination(result, mode == "ballot" ? 'w' : 'p'),
       {source(ops[1], 'p'), lanes});
  return !failed;
}

bool FunctionDecoder::decodeMatch() {
  auto ops = operands();
  if (ops.size() != 3)
    return unsupported();
  auto [lanes, areEqual] = resultAndPredicate(ops[0]);
  bool wide = lastMod() == "b64", all = hasMod("all");
  bool hasPredicate = all && ops[0].kind == OperandKind::Pair;
  VOp o;
  o.entry = entry(
      fmt::format("match.{}.{}", all ? "all" : "any", wide ? "b64" : "b32"));
  o.a = source(ops[1], wide ? 'q' : 'w');
  o.b = source(ops[2], 'w');
  o.d = destination(lanes, 'w');
  o.c = hasPredicate ? destination(areEqual, 'p') : Val::raw(0);
  note(o, o.d, true);
  note(o, o.c, true);
  note(o, o.a, false);
  note(o, o.b, false);
  append(std::move(o));
  return !failed;
}

bool FunctionDecoder::decodeRedux() {
  auto ops = operands();
  if (ops.size() != 3)
    return unsupported();
  std::string key = "redux";
  for (size_t i = 0; i < numMods(); ++i)
    if (mod(i) != "sync")
      key += fmt::format(".{}", mod(i));
  auto [result, none] = resultAndPredicate(ops[0]);
  emit(key, destination(result, 'w'),
       {source(ops[1], lastMod() == "f32" ? 'f' : 'w'), source(ops[2], 'w')});
  return !failed;
}

bool FunctionDecoder::decodeWarp() {
  std::string_view op = opcode();
  bool isSync = hasMod("sync");
  if (!needs(op == "activemask"                           ? 1
             : op == "elect" || (op == "vote" && !isSync) ? 2
                                                          : 3))
    return false;
  if (op == "activemask") {
    emit("activemask", destination(operands()[0], 'w'));
    return !failed;
  }
  if (op == "elect")
    return decodeElect();
  // With .sync, that may stand on either side of the mode.
  std::string_view mode = numMods() < 2 ? "" : mod(mod(0) == "sync" ? 1 : 0);
  if (op == "shfl")
    return decodeShuffle(mode);
  if (op == "vote")
    return decodeVote(mode);
  if (!isSync)
    return unsupported("only the .sync form exists");
  if (op == "match")
    return decodeMatch();
  if (op == "redux")
    return decodeRedux();
  return unsupported();
}

} // namespace hwtune::exec
