//===- ParserTest.cpp - what PTX text parses to ---------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxTestUtil.h"

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
std::string_view nameOf(const Module &m, const Instruction &inst) {
  return m.str(m.instructionNames[inst.name].full);
}
std::string_view reg(const Module &m, const Function &f, const Operand &o) {
  EXPECT_EQ(o.kind, OperandKind::Register);
  return m.str(f.registers[o.index].name);
}

TEST(PtxParser, Head) {
  Expected<Module> m = parse(
      "// comment\n.version 8.10 /* two\nlines */\n.target sm_90a, debug\n");
  ASSERT_TRUE(bool(m)) << m.error().str();
  EXPECT_EQ(m->versionMajor, 8u);
  EXPECT_EQ(m->versionMinor, 10u);
  EXPECT_EQ(m->targetSm, 90u);
  EXPECT_EQ(m->targetSuffix, 'a');
  EXPECT_EQ(m->target, "sm_90a");
  ASSERT_EQ(m->targetOptions.size(), 1u);
  EXPECT_EQ(m->targetOptions[0], "debug");
}

TEST(PtxParser, InstructionNamesAreShared) {
  Module m = parsedBody(R"(.reg .f32 %f<4>; .reg .pred %p;
    fma.rn.f32 %f0, %f1, %f2, %f3;
    @!%p fma.rn.f32 %f0, %f1, %f2, 0f3F800000;
    ld .global .v2.f32 {%f0, _}, [16];)");
  const Function &f = m.functions[0];
  ASSERT_EQ(f.body.size(), 3u);
  EXPECT_EQ(f.body[0].name, f.body[1].name);
  const InstructionName &name = m.instructionNames[f.body[0].name];
  EXPECT_EQ(m.str(name.opcode), "fma");
  ASSERT_EQ(name.modifiers.size(), 2u);
  EXPECT_EQ(m.str(name.modifiers[0]), "rn");
  EXPECT_EQ(m.str(name.modifiers[1]), "f32");
  EXPECT_EQ(f.body[0].guard, kNone);
  EXPECT_TRUE(f.body[1].guardNegated);
  EXPECT_EQ(m.str(f.registers[f.body[1].guard].name), "%p");
  EXPECT_EQ(nameOf(m, f.body[2]), "ld.global.v2.f32");
  auto ops = f.operandsOf(f.body[2]);
  ASSERT_EQ(ops.size(), 2u);
  ASSERT_EQ(ops[0].kind, OperandKind::Vector);
  EXPECT_EQ(f.elements(ops[0])[1].kind, OperandKind::Sink);
  EXPECT_EQ(ops[1].kind, OperandKind::Address);
  EXPECT_EQ(ops[1].value, 16);
  EXPECT_EQ(ops[1].index, kNone);
  EXPECT_EQ(f.body[1].loc.line, 8u);
  EXPECT_EQ(f.body[1].loc.column, 10u);
}

TEST(PtxParser, RegistersComeToLifeAtFirstUse) {
  Module m = parsedBody(
      ".reg .b32 %r<4294967295>; mov.b32 %r4000000000, %r7; mov.b32 %r7, 1;");
  const Function &f = m.functions[0];
  ASSERT_EQ(f.registers.size(), 2u);
  EXPECT_EQ(m.str(f.registers[0].name), "%r4000000000");
  EXPECT_EQ(f.registers[0].type, Type::B32);
  EXPECT_EQ(f.operandsOf(f.body[0])[1].index, f.operandsOf(f.body[1])[0].index);
}

TEST(PtxParser, InnerScopesHideOuterNames) {
  Module m = parsedBody(R"(.reg .b32 %r<5>, x;
    mov.b32 %r1, x;
    { .reg .f32 %r<2>; .reg .f32 x;
      mov.f32 %r1, x; mov.b32 %r3, 0; }
    mov.b32 %r1, x;)");
  const Function &f = m.functions[0];
  ASSERT_EQ(f.body.size(), 4u);
  auto at = [&](int i, int j) { return f.operandsOf(f.body[i])[j]; };
  EXPECT_EQ(at(0, 0).index, at(3, 0).index);
  EXPECT_EQ(at(0, 1).index, at(3, 1).index);
  EXPECT_NE(at(0, 0).index, at(1, 0).index);
  EXPECT_EQ(f.registers[at(1, 0).index].type, Type::F32);
  EXPECT_EQ(f.registers[at(1, 1).index].type, Type::F32);
  EXPECT_EQ(f.registers[at(2, 0).index].type,
            Type::B32); // %r3 is the outer one
  EXPECT_EQ(reg(m, f, at(1, 0)), "%r1$1");
}

