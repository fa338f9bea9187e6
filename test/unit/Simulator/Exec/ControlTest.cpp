//===- ControlTest.cpp - divergence, barriers, calls, limits --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

using namespace hwtune::exec;

namespace {

/// Producers and consumers of two buffers, phase by phase: warp 0 writes, warp
/// 1 sums what it reads after each phase.
TEST(Control, MbarriersOrderProducersAndConsumers) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<12>; .reg .b64 %q<6>; .reg .pred %p, %w;
  .shared .align 8 .b64 full; .shared .align 8 .b64 empty;
  .shared .align 4 .b8 s[128];
  ld.param.u64 %q0, [p];
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %p, %r0, 0;
  @%p mbarrier.init.shared.b64 [full], 32;
  @%p mbarrier.init.shared::cta.b64 [empty], 32;
  bar.sync 0;
  and.b32 %r1, %r0, 31;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, s; add.u32 %r3, %r3, %r2;
  mov.u32 %r4, 0; mov.u32 %r5, 0;
  setp.ge.u32 %w, %r0, 32;
  @%w bra CONSUME;
PRODUCE:
  mad.lo.u32 %r6, %r4, 100, %r1;
  st.shared.u32 [%r3], %r6;
  mbarrier.arrive.shared.b64 %q1, [full];
  and.b32 %r7, %r4, 1;
WAIT_EMPTY:
  mbarrier.try_wait.parity.shared::cta.b64 %p, [empty], %r7;
  @!%p bra WAIT_EMPTY;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 5;
  @%p bra PRODUCE;
  bra DONE;
CONSUME:
  and.b32 %r7, %r4, 1;
WAIT_FULL:
  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p, [full], %r7;
  @!%p bra WAIT_FULL;
  xor.b32 %r8, %r2, 124;
  mov.u32 %r9, s; add.u32 %r9, %r9, %r8;
  ld.shared.u32 %r6, [%r9];
  add.u32 %r5, %r5, %r6;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [empty], 1;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, 5;
  @%p bra CONSUME;
  mad.wide.u32 %q2, %r1, 4, %q0;
  st.global.u32 [%q2], %r5;
DONE:
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>(32));
  LaunchResult r = h.run("k", {1, 1, 1}, {64, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto got = h.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(got[i], (0 + 1 + 2 + 3 + 4) * 100 + 5 * (31 - i)) << i;
}

/// States, counts, transactions, dropped arrivals, and arrival after copies.
TEST(Control, MbarrierCounts) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<12>; .reg .b64 %q<6>; .reg .pred %p;
  .shared .align 8 .b64 m; .shared .align 16 .b8 s[16];
  ld.param.u64 %q0, [p];
  mbarrier.init.shared.b64 [m], 3;
  mbarrier.arrive.shared.b64 %q1, [m], 2;
  mbarrier.pending_count.b64 %r0, %q1;
  mbarrier.arrive.expect_tx.shared.b64 %q2, [m], 64;
  mbarrier.pending_count.b64 %r1, %q2;
  mbarrier.test_wait.shared.b64 %p, [m], %q1; selp.u32 %r2, 1, 0, %p;
  mbarrier.complete_tx.shared::cta.b64 [m], 64;
  mbarrier.test_wait.shared.b64 %p, [m], %q1; selp.u32 %r3, 1, 0, %p;
  mbarrier.arrive_drop.shared.b64 %q3, [m];
  mbarrier.arrive.shared.b64 %q3, [m];
  mov.u32 %r4, m;
  cp.async.ca.shared.global [s], [%q0], 4;
  cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];
  mbarrier.test_wait.parity.shared.b64 %p, [m], 1; selp.u32 %r5, 1, 0, %p;
  ld.shared.u32 %r6, [s];
  mbarrier.arrive.shared.b64 %q4, [m];
  mbarrier.pending_count.b64 %r7, %q4;
  st.global.v4.u32 [%q0], {%r0, %r1, %r2, %r3};
  st.global.v4.u32 [%q0+16], {%r5, %r6, %r7, 0};
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>{77, 0, 0, 0, 0, 0, 0, 0});
  LaunchResult r = h.run("k", {1, 1, 1}, {1, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 8),
            (std::vector<uint32_t>{3, 1, 0, 1, 1, 77, 2, 0}));
}

