//===- Decode.h - from PTX functions to operations --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function becomes blocks of `Op`s on virtual registers. Then the flow graph
// gives each branch its reconvergence point, and colouring gives each register
// a slot of the frame.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_DECODE_H
#define HWTUNE_LIB_SIMULATOR_EXEC_DECODE_H

#include "Core.h"
#include "Video.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune::exec {

/// An operand before colouring: a virtual register, a constant or a number
/// that is used as it is.
struct Val {
  enum Kind : uint32_t { Raw, Reg, Const } kind = Raw;
  uint32_t index = 0;
  static Val raw(uint32_t n) { return {Raw, n}; }
  static Val reg(uint32_t n) { return {Reg, n}; }
};

/// Register classes: 32 lanes of 4 or 8 bytes, or a predicate word.
enum class RegClass : uint8_t { Pred, Word, Quad, Oct };

struct VOp {
  const Entry *entry = nullptr;
  Val d, a, b, c;
  Val ext[4];
  bool hasExt = false;
  std::vector<uint32_t> defs, uses; ///< virtual registers
  bool conditional = false;         ///< under a guard: defs do not kill
  int32_t target = -1; ///< branch: instruction index, later block index
  int32_t recon = -1;
  uint32_t skip = 0; ///< guard: operations up to and including restore
  uint32_t mem = kNoMeta;
  std::vector<Val> memSlots;
  bool kernelParam = false; ///< reads the parameter block at a fixed place
  uint32_t call = kNoMeta;
  uint32_t matrix = kNoMeta; ///< memSlots are its A, B, C, D registers
  uint32_t meta = kNoMeta;
  Val guard; ///< at the first op of an instruction
  uint32_t guardXor = 0;
};

struct VBlock {
  std::vector<VOp> ops;
  std::vector<uint32_t> succs;
  uint32_t firstMeta = 0, numMetas = 0;
  bool isReconvergence = false;
  bool exits = false; ///< ends in ret or exit
};

/// A variable's place, by space.
struct Place {
  ptx::Space space = ptx::Space::None;
  uint64_t address = 0;
};

class ProgramBuilder;

class FunctionDecoder {
public:
  FunctionDecoder(ProgramBuilder &builder, uint32_t index);
  Status decode();

private:
  friend class ProgramBuilder;
  ProgramBuilder &B;
  const ptx::Module &M;
  const ptx::Function &F;
  DecodedFunction &D;
  uint32_t index;
  std::vector<VBlock> blocks;
  std::vector<RegClass> classes; ///< by virtual register
  std::map<std::pair<bool, uint64_t>, uint32_t> constIndex;
  std::vector<DecodedFunction::Constant> constants;
  std::vector<uint32_t> variablePlace, paramPlace, returnPlace;
  std::vector<uint32_t> blockOfInst;
  std::vector<VOp> post; ///< after the current instruction's own operation
  const ptx::Instruction *inst = nullptr;
  const ptx::InstructionName *name = nullptr;
  uint32_t meta = 0;
  Status status = success();
  bool failed = false;
  bool refused = false; ///< failed for want of an implementation

  // --- names ---
  std::string_view opcode() const { return M.str(name->opcode); }
  size_t numMods() const { return name->modifiers.size(); }
  std::string_view mod(size_t i) const { return M.str(name->modifiers[i]); }
  bool hasMod(std::string_view text) const;
  bool hasShared() const; ///< names the shared space in one of its ways
  std::string_view lastMod() const {
    return numMods() ? mod(numMods() - 1) : "";
  }
  std::span<const ptx::Operand> operands() const { return F.operandsOf(*inst); }

  // --- errors ---
  bool fail(std::string message);
  bool unsupported() { return unsupported(""); }
  bool unsupported(std::string why);

  /// Puts what refuses to run in place of a failed instruction, whose
  /// operations begin at `begin` of the block `block`. False where the failure
  /// is an error of the module.
  bool deferRefusal(size_t block, size_t begin);

