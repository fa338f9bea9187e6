//===- TargetAttrTest.cpp - TargetSpec to attribute and back --------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/IR/Dialect.h"
#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace hwtune;

namespace {

class TargetAttrTest : public testing::Test {
protected:
  TargetAttrTest() { context.loadDialect<HWTuneDialect>(); }
  mlir::MLIRContext context;
};

TEST_F(TargetAttrTest, KnownDeviceIsItsIdAlone) {
  for (const std::string &id : knownTargetIds()) {
    Expected<TargetSpec> spec = knownTarget(id);
    ASSERT_TRUE(spec) << id;
    TargetAttr attr = TargetAttr::fromSpec(&context, *spec);
    EXPECT_TRUE(attr.getFields().empty()) << id;
    mlir::FailureOr<TargetSpec> back = attr.toSpec();
    ASSERT_TRUE(mlir::succeeded(back)) << id;
    EXPECT_EQ(toJson(*back), toJson(*spec)) << id;
  }
}

/// Each field changed alone survives the way there and back, value and basis,
/// and answers a query.
TEST_F(TargetAttrTest, EveryFieldSurvives) {
  const TargetSpec base = *knownTarget("a100-sxm4-80gb");
  unsigned changed = 0;
  for (const TargetField &field : targetFields()) {
    TargetSpec spec = base;
    spec.id = "changed";
    TargetFieldValue value = getField(spec, field);
    if (auto *i = std::get_if<int64_t>(&value))
      value = *i + 1;
    else if (auto *d = std::get_if<double>(&value))
      value = *d * 0.75;
    else
      continue;
    spec.basis[std::string(field.name)] = {Basis::Measured, "a note"};
    // Some fields are tied to others; such a change is refused as a whole.
    if (!setField(spec, field, value) || !validate(spec))
      continue;
    ++changed;
    TargetAttr attr = TargetAttr::fromSpec(&context, spec);
    mlir::FailureOr<TargetSpec> back = attr.toSpec();
    ASSERT_TRUE(mlir::succeeded(back)) << field.name;
    EXPECT_TRUE(differingFields(*back, spec).empty()) << field.name;
    EXPECT_EQ(toJson(*back), toJson(spec)) << field.name;
    auto name = mlir::StringAttr::get(&context, llvm::StringRef(field.name));
    EXPECT_TRUE(mlir::succeeded(attr.query(mlir::DataLayoutEntryKey(name))))
        << field.name;
  }
  EXPECT_GE(changed, 40u);
}

/// A fact that the table has and the description lacks stays unknown: the table
/// must not shine through a complete description.
TEST_F(TargetAttrTest, CompleteDescriptionHidesTheTable) {
  TargetSpec spec = *knownTarget("a100-sxm4-80gb");
  ASSERT_TRUE(spec.l2Latency);
  spec.l2Latency.reset();
  mlir::FailureOr<TargetSpec> back =
      TargetAttr::fromSpec(&context, spec).toSpec();
  ASSERT_TRUE(mlir::succeeded(back));
  EXPECT_FALSE(back->l2Latency);
}

TEST_F(TargetAttrTest, ReplacedFieldHasBasisUser) {
  mlir::Builder builder(&context);
  auto fields = builder.getDictionaryAttr(
      builder.getNamedAttr("sm_count", builder.getI64IntegerAttr(54)));
  mlir::FailureOr<TargetSpec> spec =
      TargetAttr::get(&context, "a100-sxm4-80gb", fields).toSpec();
  ASSERT_TRUE(mlir::succeeded(spec));
  EXPECT_EQ(spec->smCount, 54);
  EXPECT_EQ(provenanceOf(*spec, "sm_count").basis, Basis::User);
}

} // namespace