/// Two lanes store 8 bytes each and add 5 each; the phase ends with the last of
/// the 2 * (8 + 4) bytes that it expects.
TEST(Control, AsynchronousStoresCompleteTransactions) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<8>; .reg .b64 %q<6>; .reg .pred %p, %first;
  .shared .align 8 .b64 m; .shared .align 16 .b8 s[16]; .shared .align 4 .u32 n;
  ld.param.u64 %q0, [p];
  mov.u32 %r0, %tid.x; setp.eq.u32 %first, %r0, 0;
  @%first mbarrier.init.shared.b64 [m], 1;
  @%first mbarrier.arrive.expect_tx.shared.b64 _, [m], 24;
  @%first st.shared.u32 [n], 1;
  bar.warp.sync 3;
  mov.u32 %r1, m; mov.u32 %r2, s; mov.u32 %r3, n;
  shl.b32 %r4, %r0, 3; add.u32 %r4, %r4, %r2; add.u32 %r5, %r0, 7;
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r4], {%r5, 9}, [%r1];
  mbarrier.test_wait.parity.shared.b64 %p, [m], 0; selp.u32 %r6, 1, 0, %p;
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r3], 5, [%r1];
  mbarrier.test_wait.parity.shared.b64 %p, [m], 0; selp.u32 %r7, 1, 0, %p;
  @!%first ret;
  ld.shared.v2.u64 {%q1, %q2}, [s]; ld.shared.u32 %r5, [n];
  st.global.v2.u64 [%q0], {%q1, %q2};
  st.global.u32 [%q0+16], %r5; st.global.u32 [%q0+20], %r6; st.global.u32 [%q0+24], %r7;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>(8));
  LaunchResult r = h.run("k", {1, 1, 1}, {2, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 7),
            (std::vector<uint32_t>{7, 9, 8, 9, 11, 0, 1}));
}

/// A cluster of one block: ranks are 0, addresses map to themselves, and the
/// cluster's barrier orders the block.
TEST(Control, ClustersOfOneBlock) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<8>; .reg .b64 %q<4>; .reg .pred %p;
  .shared .align 4 .b8 s[512];
  ld.param.u64 %q0, [p];
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, s;
  add.u32 %r3, %r2, %r1;
  st.shared::cluster.u32 [%r3], %r0;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  mov.u32 %r4, %cluster_ctarank;
  mapa.shared::cluster.u32 %r5, %r2, %r4;
  sub.u32 %r6, 127, %r0;
  mad.lo.u32 %r5, %r6, 4, %r5;
  ld.shared::cluster.u32 %r7, [%r5];
  getctarank.shared::cluster.u32 %r4, %r5;
  add.u32 %r7, %r7, %r4;
  mad.wide.u32 %q1, %r0, 4, %q0;
  st.global.u32 [%q1], %r7;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>(128));
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {128, 1, 1}, {out}).ok());
  auto got = h.download<uint32_t>(out, 128);
  for (uint32_t i = 0; i < 128; ++i)
    EXPECT_EQ(got[i], 127 - i);
}

TEST(Control, NestedLoopsDiverge) {
  // z = sum over i < a of (i odd ? i : 2 i), with a data-dependent count.
  std::vector<std::vector<uint64_t>> rows;
  for (uint64_t l = 0; l < 70; ++l)
    rows.push_back({l * 7 % 41});
  auto z = evaluate("mov.b32 %z, 0; mov.b32 %x0, 0; LOOP: setp.ge.u32 %p, %x0, "
                    "%a; @%p bra DONE; and.b32 %x1, %x0, 1;"
                    "setp.eq.u32 %q, %x1, 1; @%q bra ODD; shl.b32 %x2, %x0, 1; "
                    "add.u32 %z, %z, %x2; bra NEXT; ODD: add.u32 %z, %z, %x0;"
                    "NEXT: add.u32 %x0, %x0, 1; bra LOOP; DONE:",
                    {"b32"}, "b32", rows);
  for (size_t l = 0; l < rows.size(); ++l) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < rows[l][0]; ++i)
      sum += i % 2 ? i : 2 * i;
    EXPECT_EQ(z[l], sum) << l;
  }
}

