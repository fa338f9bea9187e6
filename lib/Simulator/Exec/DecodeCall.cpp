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

bool FunctionDecoder::decodeCall() {
  auto ops = operands();
  if (ops.size() < 3)
    return unsupported();
  CallDesc call;
  call.meta = meta;
  VOp op;
  std::vector<Val> registers;
  const Operand &callee = ops[1];
  if (callee.kind == OperandKind::Symbol &&
      callee.symbol.kind == SymbolKind::Function) {
    uint32_t target = callee.symbol.index;
    for (auto [alias, to] : M.aliases)
      if (alias == target)
        target = to;
    const ptx::Function &G = M.functions[target];
    placeSignature(G.returns, G.params, call.returns, call.args);
    call.function = int32_t(target);
    if (!G.isDefined) {
      int builtin = builtinOf(M.str(G.name));
      if (builtin < 0)
        return fail(
            fmt::format("call of '{}', which has no body", M.str(G.name)));
      call.builtin = uint32_t(builtin) + 1;
    }
    D.callees.push_back(target);
  } else if (callee.kind == OperandKind::Register) {
    if (ops.size() < 4)
      return fail("indirect call without a prototype or list of targets");
    if (ops[3].kind == OperandKind::Prototype) {
      const ptx::Prototype &p = F.prototypes[ops[3].index];
      placeSignature(p.returns, p.params, call.returns, call.args);
    } else {
      const auto &targets = F.callTargets[ops[3].index];
      if (targets.empty())
        return fail("indirect call with an empty list of targets");
      const ptx::Function &G = M.functions[targets[0]];
      placeSignature(G.returns, G.params, call.returns, call.args);
    }
    call.slot = 0;
    registers.push_back(source(callee, 'q'));
    D.callsIndirect = true;
  } else {
    return unsupported();
  }
  auto bind = [&](const Operand &list, std::vector<CallValue> &values,
                  bool result) {
    auto elems = F.elements(list);
    if (elems.size() != values.size())
      return fail(fmt::format("call with {} {}, expected {}", elems.size(),
                              result ? "results" : "arguments", values.size()));
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
      registers.push_back(result ? destination(e, letter) : source(e, letter));
    }
    return !failed;
  };
  if (!bind(ops[2], call.args, false))
    return false;
  size_t firstResult = registers.size();
  if (!bind(ops[0], call.returns, true))
    return false;
  // `.call` is described by two operations that share one descriptor.
  uint32_t id = uint32_t(B.P.calls.size());
  bool indirect = call.function < 0;
  uint32_t builtin = call.builtin;
  B.P.calls.push_back(std::move(call));
  op.entry = entry(builtin    ? "call.builtin"
                   : indirect ? "call.indirect"
                              : "call.direct");
  op.a = Val::raw(id);
  op.call = id;
  op.memSlots = registers;
  for (size_t i = 0; i < firstResult; ++i)
    note(op, registers[i], false);
  append(std::move(op));
  VOp back;
  back.entry = entry(builtin ? "call.results" : "call.return");
  back.a = Val::raw(id);
  back.call = id;
  back.memSlots = registers;
  for (size_t i = firstResult; i < registers.size(); ++i)
    note(back, registers[i], true);
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

bool FunctionDecoder::decodeWarp() {
  auto ops = operands();
  std::string_view op = opcode();
  bool isSync = hasMod("sync");
  if (!needs(op == "activemask"                           ? 1
             : op == "elect" || (op == "vote" && !isSync) ? 2
                                                          : 3))
    return false;
  if (op == "activemask") {
    emit("activemask", destination(ops[0], 'w'));
    return !failed;
  }
  Operand first = ops[0], second{};
  bool pair = first.kind == OperandKind::Pair;
  if (pair) {
    auto e = F.elements(ops[0]);
    first = e[0];
    second = e[1];
  }
  if (op == "elect") {
    VOp o;
    o.entry = entry("elect");
    o.d = destination(first, 'w');
    o.b = destination(second, 'p');
    o.a = source(ops[1], 'w');
    note(o, o.d, true);
    note(o, o.b, true);
    note(o, o.a, false);
    append(std::move(o));
    return !failed;
  }
  // Without .sync, the lanes that are here take part. With it, it may stand on
  // either side of the mode.
  size_t masks = isSync ? 1 : 0;
  std::string_view mode = numMods() < 2 ? "" : mod(mod(0) == "sync" ? 1 : 0);
  auto members = [&] {
    if (isSync)
      return source(ops.back(), 'w');
    Val here = Val::reg(temp(RegClass::Word));
    emit("activemask", here);
    return here;
  };
  if (!isSync && op != "shfl" && op != "vote")
    return unsupported("only the .sync form exists");
  if (op == "shfl") {
    if (ops.size() != 4 + masks)
      return unsupported();
    VOp o;
    o.entry = entry(fmt::format("shfl.{}", mode));
    o.a = source(ops[1], 'w');
    o.b = source(ops[2], 'w');
    o.c = source(ops[3], 'w');
    o.ext[0] = members();
    o.hasExt = true;
    o.d = destination(first, 'w');
    o.ext[1] = pair ? destination(second, 'p') : Val::raw(0);
    note(o, o.d, true);
    note(o, o.ext[1], true);
    for (Val v : {o.a, o.b, o.c, o.ext[0]})
      note(o, v, false);
    append(std::move(o));
    return !failed;
  }
  if (op == "vote" && ops.size() == 2 + masks) {
    Val lanes = members();
    emit(fmt::format("vote.{}", mode),
         destination(first, mode == "ballot" ? 'w' : 'p'),
         {source(ops[1], 'p'), lanes});
    return !failed;
  }
  if (op == "match" && ops.size() == 3) {
    bool wide = lastMod() == "b64", all = hasMod("all");
    VOp o;
    o.entry = entry(
        fmt::format("match.{}.{}", all ? "all" : "any", wide ? "b64" : "b32"));
    o.a = source(ops[1], wide ? 'q' : 'w');
    o.b = source(ops[2], 'w');
    o.d = destination(first, 'w');
    o.c = all && pair ? destination(second, 'p') : Val::raw(0);
    note(o, o.d, true);
    note(o, o.c, true);
    note(o, o.a, false);
    note(o, o.b, false);
    append(std::move(o));
    return !failed;
  }
  if (op == "redux" && ops.size() == 3) {
    std::string key = "redux";
    for (size_t i = 0; i < numMods(); ++i)
      if (mod(i) != "sync")
        key += fmt::format(".{}", mod(i));
    emit(key, destination(first, 'w'),
         {source(ops[1], lastMod() == "f32" ? 'f' : 'w'), source(ops[2], 'w')});
    return !failed;
  }
  return unsupported();
}

} // namespace hwtune::exec
