//===- ParserImpl.h - the PTX parser's state --------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class over several files: ParseModule (directives of the module),
// ParseVariable (variables, parameters, initialisers), ParseFunction (heads),
// ParseBody (statements and scopes), ParseOperand, ConstExpr, Shape (operand
// shapes by opcode). A function that returns false has reported the error;
// only the first is kept.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_PTX_PARSERIMPL_H
#define HWTUNE_LIB_SIMULATOR_PTX_PARSERIMPL_H

#include "Lexer.h"
#include "Scopes.h"
#include "hwtune/Simulator/Ptx/Ast.h"
#include "hwtune/Support/Expected.h"

#include <fmt/format.h>

namespace hwtune::ptx {

/// Nesting of expressions and of scopes; nobody writes as deep.
inline constexpr unsigned kMaxNesting = 200;
/// Bytes of one variable, and of the initial values of a module.
inline constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 40;
inline constexpr uint64_t kMaxInitBytes = uint64_t(1) << 28;
/// What the largest parameter block of a kernel may hold (sm_70 and newer).
inline constexpr uint32_t kMaxParamBytes = 32764;

/// The value of a constant expression.
struct ConstValue {
  bool isFloat = false;
  bool isSingle = false;   ///< a float written as 0f...
  bool isUnsigned = false; ///< an integer
  uint64_t bits = 0;       ///< of the integer; of the float as f64
};

class Parser {
public:
  explicit Parser(std::string_view text);
  bool parseModule();
  Error takeError() { return std::move(error); }
  Module module;

private:
  // --- tokens and errors (ParseModule.cpp) ---
  void advance() { tok = lexer.next(); }
  bool fail(Loc loc, std::string message);
  bool failExpected(std::string_view what);
  std::string foundText() const;
  bool accept(char c);
  bool expect(char c, std::string_view context);
  bool expectIdentifier(std::string_view what, StringId &name, Loc &loc);
  bool parseU32(std::string_view what, uint32_t &value);
  StringId uniqueName(StringId name);

  // --- module (ParseModule.cpp) ---
  bool parseVersion();
  bool parseTarget();
  bool parseAddressSize();
  bool parseModuleItem();
  bool parseLinked();
  bool parseFile();
  bool parseSection();
  bool parseAlias();
  bool parsePragma(std::vector<std::string> *pragmas);
  /// Takes what `pragmas` say of the next instruction to its place.
  bool placeUsedBytes(std::vector<std::string> &pragmas);

  // --- variables (ParseVariable.cpp) ---
  struct DeclHead {
    Space space = Space::None;
    Linkage linkage = Linkage::Internal;
    Type type = Type::None;
    uint8_t vector = 1;
    uint32_t align = 0;
    bool managed = false;
    bool isPtr = false;
    Space ptrSpace = Space::None;
    uint32_t ptrAlign = 0;
  };
  bool parseDeclHead(DeclHead &head);
  bool parseDeclWord(DeclHead &head, bool &known);
  bool parsePtr(DeclHead &head);
  bool parseAttribute(DeclHead &head);
  bool parseAlign(uint32_t &align);
  bool parseVariables(Space space, Linkage linkage);
  bool parseDeclarator(const DeclHead &head, Variable &variable);
  bool declareVariable(Variable &&variable, Variable *&placed);
  bool redeclareVariable(Variable &&variable, uint32_t index,
                         Variable *&placed);
  bool parseRegisters();
  bool declareRegister(StringId name, const DeclHead &head, Loc loc);
  bool parseInitialiser(Variable &variable);
  bool parseInitLevel(Variable &variable, unsigned level, uint64_t begin,
                      uint64_t bytes);
  bool parseInitElement(Variable &variable, uint64_t offset);
  bool parseInitSymbol(Variable &variable, uint64_t offset, uint64_t mask);
  bool putInit(Variable &variable, uint64_t offset, uint64_t value);
  uint32_t newRegister(StringId name, Type type);

