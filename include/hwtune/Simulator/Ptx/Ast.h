//===- Ast.h - a parsed PTX module ------------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the PTX parser gives and the decoder reads. Every name is resolved:
// a register is a dense id of its function, a symbol an index, a label an
// instruction index, an instruction name ("fma.rn.f32") an index into a table
// of the distinct ones. Nested scopes and shadowed names are gone. Whether an
// instruction exists at all is the decoder's question, not asked here.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SIMULATOR_PTX_AST_H
#define HWTUNE_SIMULATOR_PTX_AST_H

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hwtune::ptx {

/// Index of an interned string; equal strings of one module have equal ids.
using StringId = uint32_t;
inline constexpr uint32_t kNone = ~0u; ///< "no index" in every field below

/// The strings of one module. Copies keep the ids.
class StringTable {
public:
  StringId intern(std::string_view text);
  /// The id of `text`, or `kNone` where the module does not use it.
  StringId find(std::string_view text) const;
  std::string_view operator[](StringId id) const { return strings[id]; }
  size_t size() const { return strings.size(); }

private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::deque<std::string> strings; ///< views into it stay valid as it grows
  std::unordered_map<std::string, StringId, Hash, std::equal_to<>> ids;
};

/// Position in the PTX text, both from 1.
struct Loc {
  uint32_t line = 0, column = 0;
};

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  TexRef,
  SamplerRef,
  SurfRef,
};
/// The type called `name` (no dot: "f16x2"), or nothing.
std::optional<Type> typeFromName(std::string_view name);
std::string_view typeName(Type type);
/// Bytes of one value; `Pred` is 1, the opaque references are 8.
unsigned typeBytes(Type type);

enum class Space : uint8_t { None, Reg, Const, Global, Local, Param, Shared };
std::string_view spaceName(Space space);

enum class Linkage : uint8_t { Internal, Visible, Weak, Extern, Common };

/// What a name other than a register refers to.
enum class SymbolKind : uint8_t {
  None,
  Global,   ///< index into `Module::variables` (.global, .const, and
            ///< module-level .shared)
  Variable, ///< index into `Function::variables`
  Param,    ///< index into `Function::params`
  Return,   ///< index into `Function::returns`
  Function, ///< index into `Module::functions`
};
struct Symbol {
  SymbolKind kind = SymbolKind::None;
  uint32_t index = kNone;
  bool operator==(const Symbol &) const = default;
};

/// `offset` bytes into a variable's initial bytes, `bytes` of the address of
/// `symbol` + `addend` belong, shifted right by `shift` bits (from `mask()`).
struct Relocation {
  uint64_t offset = 0;
  uint8_t bytes = 8;
  uint8_t shift = 0;
  bool generic = false; ///< the generic address, not the one of its space
  Symbol symbol;
  int64_t addend = 0;
};

/// A variable of any space but .reg, or a parameter.
struct Variable {
  StringId name = kNone;
  Space space = Space::None;
  Linkage linkage = Linkage::Internal;
  Type type = Type::None;
  uint8_t vector = 1; ///< elements of a `.v2`/`.v4` type
  bool isArray = false;
  bool unsized = false; ///< `.extern .shared .b8 x[]`: size is 0
  bool managed = false; ///< `.attribute(.managed)`
  uint32_t align = 1;   ///< bytes
  uint64_t bytes = 0;   ///< whole size
  std::vector<uint64_t> dims;
  /// Initial bytes from the start; what is not covered is zero.
  std::vector<uint8_t> init;
  std::vector<Relocation> relocations;
  // --- parameters only ---
  uint32_t offset = 0;  ///< bytes, in the parameter block, natural layout
  uint32_t reg = kNone; ///< of a `.reg` parameter of a .func
  bool isPtr = false;   ///< `.ptr`
  Space ptrSpace = Space::None;
  uint32_t ptrAlign = 0;
  Loc loc;
};

/// One virtual register. Ids are given at first use, so a `%r<9999>` of which
/// 20 are used makes 20 registers. An element of a vector register is a
/// register of its own (`%v.x`).
struct Register {
  StringId name = kNone; ///< unique in the function; "%r1@2" where shadowed
  Type type = Type::None;
};

/// Special registers by their base name; `component` tells x, y, z, w.
enum class SpecialReg : uint8_t {
  Tid,
  NTid,
  LaneId,
  WarpId,
  NWarpId,
  CtaId,
  NCtaId,
  SmId,
  NSmId,
  GridId,
  IsExplicitCluster,
  ClusterId,
  NClusterId,
  ClusterCtaId,
  ClusterNCtaId,
  ClusterCtaRank,
  ClusterNCtaRank,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  Clock,
  ClockHi,
  Clock64,
  Pm,
  Pm64,
  EnvReg,
  GlobalTimer,
  GlobalTimerLo,
  GlobalTimerHi,
  ReservedSmemOffsetBegin,
  ReservedSmemOffsetEnd,
  ReservedSmemOffsetCap,
  ReservedSmemOffset,
  TotalSmemSize,
  AggrSmemSize,
  DynamicSmemSize,
  CurrentGraphExec,
};
/// "%tid", "%envreg"; without component and number.
std::string_view specialRegName(SpecialReg reg);

