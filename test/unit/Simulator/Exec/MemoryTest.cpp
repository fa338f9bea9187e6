//===- MemoryTest.cpp - loads, stores, atomics, checks, events ------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExecHarness.h"

#include <fmt/format.h>

using namespace hwtune::exec;

namespace {

std::string kernel(const std::string &body, const std::string &vars = "") {
  return std::string(kPtxHeader) + vars +
         "\n.visible .entry k(.param .u64 in, .param .u64 out) {\n" +
         ".reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 "
         "%rd<16>; .reg .b128 %o<2>;\n"
         "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r0, "
         "%tid.x;\n" +
         body + "\nret;\n}\n";
}

/// LLVM widens three loads to four and says which bytes it wants.
TEST(Memory, BytesThatAreNotUsedNeedNotExist) {
  ExecHarness h(kernel(".pragma \"used_bytes_mask 0xfff\"; "
                       "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0]; "
                       "add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; "
                       "st.global.u32 [%rd1], %r1;"));
  ASSERT_TRUE(h.program) << h.error;
  auto in = h.upload(std::vector<uint32_t>{1, 20, 300});
  auto out = h.upload(std::vector<uint32_t>(1));
  auto r = h.run("k", {1, 1, 1}, {1, 1, 1}, {in, out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 1)[0], 321u);
  // Without the words for it the fourth is outside; alignment is that of four.
  ExecHarness all(kernel("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0];"));
  in = all.upload(std::vector<uint32_t>{1, 20, 300});
  EXPECT_FALSE(all.run("k", {1, 1, 1}, {1, 1, 1}, {in, in}).ok());
  ExecHarness odd(kernel(".pragma \"used_bytes_mask 0xfff\"; "
                         "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8];"));
  in = odd.upload(std::vector<uint32_t>(8));
  EXPECT_FALSE(odd.run("k", {1, 1, 1}, {1, 1, 1}, {in, in}).ok());
}

TEST(Memory, ExtendsNarrowLoadsAndVectors) {
  ExecHarness h(
      kernel("ld.global.s8 %r1, [%rd0+1]; ld.global.u8 %r2, [%rd0+1]; "
             "ld.global.s16 %r3, [%rd0+2]; ld.global.u16 %h0, [%rd0+2];"
             "cvt.u32.u16 %r4, %h0; ld.global.s8 %rd2, [%rd0+1]; "
             "ld.global.v4.u8 {%r5, %r6, %r7, %r8}, [%rd0];"
             "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.u64 "
             "[%rd1+16], %rd2;"
             "st.global.v2.u32 [%rd1+24], {%r5, %r8}; st.global.u8 [%rd1+33], "
             "%r1; st.global.u16 [%rd1+34], %r3;"
             "ld.global.b128 %o0, [%rd0]; st.global.b128 [%rd1+48], %o0; "
             "mov.b128 {%rd3, %rd4}, %o0; st.global.u64 [%rd1+64], %rd4;"));
  ASSERT_TRUE(h.program) << h.error;
  auto in = h.upload(std::vector<uint8_t>{0x11, 0x82, 0x03, 0x94, 5, 6, 7, 8, 9,
                                          10, 11, 12, 13, 14, 15, 16});
  auto out = h.upload(std::vector<uint32_t>(32));
  auto r = h.run("k", {1, 1, 1}, {1, 1, 1}, {in, out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto v = h.download<uint32_t>(out, 32);
  EXPECT_EQ(v[0], 0xffffff82u);
  EXPECT_EQ(v[1], 0x82u);
  EXPECT_EQ(v[2], 0xffff9403u);
  EXPECT_EQ(v[3], 0x9403u);
  EXPECT_EQ(v[4], 0xffffff82u);
  EXPECT_EQ(v[5], 0xffffffffu);
  EXPECT_EQ(v[6], 0x11u);
  EXPECT_EQ(v[7], 0x94u);
  EXPECT_EQ(v[8], 0x94038200u);
  EXPECT_EQ(v[12], 0x94038211u);
  EXPECT_EQ(v[15], 0x100f0e0du);
  EXPECT_EQ(v[16], 0x0c0b0a09u);
}

/// Every fast path against the plain meaning: shapes, strides, partial warps.
TEST(Memory, ShapesStridesAndMasks) {
  struct {
    const char *load, *store;
    unsigned bytes;
  } shapes[] = {{"ld.{}.u8 %r1, [%rd4];", "st.{}.u8 [%rd5], %r1;", 1},
                {"ld.{}.u16 %h1, [%rd4];", "st.{}.u16 [%rd5], %h1;", 2},
                {"ld.{}.b32 %r1, [%rd4];", "st.{}.b32 [%rd5], %r1;", 4},
                {"ld.{}.b64 %rd7, [%rd4];", "st.{}.b64 [%rd5], %rd7;", 8},
                {"ld.{}.v2.b32 {%r1, %r2}, [%rd4];",
                 "st.{}.v2.b32 [%rd5], {%r1, %r2};", 8},
                {"ld.{}.v2.u16 {%h1, %h2}, [%rd4];",
                 "st.{}.v2.u16 [%rd5], {%h1, %h2};", 4},
                {"ld.{}.v4.b32 {%r1, %r2, %r3, %r4}, [%rd4];",
                 "st.{}.v4.b32 [%rd5], {%r1, %r2, %r3, %r4};", 16},
                {"ld.{}.v2.b64 {%rd7, %rd8}, [%rd4];",
                 "st.{}.v2.b64 [%rd5], {%rd7, %rd8};", 16}};
  for (auto &s : shapes)
    for (unsigned stride : {1u, 3u, 8u})
      for (unsigned threads : {32u, 19u, 45u})
        for (std::string space : {"global", "generic", "shared"}) {
          std::string sp = space == "generic" ? "" : space, load = s.load,
                      store = s.store;
          auto put = [&](std::string text, const std::string &what) {
            size_t at = text.find("{}");
            return what.empty() ? text.replace(at, 3, "")
                                : text.replace(at, 2, what);
          };
          std::string step = std::to_string(s.bytes * stride), body;
          body = "mul.wide.u32 %rd2, %r0, " + step +
                 "; add.u64 %rd4, %rd0, %rd2; add.u64 %rd5, %rd1, %rd2;";
          if (space == "shared") {
            // Through shared memory and back.
            body += put(load, "global") +
                    "mov.u64 %rd9, buf; add.u64 %rd10, %rd9, %rd2; mov.u64 "
                    "%rd11, %rd5; mov.u64 %rd5, %rd10;" +
                    put(store, "shared") + "bar.sync 0; mov.u64 %rd4, %rd10;" +
                    put(load, "shared") + "mov.u64 %rd5, %rd11;" +
                    put(store, "global");
          } else {
            body += put(load, sp) + put(store, sp);
          }
          ExecHarness h(kernel(body, ".shared .align 16 .b8 buf[8192];"));
          ASSERT_TRUE(h.program) << h.error << body;
          std::vector<uint8_t> data(8192);
          for (size_t i = 0; i < data.size(); ++i)
            data[i] = uint8_t(i * 37 + i / 256);
          auto in = h.upload(data), out = h.upload(std::vector<uint8_t>(8192));
          auto r = h.run("k", {1, 1, 1}, {threads, 1, 1}, {in, out});
          ASSERT_TRUE(r.ok()) << r.diagnostic.str() << body;
          auto v = h.download<uint8_t>(out, 8192);
          for (size_t i = 0; i < v.size(); ++i) {
            size_t t = i / (s.bytes * stride), b = i % (s.bytes * stride);
            ASSERT_EQ(v[i], t < threads && b < s.bytes ? data[i] : 0)
                << body << " byte " << i;
          }
        }
}

TEST(Memory, Atomics) {
  auto one = [](const std::string &op, uint64_t start, uint64_t b,
                bool wide = false) {
    std::string reg = wide ? "%rd5" : "%r5",
                type = op.substr(op.rfind('.') + 1);
    ExecHarness h(kernel("mov.b" + std::string(wide ? "64 " : "32 ") + reg +
                         ", " + std::to_string(b) + "; atom.global." + op +
                         " " + (wide ? "%rd6" : "%r6") + ", [%rd0], " + reg +
                         "; st.global.b" +
                         (wide ? "64 [%rd1], %rd6;" : "32 [%rd1], %r6;")));
    EXPECT_TRUE(h.program) << h.error;
    auto in = h.upload(std::vector<uint64_t>{start}),
         out = h.upload(std::vector<uint64_t>{0});
    auto r = h.run("k", {1, 1, 1}, {1, 1, 1}, {in, out});
    EXPECT_TRUE(r.ok()) << r.diagnostic.str();
    EXPECT_EQ(h.download<uint64_t>(out, 1)[0], start) << op;
    return h.download<uint64_t>(in, 1)[0];
  };
  EXPECT_EQ(one("add.u32", 5, 7), 12u);
  EXPECT_EQ(one("min.s32", 5, 0xfffffff0), 0xfffffff0u);
  EXPECT_EQ(one("max.u32", 5, 0xfffffff0), 0xfffffff0u);
  EXPECT_EQ(one("inc.u32", 5, 5), 0u);
  EXPECT_EQ(one("inc.u32", 4, 5), 5u);
  EXPECT_EQ(one("dec.u32", 0, 5), 5u);
  EXPECT_EQ(one("dec.u32", 9, 5), 5u);
  EXPECT_EQ(one("dec.u32", 3, 5), 2u);
  EXPECT_EQ(one("and.b32", 12, 10), 8u);
  EXPECT_EQ(one("or.b32", 12, 10), 14u);
  EXPECT_EQ(one("xor.b32", 12, 10), 6u);
  EXPECT_EQ(one("exch.b64", 12, 1ull << 40, true), 1ull << 40);
  EXPECT_EQ(one("add.u64", ~0ull, 2, true), 1u);
  EXPECT_EQ(one("add.f32", f32(1.5f), f32(2.25f)), f32(3.75f));
  EXPECT_EQ(one("add.f64", f64(1.5), f64(2.25), true), f64(3.75));
  EXPECT_EQ(one("add.noftz.f16x2", 0x3c003c00, 0x3c004000), 0x40004200u);
  EXPECT_EQ(one("add.noftz.bf16x2", 0x3f803f80, 0x3f804000), 0x40004040u);
}

/// A cluster of one block is the block: its scope orders what .cta's does.
TEST(Memory, ScopeOfTheCluster) {
  ExecHarness h(
      kernel("mov.u32 %r1, 5; st.release.cluster.global.u32 [%rd0], %r1; "
             "atom.acq_rel.cluster.global.add.u32 %r2, [%rd0], 3; "
             "red.relaxed.cluster.global.max.u32 [%rd0], 20; "
             "ld.acquire.cluster.global.u32 %r3, [%rd0]; "
             "ld.relaxed.cluster.global.v2.u32 {%r4, %r5}, [%rd0]; "
             "st.relaxed.cluster.global.u32 [%rd0+4], %r3; "
             "st.global.v2.u32 [%rd1], {%r2, %r4};"));
  ASSERT_TRUE(h.program) << h.error;
  EXPECT_TRUE(h.program->refusals().empty());
  auto in = h.upload(std::vector<uint32_t>(2)),
       out = h.upload(std::vector<uint32_t>(2));
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {1, 1, 1}, {in, out}).ok());
  EXPECT_EQ(h.download<uint32_t>(in, 2), (std::vector<uint32_t>{20, 20}));
  EXPECT_EQ(h.download<uint32_t>(out, 2), (std::vector<uint32_t>{5, 20}));
}

TEST(Memory, AtomicsOf128Bits) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.visible .entry k(.param .u64 p) {
  .reg .b64 %q<8>; .reg .b128 %o<5>;
  .shared .align 16 .b8 s[16];
  ld.param.u64 %q0, [p];
  mov.b128 %o0, {1, 2};
  mov.b128 %o1, {3, 4};
  mov.b128 %o2, {5, 6};
  st.shared.b128 [s], %o0;
  atom.shared.cas.b128 %o3, [s], %o1, %o2;
  atom.shared.exch.b128 %o3, [s], %o1;
  st.global.b128 [%q0], %o3;
  atom.shared.cas.b128 %o3, [s], %o1, %o2;
  ld.shared.b128 %o4, [s];
  st.global.b128 [%q0+16], %o3;
  st.global.b128 [%q0+32], %o4;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  DeviceAddress out = h.upload(std::vector<uint64_t>(6));
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {1, 1, 1}, {out}).ok());
  // The first swap does not match, the second one does.
  EXPECT_EQ(h.download<uint64_t>(out, 6),
            (std::vector<uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Memory, SharedAtomicsOfAllLanes) {
  ExecHarness h(
      kernel("mov.u64 %rd4, cell; setp.ne.u32 %p0, %r0, 0; @!%p0 st.shared.u32 "
             "[%rd4], 0; bar.sync 0;"
             "red.shared.add.u32 [%rd4], %r0; atom.shared.max.u32 %r1, "
             "[cell+4], %r0; bar.sync 0; ld.shared.u32 %r2, [%rd4];"
             "mad.wide.u32 %rd5, %r0, 4, %rd1; st.global.u32 [%rd5], %r2;",
             ".shared .align 4 .b8 cell[8];"));
  auto out = h.upload(std::vector<uint32_t>(100));
  auto r = h.run("k", {1, 1, 1}, {100, 1, 1}, {0, out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  for (uint32_t v : h.download<uint32_t>(out, 100))
    EXPECT_EQ(v, 4950u);
}

TEST(Memory, GlobalsConstantsAndGenericWindows) {
  ExecHarness h(kernel("ld.const.u32 %r1, [table+8]; ld.global.u64 %rd3, "
                       "[pointer]; ld.u32 %r2, [%rd3];"
                       "mov.u64 %rd4, buf; cvta.shared.u64 %rd5, %rd4; st.u32 "
                       "[%rd5], 77; ld.shared.u32 %r3, [buf];"
                       "isspacep.shared %p0, %rd5; selp.b32 %r4, 1, 0, %p0; "
                       "isspacep.global %p1, %rd0; selp.b32 %r5, 1, 0, %p1;"
                       "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; "
                       "st.global.u32 [%rd1+16], %r5;",
                       ".const .align 4 .u32 table[4] = {1, 2, 3, 4}; .global "
                       ".align 8 .u32 cells[2] = {50, 60};"
                       ".global .align 8 .u64 pointer = generic(cells)+4; "
                       ".shared .align 4 .b8 buf[16];"));
  ASSERT_TRUE(h.program) << h.error;
  auto out = h.upload(std::vector<uint32_t>(8));
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {out, out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  auto v = h.download<uint32_t>(out, 5);
  EXPECT_EQ(v, (std::vector<uint32_t>{3, 60, 77, 1, 1}));
}

TEST(Memory, ConstantsAreASpaceOfTheirOwn) {
  // Of each address: is it constant, is it global. Two constants, a variable,
  // a buffer, shared memory.
  std::string body = "mov.u64 %rd2, c; cvta.const.u64 %rd3, %rd2; "
                     "add.u64 %rd4, %rd3, 7; mov.u64 %rd5, d; "
                     "mov.u64 %rd6, g; cvta.global.u64 %rd7, %rd6; "
                     "mov.u64 %rd8, s; cvta.shared.u64 %rd9, %rd8;";
  int at = 0;
  for (const char *address : {"%rd3", "%rd4", "%rd5", "%rd7", "%rd1", "%rd9"}) {
    for (const char *space : {"const", "global"}) {
      body += fmt::format("isspacep.{} %p0, {}; selp.b32 %r1, 1, 0, %p0; "
                          "st.global.u32 [%rd1+{}], %r1;\n",
                          space, address, at);
      at += 4;
    }
  }
  ExecHarness h(kernel(body, ".const .align 4 .u32 c[2] = {1, 2}; "
                             ".const .align 4 .u32 d = 3; "
                             ".global .align 4 .u32 g; "
                             ".shared .align 4 .b8 s[16];"));
  ASSERT_TRUE(h.program) << h.error;
  auto out = h.upload(std::vector<uint32_t>(12));
  auto r = h.run("k", {1, 1, 1}, {1, 1, 1}, {out, out});
  ASSERT_TRUE(r.ok()) << r.diagnostic.str();
  EXPECT_EQ(h.download<uint32_t>(out, 12),
            (std::vector<uint32_t>{1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0}));
}

TEST(Memory, VariablesByNameNeedNoStateSpace) {
  ExecHarness h(std::string(kPtxHeader) + R"(
.global .b32 g = 5;
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %q;
  .shared .b32 s[2]; .local .b32 l[2];
  ld.param.u64 %q, [out];
  st.u32 [s+4], 7;
  st.u32 [l], 11;
  ld.u32 %r0, [s+4];
  ld.u32 %r1, [l];
  ld.u32 %r2, [g];
  mad.lo.u32 %r0, %r0, %r1, %r2;
  st.u32 [%q], %r0;
  ret;
}
)");
  ASSERT_TRUE(h.program) << h.error;
  DeviceAddress out = h.upload(std::vector<uint32_t>{0});
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {1, 1, 1}, {out}).ok());
  EXPECT_EQ(h.download<uint32_t>(out, 1)[0], 7u * 11 + 5);
}

TEST(Memory, AsyncCopiesLandAtTheWait) {
  ExecHarness h(
      kernel("mov.u32 %r5, buf; mad.lo.u32 %r6, %r0, 16, %r5; mad.wide.u32 "
             "%rd4, %r0, 16, %rd0;"
             "st.shared.v4.u32 [%r6], {7, 7, 7, 7}; cp.async.cg.shared.global "
             "[%r6], [%rd4], 16, 8; cp.async.commit_group;"
             "ld.shared.u32 %r1, [%r6]; cp.async.wait_group 0; ld.shared.u32 "
             "%r2, [%r6+4]; ld.shared.u32 %r3, [%r6+8];"
             "mad.wide.u32 %rd5, %r0, 16, %rd1; st.global.v2.u32 [%rd5], {%r1, "
             "%r2}; st.global.u32 [%rd5+8], %r3;",
             ".shared .align 16 .b8 buf[512];"));
  ASSERT_TRUE(h.program) << h.error;
  std::vector<uint32_t> data(128);
  for (uint32_t i = 0; i < 128; ++i)
    data[i] = i + 1;
  auto in = h.upload(data), out = h.upload(std::vector<uint32_t>(128));
  auto plain = h.run("k", {1, 1, 1}, {32, 1, 1}, {in, out});
  ASSERT_TRUE(plain.ok()) << plain.diagnostic.str();
  auto v = h.download<uint32_t>(out, 128);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(v[i * 4], 7u); // read before the wait: the old value
    EXPECT_EQ(v[i * 4 + 1], i * 4 + 2);
    EXPECT_EQ(v[i * 4 + 2], 0u); // beyond the source size: zeros
  }
  LaunchOptions o;
  o.check = true;
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {in, out}, o);
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::UninitializedRead);
}

