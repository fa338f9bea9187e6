//===- Shape.cpp - operand shapes of PTX instructions ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said of an instruction's operands from its opcode alone: how
// many, and which one is an address, a label, a place to write to. Types and
// modifiers are the decoder's.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include <algorithm>

using namespace hwtune;
using namespace hwtune::ptx;

namespace {
/// One letter per operand: d a destination (register, vector, pair, sink),
/// m an address, l a label, v any value, t branch targets. After `?` come
/// operands that may be missing.
struct Shape {
  std::string_view opcode, operands;
};
constexpr Shape kShapes[] = {
    // In alphabetical order.
    {"abs", "dv"},       {"activemask", "d"},   {"add", "dvv"},
    {"addc", "dvv"},     {"and", "dvv"},        {"atom", "dmv?vv"},
    {"bar", "?vvvv"},    {"barrier", "?vvvv"},  {"bfe", "dvvv"},
    {"bfi", "dvvvv"},    {"bfind", "dv"},       {"bmsk", "dvv"},
    {"bra", "l"},        {"brev", "dv"},        {"brkpt", ""},
    {"brx", "vt"},       {"clz", "dv"},         {"cnot", "dv"},
    {"copysign", "dvv"}, {"cos", "dv"},         {"cvt", "dv?vv"},
    {"cvta", "dv"},      {"div", "dvv"},        {"dp2a", "dvvv"},
    {"dp4a", "dvvv"},    {"elect", "dv"},       {"ex2", "dv"},
    {"exit", ""},        {"fence", "?mv"},      {"fma", "dvvv"},
    {"fns", "dvvv"},     {"getctarank", "dv"},  {"isspacep", "dv"},
    {"ld", "dm?vv"},     {"ldmatrix", "dm"},    {"ldu", "dm"},
    {"lg2", "dv"},       {"lop3", "dvvvv?v"},   {"mad", "dvvv"},
    {"mad24", "dvvv"},   {"madc", "dvvv"},      {"mapa", "dvv"},
    {"match", "dvv"},    {"max", "dvv?v"},      {"membar", ""},
    {"min", "dvv?v"},    {"mma", "dvvv?vvvvv"}, {"mov", "dv"},
    {"mul", "dvv"},      {"mul24", "dvv"},      {"nanosleep", "v"},
    {"neg", "dv"},       {"not", "dv"},         {"or", "dvv"},
    {"pmevent", "v"},    {"popc", "dv"},        {"prefetch", "m"},
    {"prefetchu", "m"},  {"prmt", "dvvv"},      {"rcp", "dv"},
    {"red", "mv?v"},     {"redux", "dvv"},      {"rem", "dvv"},
    {"ret", ""},         {"rsqrt", "dv"},       {"sad", "dvvv"},
    {"selp", "dvvv"},    {"set", "dvv?v"},      {"setp", "dvv?v"},
    {"shf", "dvvv"},     {"shfl", "dvvv?v"},    {"shl", "dvv"},
    {"shr", "dvv"},      {"sin", "dv"},         {"slct", "dvvv"},
    {"sqrt", "dv"},      {"st", "mv?v"},        {"stmatrix", "mv"},
    {"sub", "dvv"},      {"subc", "dvv"},       {"szext", "dvv"},
    {"tanh", "dv"},      {"testp", "dv"},       {"trap", ""},
    {"vote", "dv?v"},    {"xor", "dvv"},
};

/// Opcodes whose operands depend on the modifiers.
constexpr std::string_view kShapeless[] = {
    // In alphabetical order.
    "alloca",     "applypriority", "call",      "clusterlaunchcontrol",
    "cp",         "createpolicy",  "discard",   "griddepcontrol",
    "istypep",    "mbarrier",      "movmatrix", "multimem",
    "setmaxnreg", "stackrestore",  "stacksave", "suld",
    "suq",        "sured",         "sust",      "tcgen05",
    "tensormap",  "tex",           "tld4",      "txq",
    "vabsdiff",   "vabsdiff2",     "vabsdiff4", "vadd",
    "vadd2",      "vadd4",         "vavrg2",    "vavrg4",
    "vmad",       "vmax",          "vmax2",     "vmax4",
    "vmin",       "vmin2",         "vmin4",     "vset",
    "vset2",      "vset4",         "vshl",      "vshr",
    "vsub",       "vsub2",         "vsub4",     "wgmma",
    "wmma",
};

const Shape *findShape(std::string_view opcode) {
  auto before = [](const Shape &s, std::string_view name) {
    return s.opcode < name;
  };
  const Shape *end = std::end(kShapes);
  const Shape *it = std::lower_bound(std::begin(kShapes), end, opcode, before);
  return it != end && it->opcode == opcode ? it : nullptr;
}

bool fits(char letter, const Operand &operand) {
  OperandKind kind = operand.kind;
  switch (letter) {
  case 'd':
    return !operand.negated &&
           (kind == OperandKind::Register || kind == OperandKind::Vector ||
            kind == OperandKind::Pair || kind == OperandKind::Sink);
  case 'm':
    return kind == OperandKind::Address;
  case 'l':
    return kind == OperandKind::Label;
  case 't':
    return kind == OperandKind::BranchTargets;
  default:
    return kind == OperandKind::Register || kind == OperandKind::Special ||
           kind == OperandKind::Immediate || kind == OperandKind::Symbol ||
           kind == OperandKind::Vector || kind == OperandKind::Pair ||
           kind == OperandKind::Address;
  }
}

std::string_view describe(char letter) {
  switch (letter) {
  case 'd':
    return "a register to write to";
  case 'm':
    return "an address in brackets";
  case 'l':
    return "a label";
  case 't':
    return "a list of branch targets";
  default:
    return "a value";
  }
}
} // namespace

