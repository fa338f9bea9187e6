//===- LaunchDescription.h - how to run and check PTX -----------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `launch.json`: the only thing that passes from the compiler to `hwtune-run`,
// beside the PTX and `expected.bin`. The text form has the field names below in
// snake_case (`dynamic_shared_bytes`).
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MEASURE_LAUNCHDESCRIPTION_H
#define HWTUNE_MEASURE_LAUNCHDESCRIPTION_H

#include "hwtune/Measure/Projection.h"
#include "hwtune/Support/Expected.h"
#include "hwtune/Workload/Workload.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hwtune {

/// One device buffer. Inputs are filled from the counter-based generator
/// (`Measure/Generator.h`) with `seed`; outputs are poisoned before each run
/// unless `readsInit`, then they are filled like inputs and restored.
struct BufferDesc {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape; ///< static here: the sizes of this launch
  bool isOutput = false;
  bool readsInit = false;
  uint64_t seed = 0;
  int64_t elements() const;
  int64_t bytes() const;
};

struct ArgDesc {
  enum class Kind { Buffer, Scalar } kind = Kind::Buffer;
  unsigned buffer = 0; ///< index into `buffers`
  int64_t byteOffset = 0;
  ElementType type = ElementType::I64; ///< of a scalar
  double scalar = 0;
};

struct KernelDesc {
  std::string entry;
  std::array<int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  int64_t dynamicSharedBytes = 0;
  /// Per thread, from `ptxas` or the compiler's estimate; 0: unknown. Only a
  /// simulated device reads them: a real one knows better.
  int64_t registers = 0, spillBytes = 0;
  std::vector<ArgDesc> args; ///< in kernel parameter order
};

/// Expected values of one output buffer: all elements, a list of linear indices
/// with the values at these, or the sums of a projection. Tolerance of each is
/// `relative * bound[i] + absolute`, integers exact; `bound` is sum |a*b|
/// (design: 4 (K + 4) u sum|ab|), kept with the value in `expected.bin`.
struct ExpectedDesc {
  unsigned buffer = 0;
  bool partial = false;           ///< indices precede the values
  uint64_t offset = 0, count = 0; ///< into the file: bytes, elements
  double relative = 0, absolute = 0;
  /// Compared only where every block ran (see `sampleBlocks`).
  bool wholeGrid = false;
  /// The values are sums of elements; never partial.
  std::optional<Projection> projection;
};

struct LaunchDescription {
  int schema = 1;
  std::string target;       ///< id the PTX was made for
  std::string arch;         ///< "sm_80"
  std::string ptxFile;      ///< relative to the description
  std::string expectedFile; ///< relative; "" = nothing to compare with
  std::vector<BufferDesc> buffers;
  std::vector<KernelDesc> kernels; ///< launched in order
  std::vector<ExpectedDesc> expected;
  /// Blocks of the last kernel to run to the end where a full run is too long
  /// (simulated device only); empty = all.
  std::vector<std::array<int64_t, 3>> sampleBlocks;
  double flops = 0; ///< of all kernels, for reports

  std::string toJson() const;
  static Expected<LaunchDescription> fromJson(std::string_view text);
};

} // namespace hwtune

#endif // HWTUNE_MEASURE_LAUNCHDESCRIPTION_H
