//===- DecodeFunction.cpp - blocks, operands and control flow -------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"
#include "RegisterPressure.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

namespace hwtune::exec {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::SpecialReg;
using ptx::SymbolKind;

static RegClass classOfType(ptx::Type type) {
  if (type == ptx::Type::Pred)
    return RegClass::Pred;
  unsigned bytes = ptx::typeBytes(type);
  return bytes <= 4   ? RegClass::Word
         : bytes == 8 ? RegClass::Quad
                      : RegClass::Oct;
}

FunctionDecoder::FunctionDecoder(ProgramBuilder &builder, uint32_t index)
    : B(builder), M(builder.M), F(builder.M.functions[index]),
      D(builder.P.functions[index]), index(index) {
  for (const ptx::Register &r : F.registers)
    classes.push_back(classOfType(r.type));
}

bool FunctionDecoder::fail(std::string message) {
  if (!failed) {
    ptx::Loc loc = inst ? inst->loc : F.loc;
    status =
        Error{std::move(message), fmt::format("{}:{}", loc.line, loc.column)};
    failed = true;
  }
  return false;
}
bool FunctionDecoder::unsupported(std::string why) {
  refused |= !failed;
  return fail(fmt::format("unsupported instruction '{}'{}", M.str(name->full),
                          why.empty() ? why : ": " + why));
}

bool FunctionDecoder::deferRefusal(size_t block, size_t begin) {
  if (!refused || !ptx::isOpcode(opcode()))
    return false;
  B.P.refusals.push_back({inst->loc.line, inst->loc.column,
                          std::string(M.str(F.name)), status.error().message});
  status = success();
  failed = refused = false;
  post.clear();
  blocks.resize(block + 1);
  blocks.back().ops.resize(begin);
  emit("refused", {}, {Val::raw(uint32_t(B.P.refusals.size() - 1))});
  return true;
}

bool FunctionDecoder::needs(size_t count) {
  size_t have = operands().size();
  return have >= count ||
         fail(fmt::format("'{}' with {} operands, expected at least {}",
                          M.str(name->full), have, count));
}

bool FunctionDecoder::hasMod(std::string_view text) const {
  for (ptx::StringId id : name->modifiers)
    if (M.str(id) == text)
      return true;
  return false;
}

// --- values -----------------------------------------------------------------

uint32_t FunctionDecoder::temp(RegClass cls) {
  classes.push_back(cls);
  return uint32_t(classes.size() - 1);
}

Val FunctionDecoder::constant(bool wide, uint64_t bits) {
  if (!wide)
    bits &= 0xffffffffu;
  auto [it, added] =
      constIndex.try_emplace({wide, bits}, uint32_t(constants.size()));
  if (added)
    constants.push_back({0, wide, bits});
  return {Val::Const, it->second};
}

static RegClass classOfLetter(char letter) {
  switch (letter) {
  case 'p':
    return RegClass::Pred;
  case 'q':
  case 'd':
    return RegClass::Quad;
  case 'o':
    return RegClass::Oct;
  default:
    return RegClass::Word;
  }
}

Val FunctionDecoder::immediate(const Operand &operand, char letter) {
  uint64_t bits = uint64_t(operand.value);
  bool isF32 = operand.type == ptx::Type::F32,
       isF64 = operand.type == ptx::Type::F64;
  if (letter == 'd' && isF32)
    bits =
        std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(bits))));
  else if (letter == 'd' && !isF64)
    bits = std::bit_cast<uint64_t>(double(operand.value));
  else if ((letter == 'f' || letter == 'w') && isF64)
    bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits)));
  else if (letter == 'f' && !isF32)
    bits = std::bit_cast<uint32_t>(float(operand.value));
  if (letter == 'h')
    bits &= 0xffff;
  if (letter == 'p') {
    uint32_t t = temp(RegClass::Pred);
    emit(bits ? "mov.pred" : "not.pred", Val::reg(t),
         {Val::raw(kTruePredicate)});
    return Val::reg(t);
  }
  return constant(letter == 'q' || letter == 'd', bits);
}