// --- faults -----------------------------------------------------------------

LaunchResult faultOf(const std::string &body, bool check = false,
                     uint32_t threads = 64, const std::string &vars = "") {
  ExecHarness h(kernel("\n\n" + body, vars));
  EXPECT_TRUE(h.program) << h.error;
  auto in = h.upload(std::vector<uint32_t>(64)),
       out = h.upload(std::vector<uint32_t>(64));
  LaunchOptions o;
  o.check = check;
  return h.run("k", {1, 1, 1}, {threads, 1, 1}, {in, out}, o);
}

TEST(Memory, FaultsNameLineThreadAddress) {
  auto r =
      faultOf("mad.wide.u32 %rd4, %r0, 8, %rd0; ld.global.u32 %r1, [%rd4];");
  EXPECT_EQ(r.status, LaunchStatus::IllegalAddress);
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::OutOfBounds);
  EXPECT_EQ(r.diagnostic.line, 10u);
  EXPECT_EQ(r.diagnostic.thread[0], 32u);
  r = faultOf("st.global.u32 [%rd0+2], 1;");
  EXPECT_EQ(r.status, LaunchStatus::MisalignedAddress);
  r = faultOf("ld.u32 %r1, [0];");
  EXPECT_EQ(r.status, LaunchStatus::IllegalAddress);
  EXPECT_EQ(r.diagnostic.address, 0u);
  r = faultOf("mov.u32 %r2, 60; ld.shared.v2.u32 {%r3, %r4}, [%r2+4];", false,
              1, ".shared .align 8 .b8 buf[64];");
  EXPECT_EQ(r.status, LaunchStatus::IllegalAddress) << r.diagnostic.str();
  r = faultOf("mov.u64 %rd4, table; st.global.u32 [%rd4], 1;", false, 1,
              ".const .u32 table = 3;");
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::WriteToConstant);
  r = faultOf("atom.global.add.u32 %r1, [%rd0+4096], 1;");
  EXPECT_EQ(r.status, LaunchStatus::IllegalAddress);
}