  // --- functions (ParseFunction.cpp) ---
  bool parseFunction(bool isEntry, Linkage linkage);
  bool parseParams(std::vector<Variable> &params, bool isEntry, bool prototype);
  bool parseParam(Variable &param, bool isEntry);
  bool parseFunctionDirectives(Function &function);
  bool parseFunctionDirective(Function &function, bool &known);
  bool parseBound3(std::optional<std::array<uint32_t, 3>> &bound);
  bool parseBound(std::optional<uint32_t> &bound);
  bool placeFunction(Function &&function, uint32_t &index);
  void bindParams(std::vector<Variable> &params, SymbolKind kind);
  void layOutParams(Function &function);

  // --- bodies (ParseBody.cpp) ---
  bool parseBody();
  bool parseStatement();
  bool parseBodyDirective();
  bool parseLabelled(StringId name, Loc loc);
  bool parseBranchTargets(StringId name, Loc loc);
  bool parseCallTargets(StringId name, Loc loc);
  bool parseCallPrototype(StringId name, Loc loc);
  bool parseLoc();
  bool openScope();
  bool closeScope();
  bool resolveLabels();
  bool parseGuard(Instruction &inst);
  bool parseInstruction(Instruction inst);
  bool readName(Instruction &inst);
  uint32_t instructionName(std::string_view full);

  // --- operands (ParseOperand.cpp) ---
  using Operands = std::vector<Operand>;
  bool parseOperands(Instruction &inst, bool isBranch);
  bool parseCallOperands(Operands &out);
  bool parseCallee(Operands &out);
  bool parseOperand(Operand &operand, bool isBranch);
  bool parseNamed(Operand &operand, bool isBranch);
  bool parseRegisterSuffix(Operand &operand, const Binding &binding);
  bool parseSpecialSuffix(Operand &operand);
  bool parseVector(Operand &operand);
  bool parseAddress(Operand &operand);
  bool parseAddressBase(Operand &operand);
  bool parseList(Operand &operand);
  bool parsePairTail(Operand &operand);
  bool parseImmediate(Operand &operand);
  bool parseOffset(int64_t &value);
  bool bindOperand(Operand &operand, StringId name, const Binding &binding);
  void spread(Operand &operand, const Operands &elements);
  const Binding *lookUp(StringId name);
  const Binding *lookUpSpecial(StringId name);
  void labelOperand(Operand &operand, StringId name);

  // --- constant expressions (ConstExpr.cpp) ---
  bool parseConst(ConstValue &value, unsigned depth = 0);
  bool parseBinary(ConstValue &value, int minimum, unsigned depth);
  bool parseUnary(ConstValue &value, unsigned depth);
  bool parsePrimary(ConstValue &value, unsigned depth);
  bool applyBinary(ConstValue &left, const ConstValue &right, int op, Loc loc);
  bool parseConstInt(std::string_view what, int64_t &value);
  bool startsConst() const;

  // --- shapes (Shape.cpp) ---
  bool checkShape(const Instruction &inst);
  StringId pendingName(uint32_t place) const;

  Lexer lexer;
  Token tok;
  Error error;
  bool failed = false;
  Scopes names, labels;
  /// The function being parsed, out of the module until it is complete.
  Function *fn = nullptr;
  uint32_t functionSerial = 1; ///< never 0, the mark of a free name
  uint64_t initBytes = 0;
  /// By `StringId`: the serial of the last function that took the name.
  std::vector<uint32_t> takenBy;
  std::vector<int> shapeIndex; ///< by instruction name; -1 none, -2 not known
  bool isMove = false;         ///< of the instruction being read
  Operands scratch;            ///< operands of the instruction being read
  std::vector<uint32_t> suffixes;  ///< by `StringId`: last `$n` given out
  std::vector<uint32_t> nameIndex; ///< by `StringId` of a full name

  /// A use of a label whose scope is still open. `slot` says where it is to
  /// be filled in: an operand, or a place in a branch target list.
  struct PendingLabel {
    StringId name;
    uint32_t operand = kNone;
    uint32_t list = kNone, place = 0;
    Loc loc;
  };
  std::vector<std::vector<PendingLabel>> pending; ///< by depth
};

} // namespace hwtune::ptx

#endif // HWTUNE_LIB_SIMULATOR_PTX_PARSERIMPL_H