  /// Fails, saying how many operands there are, where there are fewer.
  bool needs(size_t count);

  // --- values ---
  uint32_t temp(RegClass cls);
  Val constant(bool wide, uint64_t bits);
  Val source(const ptx::Operand &operand, char letter);
  Val destination(const ptx::Operand &operand, char letter);
  /// For results whose register may be wider: extended as `from` ("s8").
  Val wideDestination(const ptx::Operand &operand, std::string_view from);
  Val immediate(const ptx::Operand &operand, char letter);
  Val special(const ptx::Operand &operand, char letter);
  Val symbolAddress(const ptx::Operand &operand, char letter);
  RegClass classOf(const ptx::Operand &operand) const {
    return classes[operand.index];
  }

  // --- emission ---
  const Entry *entry(const std::string &key);
  VOp &emit(const Entry *e, Val d, std::initializer_list<Val> sources = {});
  VOp &emit(const std::string &key, Val d,
            std::initializer_list<Val> sources = {});
  void append(VOp op) { blocks.back().ops.push_back(std::move(op)); }
  void note(VOp &op, Val value, bool def);
  void startBlock();
  void endMeta();

  // --- instructions, by family; false after an error ---
  bool decodeInst(uint32_t i);
  struct OpPlace {
    size_t block = 0, op = 0;
  };
  std::optional<OpPlace> decodeGuarded();
  bool decodeBody();
  bool decodeControl(uint32_t i, bool &handled);
  bool decodeRegular();
  bool decodeFamily(bool &handled);
  bool decodeBySignature(const Entry &e, std::span<const ptx::Operand> ops);
  bool decodeSetp();
  bool decodeSet();
  Val pairTest(Val a, Val b, std::string_view half, size_t lastOption,
               std::string_view &boolean);
  bool decodePairSetp();
  bool decodePairSet();
  bool decodeMov();
  bool decodeVectorMov();
  bool decodePack(unsigned bytes);
  bool decodeUnpack(unsigned bytes);
  bool decodePolicy();
  bool decodeCvt();
  bool decodeAnyCvt();
  bool decodeCvta();
  bool decodeIsspacep();
  void emitInWindow(Val p, Val a, uint64_t begin, uint64_t bytes);
  void emitIsConstant(Val p, Val a);
  bool decodeLop3();
  bool decodeLoad() { return decodeMemory(false); }
  bool decodeStore();
  bool decodeMemory(bool isStore);
  /// Of `count` elements of `bytes` that this load brings, those up to the last
  /// that is used.
  size_t usedElements(size_t count, unsigned bytes) const;
  Val memoryValue(const ptx::Operand &e, std::string_view type, unsigned bytes,
                  bool isStore);
  bool readKernelParam(const ptx::Operand &at, MemDesc &desc, VOp &op);
  const Entry *memoryEntry(const MemDesc &desc);
  struct AtomicForm {
    const Entry *entry = nullptr;
    ptx::Space space = ptx::Space::None;
    unsigned elems = 1;
    std::string_view what, type; ///< "cas", "f32"
  };
  bool readAtomic(AtomicForm &form);
  bool decodeAtomic();
  bool isAsync() const; ///< st.async, red.async
  bool completeTransaction(unsigned bytes);
  bool decodeBar();
  bool decodeClusterBarrier();
  bool decodeCall();
  bool bindDirectCallee(const ptx::Operand &operand, CallDesc &call);
  bool bindIndirectCallee(std::span<const ptx::Operand> ops, CallDesc &call);
  bool bindCallValues(const ptx::Operand &list, bool areResults,
                      std::vector<CallValue> &values,
                      std::vector<Val> &registers);
  bool emitCall(CallDesc call, const std::vector<Val> &registers,
                size_t firstResult);
  bool decodeWarp();
  bool decodeElect();
  bool decodeShuffle(std::string_view mode);
  bool decodeVote(std::string_view mode);
  bool decodeMatch();
  bool decodeRedux();
  Val members();
  /// Of `d|p`; of `d` alone with an empty second.
  std::pair<ptx::Operand, ptx::Operand>
  resultAndPredicate(const ptx::Operand &operand) const;
  bool decodeMatrix();
  bool readMultiply(MatrixDesc &D);
  bool decodeMultiply();
  bool decodeMatrixRows(bool isStore);
  bool readFragmentMove(MatrixDesc &D, ptx::Space &space);
  bool decodeFragmentMove(bool isStore);
  bool emitMatrixMove(VOp o, const MatrixDesc &D, const MemDesc &desc,
                      std::span<const ptx::Operand> elems, char letter);
  bool decodeAsync();
  bool decodeMbarrier();
  bool decodeMbarrierArrive(bool drop);
  bool decodeMbarrierWait();
  bool decodeCopyArrive();
  VOp &emitMbarrier(const char *what, const ptx::Operand &where, Val d, Val b);
  bool decodeVideo();
  bool readVideo(VideoDesc &d);
  bool readVideoSelectors(VideoDesc &d);
  bool decodeStack();
  bool decodeClusterAddress();
  std::vector<std::string_view> orderedMods() const;
  std::string canonicalName() const;
  void branch(Val pred, bool negated, uint32_t targetInst);
  void branchToBlock(Val pred, bool negated, int32_t block);
  bool needsBranchGuard() const;
  void moveRegisterParam(const ptx::Variable &v, uint32_t place, bool toFrame);

