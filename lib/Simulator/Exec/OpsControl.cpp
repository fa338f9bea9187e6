//===- OpsControl.cpp - branches, calls, barriers, exit -------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modes.h"
#include "Ops.h"

#include <cstring>

namespace hwtune::exec {

void addEntry(Registry &registry, const char *op, const char *type,
              Entry entry) {
  registry.add(std::string(op) + type, entry);
}

static uint32_t predicate(const std::byte *R, uint32_t slot) {
  uint32_t word;
  memcpy(&word, R + slot, 4);
  return word;
}

// --- leaving and choosing a path --------------------------------------------

void switchPath(HWTUNE_HANDLER_ARGS) {
  if (!unblock(W)) {
    W->stop = Stop::Switch;
    return;
  }
  Path p = W->state->ready.back();
  W->state->ready.pop_back();
  W->frame = p.frame;
  W->recon = p.recon;
  R = p.frame->regs;
  mask = p.mask;
  I = p.pc;
  HWTUNE_GO(I);
}

static Path currentPath(Warp *W, const Inst *pc, uint32_t mask) {
  Path p;
  p.pc = pc;
  p.mask = mask;
  p.frame = W->frame;
  p.recon = W->recon;
  return p;
}

/// Lets other paths or other warps run; this path is resumed at `I`.
static void yieldAt(HWTUNE_HANDLER_ARGS) {
  W->pc = I;
  W->mask = mask;
  W->stop = Stop::Yield;
}

// --- branches ---------------------------------------------------------------

/// Splits the path: `I->d` leads to the reconvergence point, if there is one.
/// Counted in `branch`'s operands: a displacement, b predicate, c negation.
static void diverge(HWTUNE_HANDLER_ARGS) {
  uint32_t taken = (predicate(R, I->b) ^ I->c) & mask;
  const Inst *meet = I->d ? I + int32_t(I->d) : nullptr;
  ++W->state->divergent;
  if (meet &&
      !(W->recon && W->recon->target == meet && W->recon->frame == W->frame)) {
    Recon *r = newRecon(W);
    r->target = meet;
    r->frame = W->frame;
    r->expected = mask;
    r->parent = W->recon;
    W->recon = r;
  }
  const Inst *target = I + int32_t(I->a);
  bool backward = int32_t(I->a) <= 0;
  // Lanes that leave a loop wait at its end anyway: let them get there first.
  if (backward) {
    W->state->ready.push_back(currentPath(W, target, taken));
    W->slice += int32_t(I->a) - 1; // also where it leads to itself
    mask &= ~taken;
    I += 1;
  } else {
    W->state->ready.push_back(currentPath(W, I + 1, mask & ~taken));
    mask = taken;
    I = target;
  }
  if (HWTUNE_UNLIKELY(W->slice < 0))
    HWTUNE_GO_TO(yieldAt);
  HWTUNE_GO_MASKED(I);
}

template <bool Masked, bool Back> static void branch(HWTUNE_HANDLER_ARGS) {
  if constexpr (Back)
    W->slice += int32_t(I->a) - 1; // also where it leads to itself
  I += int32_t(I->a);
  if constexpr (Back)
    if (HWTUNE_UNLIKELY(W->slice < 0))
      HWTUNE_GO_TO(yieldAt);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I);
  else
    HWTUNE_GO_FULL(I);
}

template <bool Masked, bool Back> static void branchIf(HWTUNE_HANDLER_ARGS) {
  uint32_t taken = (predicate(R, I->b) ^ I->c) & mask;
  if (taken == 0) {
    if constexpr (Masked)
      HWTUNE_GO_MASKED(I + 1);
    else
      HWTUNE_GO_FULL(I + 1);
  }
  if (HWTUNE_UNLIKELY(taken != mask))
    HWTUNE_GO_TO(diverge);
  HWTUNE_GO_TO((branch<Masked, Back>));
}