TEST(PtxParser, LabelsBelongToTheirScope) {
  Module m = parsedBody(R"(.reg .pred p;
    { bra L; L: }
    { @p bra L; bra out; L: ret; }
    L: bra L;
    out: )");
  const Function &f = m.functions[0];
  ASSERT_EQ(f.body.size(), 5u);
  auto target = [&](int i) { return f.target(f.operandsOf(f.body[i])[0]); };
  EXPECT_EQ(target(0), 1u);
  EXPECT_EQ(target(1), 3u);
  EXPECT_EQ(target(2), 5u);
  EXPECT_EQ(target(4), 4u);
}

TEST(PtxParser, VectorRegisters) {
  Module m = parsedBody(
      ".reg .v4 .f32 v; .reg .f32 f; mov.f32 f, v.z; ld.global.v4.f32 v, [0];"
      " mov.f32 f, v.g;");
  const Function &f = m.functions[0];
  auto whole = f.operandsOf(f.body[1])[0];
  ASSERT_EQ(whole.kind, OperandKind::Vector);
  ASSERT_EQ(whole.count, 4u);
  EXPECT_EQ(f.elements(whole)[2].index, f.operandsOf(f.body[0])[1].index);
  EXPECT_EQ(f.elements(whole)[1].index, f.operandsOf(f.body[2])[1].index);
}

TEST(PtxParser, Addresses) {
  Module m = parsedBody(
      R"(.reg .b64 %a; .reg .b32 %r<9>; .local .b8 loc[8];
    ld.global.u32 %r1, [%a+-8];
    ld.global.u32 %r1, [%a - 4*2];
    ld.shared.u32 %r1, [sh+4];
    ld.param.u32 %r1, [p1];
    ld.local.u32 %r1, [loc];
    mov.u64 %a, loc+4;
    mov.u64 %a, generic(glob)+8;
    ld.global.u32 %r1, glob[3];
    mov.u64 %a, glob[2];
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%a, {%r1, %r2}], [%r3];)",
      ".extern .shared .align 16 .b8 sh[];\n.global .u32 glob[4];\n");
  const Function &f = m.functions[0];
  auto op = [&](int i, int j) { return f.operandsOf(f.body[i])[j]; };
  EXPECT_EQ(op(0, 1).value, -8);
  EXPECT_EQ(op(1, 1).value, -8);
  EXPECT_EQ(op(2, 1).symbol, (Symbol{SymbolKind::Global, 0}));
  EXPECT_EQ(op(2, 1).value, 4);
  EXPECT_EQ(op(3, 1).symbol, (Symbol{SymbolKind::Param, 1}));
  EXPECT_EQ(op(4, 1).symbol, (Symbol{SymbolKind::Variable, 0}));
  EXPECT_EQ(op(5, 1).kind, OperandKind::Symbol);
  EXPECT_EQ(op(5, 1).value, 4);
  EXPECT_TRUE(op(6, 1).generic);
  EXPECT_EQ(op(7, 1).value, 12);
  EXPECT_EQ(op(7, 1).kind, OperandKind::Address);
  EXPECT_EQ(op(8, 1).kind, OperandKind::Symbol);
  EXPECT_EQ(op(8, 1).value, 8);
  auto tensor = op(9, 0);
  ASSERT_EQ(tensor.count, 1u);
  EXPECT_EQ(f.elements(f.elements(tensor)[0]).size(), 2u);
}