Val FunctionDecoder::special(const Operand &operand, char letter) {
  bool wide = operand.special == SpecialReg::Clock64 ||
              operand.special == SpecialReg::GlobalTimer ||
              operand.special == SpecialReg::Pm64 ||
              operand.special == SpecialReg::GridId ||
              operand.special == SpecialReg::CurrentGraphExec;
  RegClass want = classOfLetter(letter);
  if (want == RegClass::Pred) {
    if (operand.special != SpecialReg::IsExplicitCluster) {
      fail("special register where a predicate is expected");
      return {};
    }
    uint32_t t = temp(RegClass::Pred);
    emit("not.pred", Val::reg(t), {Val::raw(kTruePredicate)});
    return Val::reg(t);
  }
  B.P.readsReservedShared |=
      operand.special == SpecialReg::ReservedSmemOffsetBegin ||
      operand.special == SpecialReg::ReservedSmemOffsetEnd ||
      operand.special == SpecialReg::ReservedSmemOffset;
  uint32_t t = temp(wide ? RegClass::Quad : RegClass::Word);
  uint32_t component = operand.component == 0xff ? 0 : operand.component;
  if (operand.special == SpecialReg::Tid && component < 3)
    emit("sreg.tid", Val::reg(t), {Val::raw(component)});
  else
    emit(wide ? "sreg.wide" : "sreg.word", Val::reg(t),
         {Val::raw(uint32_t(operand.special)), Val::raw(component),
          Val::raw(operand.number)});
  if (wide == (want == RegClass::Quad))
    return Val::reg(t);
  uint32_t t2 = temp(want);
  emit(wide ? "cvt.u32.u64" : "cvt.u64.u32", Val::reg(t2), {Val::reg(t)});
  if (letter == 'h') {
    uint32_t t3 = temp(want);
    emit("cvt.u16.u32", Val::reg(t3), {Val::reg(t2)});
    return Val::reg(t3);
  }
  return Val::reg(t2);
}

Val FunctionDecoder::symbolAddress(const Operand &operand, char letter) {
  bool wide = letter == 'q' || letter == 'd';
  uint64_t add = uint64_t(operand.value);
  const ptx::Symbol &s = operand.symbol;
  switch (s.kind) {
  case SymbolKind::Global: {
    const Place &p = B.modulePlaces[s.index];
    uint64_t address = p.address;
    if (p.space == Space::Shared) {
      if (M.variables[s.index].unsized)
        address = B.sharedTop[index];
      if (operand.generic)
        address += kSharedWindow;
    }
    return constant(wide, address + add);
  }
  case SymbolKind::Function:
    return constant(wide, kCodeWindow + kCodeStride * s.index + add);
  case SymbolKind::Variable:
    if (F.variables[s.index].space == Space::Shared) {
      const ptx::Variable &v = F.variables[s.index];
      uint64_t address =
          v.unsized ? B.sharedTop[index] : B.sharedPlace[index][s.index];
      return constant(wide,
                      address + add + (operand.generic ? kSharedWindow : 0));
    }
    break;
  case SymbolKind::Param:
    if (F.isEntry)
      return constant(wide, F.params[s.index].offset + add +
                                (operand.generic ? kParamWindow : 0));
    break;
  case SymbolKind::Return:
    break;
  case SymbolKind::None:
    fail("operand names nothing");
    return {};
  }
  uint32_t t = temp(RegClass::Quad);
  emit("local.address", Val::reg(t),
       {Val::raw(uint32_t(frameOffset(s) + add)), Val::raw(operand.generic)});
  if (wide)
    return Val::reg(t);
  uint32_t t2 = temp(RegClass::Word);
  emit("cvt.u32.u64", Val::reg(t2), {Val::reg(t)});
  return Val::reg(t2);
}

