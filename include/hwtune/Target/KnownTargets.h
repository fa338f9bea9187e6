//===- KnownTargets.h - the devices hwtune knows ----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TARGET_KNOWNTARGETS_H
#define HWTUNE_TARGET_KNOWNTARGETS_H

#include "hwtune/Support/Expected.h"
#include "hwtune/Target/TargetSpec.h"

#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

/// The target of a module that names none, on a machine without a GPU.
inline constexpr const char *kDefaultTargetId = "a100-sxm4-80gb";

/// Ids in the order of the table: NVIDIA by age, then Jetson, then AMD.
const std::vector<std::string> &knownTargetIds();

/// An unknown id is an error that names the nearest ids and how to list all.
Expected<TargetSpec> knownTarget(std::string_view id);

/// `text` names a file if it has a slash or ends in ".json", else an id.
Expected<TargetSpec> targetFromIdOrFile(const std::string &text);

/// The entry for a live device: by the driver's name of it and its compute
/// capability (10 * major + minor), told apart by device memory where one name
/// covers several. Null id-less result ("" = unknown device) if there is none.
std::string knownTargetIdFor(std::string_view deviceName, int capability,
                             int64_t dramBytes);

/// Some entry with this compute capability, to borrow what a driver does not
/// tell from; "" if there is none.
std::string knownTargetIdLike(int capability);

/// Why PTX cannot run on `spec`, "" if it can: "`amd-w6600` (amd gfx1032)
/// cannot run PTX: only NVIDIA GPUs can; ...".
std::string whyNoPtx(const TargetSpec &spec);

} // namespace hwtune

#endif // HWTUNE_TARGET_KNOWNTARGETS_H
