//===- Warp.cpp - splitting and joining the lanes of a warp ---------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a list of paths, each a set of lanes at one instruction. A branch
// that splits a path makes a record at its immediate post-dominator; lanes that
// get there wait until all that are expected have come or have exited, or until
// the warp's patience is at its end: then some that are missing may be waiting,
// in a loop, for a lane that waits here. Where several paths can go on, each
// runs for a turn of its warp. Turns and patience are counted in instructions.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Modes.h"

#include <algorithm>
#include <cstring>

namespace hwtune::exec {

Recon *newRecon(Warp *W) {
  WarpState &S = *W->state;
  Recon *r;
  if (!S.freeRecons.empty()) {
    r = S.freeRecons.back();
    S.freeRecons.pop_back();
  } else {
    r = &S.reconPool.emplace_back();
  }
  S.live.push_back(r);
  return r;
}

static void freeRecon(Warp *W, Recon *r) {
  WarpState &S = *W->state;
  auto it = std::find(S.live.rbegin(), S.live.rend(), r);
  S.live.erase(std::next(it).base());
  *r = {};
  S.freeRecons.push_back(r);
}

Frame *newFrame(Warp *W, uint32_t function) {
  WarpState &S = *W->state;
  const DecodedFunction &F = W->launch->program->functions[function];
  auto &pool = S.freeFrames[function];
  if (!pool.empty()) {
    Frame *f = pool.back();
    pool.pop_back();
    std::byte *regs = f->regs;
    *f = {};
    f->regs = regs;
    f->function = function;
    return f;
  }
  Frame *f = &S.framePool.emplace_back();
  auto &memory = S.frameMemory.emplace_back(new std::byte[F.frameBytes + 64]());
  auto raw = reinterpret_cast<uintptr_t>(memory.get());
  f->regs = memory.get() + ((64 - raw % 64) % 64);
  f->function = function;
  memset(f->regs + kTruePredicate, 0xff, 4);
  for (const auto &c : F.constants)
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      if (c.wide)
        memcpy(f->regs + c.slot + lane * 8, &c.bits, 8);
      else
        memcpy(f->regs + c.slot + lane * 4, &c.bits, 4);
  return f;
}

void freeFrame(Warp *W, Frame *frame) {
  W->state->freeFrames[frame->function].push_back(frame);
}

/// All expected lanes are here: they go on together.
static void releaseIfComplete(Warp *W, Recon *r) {
  if (r->expected == 0) {
    freeRecon(W, r);
  } else if (r->arrived == r->expected) {
    Path p;
    p.pc = r->target;
    p.mask = r->arrived;
    p.frame = r->frame;
    p.recon = r->parent;
    freeRecon(W, r);
    W->state->ready.push_back(p);
  }
}

void leaveRecons(Warp *W, Recon *from, Recon *to, uint32_t lanes) {
  for (Recon *r = from; r != to;) {
    Recon *parent = r->parent;
    r->expected &= ~lanes;
    releaseIfComplete(W, r);
    r = parent;
  }
}

void exitLanes(Warp *W, uint32_t lanes) {
  W->alive &= ~lanes;
  W->block->aliveThreads -= uint32_t(__builtin_popcount(lanes));
  leaveRecons(W, W->recon, nullptr, lanes);
  for (Frame *f = W->frame; f;) {
    Frame *caller = f->caller;
    f->live &= ~lanes;
    if (f->live == 0)
      freeFrame(W, f);
    f = caller;
  }
  ++W->block->progress;
}

/// The waiting paths at the same instruction as `p`.
static uint32_t groupMask(const WarpState &S, const Path &p) {
  uint32_t mask = 0;
  for (const Path &q : S.waiting)
    if (q.wait == WaitKind::WarpSync && q.pc == p.pc && q.frame == p.frame)
      mask |= q.mask;
  return mask;
}

static Recon *commonRecon(Recon *a, Recon *b) {
  for (Recon *x = a; x; x = x->parent)
    for (Recon *y = b; y; y = y->parent)
      if (x == y)
        return x;
  return nullptr;
}

/// Joins the paths that wait at one instruction and makes them ready.
static void mergeGroup(Warp *W, Path p) {
  WarpState &S = *W->state;
  Path merged = p;
  merged.mask = 0;
  merged.wait = WaitKind::None;
  std::vector<Path> members;
  for (const Path &q : S.waiting)
    if (q.wait == WaitKind::WarpSync && q.pc == p.pc && q.frame == p.frame)
      members.push_back(q);
  std::erase_if(S.waiting, [&](const Path &q) {
    return q.wait == WaitKind::WarpSync && q.pc == p.pc && q.frame == p.frame;
  });
  for (const Path &q : members) {
    merged.mask |= q.mask;
    merged.recon = commonRecon(merged.recon, q.recon);
  }
  S.ready.push_back(merged);
  for (const Path &q : members)
    leaveRecons(W, q.recon, merged.recon, q.mask);
  // The merged path runs first.
  auto it = std::find_if(S.ready.begin(), S.ready.end(), [&](const Path &q) {
    return q.pc == merged.pc && q.mask == merged.mask;
  });
  std::rotate(it, it + 1, S.ready.end());
}

void parkSync(Warp *W, const Inst *I, uint32_t mask, uint32_t members) {
  Path p;
  p.pc = I;
  p.mask = mask;
  p.frame = W->frame;
  p.recon = W->recon;
  p.wait = WaitKind::WarpSync;
  p.members = members;
  W->state->waiting.push_back(p);
  uint32_t need = members & W->alive;
  if ((groupMask(*W->state, p) & need) == need)
    mergeGroup(W, p);
}

/// Lanes that have come to a record go on without those that have not.
static void releaseEarly(Warp *W, Recon *r) {
  Path p;
  p.pc = r->target;
  p.mask = r->arrived;
  p.frame = r->frame;
  p.recon = r->parent;
  r->expected &= ~r->arrived;
  r->arrived = 0;
  if (r->expected == 0)
    freeRecon(W, r);
  W->state->ready.push_back(p);
}

void releaseOverdue(Warp *W) {
  WarpState &S = *W->state;
  bool any = false;
  for (size_t i = S.live.size(); i-- > 0;) {
    Recon *r = S.live[i];
    if (!r->arrived || warpTime(W) - r->since < S.patience)
      continue;
    releaseEarly(W, r);
    any = true;
  }
  if (any)
    S.patience = std::max(kLeastPatience, S.patience / 2);
}

bool unblock(Warp *W) {
  WarpState &S = *W->state;
  if (!S.ready.empty())
    return true;
  // Members may have exited since the others began to wait.
  for (const Path &p : S.waiting)
    if (p.wait == WaitKind::WarpSync) {
      uint32_t need = p.members & W->alive;
      if ((groupMask(S, p) & need) == need) {
        mergeGroup(W, Path(p));
        return true;
      }
    }
  auto waits = std::find_if(S.live.rbegin(), S.live.rend(),
                            [](const Recon *r) { return r->arrived != 0; });
  if (waits != S.live.rend()) {
    releaseEarly(W, *waits);
    return true;
  }
  // Members wait at different instructions: they met, each goes on alone.
  uint32_t all = 0;
  for (const Path &p : S.waiting)
    if (p.wait == WaitKind::WarpSync)
      all |= p.mask;
  for (auto it = S.waiting.begin(); it != S.waiting.end(); ++it) {
    uint32_t need = it->members & W->alive;
    if (it->wait != WaitKind::WarpSync || (all & need) != need)
      continue;
    Path p = *it;
    S.waiting.erase(it);
    p.wait = WaitKind::None;
    S.syncPass = true;
    S.ready.push_back(p);
    return true;
  }
  return false;
}

// --- block barriers ---------------------------------------------------------

bool arriveBarrier(Warp *W, const Inst *I, uint32_t id, uint32_t threads,
                   uint32_t lanes) {
  BarrierState &B = W->block->barriers[id];
  if (B.used && B.expected != threads) {
    fault(W, LaunchStatus::IllegalInstruction, DiagnosticKind::DivergentBarrier,
          I, uint32_t(__builtin_ctz(lanes)), 0,
          "barrier " + std::to_string(id) + " is waited for with " +
              std::to_string(threads) + " threads, expected " +
              std::to_string(B.expected) +
              " as those that wait already (0: all)");
    return false;
  }
  B.used = true;
  checkArrive(*W->block, id, W->index);
  B.expected = threads;
  // A whole warp counts as 32 threads however many it has.
  B.arrived += threads && lanes == W->alive
                   ? kLanes
                   : uint32_t(__builtin_popcount(lanes));
  return true;
}

void checkBarriers(Block &block) {
  for (uint32_t id = 0; id < block.barriers.size(); ++id) {
    BarrierState &B = block.barriers[id];
    if (!B.used)
      continue;
    uint32_t needed = B.expected ? B.expected : block.aliveThreads;
    if (B.arrived < needed)
      continue;
    for (Warp &W : block.warps) {
      WarpState &S = *W.state;
      for (size_t i = 0; i < S.waiting.size();) {
        Path p = S.waiting[i];
        if (p.wait != WaitKind::Barrier || p.barrier != id) {
          ++i;
          continue;
        }
        S.waiting.erase(S.waiting.begin() + long(i));
        p.pc = p.resume;
        p.wait = WaitKind::None;
        // barrier.red: `members` holds 1 + the result register and the kind.
        if (p.members) {
          uint32_t kind = p.members >> 30, slot = p.members & 0x3fffffff;
          std::byte *to = p.frame->regs + slot;
          if (kind == 1) {
            for (uint32_t lane = 0; lane < kLanes; ++lane)
              if ((p.mask >> lane) & 1)
                memcpy(to + lane * 4, &B.count, 4);
          } else {
            bool value = kind == 2 ? B.count == B.voters : B.count != 0;
            uint32_t word;
            memcpy(&word, to, 4);
            word = value ? word | p.mask : word & ~p.mask;
            memcpy(to, &word, 4);
          }
        }
        S.ready.push_back(p);
        checkRelease(block, id, W.index);
      }
    }
    checkBarrierEnd(block, id);
    if (block.launch->request->options.trace)
      block.launch->request->options.trace->barrier(block.linear, id,
                                                    B.arrived);
    B = {};
    ++block.progress;
  }
}

} // namespace hwtune::exec