const char *const kShared = ".shared .align 4 .b8 buf[512];";
const std::string kExchange = "mov.u32 %r5, buf; mad.lo.u32 %r6, %r0, 4, %r5; "
                              "st.shared.u32 [%r6], %r0; BARRIER"
                              "xor.b32 %r7, %r0, 32; mad.lo.u32 %r8, %r7, 4, "
                              "%r5; ld.shared.u32 %r9, [%r8];";
std::string exchange(const std::string &barrier) {
  std::string s = kExchange;
  return s.replace(s.find("BARRIER"), 7, barrier);
}

TEST(Memory, ChecksFindRacesAndUninitialisedReads) {
  EXPECT_EQ(faultOf(exchange("bar.sync 0;"), true, 64, kShared).status,
            LaunchStatus::Ok);
  auto r = faultOf(exchange(""), true, 64, kShared);
  // The first warp runs ahead: it reads what the second has not written.
  EXPECT_EQ(r.status, LaunchStatus::CheckFailed);
  r = faultOf("mov.u32 %r5, buf; mad.lo.u32 %r6, %r0, 4, %r5; st.shared.u32 "
              "[%r6], %r0; bar.sync 0; st.shared.u32 [buf], 3;"
              "ld.shared.u32 %r9, [buf];",
              true, 64, kShared);
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::SharedRace)
      << r.diagnostic.str();
  // All lanes of one warp may store one value to one cell, but not several.
  EXPECT_EQ(faultOf("st.shared.u32 [buf], 3;", true, 32, kShared).status,
            LaunchStatus::Ok);
  EXPECT_EQ(
      faultOf("st.shared.u32 [buf], %r0;", true, 32, kShared).diagnostic.kind,
      DiagnosticKind::SharedRace);
  EXPECT_EQ(faultOf("ld.shared.u32 %r1, [buf]; st.global.u32 [%rd1], %r1;",
                    true, 32, kShared)
                .diagnostic.kind,
            DiagnosticKind::UninitializedRead);
  // Bytes of one word may belong to different warps.
  EXPECT_EQ(faultOf("mov.u32 %r5, buf; and.b32 %r1, %r0, 31; mad.lo.u32 %r6, "
                    "%r1, 4, %r5; shr.u32 %r2, %r0, 5; add.u32 %r6, %r6, %r2;"
                    "st.shared.u8 [%r6], %r0; ld.shared.u8 %r3, [%r6];",
                    true, 64, kShared)
                .status,
            LaunchStatus::Ok);
  // A word written whole, then read by the byte without a barrier.
  EXPECT_EQ(faultOf("mov.u32 %r5, buf; setp.lt.u32 %p0, %r0, 32; @%p0 "
                    "st.shared.u32 [buf], 5; @!%p0 ld.shared.u8 %r3, [buf+2];",
                    true, 64, kShared)
                .diagnostic.kind,
            DiagnosticKind::SharedRace);
  // Atomics do not race with each other.
  EXPECT_EQ(
      faultOf("mov.u32 %r5, buf; setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 "
              "[buf], 0; bar.sync 0; red.shared.add.u32 [buf], 1;",
              true, 64, kShared)
          .status,
      LaunchStatus::Ok);
  r = faultOf("setp.lt.u32 %p0, %r0, 7; @%p0 bra SKIP; bar.sync 0; SKIP: "
              "st.global.u32 [%rd1], %r0;",
              true, 64);
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::DivergentBarrier);
}