static void arrive(HWTUNE_HANDLER_ARGS) {
  Recon *r = W->recon;
  waitAt(W, r, mask);
  if (r->arrived != r->expected)
    HWTUNE_GO_TO(switchPath);
  mask = r->arrived;
  W->recon = r->parent;
  WarpState &S = *W->state;
  for (size_t i = S.live.size(); i-- > 0;)
    if (S.live[i] == r) {
      S.live.erase(S.live.begin() + long(i));
      break;
    }
  *r = {};
  S.freeRecons.push_back(r);
  HWTUNE_GO(I);
}

/// The point where lanes of a split path meet.
template <bool Masked> static void reconverge(HWTUNE_HANDLER_ARGS) {
  Recon *r = W->recon;
  if (r && r->target == I && r->frame == W->frame)
    HWTUNE_GO_TO(arrive);
  if constexpr (Masked)
    HWTUNE_GO_MASKED(I + 1);
  else
    HWTUNE_GO_FULL(I + 1);
}

/// Runs the next instruction under a predicate; `restore` follows it.
template <bool Count> static void guardFull(HWTUNE_HANDLER_ARGS) {
  uint32_t on = predicate(R, I->b) ^ I->c;
  if constexpr (Count)
    W->predOff += uint32_t(__builtin_popcount(~on));
  if (on == kFullMask)
    HWTUNE_GO_FULL(I + 1);
  if (on == 0)
    HWTUNE_GO_FULL(I + int32_t(I->a));
  W->savedMask = mask;
  mask = on;
  HWTUNE_GO_MASKED(I + 1);
}
template <bool Count> static void guardMasked(HWTUNE_HANDLER_ARGS) {
  uint32_t on = (predicate(R, I->b) ^ I->c) & mask;
  if constexpr (Count)
    W->predOff += uint32_t(__builtin_popcount(mask & ~on));
  if (on == 0)
    HWTUNE_GO_MASKED(I + int32_t(I->a));
  W->savedMask = mask;
  mask = on;
  HWTUNE_GO_MASKED(I + 1);
}
static void restoreFull(HWTUNE_HANDLER_ARGS) { HWTUNE_GO_FULL(I + 1); }
static void restoreMasked(HWTUNE_HANDLER_ARGS) {
  mask = W->savedMask;
  HWTUNE_GO(I + 1);
}

// --- exit and return --------------------------------------------------------

static void exitSome(HWTUNE_HANDLER_ARGS) {
  uint32_t lanes = (predicate(R, I->b) ^ I->c) & mask;
  if (lanes == 0)
    HWTUNE_GO(I + 1);
  exitLanes(W, lanes);
  mask &= ~lanes;
  if (mask)
    HWTUNE_GO_MASKED(I + 1);
  HWTUNE_GO_TO(switchPath);
}

/// Leaves a device function; the lanes meet again after the call.
static void returnSome(HWTUNE_HANDLER_ARGS) {
  uint32_t lanes = (predicate(R, I->b) ^ I->c) & mask;
  if (lanes == 0)
    HWTUNE_GO(I + 1);
  Frame *f = W->frame;
  Recon *back = f->back;
  leaveRecons(W, W->recon, back, lanes);
  f->live &= ~lanes;
  waitAt(W, back, lanes);
  uint32_t rest = mask & ~lanes;
  if (f->live == 0)
    freeFrame(W, f);
  if (back->arrived != back->expected) {
    if (rest) {
      mask = rest;
      HWTUNE_GO_MASKED(I + 1);
    }
    HWTUNE_GO_TO(switchPath);
  }
  W->frame = back->frame;
  W->recon = back;
  R = W->frame->regs;
  mask = back->arrived;
  I = back->target;
  HWTUNE_GO_TO(arrive);
}

static void trapHere(HWTUNE_HANDLER_ARGS) {
  fault(W, LaunchStatus::Trap, DiagnosticKind::Trap, I,
        uint32_t(__builtin_ctz(mask)), 0, "trap executed");
}

/// a: number of the refusal.
static void refuseHere(HWTUNE_HANDLER_ARGS) {
  fault(W, LaunchStatus::Unsupported, DiagnosticKind::Unsupported, I,
        uint32_t(__builtin_ctz(mask)), 0,
        W->launch->program->refusals[I->a].text);
}