TEST(Control, PredicatedInstructions) {
  auto z = evaluate("mov.b32 %z, 1; setp.gt.u32 %p, %a, 5; @%p add.u32 %z, %z, "
                    "10; @!%p add.u32 %z, %z, 100;",
                    {"b32"}, "b32", {{3}, {9}, {5}, {6}});
  EXPECT_EQ(z, (std::vector<uint64_t>{101, 11, 101, 11}));
}

TEST(Control, IndexedBranch) {
  auto z =
      evaluate("TS: .branchtargets L0, L1, L2; brx.idx %a, TS; L0: mov.b32 %z, "
               "10; bra E; L1: mov.b32 %z, 20; bra E; L2: mov.b32 %z, 30; E:",
               {"b32"}, "b32", {{2}, {0}, {1}, {0}, {2}});
  EXPECT_EQ(z, (std::vector<uint64_t>{30, 10, 20, 10, 30}));
}

class CountingTrace : public TraceHook {
public:
  void instruction(const TraceEvent &) override { ++instructions; }
  uint64_t instructions = 0;
};

/// Runs `ptx` as a functional and as a traced launch (whose turns are shorter)
/// on a word that is 0 and another that counts; the count after each.
std::vector<uint32_t> countOfEachMode(const std::string &ptx, uint32_t blocks,
                                      uint32_t threads) {
  std::vector<uint32_t> counts;
  for (bool traced : {false, true}) {
    ExecHarness h(std::string(kPtxHeader) + ptx);
    EXPECT_TRUE(h.program) << h.error;
    auto word = h.upload(std::vector<uint32_t>{0, 0}),
         count = h.upload(std::vector<uint32_t>{0});
    CountingTrace trace;
    LaunchOptions o;
    o.instructionBudget = 100'000'000;
    o.trace = traced ? &trace : nullptr;
    auto r = h.run("k", {blocks, 1, 1}, {threads, 1, 1}, {word, count}, o);
    EXPECT_TRUE(r.ok()) << r.diagnostic.str();
    counts.push_back(h.download<uint32_t>(count, 1)[0]);
  }
  return counts;
}

/// A branch whose two ways meet again, then 16 more instructions.
std::string diamond(const std::string &label) {
  std::string text = "and.b32 %r1, %r0, 1; setp.eq.u32 %p, %r1, 0; @%p bra " +
                     label + "; add.u32 %r2, %r2, 3; " + label + ":\n";
  for (int i = 0; i < 16; ++i)
    text += "add.u32 %r2, %r2, %r0;\n";
  return text + "st.global.u32 [%rd0], %r2;\n";
}

// Of each pair of kernels both do the same work, one before a return that is
// not the last of the text: lanes meet again there, too.
TEST(Control, LanesMeetAgainBeforeEachReturn) {
  auto instructions = [](const std::string &body) {
    ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 out, .param .u64 which) {
  .reg .pred %p, %q; .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [which];
  mov.u32 %r0, %tid.x; mov.u32 %r2, 0; setp.ne.u64 %q, %rd1, 0;
)" + body + "}");
    EXPECT_TRUE(h.program) << h.error;
    std::vector<uint64_t> counts;
    LaunchOptions counting;
    counting.countEvents = true;
    auto out = h.upload(std::vector<uint32_t>{0});
    for (uint64_t which : {0, 1}) {
      auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {out, which}, counting);
      EXPECT_TRUE(r.ok()) << r.diagnostic.str();
      counts.push_back(r.warpInstructions);
    }
    return counts;
  };
  auto halves = instructions("@%q bra SECOND;\n" + diamond("A") +
                             "ret;\nSECOND:\n" + diamond("B") + "ret;\n");
  EXPECT_EQ(halves[0], halves[1]);
  auto early =
      instructions("@!%q bra LATE;\n" + diamond("A") + "ret;\nLATE:\n" +
                   diamond("B") + diamond("C") + "ret;\n");
  EXPECT_LT(early[1], early[0]);
}