Val FunctionDecoder::source(const Operand &operand, char letter) {
  RegClass want = classOfLetter(letter);
  switch (operand.kind) {
  case OperandKind::Register: {
    RegClass have = classOf(operand);
    if (operand.negated && have != RegClass::Pred) {
      fail(fmt::format("register '{}' of '{}' cannot be negated",
                       M.str(F.registers[operand.index].name),
                       M.str(name->full)));
      return {};
    }
    if (have == want) {
      if (!operand.negated)
        return Val::reg(operand.index);
      uint32_t t = temp(RegClass::Pred);
      emit("not.pred", Val::reg(t), {Val::reg(operand.index)});
      return Val::reg(t);
    }
    if (have == RegClass::Quad && want == RegClass::Word) {
      uint32_t t = temp(RegClass::Word);
      emit(letter == 'h' ? "cvt.u16.u64" : "cvt.u32.u64", Val::reg(t),
           {Val::reg(operand.index)});
      return Val::reg(t);
    }
    fail(fmt::format("register '{}' of '{}' has the wrong type",
                     M.str(F.registers[operand.index].name),
                     M.str(name->full)));
    return {};
  }
  case OperandKind::Immediate:
    return immediate(operand, letter);
  case OperandKind::Special:
    return special(operand, letter);
  case OperandKind::Symbol:
    return symbolAddress(operand, letter);
  default:
    fail(fmt::format("unexpected form of operand in '{}'", M.str(name->full)));
    return {};
  }
}

Val FunctionDecoder::destination(const Operand &operand, char letter) {
  RegClass want = classOfLetter(letter);
  if (operand.kind == OperandKind::Sink)
    return Val::reg(temp(want));
  if (operand.kind != OperandKind::Register) {
    fail(fmt::format("result of '{}' is no register", M.str(name->full)));
    return {};
  }
  if (classOf(operand) == want)
    return Val::reg(operand.index);
  if (classOf(operand) == RegClass::Quad && want == RegClass::Word) {
    uint32_t t = temp(RegClass::Word);
    VOp op;
    op.entry = entry("cvt.u64.u32");
    op.d = Val::reg(operand.index);
    op.a = Val::reg(t);
    note(op, op.d, true);
    note(op, op.a, false);
    post.push_back(op);
    return Val::reg(t);
  }
  fail(fmt::format("register '{}' of '{}' has the wrong type",
                   M.str(F.registers[operand.index].name), M.str(name->full)));
  return {};
}

Val FunctionDecoder::wideDestination(const Operand &operand,
                                     std::string_view from) {
  if (operand.kind == OperandKind::Sink)
    return Val::reg(temp(RegClass::Word));
  if (operand.kind != OperandKind::Register)
    return destination(operand, 'w');
  ptx::Type have = F.registers[operand.index].type;
  unsigned bytes = ptx::typeBytes(have), fromBytes = 4;
  if (auto type = ptx::typeFromName(from))
    fromBytes = ptx::typeBytes(*type);
  bool isSigned = from[0] == 's';
  // Registers of up to 16 bits and zero-extended values need nothing more.
  if (have == ptx::Type::Pred || bytes < fromBytes || bytes > 8) {
    fail(fmt::format("register '{}' is too narrow for '{}'",
                     M.str(F.registers[operand.index].name),
                     M.str(name->full)));
    return {};
  }
  if (bytes == fromBytes || (!isSigned && bytes <= 4))
    return Val::reg(operand.index);
  if (fromBytes == 1 && bytes == 2 && isSigned && opcode() == "cvt")
    return Val::reg(operand.index); // cvt to s8 extends to 16 bits itself
  uint32_t t = temp(RegClass::Word);
  VOp op;
  std::string key = fmt::format("cvt.{}{}.{}{}", isSigned ? 's' : 'u',
                                bytes * 8, isSigned ? 's' : 'u', fromBytes * 8);
  op.entry = entry(key);
  op.d = Val::reg(operand.index);
  op.a = Val::reg(t);
  note(op, op.d, true);
  note(op, op.a, false);
  post.push_back(op);
  return Val::reg(t);
}

// --- emission ---------------------------------------------------------------

const Entry *FunctionDecoder::entry(const std::string &key) {
  const Entry *e = B.P.registry->find(key);
  if (!e)
    unsupported(); // names the PTX instruction, which is what the user wrote
  return e;
}

void FunctionDecoder::note(VOp &op, Val value, bool def) {
  if (value.kind == Val::Reg)
    (def ? op.defs : op.uses).push_back(value.index);
}