/// What is right by the PTX memory model and the description of bar.sync.
TEST(Memory, ChecksPassCorrectPrograms) {
  auto passes = [](const std::string &body, uint32_t threads = 64) {
    LaunchResult r = faultOf(body, true, threads, kShared);
    EXPECT_EQ(r.status, LaunchStatus::Ok) << r.diagnostic.str() << "\n" << body;
  };
  // A barrier waits for the threads that have not exited.
  passes("setp.ge.u32 %p0, %r0, 50; @%p0 bra END; bar.sync 0; "
         "st.global.u32 [%rd1], %r0; END:");
  passes("setp.lt.u32 %p0, %r0, 50; @%p0 bra ON; add.u32 %r1, %r0, 1; "
         "bra END; ON: bar.sync 0; st.global.u32 [%rd1], %r0; END:");
  // A copy of a structure of a byte and a word reads the padding between.
  passes("setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u8 [buf], 1; @%p0 "
         "st.shared.u32 [buf+4], 2; bar.sync 0; ld.shared.u64 %rd4, [buf];");
  // mbarrier.init reads nothing.
  passes("setp.eq.u32 %p0, %r0, 0; @%p0 mbarrier.init.shared.b64 [buf], 64; "
         "bar.sync 0; mbarrier.arrive.shared.b64 %rd4, [buf];");
  // Several warps store one value, as in `if (condition) found = true`.
  passes("setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u8 [buf], 0; bar.sync 0; "
         "mov.u32 %r1, 1; st.shared.u8 [buf], %r1; bar.sync 0; "
         "ld.shared.u8 %r2, [buf];");
  // A flag that is stored with release and loaded with acquire; a volatile one.
  for (std::string store :
       {"st.release.cta.shared.u32", "st.volatile.shared.u32"})
    for (std::string load :
         {"ld.acquire.cta.shared.u32", "ld.volatile.shared.u32"})
      passes("setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [buf+4], 0; "
             "bar.sync 0; setp.eq.u32 %p0, %r0, 0; @%p0 bra GIVE; "
             "setp.ne.u32 %p0, %r0, 32; @%p0 bra END; WAIT: " +
             load +
             " %r1, [buf+4]; setp.eq.u32 %p0, %r1, 0; @%p0 bra WAIT; "
             "ld.shared.u32 %r2, [buf]; bra END; GIVE: "
             "st.shared.u32 [buf], 42; " +
             store + " [buf+4], 1; END:");
}

