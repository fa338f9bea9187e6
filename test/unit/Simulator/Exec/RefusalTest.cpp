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

} // namespace
