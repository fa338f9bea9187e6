//===- Workload.h - what one operation computes -----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg operation as loops, operands and indexing, with no IR and no GPU in
// it. The compiler storey builds it from an op; schedules, space and model
// read nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_WORKLOAD_WORKLOAD_H
#define HWTUNE_WORKLOAD_WORKLOAD_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hwtune {

enum class ElementType {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  I64,
  I32,
  I16,
  I8,
  I1
};
/// Bytes in memory (i1 is stored as one byte). "f32", "bf16", "i8", ...
int64_t sizeInBytes(ElementType type);
std::string_view toString(ElementType type);
std::optional<ElementType> parseElementType(std::string_view text);

enum class LoopKind { Parallel, Reduction };

inline constexpr int64_t kDynamic = -1;

struct Loop {
  LoopKind kind = LoopKind::Parallel;
  int64_t extent = kDynamic; ///< iterations, or kDynamic
  /// Iterations to count with where the extent is unknown (`assumeSizes`); 0:
  /// not chosen yet.
  int64_t assumed = 0;
};

/// Sum of coefficient * loop + constant: one result of an indexing map.
struct LinearExpr {
  std::vector<int64_t> coefficients; ///< one per loop
  int64_t constant = 0;
};

/// Whether `e` is the loop `loop` itself.
bool isLoop(const LinearExpr &e, size_t loop);
/// One more than the largest value of `e` where each loop has `extents[loop]`
/// iterations: the size that it needs of a dimension.
int64_t reach(const LinearExpr &e, std::span<const int64_t> extents);

struct Operand {
  bool isOutput = false;
  /// Output whose initial value the body reads (accumulation).
  bool readsInit = false;
  bool isScalar = false; ///< not a shaped value: passed by value
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;    ///< extents, kDynamic where unknown
  std::vector<LinearExpr> index; ///< one per dimension of the shape
  /// False where the map is not linear (mod, floordiv, symbols): such an
  /// operand is only read element by element, and `index` is nowhere less.
  bool isLinear = true;
  /// Elements between neighbours along each dimension, kDynamic where unknown;
  /// empty: packed, row by row.
  std::vector<int64_t> strides;
  /// Elements of the buffer before the first one, kDynamic where unknown.
  int64_t offset = 0;
};

/// What the op is, by structure (never by name).
enum class WorkloadKind {
  Elementwise, ///< all loops parallel, every operand a projected permutation
  Transpose,   ///< elementwise whose input and output differ in fastest loop
  Reduction,   ///< >= 1 reduction loop, one shaped input
  Contraction, ///< multiply-accumulate of two inputs, projected permutations
  Convolution, ///< multiply-accumulate, one input indexed by sums of loops
  Pooling,     ///< reduction over a window
  Generic,     ///< everything else that loops and one body describe
};
std::string_view toString(WorkloadKind kind);

/// Operations of one execution of the body.
struct BodyCounts {
  int64_t fma = 0;   ///< multiply-add pairs
  int64_t flops = 0; ///< all floating-point operations, an fma is 2
  int64_t integer = 0;
  int64_t special = 0; ///< exp, log, tanh, rsqrt, sqrt, div, ...
};

struct Workload {
  WorkloadKind kind = WorkloadKind::Generic;
  std::string opName; ///< "linalg.matmul": for people; never decides anything
  std::vector<Loop> loops;
  std::vector<Operand> operands; ///< inputs first, then outputs
  BodyCounts body;
  /// Type the reduction accumulates in (the output's where there is none).
  ElementType accumulator = ElementType::F32;
  /// How the body combines along reduction loops ("add", "maximumf", "mul",
  /// "or", ...), "" where it is not one associative operation.
  std::string combiner;
  /// Whoever launches promises that every dynamic last extent of an operand is
  /// a multiple of `kRowBytes`. Known of no op; tested before the launch.
  bool wholeRows = false;
  /// SHA-256 (hex) of the canonical op text; see `Records`.
  std::string key;