/// Each lane takes the lock in turn: a stack of reconvergence points hangs.
/// `wait` is done by the lanes that did not get it.
std::string spinLock(const std::string &wait) {
  return R"(
.visible .entry k(.param .u64 lock, .param .u64 count) {
  .reg .pred %p, %q; .reg .b32 %r<8>; .reg .f32 %f<2>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [lock]; ld.param.u64 %rd1, [count];
  mov.u32 %r4, 8; mov.u32 %r5, %tid.x; mov.f32 %f0, 0f3F800000;
SPIN:
  atom.global.cas.b32 %r0, [%rd0], 0, 1;
  setp.eq.u32 %p, %r0, 0;
  @%p bra TAKEN;
)" + wait +
         R"(
  bra SPIN;
TAKEN:
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  membar.gl;
  atom.global.exch.b32 %r2, [%rd0], 0;
  ret;
}
)";
}

TEST(Control, SpinLockWithinAWarpCompletes) {
  std::string longBody;
  for (int i = 0; i < 2500; ++i)
    longBody += "add.f32 %f0, %f0, %f0;\n";
  const std::string waits[] = {
      "",
      // The back-off of the CUDA programming guide.
      "nanosleep.u32 %r4; setp.lt.u32 %p, %r4, 256; @!%p bra SPIN; "
      "shl.b32 %r4, %r4, 1;",
      // Lanes that meet again in each turn of the loop.
      "and.b32 %r6, %r5, 1; setp.eq.u32 %q, %r6, 0; @%q bra EVEN; "
      "add.u32 %r4, %r4, 3; bra MEET; EVEN: add.u32 %r4, %r4, 5; MEET: "
      "xor.b32 %r4, %r4, %r6;",
      "mov.u32 %r6, 0; INNER: add.u32 %r6, %r6, 1; setp.lt.u32 %q, %r6, 500; "
      "@%q bra INNER;",
      "activemask.b32 %r6; bar.warp.sync %r6;", longBody};
  for (const std::string &wait : waits)
    EXPECT_EQ(countOfEachMode(spinLock(wait), 2, 64),
              (std::vector<uint32_t>{128, 128}))
        << wait.substr(0, 200);
}

/// The lane that got the lock waits where the function returns.
TEST(Control, LockTakenInAFunctionCompletes) {
  EXPECT_EQ(countOfEachMode(R"(
.func lock(.param .b64 word) {
  .reg .pred %p; .reg .b32 %r0; .reg .b64 %rd0;
  ld.param.b64 %rd0, [word];
SPIN:
  atom.cas.b32 %r0, [%rd0], 0, 1;
  setp.ne.u32 %p, %r0, 0;
  @%p bra SPIN;
  ret;
}
.visible .entry k(.param .u64 word, .param .u64 count) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [word]; ld.param.u64 %rd1, [count];
  { .param .b64 a; st.param.b64 [a], %rd0; call.uni lock, (a); }
  ld.volatile.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.volatile.global.u32 [%rd1], %r1;
  atom.exch.b32 %r2, [%rd0], 0;
  ret;
}
)",
                            1, 96),
            (std::vector<uint32_t>{96, 96}));
}

/// Lanes 1 to 15 wait for lane 16, which waits for lane 0, which waits for all
/// at the point where they meet.
TEST(Control, TwoGroupsThatWaitLetTheThirdGo) {
  EXPECT_EQ(countOfEachMode(R"(
.visible .entry k(.param .u64 flags, .param .u64 count) {
  .reg .pred %p, %first; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [flags]; ld.param.u64 %rd1, [count];
  mov.u32 %r0, %tid.x;
  setp.eq.u32 %first, %r0, 0; @%first bra MEET;
  setp.lt.u32 %p, %r0, 16; @%p bra LOW;
HIGH:
  ld.volatile.global.u32 %r1, [%rd0+4]; setp.eq.u32 %p, %r1, 0; @%p bra HIGH;
  st.volatile.global.u32 [%rd0], 1;
  bra MEET;
LOW:
  ld.volatile.global.u32 %r1, [%rd0]; setp.eq.u32 %p, %r1, 0; @%p bra LOW;
MEET:
  @%first st.volatile.global.u32 [%rd0+4], 1;
  red.global.add.u32 [%rd1], 1;
  ret;
}
)",
                            1, 32),
            (std::vector<uint32_t>{32, 32}));
}

