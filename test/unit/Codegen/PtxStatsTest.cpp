//===- PtxStatsTest.cpp - counts and promises of PTX ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Codegen/PtxStats.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

constexpr const char *kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.extern .func  (.param .b32 func_retval0) __nv_expf
(
    .param .b32 __nv_expf_param_0
)
;
.shared .align 16 .b8 buffer[8192];
.shared .align 4 .b8 other[100];
.extern .shared .align 16 .b8 dynamic[];
.visible .entry kernel(
    .param .u64 .ptr .align 16 kernel_param_0
)
.maxntid 256
{
    .reg .pred     %p<2>;
    ld.param.b64     %rd1, [kernel_param_0];  // a comment; with ld.shared.b32
    ld.global.nc.v4.b32     {%r1, %r2, %r3, %r4}, [%rd1];
    ld.global.v2.b32     {%r1, %r2}, [%rd1];
$L__BB0_1:
    bar.sync     0;
@%p1 bra     $L__BB0_1;
    // begin inline asm
    cp.async.cg.shared.global [%r1], [%rd1], 16;
    // end inline asm
    ret;
}
)";

TEST(PtxStats, PairsAreFour) {
  PtxStats stats = ptxStats("st.global.v2.b64 [%rd1], {%rd2, %rd3};\n"
                            "st.global.v2.b32 [%rd1], {%r2, %r3};\n");
  EXPECT_EQ(stats.count("st.global.v4"), 1);
  EXPECT_EQ(stats.count("st.global.v2"), 2);
}

TEST(PtxStats, CountsOpcodes) {
  PtxStats stats = ptxStats(kPtx);
  EXPECT_EQ(stats.instructions, 7);
  EXPECT_EQ(stats.count("ld"), 3);
  EXPECT_EQ(stats.count("ld.global"), 2);
  EXPECT_EQ(stats.count("ld.global.v4"), 1);
  EXPECT_EQ(stats.count("ld.global.nc.v4"), 1);
  EXPECT_EQ(stats.count("ld.v4.global"), 0); // parts in order
  EXPECT_EQ(stats.count("ld.shared"), 0);    // comments do not count
  EXPECT_EQ(stats.count("bra"), 1);          // behind a predicate
  EXPECT_EQ(stats.count("bar.sync"), 1);
  EXPECT_EQ(stats.count("cp.async"), 1);
  EXPECT_EQ(stats.count("v4"), 0); // the first part must be the first part
}

TEST(PtxStats, OpcodesAboveTheirOperands) {
  PtxStats stats = ptxStats("\tmma.sync.aligned.m16n8k16.row.col.f32\n"
                            "\t\t{%r1, %r2},\n\t\t{%r3};\n"
                            "\tcall.uni (retval0),\n\tvprintf,\n\t(\n\t);\n");
  EXPECT_EQ(stats.count("mma.sync"), 1);
  EXPECT_EQ(stats.instructions, 2);
}

TEST(PtxStats, SharedMemoryAndExternals) {
  PtxStats stats = ptxStats(kPtx);
  EXPECT_EQ(stats.staticSharedBytes, 8292);
  EXPECT_TRUE(stats.externShared);
  EXPECT_EQ(stats.externFunction, "__nv_expf");
  EXPECT_EQ(ptxStats(".visible .entry k() { ret; }").externFunction, "");
}

TEST(PtxStats, BrokenPromises) {
  PtxStats stats = ptxStats(kPtx);
  PtxPromise kept{"ld.global.v4", 1, 1, "one"};
  PtxPromise few{"fma.rn.f32", 64, INT64_MAX, "work"};
  PtxPromise many{"bar.sync", 0, 0, "no barrier"};
  EXPECT_EQ(brokenPromise(stats, std::vector{kept}), "");
  EXPECT_EQ(brokenPromise(stats, std::vector{kept, few}),
            "0 fma.rn.f32 in the PTX, expected at least 64: work");
  EXPECT_EQ(brokenPromise(stats, std::vector{many}),
            "1 bar.sync in the PTX, expected at most 0: no barrier");
}

} // namespace