/// Lane 0 writes the first word; the others load what nobody wrote. Only a use
/// of that is an error, and the diagnostic is of the load.
TEST(Memory, UnwrittenValuesAreReportedAtTheirUse) {
  auto statusOf = [](const std::string &body) {
    return faultOf("mov.u32 %r5, buf; mad.lo.u32 %r6, %r0, 8, %r5;\n"
                   "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [buf], 7;\n"
                   "ld.shared.v2.u32 {%r1, %r2}, [%r6];\n" +
                       body,
                   true, 32, kShared);
  };
  for (const char *unused :
       {"", "selp.b32 %r3, %r1, %r0, %p0; add.u32 %r3, %r3, 1;",
        "@%p0 add.u32 %r3, %r1, 1;", "mov.u32 %r3, %r1;",
        "add.u32 %r3, %r1, 1; add.u32 %r3, %r3, %r2;",
        "setp.gt.u32 %p1, %r1, 3; and.pred %p1, %p1, %p0; "
        "@%p1 st.global.u32 [%rd1], %r0;",
        "setp.gt.u32 %p1, %r1, 3; setp.ne.u32 %p0, %r0, 0; "
        "or.pred %p1, %p0, %p1; @%p1 st.global.u32 [%rd1], %r0;",
        "mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2;"}) {
    LaunchResult r = statusOf(unused);
    EXPECT_TRUE(r.ok()) << unused << r.diagnostic.str();
  }
  const std::string store = "st.global.u32 [%rd1], %r3;";
  for (const std::string &used :
       {"add.u32 %r3, %r1, 1; " + store,
        "selp.b32 %r3, %r0, %r1, %p0; " + store,
        "selp.b32 %r3, %r2, 0, %p0; " + store,
        "@%p0 add.u32 %r3, %r2, 1; @%p0 " + store, "mov.u32 %r3, %r1; " + store,
        "setp.gt.u32 %p1, %r1, 3; and.pred %p1, %p0, %p1; @%p1 bra L; L:" +
            std::string(" setp.gt.u32 %p1, %r2, 3; @%p1 ") + store,
        "setp.eq.u32 %p0, %r1, 0; @%p0 bra L; " + store + " L:",
        std::string("st.global.u32 [%rd1], %r2;"),
        std::string("ld.shared.u32 %r3, [%r2];"),
        std::string("shfl.sync.idx.b32 %r3, %r2, 0, 31, -1;")}) {
    LaunchResult r = statusOf(used);
    EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::UninitializedRead) << used;
    EXPECT_EQ(r.diagnostic.line, 12u) << used; // of the load
  }
}