enum class OperandKind : uint8_t {
  Register,      ///< `index`: register id
  Special,       ///< `special`, `component` (kNone: none), `number` (%envreg3)
  Immediate,     ///< `type` S64, U64, F32 or F64; `value`: the bits
  Symbol,        ///< the address of `symbol`, plus `value`
  Address,       ///< `[base + value]`, see below
  Vector,        ///< `{a, b}`: elements(); registers, immediates, sinks
  Pair,          ///< `p|q`: two elements()
  List,          ///< `(a, b)` of a call: elements()
  Label,         ///< `index` into `Function::labels`
  BranchTargets, ///< `index` into `Function::branchTargets`
  CallTargets,   ///< `index` into `Function::callTargets`
  Prototype,     ///< `index` into `Function::prototypes`
  Sink,          ///< `_`
};

/// One operand. An `Address` has as base a register (`index` != kNone), a
/// symbol, or neither (an absolute address); its elements() are what follows
/// the base in the brackets (`[tensorMap, {c0, c1}]`: one Vector).
struct Operand {
  OperandKind kind = OperandKind::Sink;
  bool negated = false;   ///< `!p`
  Type type = Type::None; ///< of an immediate
  SpecialReg special = SpecialReg::Tid;
  uint8_t component = 0xff; ///< of a special register: 0..3, 0xff none
  uint8_t number = 0;       ///< of %envreg<n>, %pm<n>
  bool generic = false;     ///< `generic(symbol)`
  uint32_t index = kNone;
  /// Part selector of a register in video instructions ("b0", "h1", "h10"...).
  StringId selector = kNone;
  Symbol symbol;
  int64_t value = 0;
  uint32_t first = 0, count = 0; ///< elements, in `Function::operands`
  Loc loc;
};

/// The text of an instruction up to its operands. `opcode` is the first part,
/// `modifiers` the others without dots and in order ("shared::cta" is one).
struct InstructionName {
  StringId full = kNone;
  StringId opcode = kNone;
  std::vector<StringId> modifiers;
};

/// One instruction. `call` always has the operands
/// List (results), Symbol or Register (callee), List (arguments), and a fourth
/// (Prototype or CallTargets) where written.
struct Instruction {
  uint32_t name = kNone;  ///< index into `Module::instructionNames`
  uint32_t guard = kNone; ///< register id of `@p`
  bool guardNegated = false;
  uint32_t first = 0, count = 0; ///< operands, in `Function::operands`
  Loc loc;
};

struct Label {
  StringId name = kNone;
  uint32_t instruction = 0; ///< may be one past the last
  Loc loc;
};

/// `name: .callprototype (…) _ (…);`
struct Prototype {
  StringId name = kNone;
  std::vector<Variable> returns, params;
  bool noreturn = false;
};

/// Performance and launch directives of a kernel; absent where not written.
struct LaunchBounds {
  std::optional<std::array<uint32_t, 3>> maxNTid, reqNTid, reqNCtaPerCluster;
  std::optional<uint32_t> maxNReg, minNCtaPerSm, maxNCtaPerSm, maxClusterRank;
  bool explicitCluster = false;
};

struct Function {
  StringId name = kNone;
  bool isEntry = false;
  bool isDefined = false; ///< has a body
  bool noreturn = false;
  Linkage linkage = Linkage::Internal;
  LaunchBounds bounds;
  std::vector<std::string> pragmas;
  /// `.pragma "used_bytes_mask …"`: of a load, by its place in `body`, a bit
  /// for each byte that is used; the others need not exist. Ascending.
  std::vector<std::pair<uint32_t, uint32_t>> usedBytes;
  std::vector<Variable> params, returns;
  uint32_t paramBytes = 0; ///< of the parameter block (kernels)
  std::vector<Register> registers;
  /// .local, .shared and .param variables of the body. (.global and .const of
  /// a body are in the module, renamed where needed.)
  std::vector<Variable> variables;
  std::vector<Instruction> body;
  std::vector<Operand> operands; ///< pool
  std::vector<Label> labels;
  std::vector<std::vector<uint32_t>> branchTargets; ///< label indices
  std::vector<std::vector<uint32_t>> callTargets;   ///< function indices
  std::vector<Prototype> prototypes;
  Loc loc;

  std::span<const Operand> operandsOf(const Instruction &inst) const {
    return {operands.data() + inst.first, inst.count};
  }
  std::span<const Operand> elements(const Operand &operand) const {
    return {operands.data() + operand.first, operand.count};
  }
  /// The instruction a `Label` operand leads to.
  uint32_t target(const Operand &label) const {
    return labels[label.index].instruction;
  }
};

/// One PTX text. Functions are unique by name: a declaration and its
/// definition are one entry.
struct Module {
  uint32_t versionMajor = 0, versionMinor = 0;
  std::string target;    ///< "sm_80", "sm_90a": as written
  uint32_t targetSm = 0; ///< 80, 90, 120
  /// Suffix of the target: 'a' (this architecture only), 'f' (family), or 0.
  char targetSuffix = 0;
  std::vector<std::string> targetOptions; ///< "debug", "texmode_independent"
  uint32_t addressSize = 64;
  StringTable strings;
  std::vector<InstructionName> instructionNames;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  /// `.alias a, b;`: pairs of function indices.
  std::vector<std::pair<uint32_t, uint32_t>> aliases;

  std::string_view str(StringId id) const { return strings[id]; }
  /// The function called `name`, or null.
  const Function *findFunction(std::string_view name) const;
  const Variable *findVariable(std::string_view name) const;
};

/// Whether PTX has instructions of that opcode ("add", "mbarrier").
bool isOpcode(std::string_view opcode);

} // namespace hwtune::ptx

#endif // HWTUNE_SIMULATOR_PTX_AST_H
