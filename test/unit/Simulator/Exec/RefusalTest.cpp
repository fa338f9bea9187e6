//===- RefusalTest.cpp - what is not implemented is refused by name -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

using namespace hwtune::exec;

namespace {

/// Each is an instruction of PTX ISA 8.8; the module loads, and names it.
TEST(Refusal, NamesEachInstruction) {
  const char *const instructions[] = {
      "tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [%q0, {%r4}];",
      "suld.b.1d.b32.trap %r0, [%q0, {%r1}];",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%r0], "
      "[%q0], 16, [%r1];",
      "cp.async.bulk.commit_group;",
      "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, "
      "%f3}, {%r0, %r1}, {%r2, %r3}, {%f0, %f1, %f2, %f3}, %r4, 0x0;",
      "wgmma.fence.sync.aligned;",
      "tcgen05.wait::ld.sync.aligned;",
      "multimem.red.relaxed.sys.global.add.u32 [%q0], %r0;",
      "st.bulk.weak.shared::cta [%r0], %q0, 0;",
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx"
      "::bytes.b128 [%r0], [%r1];",
      "cvt.rn.satfinite.e2m1x2.f32 %b, %f0, %f1;",
      "cvt.rn.satfinite.e3m2x2.f32 %h0, %f0, %f1;",
  };
  for (std::string text : instructions) {
    ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k() {
  .reg .b8 %b; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %q<4>;
  )" + text + "\n  ret;\n}\n");
    ASSERT_TRUE(h.program) << text << "\n" << h.error;
    ASSERT_EQ(h.program->refusals().size(), 1u) << text;
    EXPECT_EQ(h.program->refusals()[0].line, 7u);
    std::string name = text.substr(0, text.find_first_of(" ;"));
    EXPECT_EQ(h.program->refusals()[0].text.find("unsupported instruction '" +
                                                 name + "'"),
              0u)
        << h.program->refusals()[0].text;
    EXPECT_EQ(h.run("k", {1, 1, 1}, {1, 1, 1}, {}).status,
              LaunchStatus::Unsupported);
  }
}

/// What ends a launch of a kernel with `directives`, whose clusters the launch
/// may name; empty where it runs.
std::string refusalOf(const std::string &directives,
                      std::optional<Dim3> named = {}) {
  ExecHarness h(std::string(kPtxHeader) + ".visible .entry k() " + directives +
                " { ret; }\n");
  EXPECT_TRUE(h.program) << h.error;
  LaunchRequest q;
  q.function = h.program->findFunction("k");
  q.grid = {2, 1, 1};
  q.block = {32, 1, 1};
  q.clusterBlocks = named;
  LaunchResult r = launch(*h.program, h.memory, q);
  EXPECT_TRUE(r.ok() || r.status == LaunchStatus::InvalidRequest);
  return r.diagnostic.text;
}

/// PTX ISA 8.8, 11.7: `.reqnctapercluster` is the size; with `.explicitcluster`
/// the kernel or the launch must name one; `.maxclusterrank` only bounds it,
/// and
/// `.blocksareclusters` counts the grid in clusters of the size that stands.
TEST(Refusal, NamesTheClusters) {
  constexpr Dim3 kOne{1, 1, 1}, kFour{2, 2, 1};
  EXPECT_EQ(refusalOf(".reqnctapercluster 2"),
            "clusters of (2,1,1) blocks (.reqnctapercluster) are not "
            "supported");
  EXPECT_EQ(refusalOf(".reqnctapercluster 1, 1, 2 .explicitcluster"),
            "clusters of (1,1,2) blocks (.reqnctapercluster) are not "
            "supported");
  EXPECT_EQ(refusalOf(".reqntid 32 .reqnctapercluster 4 .blocksareclusters"),
            "clusters of (4,1,1) blocks (.reqnctapercluster) are not "
            "supported");
  EXPECT_EQ(refusalOf(".explicitcluster"),
            "the launch does not name the size of its clusters "
            "(.explicitcluster)");
  EXPECT_EQ(refusalOf(".explicitcluster", kFour),
            "clusters of (2,2,1) blocks (named by the launch) are not "
            "supported");
  EXPECT_EQ(refusalOf(".maxclusterrank 8", kFour),
            "clusters of (2,2,1) blocks (named by the launch) are not "
            "supported");
  EXPECT_EQ(refusalOf("", kFour),
            "clusters of (2,2,1) blocks (named by the launch) are not "
            "supported");
  EXPECT_EQ(refusalOf(".reqnctapercluster 1"), "");
  EXPECT_EQ(refusalOf(".reqntid 32 .reqnctapercluster 1 .blocksareclusters"),
            "");
  EXPECT_EQ(refusalOf(".explicitcluster", kOne), "");
  EXPECT_EQ(refusalOf(".maxclusterrank 8"), "");
  EXPECT_EQ(refusalOf(".maxclusterrank 8", kOne), "");
}

} // namespace