/// Lanes whose loops end at different times meet however long they take, if not
/// longer than a warp is patient: 32 lanes vote together.
TEST(Control, LanesOfUnevenLoopsMeet) {
  auto z = evaluate("mul.lo.u32 %x0, %a, 90; L: sub.u32 %x0, %x0, 1; "
                    "setp.gt.s32 %p, %x0, 0; @%p bra L; activemask.b32 %z;",
                    {"b32"}, "b32", [] {
                      std::vector<std::vector<uint64_t>> rows;
                      for (uint64_t i = 0; i < 32; ++i)
                        rows.push_back({i});
                      return rows;
                    }());
  EXPECT_EQ(z, std::vector<uint64_t>(32, 0xffffffff));
}

/// Block 0 waits for what the last block stores.
TEST(Control, BlocksThatWaitForEachOther) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 flag, .param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [flag]; ld.param.u64 %rd1, [out];
  mov.u32 %r0, %ctaid.x;
  setp.eq.u32 %p, %r0, 7;
  @%p bra LAST;
WAIT:
  ld.acquire.gpu.global.u32 %r1, [%rd0];
  setp.eq.u32 %p, %r1, 0;
  @%p bra WAIT;
  atom.global.add.u32 %r2, [%rd1], %r1;
  ret;
LAST:
  st.release.gpu.global.u32 [%rd0], 5;
  ret;
})");
  auto flag = h.upload(std::vector<uint32_t>{0}),
       out = h.upload(std::vector<uint32_t>{0});
  LaunchOptions o;
  o.instructionBudget = 500'000'000;
  auto r = h.run("k", {8, 1, 1}, {32, 1, 1}, {flag, out}, o);
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 1)[0], 7u * 32 * 5);
}

TEST(Control, WatchdogAndDeadlock) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry forever() { L: bra L; }
.visible .entry stuck() {
  .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %tid.x; setp.lt.u32 %p, %r, 32; @%p bra A;
  bar.sync 1, 96; ret;
A: bar.sync 2, 96; ret;
})");
  LaunchOptions o;
  o.instructionBudget = 1'000'000;
  auto r = h.run("forever", {1, 1, 1}, {64, 1, 1}, {}, o);
  EXPECT_EQ(r.status, LaunchStatus::Timeout);
  EXPECT_EQ(r.diagnostic.line, 5u);
  r = h.run("stuck", {1, 1, 1}, {64, 1, 1}, {}, o);
  EXPECT_EQ(r.status, LaunchStatus::Deadlock) << r.diagnostic.str();
}

TEST(Control, BarriersNamedPartialAndReducing) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p, %q; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .align 4 .b32 cell;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  setp.ge.u32 %p, %r0, 64;
  @%p bra CONSUMER;
  st.shared.u32 [cell], 42;
  bar.arrive 3, 128;
  bra JOIN;
CONSUMER:
  bar.sync 3, 128;
  ld.shared.u32 %r1, [cell];
