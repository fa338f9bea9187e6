//===- SpecialRegisterTest.cpp - what the machine tells of itself ---------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

using namespace hwtune::exec;

namespace {

/// As vectors: three dimensions, and a fourth element that is always zero.
TEST(SpecialRegister, VectorsHaveFourElements) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %q; .reg .b32 %r<8>; .reg .v4 .b32 %v; .reg .pred %last;
  ld.param.u64 %q, [p];
  mov.v4.u32 %v, %tid;
  mov.v4.u32 {%r0, %r1, %r2, %r3}, %ctaid;
  add.u32 %r4, %v.x, %v.y; add.u32 %r4, %r4, %v.z;
  add.u32 %r5, %r0, %r1; add.u32 %r5, %r5, %r2;
  add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %v.w; add.u32 %r4, %r4, %r3;
  // The last thread of the last block: 3 + 2 + 1 and 1 + 2 + 3.
  setp.ne.u32 %last, %r4, 12;
  @%last ret;
  st.global.v4.u32 [%q], %v;
  st.global.v4.u32 [%q+16], {%r0, %r1, %r2, %r3};
  mov.v4.u32 {%r0, %r1, %r2, %r3}, %ntid; st.global.v4.u32 [%q+32], {%r0, %r1, %r2, %r3};
  mov.v4.u32 %v, %nctaid; st.global.v4.u32 [%q+48], %v;
  mov.v4.u32 {_, %r1, _, _}, %ntid; mov.u32 %r2, %nctaid.z; mov.u32 %r3, %nctaid.w;
  st.global.v4.u32 [%q+64], {%r1, %r2, %r3, %r3};
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>(20, 99));
  LaunchResult r = h.run("k", {2, 3, 4}, {4, 3, 2}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 20),
            (std::vector<uint32_t>{3, 2, 1, 0, 1, 2, 3, 0, 4, 3,
                                   2, 0, 2, 3, 4, 0, 3, 4, 0, 0}));
}

TEST(SpecialRegister, ScalarsAreNoVectors) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k() {
  .reg .b32 %r<4>;
  mov.v4.u32 {%r0, %r1, %r2, %r3}, %laneid;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  ASSERT_EQ(h.program->refusals().size(), 1u);
  EXPECT_EQ(h.program->refusals()[0].line, 7u);
}

/// Shared memory is given out in multiples of a unit; the part of the system's
/// software lies apart from the program's and can be used by who asks for it,
/// as cooperative groups do.
TEST(SpecialRegister, SharedMemory) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %q<3>; .reg .b32 %r<8>; .shared .align 4 .b8 s[100];
  ld.param.u64 %q0, [p];
  mov.b32 %r0, %reserved_smem_offset_begin;
  mov.b32 %r1, %reserved_smem_offset_end;
  mov.b32 %r2, %reserved_smem_offset_cap;
  mov.b32 %r3, %reserved_smem_offset_1;
  sub.u32 %r4, %r1, %r0;
  sub.u32 %r5, %r1, %r3;
  st.global.v4.u32 [%q0], {%r0, %r2, %r4, %r5};
  mov.u32 %r4, 5; st.shared.u32 [s], %r4; st.shared.u32 [s+96], %r4;
  cvt.u64.u32 %q1, %r3; cvta.shared.u64 %q2, %q1;
  atom.add.u32 %r5, [%q2], 7; atom.add.u32 %r5, [%q2+284], 7;
  ld.shared.u32 %r6, [%r3]; ld.shared.u32 %r7, [s+96];
  mov.u32 %r4, %total_smem_size; mov.u32 %r5, %aggr_smem_size;
  st.global.v4.u32 [%q0+16], {%r4, %r5, %r6, %r7};
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  DeviceAddress out = h.upload(std::vector<uint32_t>(8));
  LaunchOptions o;
  o.reservedSharedBytes = 1024;
  o.sharedUnitBytes = 128;
  LaunchResult r = h.run("k", {1, 1, 1}, {1, 1, 1}, {out}, o, 60);
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto got = h.download<uint32_t>(out, 8);
  EXPECT_GE(got[0], 160u); // past the program's 100 + 60
  EXPECT_EQ(got[1], 1024u);
  EXPECT_EQ(got[2], 1024u);
  EXPECT_GE(got[3], 288u); // what cooperative groups rely on
  EXPECT_EQ(std::vector<uint32_t>(got.begin() + 4, got.end()),
            (std::vector<uint32_t>{256, 256 + 1024, 7, 5}));
}

/// For programs that do not ask for it the reserved part is out of bounds.
TEST(SpecialRegister, ReservedSharedMemoryIsOutOfBoundsOtherwise) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k() {
  .reg .b32 %r; .shared .align 4 .b8 s[100];
  st.shared.u32 [s], 0;
  mov.u32 %r, 128; st.shared.u32 [%r], 0;
  ret;
}
)");
  LaunchOptions o;
  o.reservedSharedBytes = 1024;
  EXPECT_EQ(h.run("k", {1, 1, 1}, {1, 1, 1}, {}, o).status,
            LaunchStatus::IllegalAddress);
}

/// Clocks of one thread grow, also where lanes of its warp wait for others.
TEST(SpecialRegister, ClocksGrow) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %q<6>; .reg .b32 %r<4>; .reg .pred %p, %less;
  ld.param.u64 %q0, [p];
  mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, 3000; mov.u32 %r2, 0;
  mov.u64 %q1, %clock64;
LOOP:
  mov.u64 %q2, %clock64;
  setp.le.u64 %less, %q2, %q1;
  @%less add.u32 %r2, %r2, 1;
  mov.u64 %q1, %q2;
  sub.u32 %r1, %r1, 1;
  setp.gt.s32 %p, %r1, 0;
  @%p bra LOOP;
  red.global.add.u32 [%q0], %r2;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  DeviceAddress out = h.upload(std::vector<uint32_t>(1));
  LaunchResult r = h.run("k", {1, 1, 1}, {32, 1, 1}, {out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 1)[0], 0u);
}

} // namespace