const char *const kLocal =
    ".func (.reg .b32 r) sum(.param .b64 s) {\n"
    ".reg .b64 %a; .reg .b32 %x, %y;\n"
    "mov.b64 %a, s; ld.local.u32 %x, [%a];\n"
    "ld.param.u32 %y, [s+4]; add.u32 r, %x, %y; ret;\n"
    "}\n"
    ".func (.reg .b32 r) get() {\n"
    ".local .b32 x; .reg .pred %p; ld.local.u32 r, [x];\n"
    "setp.eq.u32 %p, r, 0; @%p bra L; L: ret;\n"
    "}\n"
    ".func set() {\n"
    ".local .b32 x; st.local.u32 [x], 5; ret;\n"
    "}\n";

LaunchResult localResult(const std::string &body) {
  ExecHarness h(kernel(".local .align 8 .b8 a[16]; .local .align 8 .b8 b[16];\n"
                       "setp.eq.u32 %p0, %r0, 0;\n" +
                           body,
                       kLocal));
  EXPECT_TRUE(h.program) << h.error;
  auto in = h.upload(std::vector<uint32_t>(64)),
       out = h.upload(std::vector<uint32_t>(64));
  LaunchOptions o;
  o.check = true;
  return h.run("k", {2, 1, 1}, {32, 1, 1}, {in, out}, o);
}

