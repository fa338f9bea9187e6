//===- Features.cpp - what the model sees of a matmul ---------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hwtune::matmul {
namespace {

/// Bytes of one instruction.
constexpr double kInstructionBytes = 16;
/// Address registers, loop counters and the like beside tile and fragments.
constexpr double kBaseRegisters = 16;
/// Values of k whose fragments are live at a time; like the base fitted to what
/// ptxas allocates for register tiles from 2 x 4 to 16 x 8.
constexpr double kLiveSteps = 3;
constexpr double kRegisterStep = 128;

double ceilDiv(double a, double b) { return std::ceil(a / b); }

/// Bytes between neighbouring iterations of `loop` in `op`.
int64_t byteStride(const Workload &w, const Operand &op, unsigned loop) {
  int64_t packed = 1, result = 0;
  for (size_t d = op.index.size(); d-- > 0;) {
    bool known = !op.strides.empty() && op.strides[d] != kDynamic;
    result += op.index[d].coefficients[loop] * (known ? op.strides[d] : packed);
    packed *= assumedSize(w, op, d);
  }
  return result * sizeInBytes(op.type);
}

/// The addresses of one access of one warp: `count` runs of `bytes` bytes that
/// start `stride` bytes apart, each at a multiple of its length.
struct WarpAccess {
  int64_t count = 1, stride = 0, bytes = 4;

  /// Wavefronts: the bank with the most distinct words sets their number.
  double wavefronts(const TargetSpec &t) const {
    constexpr int64_t kMostBanks = 64;
    // In 32 bits, and without a division a run: this is done for every
    // configuration of a space.
    auto banks = uint32_t(std::clamp<int64_t>(t.sharedBanks, 1, kMostBanks));
    auto bankBytes = uint32_t(t.bankBytes);
    uint32_t period = banks * bankBytes;
    auto step = uint32_t(stride % period);
    std::array<int, kMostBanks + 1> begins{}; // +1 where words begin, -1 after
    auto runs = uint32_t(stride == 0 ? 1 : count);
    uint32_t words = std::max(1U, uint32_t(bytes) / bankBytes);
    uint32_t extra = words % banks;
    for (uint32_t i = 0, at = 0; i < runs; ++i) {
      uint32_t first = at / bankBytes, end = first + extra;
      ++begins[first];
      --begins[std::min(end, banks)];
      if (end > banks) {
        ++begins[0];
        --begins[end - banks];
      }
      at = at + step < period ? at + step : at + step - period;
    }
    int here = 0, most = 0;
    for (uint32_t bank = 0; bank < banks; ++bank) {
      here += begins[bank];
      most = std::max(most, here);
    }
    return std::max(1.0, double(runs) * (words / banks) + double(most));
  }
  /// Pieces of `size` bytes that are touched.
  double pieces(int64_t size) const {
    if (stride >= size || stride == 0)
      return double((stride == 0 ? 1 : count) * ((bytes + size - 1) / size));
    return double(((count - 1) * stride + bytes + size - 1) / size);
  }
};

/// Loads of a register fragment: `count` per step of `stepK`.
struct FragmentLoad {
  double count = 0;
  int64_t elements = 1;     ///< per load
  bool rowIsThread = false; ///< each lane's own row, else it walks along rows
};

constexpr int64_t kLanes = 32;

class Builder {
public:
  Builder(const Workload &w, const Roles &roles, const TargetSpec &t,
          const Choice &c)
      : w(w), roles(roles), t(t), c(c) {}
  KernelFeatures build();

private:
  void addOperand(bool isA);
  void addMatrixLoads(bool isA, double copies);
  void addOutput();
  void countInstructions();
  void countMulAdds(double mulAdds);
  void countMatrixUnits(double mulAdds);
  FragmentLoad fragment(bool isA) const;
  WarpAccess fragmentAccess(bool isA, int64_t pitchBytes) const;
  WarpAccess copyAccess(bool isA, int64_t pitchBytes) const;
  AccessStream &stream() { return f.streams[f.numStreams++]; }
  void fillGlobal(AccessStream &s, const WarpAccess &access, const Side &side,
                  int64_t laneElements, double blockElements, double sharing);