static void sleepHere(HWTUNE_HANDLER_ARGS) {
  W->slice -= kSleep;
  W->pc = I + 1;
  W->mask = mask;
  W->stop = Stop::Sleep;
}

static void nothing(HWTUNE_HANDLER_ARGS) { HWTUNE_GO(I + 1); }

// --- barriers ---------------------------------------------------------------

static bool barrierOperands(HWTUNE_HANDLER_ARGS, uint32_t &id,
                            uint32_t &threads) {
  uint32_t lane = uint32_t(__builtin_ctz(mask));
  memcpy(&id, R + I->a + lane * 4, 4);
  threads = 0;
  if (I->b)
    memcpy(&threads, R + I->b + lane * 4, 4);
  if (id > kClusterBarrier) {
    fault(W, LaunchStatus::IllegalInstruction,
          DiagnosticKind::IllegalInstruction, I, lane, 0,
          "barrier " + std::to_string(id) +
              " does not exist, expected 0 to 15");
    return false;
  }
  if (I[1].a && (W->launch->mode & ModeCheck) && mask != W->alive) {
    fault(W, LaunchStatus::CheckFailed, DiagnosticKind::DivergentBarrier, I,
          lane, 0,
          "only some threads of the warp are at this barrier, expected all of "
          "them");
    return false;
  }
  return arriveBarrier(W, I, id, threads, mask);
}

/// a: barrier, b: threads (slot 0: all), c: predicate of .red, d: result.
/// Second word: d kind of .red (1 popc, 2 and, 3 or), a whether aligned.
static void barrierSync(HWTUNE_HANDLER_ARGS) {
  uint32_t id, threads;
  if (!barrierOperands(I, R, W, mask, id, threads))
    return;
  Path p = currentPath(W, I, mask);
  p.wait = WaitKind::Barrier;
  p.barrier = id;
  p.resume = I + 2;
  if (uint32_t kind = I[1].d) {
    BarrierState &B = W->block->barriers[id];
    B.count += uint32_t(__builtin_popcount(predicate(R, I->c) & mask));
    B.voters += uint32_t(__builtin_popcount(mask));
    p.members = (kind << 30) | I->d;
  }
  W->state->waiting.push_back(p);
  checkBarriers(*W->block);
  HWTUNE_GO_TO(switchPath);
}
static void barrierArrive(HWTUNE_HANDLER_ARGS) {
  uint32_t id, threads;
  if (!barrierOperands(I, R, W, mask, id, threads))
    return;
  checkBarriers(*W->block);
  HWTUNE_GO(I + 2);
}

// --- calls ------------------------------------------------------------------

static void copyValues(Warp *W, const std::vector<CallValue> &values,
                       std::byte *R, uint32_t callerBase, uint32_t calleeBase,
                       uint32_t mask, bool in) {
  for (const CallValue &v : values)
    for (uint32_t left = mask; left; left &= left - 1) {
      uint32_t lane = uint32_t(__builtin_ctz(left));
      std::byte *local = W->local + lane * W->localStride;
      std::byte *callee = local + calleeBase + v.calleeOffset;
      std::byte *caller;
      if (!v.inRegister)
        caller = local + callerBase + v.caller;
      else
        caller = R + v.caller + lane * (v.bytes == 8 ? 8 : 4);
      if (in)
        memcpy(callee, caller, v.bytes);
      else if (v.inRegister && v.bytes < 4)
        memset(caller, 0, 4), memcpy(caller, callee, v.bytes);
      else
        memcpy(caller, callee, v.bytes);
    }
  for (const CallValue &v : values)
    if (in || !v.inRegister)
      checkLocal(W, mask,
                 in ? calleeBase + v.calleeOffset : callerBase + v.caller,
                 v.bytes, true);
}

static uint32_t calleeBase(const Frame *caller) {
  return (caller->localTop + 15) & ~15u;
}