TEST(Memory, LocalMemoryThatNobodyWroteMayBeCopiedButNotUsed) {
  for (const char *right :
       {"st.local.u32 [a], 1; ld.local.u32 %r1, [a]; "
        "st.global.u32 [%rd1], %r1;",
        // Through a generic pointer.
        "mov.u64 %rd4, a; cvta.local.u64 %rd4, %rd4; st.u32 [%rd4], 1; "
        "ld.local.u32 %r1, [a]; st.global.u32 [%rd1], %r1;",
        "ld.local.u32 %r1, [a]; add.u32 %r1, %r1, 1;",
        // One of two members of a structure, copied whole.
        "st.local.u32 [a], 1; ld.local.v2.u32 {%r1, %r2}, [a]; "
        "st.local.v2.u32 [b], {%r1, %r2}; ld.local.u32 %r3, [b]; "
        "st.global.u32 [%rd1], %r3;",
        "ld.local.u32 %r1, [a]; st.local.u32 [b], %r1; st.local.u32 [b], 2; "
        "ld.local.u32 %r3, [b]; st.global.u32 [%rd1], %r3;",
        // Padding, byte by byte.
        "ld.local.u8 %h0, [a+3]; st.global.u8 [%rd1], %h0;",
        // A parameter of 8 bytes, of which the function reads one by address.
        "{ .param .b64 s; st.param.b32 [s], 1; st.param.b32 [s+4], 2; "
        "call (%r1), sum, (s); } st.global.u32 [%rd1], %r1;",
        // An unwritten member that the function does not need.
        "{ .param .b64 s; ld.local.u32 %r1, [a]; st.param.b32 [s], %r1; "
        "st.param.b32 [s+4], 2; call (%r1), sum, (s); }"}) {
    LaunchResult r = localResult(right);
    EXPECT_TRUE(r.ok()) << right << r.diagnostic.str();
  }
  const std::string store = " st.global.u32 [%rd1], %r1;";
  for (const std::string &wrong :
       {"ld.local.u32 %r1, [a];" + store,
        "@%p0 st.local.u32 [a], 1; ld.local.u32 %r1, [a];" + store,
        // A copy is what it was copied from.
        "st.local.u32 [b], 1; ld.local.u32 %r1, [a]; st.local.u32 [b], %r1; "
        "ld.local.u32 %r1, [b];" +
            store,
        std::string("ld.local.u64 %rd4, [a]; st.local.u32 [%rd4], 1;"),
        std::string("ld.local.u32 %r1, [a]; setp.eq.u32 %p1, %r1, 0; "
                    "@%p1 bra L; L: add.u32 %r2, %r2, 1;"),
        // A second call finds nothing of the first, nor another block.
        std::string("call set; call (%r1), get;"),
        "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; "
        "@%p1 st.local.u32 [a], 1; ld.local.u32 %r1, [a];" +
            store}) {
    LaunchResult r = localResult(wrong);
    EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::UninitializedRead) << wrong;
    EXPECT_NE(r.diagnostic.text.find("local byte"), std::string::npos)
        << r.diagnostic.text;
  }
}

/// The same flag with weak accesses orders nothing.
TEST(Memory, WeakFlagsRace) {
  EXPECT_EQ(faultOf("setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [buf+4], 0; "
                    "bar.sync 0; setp.eq.u32 %p0, %r0, 0; @%p0 bra GIVE; "
                    "setp.ne.u32 %p0, %r0, 32; @%p0 bra END; "
                    "ld.shared.u32 %r1, [buf+4]; bra END; "
                    "GIVE: st.shared.u32 [buf+4], 1; END:",
                    true, 64, kShared)
                .diagnostic.kind,
            DiagnosticKind::SharedRace);
}

TEST(Memory, TrackedAllocationsReportUninitialisedReads) {
  ExecHarness h(
      kernel("mad.wide.u32 %rd4, %r0, 4, %rd0; ld.global.u32 %r1, [%rd4]; "
             "mad.wide.u32 %rd5, %r0, 4, %rd1; st.global.u32 [%rd5], %r1;"));
  auto in = h.memory.allocate(128), out = h.memory.allocate(128);
  h.memory.trackWrites(in);
  h.memory.markWritten(in, 64);
  LaunchOptions o;
  o.check = true;
  EXPECT_TRUE(h.run("k", {1, 1, 1}, {16, 1, 1}, {in, out}, o).ok());
  auto r = h.run("k", {1, 1, 1}, {17, 1, 1}, {in, out}, o);
  EXPECT_EQ(r.diagnostic.kind, DiagnosticKind::UninitializedRead);
  EXPECT_EQ(r.diagnostic.thread[0], 16u);
}