VOp &FunctionDecoder::emit(const Entry *e, Val d,
                           std::initializer_list<Val> sources) {
  VOp op;
  op.entry = e;
  op.d = d;
  note(op, d, true);
  size_t i = 0;
  for (Val v : sources) {
    if (i < 3)
      (i == 0 ? op.a : i == 1 ? op.b : op.c) = v;
    else
      op.ext[i - 3] = v, op.hasExt = true;
    note(op, v, false);
    ++i;
  }
  append(std::move(op));
  return blocks.back().ops.back();
}
VOp &FunctionDecoder::emit(const std::string &key, Val d,
                           std::initializer_list<Val> sources) {
  return emit(entry(key), d, sources);
}

void FunctionDecoder::startBlock() {
  VBlock block;
  block.firstMeta = uint32_t(B.P.metas.size());
  blocks.push_back(std::move(block));
}
void FunctionDecoder::endMeta() { ++blocks.back().numMetas; }

// --- frame layout -----------------------------------------------------------

static uint32_t alignUp(uint64_t n, uint64_t align) {
  return uint32_t((n + align - 1) / (align ? align : 1) * (align ? align : 1));
}

/// Returns and parameters first, by the signature alone, so that indirect
/// calls know the places; then the variables.
void FunctionDecoder::layOutLocals() {
  uint32_t top = 0;
  auto place = [&](const std::vector<ptx::Variable> &list,
                   std::vector<uint32_t> &out) {
    for (const ptx::Variable &v : list) {
      top = alignUp(top, std::max<uint32_t>(v.align, 1));
      out.push_back(top);
      top += uint32_t(v.bytes);
    }
  };
  if (!F.isEntry) {
    place(F.returns, returnPlace);
    place(F.params, paramPlace);
    top = alignUp(top, 16);
  }
  for (const ptx::Variable &v : F.variables) {
    if (v.space != Space::Shared) {
      top = alignUp(top, std::max<uint32_t>(v.align, 1));
      variablePlace.push_back(top);
      top += uint32_t(v.bytes);
    } else {
      variablePlace.push_back(0);
    }
  }
  D.localBytes = alignUp(top, 16);
}

uint32_t FunctionDecoder::frameOffset(const ptx::Symbol &s) const {
  switch (s.kind) {
  case SymbolKind::Variable:
    return variablePlace[s.index];
  case SymbolKind::Param:
    return paramPlace[s.index];
  case SymbolKind::Return:
    return returnPlace[s.index];
  default:
    return 0;
  }
}

// --- control flow -----------------------------------------------------------

void FunctionDecoder::branchToBlock(Val pred, bool negated, int32_t target) {
  VOp op;
  op.entry = nullptr; // chosen when the direction is known
  op.b = pred;
  op.c = Val::raw(negated ? kFullMask : 0);
  note(op, pred, false);
  op.target = target;
  append(std::move(op));
}
void FunctionDecoder::branch(Val pred, bool negated, uint32_t targetInst) {
  branchToBlock(pred, negated, -2 - int32_t(targetInst)); // fixed in connect()
}

/// Parameters in registers (`.func (.reg .b32 r) f(.reg .b32 a)`) pass through
/// the frame as the others do.
void FunctionDecoder::moveRegisterParam(const ptx::Variable &v, uint32_t place,
                                        bool toFrame) {
  if (v.reg == ptx::kNone || classes[v.reg] == RegClass::Pred ||
      classes[v.reg] == RegClass::Oct)
    return;
  Val address = Val::reg(temp(RegClass::Quad)), value = Val::reg(v.reg);
  emit("local.address", address, {Val::raw(place), Val::raw(0)});
  MemDesc desc;
  desc.space = AddrSpace::Local;
  desc.elemBytes = desc.laneBytes = uint8_t(
      classes[v.reg] == RegClass::Quad ? 8 : std::min<uint64_t>(v.bytes, 4));
  desc.isStore = toFrame;
  VOp op;
  op.entry = entry(fmt::format("mem.{}.slow.{}", toFrame ? "st" : "ld",
                               unsigned(desc.elemBytes)));
  op.a = address;
  op.memSlots = {value};
  note(op, address, false);
  note(op, value, !toFrame);
  op.mem = addMem(desc);
  op.c = Val::raw(op.mem);
  append(std::move(op));
}