bool ptx::isOpcode(std::string_view opcode) {
  return findShape(opcode) || std::binary_search(std::begin(kShapeless),
                                                 std::end(kShapeless), opcode);
}

bool Parser::checkShape(const Instruction &inst) {
  const InstructionName &name = module.instructionNames[inst.name];
  std::string_view full = module.str(name.full);
  std::span<const Operand> operands = fn->operandsOf(inst);
  bool mayBranch = false;
  if (shapeIndex.size() <= inst.name)
    shapeIndex.resize(module.instructionNames.size(), -2);
  int &index = shapeIndex[inst.name];
  if (index == -2) {
    const Shape *found = findShape(module.str(name.opcode));
    index = found ? int(found - kShapes) : -1;
  }
  const Shape *shape = index < 0 ? nullptr : &kShapes[index];
  if (shape) {
    size_t optional =
        std::min(shape->operands.find('?'), shape->operands.size());
    size_t least = optional,
           most = shape->operands.size() - (optional != shape->operands.size());
    if (operands.size() < least || operands.size() > most)
      return fail(inst.loc,
                  fmt::format("`{}` has {} operands, expected {}", full,
                              operands.size(),
                              least == most
                                  ? fmt::format("{}", least)
                                  : fmt::format("{} to {}", least, most)));
    for (size_t i = 0; i < operands.size(); ++i) {
      char letter = shape->operands[i < optional ? i : i + 1];
      mayBranch |= letter == 'l';
      if (operands[i].kind == OperandKind::Label && letter != 'l')
        continue; // reported below by its name
      if (!fits(letter, operands[i]))
        return fail(operands[i].loc,
                    fmt::format("operand {} of `{}` must be {}", i + 1, full,
                                describe(letter)));
    }
  }
  // A name that is neither a register nor a variable can only be a label, and
  // labels stand only in branches.
  for (const Operand &operand : operands)
    if (operand.kind == OperandKind::Label && !mayBranch)
      return fail(operand.loc,
                  fmt::format("undefined name `{}`",
                              module.str(pendingName(
                                  uint32_t(&operand - fn->operands.data())))));
  return true;
}

/// The name that the label operand at `place` of the pool was written with.
StringId Parser::pendingName(uint32_t place) const {
  for (const auto &list : pending)
    for (const PendingLabel &use : list)
      if (use.operand == place)
        return use.name;
  return 0;
}
