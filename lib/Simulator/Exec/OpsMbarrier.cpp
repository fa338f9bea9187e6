//===- OpsMbarrier.cpp - barrier objects in shared memory -----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA leaves the 64 bits of an mbarrier to the implementation. Ours are the
// arrivals a phase expects, those still pending, the bytes of transactions
// still pending, and the parity of the phase.
//
//===----------------------------------------------------------------------===//

#include "Core.h"
#include "Modes.h"
#include "Ops.h"

#include <cstring>

namespace hwtune::exec {

namespace {

struct Mbarrier {
  uint32_t expected = 0, pending = 0; ///< arrivals, 20 bits each
  int32_t bytes = 0;                  ///< of transactions, 23 bits with sign
  bool parity = false;

  static constexpr uint64_t kCount = (1u << 20) - 1, kBytes = (1u << 23) - 1;
  static Mbarrier unpack(uint64_t word) {
    Mbarrier m;
    m.expected = uint32_t(word & kCount);
    m.pending = uint32_t(word >> 20 & kCount);
    m.bytes = int32_t(uint32_t(word >> 40 & kBytes) << 9) >> 9;
    m.parity = word >> 63;
    return m;
  }
  uint64_t pack() const {
    return (expected & kCount) | (pending & kCount) << 20 |
           (uint64_t(uint32_t(bytes)) & kBytes) << 40 | uint64_t(parity) << 63;
  }
  void completeIfDone() {
    if (pending || bytes)
      return;
    parity = !parity;
    pending = expected;
  }
};

uint32_t wordAt(const std::byte *R, uint32_t slot, uint32_t lane) {
  uint32_t v;
  memcpy(&v, R + slot + lane * 4, 4);
  return v;
}

/// Calls F(barrier, lane, word before) for each lane, in order, and stores the
/// barrier. a: address, c: descriptor. False after a fault.
template <class F> bool forEachBarrier(HWTUNE_HANDLER_ARGS, F change) {
  MemDesc &D = W->mem[I->c];
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t address = uint64_t(D.imm), word;
    if (D.wideBase) {
      memcpy(&word, R + I->a + lane * 8, 8);
      address += word;
    } else {
      address = uint32_t(address + wordAt(R, I->a, lane));
    }
    std::byte *host = resolveLane(W, D, address, lane, 8, I);
    if (!host)
      return false;
    memcpy(&word, host, 8);
    Mbarrier m = Mbarrier::unpack(word);
    change(m, lane, word);
    word = m.pack();
    memcpy(host, &word, 8);
  }
  return true;
}

/// b: count.
void initialise(HWTUNE_HANDLER_ARGS) {
  if (forEachBarrier(I, R, W, mask, [&](Mbarrier &m, uint32_t lane, uint64_t) {
        m = Mbarrier();
        m.expected = m.pending = wordAt(R, I->b, lane);
      }))
    HWTUNE_GO(I + 2);
}

/// d: state, b: arrivals. Second word: d bytes to expect or 0, a whether the
/// arrivals are dropped from the coming phases.
void arrive(HWTUNE_HANDLER_ARGS) {
  if (forEachBarrier(I, R, W, mask,
                     [&](Mbarrier &m, uint32_t lane, uint64_t word) {
                       uint32_t count = wordAt(R, I->b, lane);
                       if (I[1].d)
                         m.bytes += int32_t(wordAt(R, I[1].d, lane));
                       m.pending -= count;
                       if (I[1].a)
                         m.expected -= count;
                       m.completeIfDone();
                       memcpy(R + I->d + lane * 8, &word, 8);
                     }))
    HWTUNE_GO(I + 2);
}

/// b: bytes to expect, or to take as done where Done.
template <bool Done> void transact(HWTUNE_HANDLER_ARGS) {
  if (forEachBarrier(I, R, W, mask, [&](Mbarrier &m, uint32_t lane, uint64_t) {
        int32_t bytes = int32_t(wordAt(R, I->b, lane));
        m.bytes += Done ? -bytes : bytes;
        if (Done)
          m.completeIfDone();
      }))
    HWTUNE_GO(I + 2);
}

/// The copies of these lanes land, then they arrive. b: arrivals.
void arriveAfterCopies(HWTUNE_HANDLER_ARGS) {
  landCopies(W, mask);
  if (forEachBarrier(I, R, W, mask, [&](Mbarrier &m, uint32_t lane, uint64_t) {
        uint32_t count = wordAt(R, I->b, lane);
        m.pending -= count;
        if (count)
          m.completeIfDone();
      }))
    HWTUNE_GO(I + 2);
}

/// d: predicate: whether the phase of b (a state, or its parity) is complete.
template <bool Parity> void test(HWTUNE_HANDLER_ARGS) {
  uint32_t done = 0;
  if (!forEachBarrier(I, R, W, mask, [&](Mbarrier &m, uint32_t lane, uint64_t) {
        bool phase;
        if constexpr (Parity) {
          phase = wordAt(R, I->b, lane) & 1;
        } else {
          uint64_t state;
          memcpy(&state, R + I->b + lane * 8, 8);
          phase = Mbarrier::unpack(state).parity;
        }
        done |= uint32_t(m.parity != phase) << lane;
      }))
    return;
  uint32_t old;
  memcpy(&old, R + I->d, 4);
  old = (old & ~mask) | done;
  memcpy(R + I->d, &old, 4);
  HWTUNE_GO(I + 2);
}

/// d: arrivals pending in the state a.
void pendingCount(HWTUNE_HANDLER_ARGS) {
  for (uint32_t left = mask; left; left &= left - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(left));
    uint64_t state;
    memcpy(&state, R + I->a + lane * 8, 8);
    uint32_t pending = Mbarrier::unpack(state).pending;
    memcpy(R + I->d + lane * 4, &pending, 4);
  }
  HWTUNE_GO(I + 1);
}

} // namespace

void addMbarrierOps(Registry &r) {
  addEntry(r, "mbarrier.init", "", {&initialise, &initialise, ""});
  addEntry(r, "mbarrier.arrive", "", {&arrive, &arrive, ""});
  addEntry(r, "mbarrier.expect_tx", "",
           {&transact<false>, &transact<false>, ""});
  addEntry(r, "mbarrier.complete_tx", "",
           {&transact<true>, &transact<true>, ""});
  addEntry(r, "mbarrier.copies", "",
           {&arriveAfterCopies, &arriveAfterCopies, ""});
  addEntry(r, "mbarrier.test", "", {&test<false>, &test<false>, ""});
  addEntry(r, "mbarrier.test.parity", "", {&test<true>, &test<true>, ""});
  addEntry(r, "mbarrier.pending_count", "", {&pendingCount, &pendingCount, ""});
}

} // namespace hwtune::exec
