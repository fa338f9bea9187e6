//===- Video.h - scalar and SIMD video instructions -------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_LIB_SIMULATOR_EXEC_VIDEO_H
#define HWTUNE_LIB_SIMULATOR_EXEC_VIDEO_H

#include <cstdint>

namespace hwtune::exec {

enum class VideoOp : uint8_t {
  Add,
  Sub,
  AbsDiff,
  Min,
  Max,
  Shl,
  Shr,
  Mad,
  Set,
  Average
};
enum class VideoCompare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
/// What happens to the result and c.
enum class VideoSecond : uint8_t { None, Add, Min, Max, Merge };

struct VideoDesc {
  VideoOp op{};
  VideoCompare compare{};
  VideoSecond second{};
  uint8_t parts = 1; ///< 1, 2 or 4 elements of a word
  bool signedD = false, signedA = false, signedB = false;
  bool saturate = false, wrap = false, plusOne = false;
  bool negateProduct = false, negateC = false;
  uint8_t scale = 0;
  /// Selected bytes or halves: of a scalar one field, of SIMD one element of
  /// {b, a} for each part. `merge` is the field of d that is replaced, 0xff
  /// none.
  uint8_t fieldA = 0, fieldB = 0, merge = 0xff; ///< bits << 4 | position
  uint8_t selectA[4] = {}, selectB[4] = {};
  uint8_t mask = 0xf; ///< parts that are written or added
};

uint32_t evaluateVideo(const VideoDesc &desc, uint32_t a, uint32_t b,
                       uint32_t c);

} // namespace hwtune::exec

#endif // HWTUNE_LIB_SIMULATOR_EXEC_VIDEO_H