// --- events -----------------------------------------------------------------

EventCounts countsOf(const std::string &body) {
  ExecHarness h(kernel(body, ".shared .align 16 .b8 buf[16384];"));
  EXPECT_TRUE(h.program) << h.error;
  auto in = h.upload(std::vector<uint32_t>(8192)),
       out = h.upload(std::vector<uint32_t>(8192));
  LaunchOptions o;
  o.countEvents = true;
  auto r = h.run("k", {1, 1, 1}, {32, 1, 1}, {in, out}, o);
  EXPECT_TRUE(r.ok()) << r.diagnostic.str();
  return r.events;
}

TEST(Memory, WavefrontsAndSectors) {
  auto shared = [](const std::string &scale, const std::string &load) {
    return countsOf("mov.u32 %r5, buf; mad.lo.u32 %r6, %r0, " + scale +
                    ", %r5; " + load)
        .sharedLoadWavefronts;
  };
  EXPECT_EQ(shared("4", "ld.shared.u32 %r1, [%r6];"), 1u);
  EXPECT_EQ(shared("8", "ld.shared.u32 %r1, [%r6];"), 2u);
  EXPECT_EQ(shared("128", "ld.shared.u32 %r1, [%r6];"), 32u);
  EXPECT_EQ(shared("0", "ld.shared.u32 %r1, [%r6];"), 1u);
  EXPECT_EQ(shared("132", "ld.shared.u32 %r1, [%r6];"), 1u);
  EXPECT_EQ(shared("8", "ld.shared.v2.u32 {%r1, %r2}, [%r6];"),
            2u); // half warps
  EXPECT_EQ(shared("16", "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6];"),
            4u); // quarter warps
  EXPECT_EQ(shared("32", "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r6];"), 8u);
  auto global = [](const std::string &scale) {
    return countsOf("mad.wide.u32 %rd4, %r0, " + scale +
                    ", %rd0; ld.global.u32 %r1, [%rd4];");
  };
  EXPECT_EQ(global("4").globalLoadSectors, 4u);
  EXPECT_EQ(global("4").globalLoadLines, 1u);
  EXPECT_EQ(global("32").globalLoadSectors, 32u);
  EXPECT_EQ(global("32").globalLoadLines, 8u);
  EXPECT_EQ(global("0").globalLoadSectors, 1u);
  EXPECT_EQ(global("4").globalLoads, 1u);
  EXPECT_EQ(global("4").globalLoadBytes, 128u);
}

TEST(Memory, CountsInstructionsExactly) {
  // 3 at the start, 1 + 5 * 3 of the loop, ret.
  auto e = countsOf("mov.b32 %r1, 0; LOOP: add.u32 %r1, %r1, 1; setp.lt.u32 "
                    "%p0, %r1, 5; @%p0 bra LOOP;");
  EXPECT_EQ(e.instExecuted, 3u + 1 + 15 + 1);
  EXPECT_EQ(e.threadInstExecuted, 32u * 20);
  EXPECT_EQ(e.branches, 5u);
  EXPECT_EQ(e.divergentBranches, 0u);
  // Half of the lanes are switched off for one instruction.
  e = countsOf("and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 add.u32 "
               "%r2, %r0, 1;");
  EXPECT_EQ(e.threadInstExecuted - e.threadInstExecutedPredOn, 16u);
}

class Recorder : public TraceHook {
public:
  void instruction(const TraceEvent &e) override {
    events.push_back(e);
    firstAddress.push_back(e.addresses ? e.addresses[0] : 0);
  }
  std::vector<TraceEvent> events;
  std::vector<uint64_t> firstAddress;
};

TEST(Memory, TraceCallsOncePerInstruction) {
  ExecHarness h(
      kernel("mov.u32 %r5, buf; ld.shared.u32 %r1, [%r5+8]; setp.lt.u32 %p0, "
             "%r0, 4; @%p0 st.global.u32 [%rd1+12], %r1;",
             ".shared .align 16 .b8 buf[16];"));
  auto out = h.upload(std::vector<uint32_t>(8));
  Recorder recorder;
  LaunchOptions o;
  o.trace = &recorder;
  ASSERT_TRUE(h.run("k", {1, 1, 1}, {32, 1, 1}, {out, out}, o).ok());
  auto metas = h.program->instructions();
  ASSERT_EQ(recorder.events.size(), metas.size());
  for (size_t i = 0; i < metas.size(); ++i)
    EXPECT_EQ(recorder.events[i].inst, i);
  EXPECT_EQ(recorder.firstAddress[4], 8u);
  EXPECT_EQ(recorder.events[6].predOn, 0xfu);
  EXPECT_EQ(recorder.firstAddress[6], out + 12);
  EXPECT_EQ(metas[6].bytesPerLane, 4u);
  EXPECT_TRUE(metas[6].isStore && metas[6].guarded);
  EXPECT_EQ(metas[4].cls, InstClass::SharedLoad);
}

} // namespace