/// Instructions that move lanes between states cannot run under a mask: they
/// are jumped over.
bool FunctionDecoder::needsBranchGuard() const {
  std::string_view op = opcode();
  return op == "bar" || op == "barrier" || op == "call" || op == "shfl" ||
         op == "vote" || op == "match" || op == "redux" || op == "elect" ||
         op == "mma" || op == "wmma" || op == "ldmatrix" || op == "stmatrix" ||
         op == "movmatrix" || op == "trap" || op == "brkpt" ||
         op == "nanosleep" || op == "brx" || op == "activemask";
}

bool FunctionDecoder::decodeControl(uint32_t i, bool &handled) {
  std::string_view op = opcode();
  auto ops = operands();
  handled = true;
  Val pred = inst->guard == ptx::kNone ? Val::raw(kTruePredicate)
                                       : Val::reg(inst->guard);
  bool negated = inst->guard != ptx::kNone && inst->guardNegated;
  if (op == "bra") {
    if (ops.size() != 1 || ops[0].kind != OperandKind::Label)
      return unsupported("expected a label");
    branch(pred, negated, F.target(ops[0]));
    return true;
  }
  if (op == "exit" || op == "ret") {
    if (op == "ret" && !F.isEntry)
      for (size_t k = 0; k < F.returns.size(); ++k)
        moveRegisterParam(F.returns[k], returnPlace[k], true);
    VOp o;
    o.entry = entry(op == "exit" || F.isEntry ? "exit" : "ret");
    o.b = pred;
    o.c = Val::raw(negated ? kFullMask : 0);
    note(o, pred, false);
    append(std::move(o));
    blocks.back().exits |= inst->guard == ptx::kNone;
    return true;
  }
  if (op == "brx") {
    if (inst->guard != ptx::kNone)
      return unsupported("under a predicate");
    if (ops.size() != 2 || ops[1].kind != OperandKind::BranchTargets)
      return unsupported("expected a register and a list of labels");
    Val value = source(ops[0], 'w');
    const auto &targets = F.branchTargets[ops[1].index];
    for (size_t t = 0; t + 1 < targets.size(); ++t) {
      uint32_t p = temp(RegClass::Pred);
      emit("setp.eq.u32", Val::reg(p), {value, constant(false, t)});
      branch(Val::reg(p), false, F.labels[targets[t]].instruction);
      startBlock();
      blocks.back().firstMeta = 0;
    }
    if (targets.empty())
      return fail("'brx.idx' without targets");
    branch(Val::raw(kTruePredicate), false,
           F.labels[targets.back()].instruction);
    return true;
  }
  handled = false;
  (void)i;
  return true;
}

/// An instruction under its guard: jumped over where it moves lanes between
/// states, else run by the lanes whose predicate holds. Gives the operation
/// that jumps, or nothing.
std::optional<FunctionDecoder::OpPlace> FunctionDecoder::decodeGuarded() {
  bool guarded = inst->guard != ptx::kNone;
  bool masked = guarded && !needsBranchGuard();
  std::optional<OpPlace> jump;
  if (masked) {
    VOp g;
    g.entry = entry("guard");
    g.b = Val::reg(inst->guard);
    g.c = Val::raw(inst->guardNegated ? kFullMask : 0);
    note(g, g.b, false);
    append(std::move(g));
  } else if (guarded) {
    branchToBlock(Val::reg(inst->guard), !inst->guardNegated, 0);
    jump = OpPlace{blocks.size() - 1, blocks.back().ops.size() - 1};
    startBlock();
  }
  OpPlace first{blocks.size() - 1, blocks.back().ops.size()};
  bool decoded = decodeRegular();
  for (VOp &op : post)
    append(std::move(op));
  if ((!decoded || failed) && !deferRefusal(first.block, first.op))
    return jump;
  if (masked) {
    auto &ops = blocks.back().ops;
    for (size_t k = first.op; k < ops.size(); ++k)
      ops[k].conditional = true;
    VOp r;
    r.entry = entry("restore");
    append(std::move(r));
    blocks.back().ops[first.op - 1].skip =
        uint32_t(blocks.back().ops.size() - (first.op - 1));
  }
  return jump;
}

