//===- DecodeMbarrier.cpp - mbarrier instructions -------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

/// An operation on the barrier at `address`: d a result, b a value.
VOp &FunctionDecoder::emitMbarrier(const char *what, const Operand &where,
                                   Val d, Val b) {
  MemDesc desc;
  desc.isAtomic = true;
  desc.isInit = hasMod("init");
  desc.elemBytes = desc.laneBytes = 8;
  Val base = address(where, hasShared() ? Space::Shared : Space::None, desc);
  VOp op;
  op.entry = entry(what);
  op.d = d;
  op.a = base;
  op.b = b;
  op.hasExt = true;
  note(op, d, true);
  note(op, base, false);
  note(op, b, false);
  op.mem = addMem(desc);
  op.memSlots = {b};
  op.c = Val::raw(op.mem);
  append(std::move(op));
  return blocks.back().ops.back();
}

/// mbarrier.arrive{_drop}{.expect_tx}{.noComplete} {state,} [a]{, count}
bool FunctionDecoder::decodeMbarrierArrive(bool drop) {
  auto ops = operands();
  bool hasState = !ops.empty() && ops[0].kind != OperandKind::Address;
  size_t at = hasState ? 1 : 0;
  if (!needs(at + 1))
    return false;
  bool transaction = hasMod("expect_tx");
  Val value = at + 1 < ops.size() ? source(ops[at + 1], 'w') : Val{};
  Val count =
      transaction || value.kind == Val::Raw ? constant(false, 1) : value;
  Val state =
      hasState ? destination(ops[0], 'q') : Val::reg(temp(RegClass::Quad));
  VOp &op = emitMbarrier("mbarrier.arrive", ops[at], state, count);
  if (transaction) {
    op.ext[0] = value;
    note(op, value, false);
  }
  op.ext[1] = Val::raw(drop);
  return !failed;
}

/// mbarrier.{test,try}_wait{.parity} p, [a], state or parity{, time}. To try is
/// to test: lanes that wait in a loop take turns with the others.
bool FunctionDecoder::decodeMbarrierWait() {
  auto ops = operands();
  bool parity = hasMod("parity");
  if (!needs(3))
    return false;
  Val p = destination(ops[0], 'p'), phase = source(ops[2], parity ? 'w' : 'q');
  emitMbarrier(parity ? "mbarrier.test.parity" : "mbarrier.test", ops[1], p,
               phase);
  return !failed;
}

bool FunctionDecoder::decodeMbarrier() {
  auto ops = operands();
  std::string_view what = numMods() ? mod(0) : "";
  if (what == "arrive" || what == "arrive_drop")
    return decodeMbarrierArrive(what == "arrive_drop");
  if (what == "test_wait" || what == "try_wait")
    return decodeMbarrierWait();
  if (what == "inval") {
    emit("nop", {});
    return !failed;
  }
  if (!needs(2))
    return false;
  if (what == "pending_count") {
    emit("mbarrier.pending_count", destination(ops[0], 'w'),
         {source(ops[1], 'q')});
    return !failed;
  }
  if (what != "init" && what != "expect_tx" && what != "complete_tx")
    return unsupported();
  emitMbarrier(what == "init"        ? "mbarrier.init"
               : what == "expect_tx" ? "mbarrier.expect_tx"
                                     : "mbarrier.complete_tx",
               ops[0], {}, source(ops[1], 'w'));
  return !failed;
}

/// cp.async.mbarrier.arrive{.noinc} [a]: an arrival once the lane's copies have
/// landed. Without .noinc it is one that was added for it.
bool FunctionDecoder::decodeCopyArrive() {
  if (!needs(1))
    return false;
  emitMbarrier("mbarrier.copies", operands()[0], {},
               constant(false, hasMod("noinc")));
  return !failed;
}

} // namespace hwtune::exec
