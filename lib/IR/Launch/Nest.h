//===- Nest.h - loops and addresses of a linalg op --------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linalg op seen as groups of loops and flat buffers: what the emitters of
// launch_points, launch_reduction and launch_transpose share.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_IR_LAUNCH_NEST_H
#define HWTUNE_LIB_IR_LAUNCH_NEST_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>
#include <string>
#include <vector>

namespace hwtune::launch {

using Builder = mlir::ImplicitLocOpBuilder;

/// An index that is known now, or a value at run time.
struct Int {
  std::optional<int64_t> constant;
  mlir::Value value; ///< set where `constant` is not
  /// A divisor that is known of `value`, a power of two.
  int64_t multiple = 1;

  Int() = default;
  Int(int64_t c) : constant(c) {}
  Int(mlir::Value v);
  bool is(int64_t c) const { return constant == c; }
  bool isMultipleOf(int64_t n) const {
    return constant.value_or(multiple) % n == 0;
  }
  mlir::Value get(Builder &b) const;
};
Int add(Builder &b, Int x, Int y);
Int mul(Builder &b, Int x, Int y);
Int divide(Builder &b, Int x, Int y); ///< of non-negative numbers
Int remainder(Builder &b, Int x, Int y);
Int ceilDivide(Builder &b, Int x, int64_t y);
Int atLeastOne(Builder &b, Int x);
/// x < y, for signed index values.
mlir::Value less(Builder &b, Int x, Int y);
mlir::Value lessEqual(Builder &b, Int x, Int y);

/// An operand of the op, seen as a flat buffer.
struct Buffer {
  mlir::OpOperand *use = nullptr;
  bool shaped = false;
  mlir::Type element;
  mlir::AffineMap map;
  llvm::SmallVector<Int> dims; ///< sizes
  /// Elements; those of packed rows are set inside the launch.
  llvm::SmallVector<Int> strides;
  mlir::Value hostBase; ///< what enters the launch
  Int offset = 0;       ///< elements before the first one
  mlir::Value flat;     ///< 1-d memref inside the launch
  /// Elements between iterations of each group; empty where the map is not
  /// linear in the loops.
  llvm::SmallVector<Int> perGroup;
  Int constant = 0;
  bool linear = true;
};

/// Values that describe one point: an index for each group.
using Indices = llvm::SmallVector<Int>;

class Nest {
public:
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<llvm::SmallVector<unsigned>> groups; ///< loops of each
  llvm::SmallVector<bool> reduction;                     ///< of each group
  llvm::SmallVector<Int> loopExtents;                    ///< of each loop
  llvm::SmallVector<Int> extents;                        ///< of each group
  std::vector<Buffer> buffers;                           ///< of each operand
  mlir::gpu::LaunchOp launch;

  /// Reads the op. `collapse` gives the sizes of the groups. "" or what is
  /// wrong with it.
  std::string initialise(Builder &b, mlir::linalg::LinalgOp op,
                         llvm::ArrayRef<int64_t> collapse);
  unsigned size() const { return groups.size(); }
  llvm::SmallVector<unsigned> parallelGroups() const;
  llvm::SmallVector<unsigned> reductionGroups() const;
  unsigned numInputs() { return op.getNumDpsInputs(); }

  /// Makes the launch, and leaves `b` inside it with all strides at hand.
  /// `shared` are the types of workgroup buffers.
  void createLaunch(Builder &b, Int blocks, int64_t threads,
                    llvm::ArrayRef<mlir::Type> shared = {});

  mlir::Value threadId() { return launch.getThreadIds().x; }
  mlir::Value blockId() { return launch.getBlockIds().x; }

  /// Indices of the loops of the op at `at`.
  llvm::SmallVector<mlir::Value> loopIndices(Builder &b, const Indices &at);
  /// Flat element address of `buffer` at `at`.
  Int address(Builder &b, const Buffer &buffer, const Indices &at);

  /// Splits a linear number over `counts`, the last fastest.
  static llvm::SmallVector<Int> split(Builder &b, Int linear,
                                      llvm::ArrayRef<Int> counts);

  /// Why accesses of `width` elements of `buffer` along `group`, at multiples
  /// of `width`, are not contiguous and aligned; "" where they are. Inside the
  /// launch only.
  std::string vectorProblem(const Buffer &buffer, unsigned group,
                            int64_t width) const;

  mlir::Value load(Builder &b, const Buffer &buffer, Int address,
                   int64_t width = 1);
  void store(Builder &b, const Buffer &buffer, Int address,
             llvm::ArrayRef<mlir::Value> values);

  /// The body at `at` with `arguments` for its block arguments; what it
  /// yields. With `fuse`, a product that is only added becomes an fma.
  llvm::SmallVector<mlir::Value> body(Builder &b, const Indices &at,
                                      mlir::ValueRange arguments,
                                      bool fuse = false);

private:
  std::string readOperand(Builder &b, mlir::OpOperand &operand);
  std::string readExtents(Builder &b);
  std::string group(llvm::ArrayRef<int64_t> collapse);
  std::string checkGroup(llvm::ArrayRef<unsigned> loops) const;
  void readLayout(Builder &b, Buffer &buffer, mlir::MemRefType type);
  void enterBuffer(Builder &b, Buffer &buffer);
};

Int product(Builder &b, llvm::ArrayRef<Int> factors);

} // namespace hwtune::launch

#endif // HWTUNE_LIB_IR_LAUNCH_NEST_H