/// Builds a frame for `lanes`; null after a fault.
static Frame *enter(Warp *W, const Inst *I, std::byte *R, uint32_t function,
                    const CallDesc &D, Recon *back, uint32_t lanes) {
  const DecodedFunction &F = W->launch->program->functions[function];
  uint32_t base = calleeBase(W->frame);
  if (!F.defined || base + uint64_t(F.localBytes) > W->localStride) {
    fault(W,
          F.defined ? LaunchStatus::OutOfResources
                    : LaunchStatus::IllegalInstruction,
          DiagnosticKind::IllegalInstruction, I, uint32_t(__builtin_ctz(lanes)),
          0,
          F.defined ? "stack of " + std::to_string(W->localStride) +
                          " bytes overflows in a call of '" + F.info.name + "'"
                    : "call of '" + F.info.name + "', which has no body");
    return nullptr;
  }
  Frame *f = newFrame(W, function);
  f->live = lanes;
  f->caller = W->frame;
  f->back = back;
  f->localBase = base;
  f->localTop = base + F.localBytes;
  checkLocal(W, lanes, base, F.localBytes, false);
  copyValues(W, D.args, R, W->frame->localBase, base, lanes, true);
  return f;
}

static void callDirect(HWTUNE_HANDLER_ARGS) {
  const CallDesc &D = W->launch->program->calls[I->a];
  Recon *r = newRecon(W);
  r->target = I + 1;
  r->frame = W->frame;
  r->expected = mask;
  r->parent = W->recon;
  Frame *f = enter(W, I, R, uint32_t(D.function), D, r, mask);
  if (!f)
    return;
  W->slice -= 8;
  W->frame = f;
  W->recon = r;
  R = f->regs;
  I = (*W->launch->code)[uint32_t(D.function)].insts.data();
  if (HWTUNE_UNLIKELY(W->slice < 0))
    HWTUNE_GO_TO(yieldAt);
  HWTUNE_GO(I);
}

/// Lanes with different callees run one after the other.
static void callIndirect(HWTUNE_HANDLER_ARGS) {
  const CallDesc &D = W->launch->program->calls[I->a];
  size_t numFunctions = W->launch->program->functions.size();
  Recon *r = newRecon(W);
  r->target = I + 1;
  r->frame = W->frame;
  r->expected = mask;
  r->parent = W->recon;
  for (uint32_t left = mask; left;) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t address;
    memcpy(&address, R + D.slot + lane * 8, 8);
    uint64_t index = (address - kCodeWindow) / kCodeStride;
    if (index >= numFunctions || (address - kCodeWindow) % kCodeStride) {
      fault(W, LaunchStatus::IllegalInstruction,
            DiagnosticKind::IllegalInstruction, I, lane, address,
            "indirect call of an address that is no function");
      return;
    }
    uint32_t group = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      uint32_t other = uint32_t(__builtin_ctz(rest));
      uint64_t value;
      memcpy(&value, R + D.slot + other * 8, 8);
      if (value == address)
        group |= 1u << other;
    }
    left &= ~group;
    Frame *f = enter(W, I, R, uint32_t(index), D, r, group);
    if (!f)
      return;
    Path p;
    p.pc = (*W->launch->code)[index].insts.data();
    p.mask = group;
    p.frame = f;
    p.recon = r;
    W->state->ready.push_back(p);
  }
  HWTUNE_GO_TO(switchPath);
}

/// After the call: the returned values go where the caller wants them.
static void callReturn(HWTUNE_HANDLER_ARGS) {
  if (W->recon && W->recon->target == I && W->recon->frame == W->frame)
    HWTUNE_GO_TO(arrive);
  const CallDesc &D = W->launch->program->calls[I->a];
  copyValues(W, D.returns, R, W->frame->localBase, calleeBase(W->frame), mask,
             false);
  HWTUNE_GO(I + 1);
}

// --- the stack --------------------------------------------------------------

/// Address of a variable in this frame's local memory; b: 1 for generic.
static void localAddress(HWTUNE_HANDLER_ARGS) {
  uint64_t address =
      W->frame->localBase + uint64_t(I->a) + (I->b ? kLocalWindow : 0);
  for (uint32_t left = mask; left; left &= left - 1)
    memcpy(R + I->d + uint32_t(__builtin_ctz(left)) * 8, &address, 8);
  HWTUNE_GO(I + 1);
}

