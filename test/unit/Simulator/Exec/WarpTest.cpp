//===- WarpTest.cpp - shuffles, votes, matches, reductions ----------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

using namespace hwtune::exec;

namespace {

/// One warp; lane l has l * 10 + 1 as %a.
std::vector<uint64_t> warp(const std::string &body) {
  std::vector<std::vector<uint64_t>> rows;
  for (uint64_t l = 0; l < 32; ++l)
    rows.push_back({l * 10 + 1});
  return evaluate(body, {"b32"}, "b32", rows);
}

TEST(Warp, ShuffleModes) {
  auto up = warp(
      "shfl.sync.up.b32 %z|%p, %a, 3, 0, 0xffffffff; @!%p mov.b32 %z, 0xdead;");
  auto down = warp("shfl.sync.down.b32 %z, %a, 4, 31, 0xffffffff;");
  auto bfly = warp("shfl.sync.bfly.b32 %z, %a, 5, 31, 0xffffffff;");
  auto idx = warp("shfl.sync.idx.b32 %z, %a, 9, 31, 0xffffffff;");
  // Segments of 8 lanes: c = (32 - 8) << 8 | clamp.
  auto part = warp("shfl.sync.idx.b32 %z, %a, 9, 0x181f, 0xffffffff;");
  auto partDown = warp("shfl.sync.down.b32 %z|%p, %a, 2, 0x181f, 0xffffffff; "
                       "@!%p mov.b32 %z, 0xdead;");
  for (uint64_t l = 0; l < 32; ++l) {
    EXPECT_EQ(up[l], l < 3 ? 0xdead : (l - 3) * 10 + 1) << l;
    EXPECT_EQ(down[l], (l + 4 < 32 ? l + 4 : l) * 10 + 1) << l;
    EXPECT_EQ(bfly[l], (l ^ 5) * 10 + 1) << l;
    EXPECT_EQ(idx[l], 91u);
    EXPECT_EQ(part[l], (l / 8 * 8 + 1) * 10 + 1) << l;
    EXPECT_EQ(partDown[l], l % 8 < 6 ? (l + 2) * 10 + 1 : 0xdead) << l;
  }
}

TEST(Warp, VotesAndBallots) {
  auto ballot =
      warp("setp.gt.u32 %p, %a, 100; vote.sync.ballot.b32 %z, %p, 0xffffffff;");
  auto any = warp("setp.eq.u32 %p, %a, 31; vote.sync.any.pred %q, %p, "
                  "0xffffffff; selp.b32 %z, 1, 0, %q;");
  auto all = warp("setp.eq.u32 %p, %a, 31; vote.sync.all.pred %q, %p, "
                  "0xffffffff; selp.b32 %z, 1, 0, %q;");
  auto uni = warp("setp.lt.u32 %p, %a, 9999; vote.sync.uni.pred %q, %p, "
                  "0xffffffff; selp.b32 %z, 1, 0, %q;");
  auto active = warp("activemask.b32 %z;");
  for (int l = 0; l < 32; ++l) {
    EXPECT_EQ(ballot[l], 0xfffffc00u);
    EXPECT_EQ(any[l], 1u);
    EXPECT_EQ(all[l], 0u);
    EXPECT_EQ(uni[l], 1u);
    EXPECT_EQ(active[l], 0xffffffffu);
  }
}

TEST(Warp, FormsWithoutSync) {
  // The lanes that are here take part: the odd ones have left.
  std::string even = "mov.u32 %x0, %laneid; and.b32 %x1, %x0, 1; "
                     "setp.eq.u32 %p, %x1, 1; mov.b32 %z, 7; @%p bra DONE; ";
  auto ballot = warp(even + "setp.gt.u32 %p, %a, 100; vote.ballot.b32 %z, %p; "
                            "DONE:");
  auto all = warp(even + "setp.eq.u32 %p, %x1, 0; vote.all.pred %q, %p; "
                         "selp.b32 %z, 1, 0, %q; DONE:");
  auto shuffle = warp("shfl.down.b32 %z, %a, 4, 31;");
  auto order = warp("setp.gt.u32 %p, %a, 100; "
                    "vote.ballot.sync.b32 %z, %p, 0xffffffff;");
  for (uint64_t l = 0; l < 32; ++l) {
    EXPECT_EQ(ballot[l], l % 2 ? 7 : 0x55555400u) << l;
    EXPECT_EQ(all[l], l % 2 ? 7 : 1u) << l;
    EXPECT_EQ(shuffle[l], (l + 4 < 32 ? l + 4 : l) * 10 + 1) << l;
    EXPECT_EQ(order[l], 0xfffffc00u);
  }
}

TEST(Warp, MatchAndRedux) {
  auto any =
      warp("and.b32 %x0, %a, 2; match.any.sync.b32 %z, %x0, 0xffffffff;");
  auto all =
      warp("match.all.sync.b32 %z|%p, 5, 0xffffffff; @!%p mov.b32 %z, 1;");
  auto none = warp(
      "match.all.sync.b32 %z|%p, %a, 0xffffffff; selp.b32 %z, 77, %z, %p;");
  auto add = warp("redux.sync.add.u32 %z, %a, 0xffffffff;");
  auto max = warp("redux.sync.max.s32 %z, %a, 0xffffffff;");
  auto bitsOr = warp("redux.sync.or.b32 %z, %a, 0xffffffff;");
  uint64_t groups[2] = {0, 0}, orAll = 0;
  for (uint64_t l = 0; l < 32; ++l) {
    groups[((l * 10 + 1) & 2) / 2] |= 1ull << l;
    orAll |= l * 10 + 1;
  }
  for (uint64_t l = 0; l < 32; ++l) {
    EXPECT_EQ(any[l], groups[((l * 10 + 1) & 2) / 2]) << l;
    EXPECT_EQ(all[l], 0xffffffffu);
    EXPECT_EQ(none[l], 0u);
    EXPECT_EQ(add[l], 32u * 31 / 2 * 10 + 32);
    EXPECT_EQ(max[l], 311u);
    EXPECT_EQ(bitsOr[l], orAll);
  }
}

TEST(Warp, HalvesMeetAtTheSameShuffle) {
  // Both halves come to the shuffle by different ways; it must still exchange
  // between them, since all lanes are members.
  auto z = warp("mov.u32 %x0, %laneid; setp.lt.u32 %p, %x0, 16; @%p bra LOW; "
                "add.u32 %a, %a, 1000; bra JOIN; LOW: add.u32 %a, %a, 2000;"
                "JOIN: shfl.sync.bfly.b32 %z, %a, 16, 31, 0xffffffff;");
  for (uint64_t l = 0; l < 32; ++l)
    EXPECT_EQ(z[l], (l ^ 16) * 10 + 1 + ((l ^ 16) < 16 ? 2000 : 1000)) << l;
}

TEST(Warp, SubsetUnderABranch) {
  auto z = warp("mov.u32 %x0, %laneid; mov.b32 %z, 5; setp.ge.u32 %p, %x0, 8; "
                "@%p bra OUT; shfl.sync.idx.b32 %z, %a, 7, 31, 0xff; OUT:");
  for (uint64_t l = 0; l < 32; ++l)
    EXPECT_EQ(z[l], l < 8 ? 71 : 5) << l;
}

TEST(Warp, ElectAndLaneMasks) {
  auto z = warp("elect.sync %x0|%p, 0xffffffff; selp.b32 %z, 1, 0, %p;");
  auto lt = warp("mov.u32 %z, %lanemask_lt;"),
       ge = warp("mov.u32 %z, %lanemask_ge;"),
       le = warp("mov.u32 %z, %lanemask_le;");
  for (uint64_t l = 0; l < 32; ++l) {
    EXPECT_EQ(z[l], l == 0 ? 1 : 0);
    EXPECT_EQ(lt[l], (1ull << l) - 1);
    EXPECT_EQ(le[l], (2ull << l) - 1);
    EXPECT_EQ(ge[l], 0xffffffffull & ~((1ull << l) - 1));
  }
}

} // namespace