bool FunctionDecoder::decodeInst(uint32_t i) {
  inst = &F.body[i];
  name = &M.instructionNames[inst->name];
  meta = uint32_t(B.P.metas.size());
  post.clear();
  bool handled = false;
  OpPlace first{blocks.size() - 1, blocks.back().ops.size()};
  std::optional<OpPlace> jump;
  if (!decodeControl(i, handled) && !deferRefusal(first.block, first.op))
    return false;
  if (!handled)
    jump = decodeGuarded();
  if (failed)
    return false;
  describe(i);
  // The first operation stands for the instruction.
  if (blocks[first.block].ops.size() > first.op) {
    VOp &op = blocks[first.block].ops[first.op];
    op.meta = meta;
    if (inst->guard != ptx::kNone) {
      op.guard = Val::reg(inst->guard);
      op.guardXor = inst->guardNegated ? kFullMask : 0;
    }
  }
  ++blocks[first.block].numMetas;
  if (jump) {
    startBlock();
    blocks[jump->block].ops[jump->op].target = int32_t(blocks.size() - 1);
  }
  return true;
}

bool FunctionDecoder::decodeBody() {
  std::set<uint32_t> targets;
  for (const ptx::Label &l : F.labels)
    targets.insert(l.instruction);
  for (uint32_t i = 0; i < F.body.size(); ++i) {
    bool afterBranch = false;
    if (i) {
      std::string_view op =
          M.str(M.instructionNames[F.body[i - 1].name].opcode);
      afterBranch = op == "bra" || op == "ret" || op == "exit" || op == "brx" ||
                    op == "call" || op == "trap";
    }
    if (i == 0 || targets.count(i) || afterBranch)
      if (blocks.size() == 0 || !blocks.back().ops.empty() || targets.count(i))
        startBlock();
    blockOfInst.push_back(uint32_t(blocks.size() - 1));
    if (blocks.back().ops.empty() && blocks.back().numMetas == 0)
      blocks.back().firstMeta = uint32_t(B.P.metas.size());
    if (i == 0 && !F.isEntry) {
      meta = uint32_t(B.P.metas.size());
      for (size_t k = 0; k < F.params.size(); ++k)
        moveRegisterParam(F.params[k], paramPlace[k], false);
      // A loop may lead to the first instruction, not to these.
      startBlock();
      blockOfInst.back() = uint32_t(blocks.size() - 1);
    }
    if (!decodeInst(i))
      return false;
  }
  // Falling off the end returns; a label may stand there.
  startBlock();
  blockOfInst.push_back(uint32_t(blocks.size() - 1));
  VOp o;
  o.entry = entry(F.isEntry ? "exit" : "ret");
  o.b = Val::raw(kTruePredicate);
  append(std::move(o));
  blocks.back().exits = true;
  return !failed;
}

void FunctionDecoder::estimateRegisters() {
  FlowGraph flow;
  for (const ptx::Register &r : F.registers)
    flow.words.push_back(
        r.type == ptx::Type::Pred
            ? 0
            : uint8_t(std::max(1u, ptx::typeBytes(r.type) / 4)));
  std::span<InstMeta> metas(B.P.metas);
  for (const VBlock &block : blocks)
    flow.blocks.push_back(
        {metas.subspan(block.firstMeta, block.numMetas), block.succs});
  Folding folding(flow);
  uint32_t arrays = 0;
  if (promoteLocalArrays(flow, folding, D.info.localBytes,
                         metas.subspan(D.firstMeta)))
    arrays = D.info.localBytes / 4;
  RegisterPressure pressure = registerPressure(flow, folding);
  D.info.leastRegisters = arrays + pressure.least;
  D.info.hoistedRegisters = arrays + pressure.hoisted;
  D.info.windowRegisters = arrays + pressure.windows;
  D.info.loadsMakeWindows = pressure.loadsMakeWindows;
}

Status FunctionDecoder::decode() {
  layOutLocals();
  D.firstMeta = uint32_t(B.P.metas.size());
  if (!decodeBody())
    return status;
  inst = nullptr;
  connect();
  findReconvergence();
  estimateRegisters();
  colour();
  if (failed)
    return status;
  D.numMetas = uint32_t(B.P.metas.size()) - D.firstMeta;
  D.defined = true;
  return success();
}

} // namespace hwtune::exec