  const Workload &w;
  const Roles &roles;
  const TargetSpec &t;
  const Choice &c;
  KernelFeatures f;
  double steps = 1;   ///< turns of the k loop, other reductions included
  double kkSteps = 1; ///< vector steps of k in one of them
  double blocksM = 1, blocksN = 1, blocksOuter = 1;
};

FragmentLoad Builder::fragment(bool isA) const {
  const Side &side = isA ? roles.a : roles.b;
  int64_t mine = isA ? c.threadM : c.threadN;
  int64_t piece = isA ? c.pieceM() : c.pieceN();
  FragmentLoad load;
  // Rows along k are read a step at a time, rows along m or n a piece.
  load.rowIsThread = side.fast == roles.k;
  load.elements = load.rowIsThread ? c.stepK() : piece;
  load.count = double(mine * c.stepK()) / double(load.elements);
  return load;
}

WarpAccess Builder::fragmentAccess(bool isA, int64_t pitchBytes) const {
  const Side &side = isA ? roles.a : roles.b;
  FragmentLoad load = fragment(isA);
  int64_t piece = isA ? c.pieceM() : c.pieceN();
  // Lanes with the same row (of A) or column (of B) read the same address.
  WarpAccess access;
  access.count = isA ? std::max<int64_t>(1, kLanes / c.threadsN())
                     : std::min(kLanes, c.threadsN());
  access.bytes = load.elements * side.bytes;
  access.stride = piece * (load.rowIsThread ? pitchBytes : side.bytes);
  return access;
}

WarpAccess Builder::copyAccess(bool isA, int64_t pitchBytes) const {
  const Side &side = isA ? roles.a : roles.b;
  TileShape tile = isA ? tileA(roles, c) : tileB(roles, c);
  int64_t vector = isA ? c.vectorA : c.vectorB;
  int64_t perRow = std::clamp<int64_t>(tile.columns / vector, 1, kLanes);
  return {kLanes / perRow, pitchBytes, perRow * vector * side.bytes};
}

void Builder::fillGlobal(AccessStream &s, const WarpAccess &access,
                         const Side &side, int64_t laneElements,
                         double blockElements, double sharing) {
  s.vectorBytes = double(laneElements * side.bytes);
  s.sectors = access.pieces(t.sectorBytes);
  s.lines = access.pieces(t.lineBytes);
  s.uniqueBytes = blockElements * double(side.bytes);
  double total = double(side.bytes);
  const Operand &op = w.operands[side.operand];
  for (size_t d = 0; d < op.shape.size(); ++d)
    total *= double(assumedSize(w, op, d));
  s.totalBytes = total;
  s.sharingBlocks = sharing;
}

void Builder::addOperand(bool isA) {
  const Side &side = isA ? roles.a : roles.b;
  const Operand &op = w.operands[side.operand];
  TileShape tile = isA ? tileA(roles, c) : tileB(roles, c);
  unsigned rows = isA ? roles.m : roles.n;
  unsigned slow = side.fast == roles.k ? rows : roles.k;
  int64_t globalPitch = byteStride(w, op, slow);
  bool shared = isA ? c.sharedA : c.sharedB;
  int64_t vector = isA ? c.vectorA : c.vectorB;
  double tileElements = double(tile.rows * tile.columns);
  double copies = tileElements / double(c.threads() * vector);
  FragmentLoad load = fragment(isA);

  AccessStream &global = stream();
  global.loads = steps * (shared ? copies : kkSteps * load.count);
  global.isAsync = c.stages > 1;
  fillGlobal(global,
             shared ? copyAccess(isA, globalPitch)
                    : fragmentAccess(isA, globalPitch),
             side, shared ? vector : load.elements, steps * tileElements,
             isA ? blocksN : blocksM);
  if (!shared)
    return;
  if (c.mma)
    return addMatrixLoads(isA, copies);
  int64_t pitch = (tile.columns + (isA ? c.padA : c.padB)) * side.bytes;
  AccessStream &local = stream();
  local.isShared = true;
  WarpAccess reads = fragmentAccess(isA, pitch);
  local.loads = steps * kkSteps * load.count;
  local.stores = c.stages > 1 ? 0 : steps * copies;
  local.vectorBytes = double(load.elements * side.bytes);
  // Reads and writes have one figure: weigh them by how often they occur.
  double writes = copyAccess(isA, pitch).wavefronts(t);
  local.wavefronts =
      (reads.wavefronts(t) * local.loads + writes * local.stores) /
      std::max(1.0, local.loads + local.stores);
}

/// One ldmatrix brings 16 x 16 values: 32 rows of 16 bytes.
void Builder::addMatrixLoads(bool isA, double copies) {
  const Side &side = isA ? roles.a : roles.b;
  TileShape tile = isA ? tileA(roles, c) : tileB(roles, c);
  int64_t pitch = (tile.columns + (isA ? c.padA : c.padB)) * side.bytes;
  constexpr int64_t kMatrixRowBytes = 16;
  AccessStream &local = stream();
  local.isShared = true;
  local.loads =
      steps * kkSteps * double((isA ? c.warpM() : c.warpN()) / Choice::kMmaK);
  local.stores = c.stages > 1 ? 0 : steps * copies;
  local.vectorBytes = double(kMatrixRowBytes);
  double reads = WarpAccess{kLanes, pitch, kMatrixRowBytes}.wavefronts(t);
  double writes = copyAccess(isA, pitch).wavefronts(t);
  local.wavefronts = (reads * local.loads + writes * local.stores) /
                     std::max(1.0, local.loads + local.stores);
}

void Builder::countMulAdds(double mulAdds) {
  if (c.mma)
    return countMatrixUnits(mulAdds);
  switch (w.accumulator) {
  case ElementType::F64:
    f.fp64 = mulAdds;
    break;
  case ElementType::F16:
  case ElementType::BF16:
    f.fp16 = mulAdds;
    break;
  case ElementType::F32:
    f.fma32 = mulAdds;
    break;
  default:
    f.integer = mulAdds;
  }
}

void Builder::countMatrixUnits(double mulAdds) {
  bool isHalf = w.operands[roles.a.operand].type == ElementType::F16;
  f.tensorType = isHalf ? TensorType::F16AccF32 : TensorType::BF16;
  f.tensorFma = mulAdds;
  f.mmaInsts = mulAdds * double(kLanes) /
               double(Choice::kMmaM * Choice::kMmaN * Choice::kMmaK);
}

void Builder::addOutput() {
  const Operand &op = w.operands[roles.c.operand];
  int64_t piece = c.pieceN();
  bool wide = roles.c.contiguous && roles.c.fast == roles.n;
  int64_t alongM = byteStride(w, op, roles.m);
  int64_t alongN = byteStride(w, op, roles.n);
  int64_t columns = std::min(kLanes, c.threadsN());
  // Rows of pieces side by side; where n is not along rows, single elements.
  WarpAccess access = {kLanes / columns, c.pieceM() * alongM,
                       columns * piece * roles.c.bytes};
  if (!wide)
    access = {kLanes, std::max(piece * alongN, c.pieceM() * alongM),
              roles.c.bytes};
  AccessStream &s = stream();
  s.loads = s.stores = double(c.threadM * c.threadN) / double(wide ? piece : 1);
  fillGlobal(s, access, roles.c, wide ? piece : 1, double(c.blockM * c.blockN),
             1);
}

void Builder::countInstructions() {
  double values = double(c.threadM * c.threadN);
  double mulAdds = values * steps * double(c.blockK);
  const Operand &a = w.operands[roles.a.operand];
  countMulAdds(mulAdds);
  // Widening a fragment: one conversion per element of it.
  if (a.type != w.accumulator && w.accumulator == ElementType::F32 && !c.mma)
    f.otherInsts += steps * double(c.blockK) * double(c.threadM + c.threadN);
  double bodies =
      std::max<double>(1, kkSteps / double(std::max<int64_t>(1, c.unroll)));
  f.otherInsts += steps * (6 + 3 * (bodies > 1 ? bodies : 0));
  f.barriers = !c.sharedA && !c.sharedB ? 0 : steps * (c.stages > 1 ? 1 : 2);
  f.copyPhases = c.sharedA || c.sharedB ? steps : 0;
  double perStep = f.mmaInsts > 0
                       ? f.mmaInsts / (steps * kkSteps)
                       : values * double(c.stepK()) + fragment(true).count +
                             fragment(false).count;
  f.unrolledBody =
      perStep * double(std::min<int64_t>(c.unroll, int64_t(kkSteps)));
  f.codeBytes = kInstructionBytes * (f.unrolledBody + 4 * values + 100);
}

KernelFeatures Builder::build() {
  steps = ceilDiv(double(assumedExtent(w, roles.k)), double(c.blockK));
  for (unsigned loop : roles.reductions)
    steps *= double(assumedExtent(w, loop));
  kkSteps = double(c.blockK) / double(c.stepK());
  blocksM = ceilDiv(double(assumedExtent(w, roles.m)), double(c.blockM));
  blocksN = ceilDiv(double(assumedExtent(w, roles.n)), double(c.blockN));
  for (unsigned loop : roles.outer)
    blocksOuter *= double(assumedExtent(w, loop));
  f.threadsPerBlock = double(c.threads());
  f.blocks = blocksM * blocksN * blocksOuter;
  f.sharedBytes = double(sharedBytes(roles, c));
  f.registers = registerEstimate(roles, w, c);
  addOperand(/*isA=*/true);
  addOperand(/*isA=*/false);
  addOutput();
  countInstructions();
  f.accumulators = double(c.threadM * c.threadN);
  f.fragments = double((c.threadM + c.threadN) * c.stepK());
  f.ilp = f.accumulators;
  f.loopTurns = steps;
  f.stages = double(c.stages);
  f.vectorWidth = double(std::min(c.vectorA, c.vectorB));
  f.flops = w.flops();
  return f;
}

} // namespace