TEST(PtxParser, SpecialRegistersAndSelectors) {
  Module m = parsedBody(R"(.reg .b32 %r<9>; .reg .b64 %rd; .reg .pred %p<3>;
    mov.u32 %r1, %tid.y;
    mov.u32 %r1, %envreg31;
    mov.u64 %rd, %clock64;
    mov.u64 %rd, %pm3_64;
    vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;
    shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;
    setp.lt.and.s32 %p1|_, %r1, %r2, !%p2;)");
  const Function &f = m.functions[0];
  auto op = [&](int i, int j) { return f.operandsOf(f.body[i])[j]; };
  EXPECT_EQ(op(0, 1).special, SpecialReg::Tid);
  EXPECT_EQ(op(0, 1).component, 1);
  EXPECT_EQ(op(1, 1).special, SpecialReg::EnvReg);
  EXPECT_EQ(op(1, 1).number, 31);
  EXPECT_EQ(op(2, 1).special, SpecialReg::Clock64);
  EXPECT_EQ(op(3, 1).special, SpecialReg::Pm64);
  EXPECT_EQ(op(3, 1).number, 3);
  EXPECT_EQ(m.str(op(4, 1).selector), "b3");
  EXPECT_EQ(m.str(op(4, 2).selector), "h1");
  ASSERT_EQ(op(5, 0).kind, OperandKind::Pair);
  EXPECT_EQ(f.elements(op(6, 0))[1].kind, OperandKind::Sink);
  EXPECT_TRUE(op(6, 3).negated);
}

TEST(PtxParser, CallOperandsAreNormalised) {
  Module m = parsed(
      R"(.func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[24]);
.extern .func g;
.func (.reg .b32 r) h(.reg .b32 a) { add.s32 r, a, 1; ret; }
.visible .entry k()
{
  .reg .b32 %r1; .reg .b64 %rd1;
  { .param .b32 a0; .param .align 8 .b8 a1[24]; .param .b32 r0;
    call.uni (r0), f, (a0, a1); }
  call g;
  call (%r1), h, (5);
  proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
  call (%r1), %rd1, (%r1, %rd1), proto;
  list: .calltargets h, f;
  call (_), %rd1, (%r1), list;
})");
  ASSERT_EQ(m.functions.size(), 4u);
  EXPECT_EQ(m.functions[0].params[1].offset, 8u);
  EXPECT_EQ(m.functions[0].params[1].bytes, 24u);
  EXPECT_FALSE(m.functions[1].isDefined);
  const Function &h = m.functions[2];
  EXPECT_EQ(h.operandsOf(h.body[0])[0].index, h.returns[0].reg);
  EXPECT_EQ(h.operandsOf(h.body[0])[1].index, h.params[0].reg);
  const Function &k = m.functions[3];
  auto op = [&](int i, int j) { return k.operandsOf(k.body[i])[j]; };
  EXPECT_EQ(op(0, 0).count, 1u);
  EXPECT_EQ(op(0, 1).symbol, (Symbol{SymbolKind::Function, 0}));
  EXPECT_EQ(op(0, 2).count, 2u);
  EXPECT_EQ(k.elements(op(0, 2))[1].symbol.kind, SymbolKind::Variable);
  EXPECT_EQ(op(1, 0).count, 0u);
  EXPECT_EQ(op(1, 2).count, 0u);
  EXPECT_EQ(k.elements(op(2, 2))[0].kind, OperandKind::Immediate);
  ASSERT_EQ(k.body[3].count, 4u);
  EXPECT_EQ(op(3, 3).kind, OperandKind::Prototype);
  EXPECT_EQ(k.prototypes[0].params.size(), 2u);
  EXPECT_EQ(op(4, 3).kind, OperandKind::CallTargets);
  EXPECT_EQ(k.callTargets[0], (std::vector<uint32_t>{2, 0}));
}

