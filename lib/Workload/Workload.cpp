//===- Workload.cpp - types and totals of a workload ----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Workload/Workload.h"

#include <algorithm>

namespace hwtune {

int64_t sizeInBytes(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 8;
  case ElementType::F32:
  case ElementType::I32:
    return 4;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::I16:
    return 2;
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
  case ElementType::I8:
  case ElementType::I1:
    return 1;
  }
  return 0;
}

namespace {
struct TypeName {
  ElementType type;
  std::string_view name;
};
constexpr TypeName kTypeNames[] = {
    {ElementType::F64, "f64"},       {ElementType::F32, "f32"},
    {ElementType::F16, "f16"},       {ElementType::BF16, "bf16"},
    {ElementType::F8E4M3, "f8e4m3"}, {ElementType::F8E5M2, "f8e5m2"},
    {ElementType::I64, "i64"},       {ElementType::I32, "i32"},
    {ElementType::I16, "i16"},       {ElementType::I8, "i8"},
    {ElementType::I1, "i1"}};
} // namespace

std::string_view toString(ElementType type) {
  for (const TypeName &entry : kTypeNames)
    if (entry.type == type)
      return entry.name;
  return "unknown";
}

std::optional<ElementType> parseElementType(std::string_view text) {
  for (const TypeName &entry : kTypeNames)
    if (entry.name == text)
      return entry.type;
  return std::nullopt;
}

std::string_view toString(WorkloadKind kind) {
  switch (kind) {
  case WorkloadKind::Elementwise:
    return "elementwise";
  case WorkloadKind::Transpose:
    return "transpose";
  case WorkloadKind::Reduction:
    return "reduction";
  case WorkloadKind::Contraction:
    return "contraction";
  case WorkloadKind::Convolution:
    return "convolution";
  case WorkloadKind::Pooling:
    return "pooling";
  case WorkloadKind::Generic:
    return "generic";
  }
  return "unknown";
}

bool Workload::isDynamic() const {
  return std::any_of(loops.begin(), loops.end(),
                     [](const Loop &l) { return l.extent == kDynamic; });
}

bool isLoop(const LinearExpr &e, size_t loop) {
  return e.constant == 0 && loop < e.coefficients.size() &&
         e.coefficients[loop] == 1 &&
         std::count(e.coefficients.begin(), e.coefficients.end(), 0) + 1 ==
             std::ptrdiff_t(e.coefficients.size());
}

int64_t reach(const LinearExpr &e, std::span<const int64_t> extents) {
  int64_t last = e.constant;
  for (size_t i = 0; i < extents.size(); ++i)
    last += std::max<int64_t>(0, e.coefficients[i]) * (extents[i] - 1);
  return last + 1;
}

int64_t Workload::points() const {
  int64_t product = 1;
  for (size_t l = 0; l < loops.size(); ++l)
    product = saturatingMul(product, assumedExtent(*this, l));
  return product;
}

/// A usual extent of a window, in each of its dimensions.
static constexpr int64_t kUsualWindow = 3;

int64_t assumedExtent(const Workload &w, size_t loop) {
  const Loop &l = w.loops[loop];
  if (l.extent != kDynamic)
    return l.extent;
  if (l.assumed > 0)
    return l.assumed;
  return isWindowLoop(w, loop) ? kUsualWindow : kUsualExtent;
}

int64_t assumedSize(const Workload &w, const Operand &op, size_t d) {
  return op.shape[d] != kDynamic ? op.shape[d]
                                 : reach(op.index[d], assumedExtents(w));
}

std::vector<int64_t> assumedExtents(const Workload &w) {
  std::vector<int64_t> extents;
  for (size_t l = 0; l < w.loops.size(); ++l)
    extents.push_back(assumedExtent(w, l));
  return extents;
}

bool isWindowLoop(const Workload &w, size_t loop) {
  if (w.loops[loop].kind != LoopKind::Reduction)
    return false;
  for (const Operand &op : w.operands)
    for (const LinearExpr &expr : op.index)
      for (size_t i = 0; i < expr.coefficients.size(); ++i)
        if (i != loop && expr.coefficients[i] != 0 &&
            expr.coefficients[loop] != 0)
          return true;
  return false;
}

int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t rowMultiple(const Workload &w, const Operand &op) {
  if (op.shape.empty())
    return 1;
  std::vector<int64_t> starts = {op.shape.back(), op.offset};
  if (!op.strides.empty())
    starts.insert(starts.end(), op.strides.begin(), op.strides.end() - 1);
  int64_t multiple = std::max<int64_t>(1, kRowBytes / sizeInBytes(op.type));
  for (int64_t start : starts) {
    if (start == kDynamic && !(w.wholeRows && op.strides.empty()))
      return 1;
    while (start != kDynamic && start % multiple != 0)
      multiple /= 2;
  }
  return multiple;
}

std::vector<int64_t> elementStrides(const Operand &op) {
  if (!op.strides.empty())
    return op.strides;
  std::vector<int64_t> strides(op.shape.size());
  int64_t step = 1;
  for (size_t d = op.shape.size(); d-- > 0;) {
    strides[d] = step;
    step = step == kDynamic || op.shape[d] == kDynamic ? kDynamic
                                                       : step * op.shape[d];
  }
  return strides;
}

std::vector<int64_t> launchStrides(std::span<const int64_t> strides,
                                   std::span<const int64_t> shape) {
  std::vector<int64_t> result(strides.begin(), strides.end());
  if (strides.empty())
    result.assign(shape.size(), kDynamic);
  // Known strides first: the others lie beyond what these span.
  int64_t beyond = 1;
  for (size_t d = 0; d < shape.size(); ++d)
    if (result[d] != kDynamic)
      beyond = std::max(beyond, result[d] * shape[d]);
  for (size_t d = shape.size(); d-- > 0;) {
    if (result[d] != kDynamic)
      continue;
    result[d] = beyond;
    beyond *= std::max<int64_t>(shape[d], 1);
  }
  return result;
}

int64_t spannedElements(std::span<const int64_t> shape,
                        std::span<const int64_t> launchStrides,
                        int64_t offset) {
  int64_t last = offset == kDynamic ? 0 : offset;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] <= 0)
      return 0;
    last += (shape[d] - 1) * launchStrides[d];
  }
  return last + 1;
}

double Workload::flops() const { return double(points()) * double(body.flops); }

} // namespace hwtune