double registerEstimate(const Roles &roles, const Workload &w,
                        const Choice &c) {
  double accumulator = double(sizeInBytes(w.accumulator)) / 4;
  accumulator = std::max(accumulator, 0.5);
  double a = double(std::max<int64_t>(4, roles.a.bytes)) / 4;
  double b = double(std::max<int64_t>(4, roles.b.bytes)) / 4;
  double tile = double(c.threadM * c.threadN) * accumulator;
  // Sums are f32; a register holds two inputs; each fragment is loaded once.
  if (c.mma)
    return double(c.threadM * c.threadN) +
           double(c.threadM * 2 + c.threadN * 4) / 2 + 2 * kBaseRegisters;
  double fragments =
      kLiveSteps * (double(c.threadM) * a + double(c.threadN) * b);
  double all = tile + fragments + kBaseRegisters;
  // A little beyond the step at which two blocks of 256 threads fit an SM, the
  // assembler recomputes addresses to stay below it.
  return all > kRegisterStep && all <= kRegisterStep + kBaseRegisters
             ? kRegisterStep
             : all;
}

KernelFeatures features(const Workload &w, const Roles &roles,
                        const TargetSpec &t, const Choice &c) {
  return Builder(w, roles, t, c).build();
}

} // namespace hwtune::matmul