JOIN:
  setp.lt.u32 %q, %r0, 10;
  bar.red.popc.u32 %r2, 0, %q;
  barrier.cta.red.and.pred %p, 1, %q;
  selp.b32 %r3, 1000, 0, %p;
  barrier.cta.red.or.pred %p, 1, !%q;
  selp.b32 %r4, 2000, 0, %p;
  add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r1;
  mad.wide.u32 %rd1, %r0, 4, %rd0;
  st.global.u32 [%rd1], %r2;
  ret;
})");
  ASSERT_TRUE(h.program) << h.error;
  auto out = h.upload(std::vector<uint32_t>(128));
  auto r = h.run("k", {1, 1, 1}, {128, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto v = h.download<uint32_t>(out, 128);
  for (int i = 64; i < 128; ++i)
    EXPECT_EQ(v[i], 10u + 2000 + 42) << i;
}

TEST(Control, CallsDirectIndirectRecursive) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.func (.param .b32 res) fact(.param .b32 n) {
  .reg .pred %p; .reg .b32 %r<6>;
  ld.param.b32 %r0, [n];
  setp.gt.u32 %p, %r0, 1;
  @%p bra MORE;
  st.param.b32 [res], 1;
  ret;
MORE:
  sub.u32 %r1, %r0, 1;
  { .param .b32 arg; .param .b32 got;
    st.param.b32 [arg], %r1;
    call.uni (got), fact, (arg);
    ld.param.b32 %r2, [got]; }
  mul.lo.u32 %r3, %r2, %r0;
  st.param.b32 [res], %r3;
  ret;
}
.func (.param .b64 res) twice(.param .b64 x, .param .align 8 .b8 pair[16]) {
  .reg .b64 %rd<4>;
  ld.param.b64 %rd0, [x]; ld.param.b64 %rd1, [pair+8]; add.u64 %rd2, %rd0, %rd1; st.param.b64 [res], %rd2; ret;
}
.func (.reg .b32 out) inc(.reg .b32 in) { add.u32 out, in, 1; ret; }
.func (.reg .b32 out) dec(.reg .b32 in) { sub.u32 out, in, 1; ret; }
.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  and.b32 %r1, %r0, 7;
  { .param .b32 a; .param .b32 g; st.param.b32 [a], %r1; call.uni (g), fact, (a); ld.param.b32 %r2, [g]; }
  { .param .b64 a; .param .align 8 .b8 b[16]; .param .b64 g;
    st.param.b64 [a], 5; st.param.v2.b64 [b], {1, 30}; call (g), twice, (a, b); ld.param.b64 %rd1, [g]; }
  cvt.u32.u64 %r3, %rd1;
  add.u32 %r2, %r2, %r3;
  mov.u64 %rd2, inc; mov.u64 %rd3, dec;
  and.b32 %r4, %r0, 1; setp.eq.u32 %p, %r4, 0;
  selp.b64 %rd4, %rd2, %rd3, %p;
  proto: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (%r5), %rd4, (%r2), proto;
  mad.wide.u32 %rd5, %r0, 4, %rd0;
  st.global.u32 [%rd5], %r5;
  ret;
})");
  ASSERT_TRUE(h.program) << h.error;
  auto out = h.upload(std::vector<uint32_t>(32));
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto v = h.download<uint32_t>(out, 32);
  const uint32_t fact[] = {1, 1, 2, 6, 24, 120, 720, 5040};
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(v[i], fact[i & 7] + 35 + (i % 2 ? -1 : 1)) << i;
}

TEST(Control, EarlyExitAndPartialWarps) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [out];
  mov.u32 %r0, %tid.x;
  setp.gt.u32 %p, %r0, 36;
  @%p exit;
  bar.sync 0;
  mad.wide.u32 %rd1, %r0, 4, %rd0;
  st.global.u32 [%rd1], 9;
  ret;
})");
  auto out = h.upload(std::vector<uint32_t>(64));
  auto r = h.run("k", {1, 1, 1}, {45, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto v = h.download<uint32_t>(out, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(v[i], i <= 36 ? 9u : 0u) << i;
}

TEST(Control, TrapPrintfAndAssertions) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.global .align 1 .b8 text[20] = {97,61,37,100,32,98,61,37,46,50,102,32,37,115,10,0};
.global .align 1 .b8 word[4] = {104,105,33,0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry k() {
  .local .align 8 .b8 depot[24];
  .reg .b64 %rd<8>; .reg .b32 %r<4>;
  mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
  mov.u32 %r0, %tid.x;
  st.local.u32 [%rd0], %r0; st.local.f64 [%rd0+8], 0d3FF8000000000000;
  mov.u64 %rd2, word; cvta.global.u64 %rd3, %rd2; st.local.u64 [%rd0+16], %rd3;
  mov.u64 %rd4, text; cvta.global.u64 %rd5, %rd4;
  { .param .b64 p0; .param .b64 p1; .param .b32 ret;
    st.param.b64 [p0], %rd5; st.param.b64 [p1], %rd1;
    call.uni (ret), vprintf, (p0, p1); ld.param.b32 %r1, [ret]; }
  trap;
})");
  ASSERT_TRUE(h.program) << h.error;
  std::string printed;
  LaunchOptions o;
  o.printf = [&](std::string_view s) { printed += s; };
  auto r = h.run("k", {1, 1, 1}, {2, 1, 1}, {}, o);
  EXPECT_EQ(printed, "a=0 b=1.50 hi!\na=1 b=1.50 hi!\n");
  EXPECT_EQ(r.status, LaunchStatus::Trap);
  EXPECT_EQ(r.diagnostic.line, 19u);
}

/// The buffer is circular: older output is overwritten (CUDA C++ programming
/// guide).
TEST(Control, TheOldestPrintsAreLost) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.global .align 1 .b8 text[4] = {37,51,100,0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry k() {
  .local .align 8 .b8 depot[8];
  .reg .b64 %rd<8>; .reg .b32 %r<4>;
  mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
  mov.u32 %r0, %tid.x; st.local.u32 [%rd0], %r0;
  mov.u64 %rd4, text; cvta.global.u64 %rd5, %rd4;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd5; st.param.b64 [a], %rd1;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
  ret;
})");
  ASSERT_TRUE(h.program) << h.error;
  std::string printed;
  LaunchOptions o;
  o.printf = [&](std::string_view s) { printed += s; };
  // Lines of three characters, of which three fit into ten bytes, none into 2.
  o.printfBytes = 10;
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {20, 1, 1}, {}, o).ok());
  EXPECT_EQ(printed, " 17 18 19");
  o.printfBytes = 2;
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {20, 1, 1}, {}, o).ok());
  EXPECT_EQ(printed, " 17 18 19");
}