TEST(PtxParser, BranchTargets) {
  Module m = parsedBody(R"(.reg .b32 %r;
    ts: .branchtargets A, B, A;
    brx.idx %r, ts;
    A: trap;
    B: ret;)");
  const Function &f = m.functions[0];
  ASSERT_EQ(f.branchTargets.size(), 1u);
  EXPECT_EQ(f.branchTargets[0], (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(f.labels[1].instruction, 2u);
  EXPECT_EQ(f.operandsOf(f.body[0])[1].kind, OperandKind::BranchTargets);
}

TEST(PtxParser, LaunchBounds) {
  Module m = parsed(".visible .entry k() .maxntid 128 .reqntid 16, 4, 2 "
                    ".minnctapersm 2 .maxnreg 64 "
                    ".pragma \"nounroll\"; { ret; }");
  const LaunchBounds &b = m.functions[0].bounds;
  EXPECT_EQ(*b.maxNTid, (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(*b.reqNTid, (std::array<uint32_t, 3>{16, 4, 2}));
  EXPECT_EQ(*b.minNCtaPerSm, 2u);
  EXPECT_EQ(*b.maxNReg, 64u);
  EXPECT_FALSE(b.maxNCtaPerSm);
  ASSERT_EQ(m.functions[0].pragmas.size(), 1u);
}

TEST(PtxParser, ParameterLayout) {
  Module m = parsed(".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 "
                    "b, .param .align 4 .b8 "
                    "c[6], .param .u16 d, .param .v2 .f32 e) { ret; }");
  const Function &f = m.functions[0];
  EXPECT_EQ(f.params[0].offset, 0u);
  EXPECT_EQ(f.params[1].offset, 8u);
  EXPECT_TRUE(f.params[1].isPtr);
  EXPECT_EQ(f.params[1].ptrSpace, Space::Global);
  EXPECT_EQ(f.params[1].ptrAlign, 16u);
  EXPECT_EQ(f.params[2].offset, 16u);
  EXPECT_EQ(f.params[3].offset, 22u);
  EXPECT_EQ(f.params[4].offset, 24u);
  EXPECT_EQ(f.paramBytes, 32u);
}

TEST(PtxParser, InitialValues) {
  Module m = parsed(R"(.global .u32 a = 7;
.const .align 4 .f32 b[2][3] = {{1.0, 2.0}, {-0.5}};
.global .v4 .u16 c = {1, 2, 3, 4};
.global .s64 d[] = {-1, WARP_SZ};
.global .u64 e[3] = {a, generic(b)+8, 5};
.global .b8 f[4] = {0xff(a), 0xff00(a), 0xff0000(a), 9};
.visible .func g() { ret; }
.global .u64 h = g;
.global .f64 i = 2;
.global .attribute(.managed) .align 64 .b8 j[3];
.global .b16 k[4] = {1, 2};)");
  auto &v = m.variables;
  ASSERT_EQ(v.size(), 10u);
  EXPECT_EQ(v[0].init, (std::vector<uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(v[1].bytes, 24u);
  ASSERT_EQ(v[1].init.size(), 16u); // the second row begins at 12
  EXPECT_EQ(v[1].init[3], 0x3f);
  EXPECT_EQ(v[1].init[8], 0);
  EXPECT_EQ(v[1].init[15], 0xbf);
  EXPECT_EQ(v[2].init, (std::vector<uint8_t>{1, 0, 2, 0, 3, 0, 4, 0}));
  EXPECT_EQ(v[3].bytes, 16u);
  EXPECT_FALSE(v[3].unsized);
  EXPECT_EQ(v[3].init[7], 0xff);
  EXPECT_EQ(v[3].init[8], 32);
  ASSERT_EQ(v[4].relocations.size(), 2u);
  EXPECT_FALSE(v[4].relocations[0].generic);
  EXPECT_TRUE(v[4].relocations[1].generic);
  EXPECT_EQ(v[4].relocations[1].addend, 8);
  EXPECT_EQ(v[4].relocations[1].offset, 8u);
  EXPECT_EQ(v[4].init[16], 5);
  ASSERT_EQ(v[5].relocations.size(), 3u);
  EXPECT_EQ(v[5].relocations[1].shift, 8);
  EXPECT_EQ(v[5].relocations[1].bytes, 1);
  EXPECT_EQ(v[6].relocations[0].symbol, (Symbol{SymbolKind::Function, 0}));
  EXPECT_EQ(v[7].init[7], 0x40);
  EXPECT_TRUE(v[8].managed);
  EXPECT_EQ(v[8].align, 64u);
  EXPECT_EQ(v[9].init.size(), 4u);
}

TEST(PtxParser, DebugInformationIsSkipped) {
  Module m = parsed(R"(.file 1 "a.cu", 17, 4
.entry k() {
  .loc 1 2 3
  .loc 1 2 3, function_name $L__info_string0 + 4, inlined_at 1 7 9
  ret;
}
.section .debug_loc { .b64 $L1
.b32 .debug_abbrev
.b8 1, 2 }
# 12 "a.cu"
@@DWARF .byte 0x10, 1
)");
  EXPECT_EQ(m.functions[0].body.size(), 1u);
}

TEST(PtxParser, DeclarationsAgainAndAliases) {
  Module m = parsed(R"(.extern .global .u32 a[];
.visible .global .u32 a[2] = {1, 2};
.weak .func f();
.weak .func f() { ret; }
.weak .func f2();
.alias f2, f;
.extern .shared .b8 s[];
.extern .shared .b8 s[];
.entry k() { .shared .b32 t; .global .u32 count; ret; }
.entry k2() { .shared .b32 t; .global .u32 count; ret; })");
  EXPECT_EQ(m.functions.size(), 4u);
  EXPECT_TRUE(m.functions[0].isDefined);
  ASSERT_EQ(m.aliases.size(), 1u);
  EXPECT_EQ(m.aliases[0], (std::pair<uint32_t, uint32_t>{1, 0}));
  EXPECT_EQ(m.variables[0].bytes, 8u);
  EXPECT_EQ(m.variables.size(), 4u);
  EXPECT_NE(m.variables[2].name, m.variables[3].name);
  EXPECT_EQ(m.findFunction("k2"), &m.functions[3]);
  EXPECT_EQ(m.findVariable("a"), &m.variables[0]);
  EXPECT_EQ(m.findVariable("nothing"), nullptr);
}

/// One text with every construct; what is printed parses to the same.
TEST(PtxParser, PrintedTextParsesToTheSame) {
  Module m = parsed(
      R"(.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.const .align 4 .f32 b[2][3] = {{1.0, 2.0}, {-0.5}};
.global .u64 e[3] = {b, generic(b)+8, 5};
.global .b8 f8[4] = {0xff(b), 0xff00(b+4), 0xff0000(b), 9};
.global .attribute(.managed) .f64 d = 2;
.extern .shared .align 16 .b8 sh[];
.weak .func (.reg .b32 r) h(.reg .b32 a) .noreturn { add.s32 r, a, 1; ret; }
.visible .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 32, 2, 1 .maxnreg 40
{
  .reg .b32 %r<9>; .reg .pred %p<3>; .reg .b64 %rd<5>; .reg .v2 .f32 v; .reg .f32 %f<3>;
  .local .align 8 .b8 depot[16];
  .pragma "nounroll";
  ld.param.u64 %rd1, [p];
  L: { .reg .b32 %r<2>; mov.u32 %r1, 9; L: @!%p1 bra L; }
  call (%r1), h, (7);
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (%r1), %rd1, (%r1), proto;
  ts: .branchtargets L, E;
  brx.idx %r1, ts;
  fma.rn.f32 %f1, v.x, 0f7F812345, 0d3FF0000000000000;
  mov.u64 %rd2, 0xffffffffffffffff;
  mov.u64 %rd2, -9223372036854775807-1;
  ld.global.v2.f32 v, [%rd1+-8];
  setp.lt.and.s32 %p1|%p2, %r1, %tid.x, !%p1;
  mov.u32 %r2, %envreg3;
  mov.u64 %rd3, %pm2_64;
  mov.u64 %rd3, generic(b)+4;
  vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;
  E: ret;
})");
  std::string once = print(m);
  Expected<Module> again = parse(once);
  ASSERT_TRUE(bool(again)) << again.error().str() << "\n" << once;
  EXPECT_EQ(print(*again), once);
  EXPECT_EQ(again->functions[2].body.size(), m.functions[2].body.size());
  EXPECT_NE(once.find("bra L$1;"), std::string::npos) << once;
}
} // namespace