  bool isDynamic() const;
  /// Product of the extents, dynamic ones as assumed; INT64_MAX if that is
  /// more.
  int64_t points() const;
  double flops() const;
};

/// Stands for an extent that is not known until run time.
inline constexpr int64_t kUsualExtent = 1024;
/// Iterations that loop `loop` is taken to have where an amount must be a
/// number: its extent if known, else what was assumed, else those of a usual
/// size; of a window, few.
int64_t assumedExtent(const Workload &w, size_t loop);
/// That of every loop.
std::vector<int64_t> assumedExtents(const Workload &w);
/// The same for dimension `d` of operand `op`.
int64_t assumedSize(const Workload &w, const Operand &op, size_t d);
/// A reduction loop that moves an operand along a dimension in which another
/// loop moves it too.
bool isWindowLoop(const Workload &w, size_t loop);
/// INT64_MAX where the product is more.
int64_t saturatingMul(int64_t a, int64_t b);

/// Bytes of the widest access: what a row of whole rows is a multiple of.
inline constexpr int64_t kRowBytes = 16;

/// Largest power of two, up to `kRowBytes`, of elements that the last extent of
/// `op` is a multiple of and, where it is strided, its offset and the strides
/// of its rows: every row starts and ends at a multiple of it.
int64_t rowMultiple(const Workload &w, const Operand &op);

/// What `w` is, by loops, indexing and body alone; `w.kind` is not read.
WorkloadKind classify(const Workload &w);
/// Every dimension is indexed by one loop of its own, with no offset.
bool isProjectedPermutation(const Operand &op);
/// Whether the element that an iteration touches depends on `loop`.
bool isIndexedBy(const Operand &op, unsigned loop);

/// `op.strides`, or those of packed rows: kDynamic where a size that they
/// depend on is unknown.
std::vector<int64_t> elementStrides(const Operand &op);
/// Strides of a buffer of `shape` in a launch: unknown ones are chosen so that
/// no two elements overlap, as if rows were packed. Empty `strides`: packed.
std::vector<int64_t> launchStrides(std::span<const int64_t> strides,
                                   std::span<const int64_t> shape);
/// Elements from the start of a buffer to the end of its last element; 0 where
/// it has none. An unknown `offset` counts as 0.
int64_t spannedElements(std::span<const int64_t> shape,
                        std::span<const int64_t> launchStrides, int64_t offset);

/// Elements of operand `op` that a tile of `tile[i]` iterations of loop i
/// touches (a tile larger than its loop counts as the loop). The product over
/// the dimensions of the distinct values of each index expression, which is
/// exact where no loop indexes two dimensions; else an upper bound. A scalar,
/// which is not in memory, has none.
int64_t footprint(const Workload &w, const Operand &op,
                  std::span<const int64_t> tile);
int64_t footprintBytes(const Workload &w, const Operand &op,
                       std::span<const int64_t> tile);
/// Bytes of the sectors of `sectorBytes` that hold the footprint, if its rows
/// start at sectors: elements that lie next to each other share them, those of
/// different rows only where the tile covers the rows whole.
int64_t footprintInSectors(const Workload &w, const Operand &op,
                           std::span<const int64_t> tile, int64_t sectorBytes);
/// Bytes that cross a level whose capacity holds exactly one `tile`, reduction
/// tiles innermost: the sum over all tiles, cut ones at their true size, of
/// the inputs each reads; outputs stay while the reduction runs, so they move
/// once per tile of the parallel loops, twice where the initial value is read.
/// Dynamic extents count as 1024.
double bytesMoved(const Workload &w, std::span<const int64_t> tile);
/// Compulsory traffic: every operand once (twice where it is updated).
double minBytes(const Workload &w);
/// Accesses per element fetched, for one tile; 0 for a scalar.
double reuse(const Workload &w, const Operand &op,
             std::span<const int64_t> tile);
/// The loop along which consecutive iterations touch consecutive elements of
/// `op`, if any; the first where several do.
std::optional<unsigned> unitStrideLoop(const Operand &op);

} // namespace hwtune

#endif // HWTUNE_WORKLOAD_WORKLOAD_H