/// printf gives the number of its arguments, not of characters; 0 where none
/// follow the format, -1 for no format (CUDA C++ programming guide).
TEST(Control, PrintfCountsItsArguments) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.global .align 1 .b8 three[11] = {37,100,32,37,115,32,37,37,37,102,0};
.global .align 1 .b8 none[6] = {112,108,97,105,110,0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry k(.param .u64 out) {
  .local .align 8 .b8 depot[24];
  .reg .b64 %rd<8>; .reg .b32 %r<4>;
  ld.param.u64 %rd7, [out];
  mov.u64 %rd0, depot; cvta.local.u64 %rd1, %rd0;
  mov.u64 %rd2, 0; st.local.v2.u64 [%rd0], {%rd2, %rd2}; st.local.u64 [%rd0+16], %rd2;
  mov.u64 %rd4, three; cvta.global.u64 %rd5, %rd4;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd5; st.param.b64 [a], %rd1;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r0, [r]; }
  mov.u64 %rd4, none; cvta.global.u64 %rd5, %rd4;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd5; st.param.b64 [a], %rd2;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r1, [r]; }
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd2; st.param.b64 [a], %rd2;
    call.uni (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }
  st.global.v4.b32 [%rd7], {%r0, %r1, %r2, %r2};
  ret;
})");
  ASSERT_TRUE(h.program) << h.error;
  std::string printed;
  LaunchOptions o;
  o.printf = [&](std::string_view s) { printed += s; };
  auto out = h.upload(std::vector<int>(4, 7));
  auto r = h.run("k", {1, 1, 1}, {1, 1, 1}, {out}, o);
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(printed, "0 (null) %0.000000plain");
  EXPECT_EQ(h.download<int>(out, 4), (std::vector<int>{3, 0, -1, -1}));
}

TEST(Control, RefusedRequestsSayWhy) {
  ExecHarness h(std::string(kPtxHeader) +
                ".visible .entry k(.param .u32 n) .maxntid 64, 1, 1 { .shared "
                ".b8 s[1024]; .reg .b64 %rd; mov.u64 %rd, s; ret; }");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_EQ(h.run("k", {1, 1, 1}, {128, 1, 1}, {1}).status,
            LaunchStatus::OutOfResources);
  EXPECT_EQ(h.run("k", {0, 1, 1}, {1, 1, 1}, {1}).status,
            LaunchStatus::InvalidRequest);
  EXPECT_EQ(h.run("k", {1, 1, 1}, {32, 1, 1}, {1}, {}, 300000).status,
            LaunchStatus::OutOfResources);
  LaunchOptions o;
  o.blocks = {5};
  auto r = h.run("k", {2, 1, 1}, {32, 1, 1}, {1}, o);
  EXPECT_EQ(r.diagnostic.text, "block 5 of a grid of 2");
  EXPECT_EQ(h.program->findFunction("k")->staticSharedBytes, 1024u);
  ExecHarness clusters(std::string(kPtxHeader) +
                       ".visible .entry k(.param .u32 n) .reqnctapercluster 2, "
                       "1, 1 { ret; }");
  ASSERT_TRUE(clusters.program) << clusters.error;
  EXPECT_EQ(
      clusters.run("k", {2, 1, 1}, {32, 1, 1}, {1}).diagnostic.text,
      "clusters of (2,1,1) blocks (.reqnctapercluster) are not supported");
}

} // namespace