  struct MemForm {
    ptx::Space space = ptx::Space::None;
    unsigned elems = 1;
    std::string_view type;
  };
  bool memoryForm(MemForm &form);
  /// Fills the descriptor of an access and gives the base register.
  Val address(const ptx::Operand &operand, ptx::Space space, MemDesc &desc);
  uint32_t addMem(MemDesc desc);
  ptx::Space spaceOf(const ptx::Symbol &symbol) const;

  // --- layout ---
  void layOutLocals();
  uint32_t frameOffset(const ptx::Symbol &symbol) const;

  // --- passes (Flow.cpp, Colour.cpp) ---
  bool onlyExits(const VBlock &block) const;
  void connect();
  void findReconvergence();
  void colour();
  void estimateRegisters();
  void describe(uint32_t i);
  void describeOperand(const ptx::Operand &operand, bool isWritten,
                       InstMeta &m) const;
  void describeAccess(ptx::Space space, InstMeta &m) const;
};

/// How the wmma.load or wmma.store of a matrix goes to memory.
FragmentShape fragmentShape(const MatrixDesc &matrix);

class ProgramBuilder {
public:
  ProgramBuilder(const ptx::Module &module, GlobalMemory &memory,
                 const ProgramOptions &options, Program::Impl &impl)
      : M(module), memory(memory), options(options), P(impl) {}
  Status build();

  const ptx::Module &M;
  GlobalMemory &memory;
  const ProgramOptions &options;
  Program::Impl &P;
  uint32_t capability = 0;
  std::vector<Place> modulePlaces;                ///< by module variable
  std::vector<std::vector<uint32_t>> sharedPlace; ///< by function and variable
  std::vector<uint32_t> sharedTop;                ///< static bytes by function
  /// Where the shared memory of device functions ends, after the module's.
  uint32_t functionsSharedTop = 0;
  uint32_t moduleSharedBytes = 0;

private:
  Status placeModuleVariables();
  DeviceAddress allocateManaged(uint64_t bytes);
  Status initialise();
  void placeShared();
  FunctionInfo describe(const ptx::Function &function) const;
  void sumShared();
};

InstClass classify(std::string_view opcode, std::string_view type,
                   ptx::Space space, std::string_view full);
inline bool isOneOf(std::string_view name,
                    std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
/// "b32" for "f32", "u32", ...: the untyped form of the same size.
std::string untyped(std::string_view type);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_DECODE_H
