//===- Matmul.h - contractions through shared memory ------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C[m, n] += A[m, k] * B[k, n] with one block tile of C per block, k in steps,
// A and B through shared memory, and a register tile of C per thread. Any
// contraction is brought to this form: of its loops one plays m, one n, one k;
// other parallel loops become part of the grid, other reduction loops run one
// by one outside of k.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SCHEDULE_MATMUL_MATMUL_H
#define HWTUNE_LIB_SCHEDULE_MATMUL_MATMUL_H

#include "hwtune/Schedule/Schedule.h"

#include <optional>
#include <string>
#include <vector>

namespace hwtune::matmul {

/// One of A, B, C as the schedule sees it.
struct Side {
  unsigned operand = 0; ///< index into `Workload::operands`
  int64_t bytes = 4;    ///< of an element
  /// The tiled loop along its last dimension that is not of size-1 tiles;
  /// empty where it has none.
  std::optional<unsigned> fast;
  /// Whether neighbouring iterations of `fast` are neighbouring elements.
  bool contiguous = false;
};

/// Which loop of a contraction plays which part.
struct Roles {
  /// Types and rows are such that matrix units can run it.
  bool fitsMma = false;
  std::string mismatch; ///< "" where all is well
  Side a, b, c;
  unsigned m = 0, n = 0, k = 0;
  std::vector<unsigned> outer;      ///< parallel loops of tile 1
  std::vector<unsigned> reductions; ///< reduction loops besides k
};

Roles assignRoles(const Workload &w);

/// A configuration by name.
struct Choice {
  int64_t blockM = 1, blockN = 1, blockK = 1, threadM = 1, threadN = 1;
  int64_t vectorA = 1, vectorB = 1, vectorC = 1, unroll = 1;
  bool sharedA = true, sharedB = true;
  int64_t padA = 0, padB = 0, stages = 1;
  /// On the matrix units: a warp's 8 x 4 threads have `threadM` x `threadN`
  /// results each, as fragments of 16 x 8.
  bool mma = false;

  int64_t threadsM() const { return blockM / threadM; }
  int64_t threadsN() const { return blockN / threadN; }
  int64_t threads() const { return threadsM() * threadsN(); }
  /// Register tile in one piece along m and n; a thread has several, dealt
  /// cyclically, so that neighbouring threads read neighbouring elements.
  int64_t pieceM() const { return threadM < kPieceM ? threadM : kPieceM; }
  int64_t pieceN() const { return threadN < vectorC ? threadN : vectorC; }
  /// Values of k in one vector step.
  int64_t stepK() const {
    int64_t step = mma ? kMmaK : kStepK;
    return blockK < step ? blockK : step;
  }
  /// Rows and columns of the tile of a warp on the matrix units.
  int64_t warpM() const { return threadM * kLanesM; }
  int64_t warpN() const { return threadN * kLanesN; }

  static constexpr int64_t kPieceM = 4, kStepK = 4;
  static constexpr int64_t kMmaM = 16, kMmaN = 8, kMmaK = 16;
  /// A warp's threads over a fragment of the result.
  static constexpr int64_t kLanesM = 8, kLanesN = 4;
};

/// Names of the knobs, in the order of `Config`.
enum KnobIndex : unsigned {
  BlockM,
  BlockN,
  BlockK,
  ThreadM,
  ThreadN,
  VectorA,
  VectorB,
  VectorC,
  Unroll,
  SharedA,
  SharedB,
  PadA,
  PadB,
  Stages,
  NumKnobs,
  Mma = NumKnobs ///< only where the workload fits matrix units
};

Choice choiceOf(const Config &config);

/// Rows and elements per row of a tile in memory order.
struct TileShape {
  int64_t rows = 1, columns = 1;
};
TileShape tileA(const Roles &roles, const Choice &c);
TileShape tileB(const Roles &roles, const Choice &c);

/// Bytes of shared memory of one block.
int64_t sharedBytes(const Roles &roles, const Choice &c);
/// 32-bit registers of one thread, estimated.
double registerEstimate(const Roles &roles, const Workload &w, const Choice &c);

/// Tile of a block along each loop; 0 where a loop stays inside.
std::vector<int64_t> gridTiles(const Workload &w, const Roles &roles,
                               const Choice &c);

KernelFeatures features(const Workload &w, const Roles &roles,
                        const TargetSpec &t, const Choice &c);
std::string script(const Workload &w, const Roles &roles, const TargetSpec &t,
                   const Choice &c);

} // namespace hwtune::matmul

#endif // HWTUNE_LIB_SCHEDULE_MATMUL_MATMUL_H