static void stackSave(HWTUNE_HANDLER_ARGS) {
  uint64_t top = W->frame->localTop;
  for (uint32_t left = mask; left; left &= left - 1)
    memcpy(R + I->d + uint32_t(__builtin_ctz(left)) * 8, &top, 8);
  HWTUNE_GO(I + 1);
}
static void stackRestore(HWTUNE_HANDLER_ARGS) {
  uint64_t top;
  memcpy(&top, R + I->a + uint32_t(__builtin_ctz(mask)) * 8, 8);
  if (top <= W->localStride)
    W->frame->localTop = uint32_t(top);
  HWTUNE_GO(I + 1);
}
/// alloca d, bytes(a); alignment b. All lanes get the largest amount.
static void allocateStack(HWTUNE_HANDLER_ARGS) {
  uint64_t bytes = 0, align = I->b;
  for (uint32_t left = mask; left; left &= left - 1) {
    uint64_t n;
    memcpy(&n, R + I->a + uint32_t(__builtin_ctz(left)) * 8, 8);
    bytes = n > bytes ? n : bytes;
  }
  uint64_t at = (W->frame->localTop + align - 1) / align * align;
  if (bytes > W->localStride || at + bytes > W->localStride) {
    fault(W, LaunchStatus::OutOfResources, DiagnosticKind::IllegalInstruction,
          I, uint32_t(__builtin_ctz(mask)), 0,
          "alloca of " + std::to_string(bytes) +
              " bytes overflows the stack of " +
              std::to_string(W->localStride));
    return;
  }
  W->frame->localTop = uint32_t(at + bytes);
  checkLocal(W, mask, at, bytes, false);
  for (uint32_t left = mask; left; left &= left - 1)
    memcpy(R + I->d + uint32_t(__builtin_ctz(left)) * 8, &at, 8);
  HWTUNE_GO(I + 1);
}

void addControlOps(Registry &r) {
  addEntry(r, "bra", ".forward",
           {&branch<false, false>, &branch<true, false>, ""});
  addEntry(r, "bra", ".back", {&branch<false, true>, &branch<true, true>, ""});
  addEntry(r, "bra.if", ".forward",
           {&branchIf<false, false>, &branchIf<true, false>, ""});
  addEntry(r, "bra.if", ".back",
           {&branchIf<false, true>, &branchIf<true, true>, ""});
  addEntry(r, "reconverge", "", {&reconverge<false>, &reconverge<true>, ""});
  addEntry(r, "guard", "", {&guardFull<false>, &guardMasked<false>, ""});
  addEntry(r, "guard.count", "", {&guardFull<true>, &guardMasked<true>, ""});
  addEntry(r, "restore", "", {&restoreFull, &restoreMasked, ""});
  addEntry(r, "exit", "", {&exitSome, &exitSome, ""});
  addEntry(r, "ret", "", {&returnSome, &returnSome, ""});
  addEntry(r, "trap", "", {&trapHere, &trapHere, ""});
  addEntry(r, "refused", "", {&refuseHere, &refuseHere, ""});
  addEntry(r, "sleep", "", {&sleepHere, &sleepHere, ""});
  addEntry(r, "nop", "", {&nothing, &nothing, ""});
  addEntry(r, "barrier.sync", "", {&barrierSync, &barrierSync, ""});
  addEntry(r, "barrier.arrive", "", {&barrierArrive, &barrierArrive, ""});
  addEntry(r, "call.direct", "", {&callDirect, &callDirect, ""});
  addEntry(r, "call.indirect", "", {&callIndirect, &callIndirect, ""});
  addEntry(r, "call.return", "", {&callReturn, &callReturn, ""});
  addEntry(r, "local.address", "", {&localAddress, &localAddress, ""});
  addEntry(r, "stacksave", "", {&stackSave, &stackSave, ""});
  addEntry(r, "stackrestore", "", {&stackRestore, &stackRestore, ""});
  addEntry(r, "alloca", "", {&allocateStack, &allocateStack, ""});
}

} // namespace hwtune::exec
