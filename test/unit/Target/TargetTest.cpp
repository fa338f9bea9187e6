//===- TargetTest.cpp - descriptions, text form, table --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <gtest/gtest.h>

#include <set>

using namespace hwtune;

namespace {

TargetSpec target(const char *id) {
  Expected<TargetSpec> spec = knownTarget(id);
  EXPECT_TRUE(bool(spec)) << id;
  return spec ? *spec : TargetSpec();
}

/// The canonical text of an A100 with one line replaced.
std::string edited(const std::string &from, const std::string &to) {
  TargetSpec spec = target("a100-sxm4-80gb");
  spec.basis.clear(); // plain numbers are easier to replace
  std::string text = toJson(spec);
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &text) {
  Expected<TargetSpec> spec = targetFromJson(text);
  return spec ? "no error" : spec.error().str();
}

} // namespace

TEST(TargetFields, NamesAreUniqueAndDescribed) {
  std::set<std::string_view> names;
  for (const TargetField &field : targetFields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_FALSE(field.description.empty()) << field.name;
    TargetSpec spec;
    bool isText = std::holds_alternative<std::string>(getField(spec, field));
    EXPECT_EQ(field.unit.empty(), isText) << field.name;
  }
}

// Every member has its own field: setting one changes that one alone.
TEST(TargetFields, EachFieldIsItsOwnMember) {
  for (const TargetField &field : targetFields()) {
    TargetSpec a, b;
    TargetFieldValue value = getField(a, field);
    if (std::holds_alternative<std::string>(value))
      value = std::string("other");
    else if (std::holds_alternative<std::vector<int64_t>>(value))
      value = std::vector<int64_t>{7};
    else
      value = field.most;
    ASSERT_TRUE(bool(setField(b, field, value))) << field.name;
    EXPECT_EQ(differingFields(a, b), std::vector{field.name});
  }
}

TEST(KnownTargets, AllTwentyFourAreValidAndComplete) {
  EXPECT_EQ(knownTargetIds().size(), 24u);
  for (const std::string &id : knownTargetIds()) {
    Expected<TargetSpec> spec = knownTarget(id);
    ASSERT_TRUE(bool(spec)) << spec.error().message;
    EXPECT_EQ(spec->id, id);
    if (!spec->isNvidia())
      continue;
    // What the model and the simulator need is there, if only as a default.
    EXPECT_TRUE(spec->clocksPerWavefront && spec->clocksPerMemoryInst) << id;
    EXPECT_TRUE(spec->aluLatency && spec->sharedLatency && spec->l1Latency &&
                spec->l2Latency && spec->dramLatency && spec->barrierLatency)
        << id;
    EXPECT_TRUE(spec->l1BytesPerClk && spec->l2BytesPerClk &&
                spec->dramEffRead && spec->dramEffMixed && spec->launchUs)
        << id;
    EXPECT_EQ(spec->clocksPerWavefront, spec->computeCapability() == 75 ? 2 : 1)
        << id;
    // Peak = SMs * lanes * clock * 2, within the 1.5 % that vendors round by,
    // but for the 2080 Ti, whose boards run faster than the reference clock.
    double peak = 2e-6 * static_cast<double>(spec->smCount * spec->fp32Lanes) *
                  spec->clockMHz;
    if (id != "rtx-2080-ti")
      EXPECT_NEAR(*spec->peakF32 / peak, 1, 0.015) << id;
  }
}

TEST(KnownTargets, EveryNumberHasABasis) {
  for (const std::string &id : knownTargetIds()) {
    TargetSpec spec = target(id.c_str());
    for (const TargetField &field : targetFields()) {
      TargetFieldValue value = getField(spec, field);
      if (std::holds_alternative<std::monostate>(value) ||
          std::holds_alternative<std::string>(value))
        continue;
      bool given = spec.basis.count(std::string(field.name));
      // Barriers are no limit before Hopper: zero by default.
      if (field.name != "barriers_per_sm")
        EXPECT_TRUE(given) << id << " " << field.name;
    }
  }
}

// A number measured on one member of a family is a proxy for the others.
TEST(KnownTargets, OnlyTheMeasuredDeviceSaysMeasured) {
  auto basis = [](const char *id, const char *field) {
    return provenanceOf(target(id), field).basis;
  };
  EXPECT_EQ(basis("rtx-2080-ti", "clocks_per_wavefront"), Basis::Measured);
  EXPECT_EQ(basis("t4", "clocks_per_wavefront"), Basis::Proxy);
  EXPECT_EQ(basis("rtx-3090", "clocks_per_wavefront"), Basis::Measured);
  EXPECT_EQ(basis("rtx-4090", "clocks_per_wavefront"), Basis::Proxy);
  EXPECT_EQ(basis("v100-pcie-16gb", "l2_latency"), Basis::Measured);
  EXPECT_EQ(basis("v100-sxm2-16gb", "l2_latency"), Basis::Proxy);
  EXPECT_EQ(basis("l4", "dram_latency"), Basis::Proxy);
}

TEST(KnownTargets, SpotValues) {
  TargetSpec a100 = target("a100-sxm4-80gb");
  EXPECT_EQ(a100.smCount, 108);
  EXPECT_EQ(a100.sharedPerBlockOptin, 166912);
  EXPECT_EQ(a100.l2Bytes, 41943040);
  EXPECT_EQ(a100.dramBytes, 85899345920);
  EXPECT_DOUBLE_EQ(a100.dramGBs, 2039);
  EXPECT_EQ(a100.tensorFma.f16AccF32, 1024);
  EXPECT_EQ(provenanceOf(a100, "l2_latency").basis, Basis::Measured);
  EXPECT_EQ(provenanceOf(a100, "l2_partitions").basis, Basis::Measured);
  TargetSpec ti = target("rtx-2080-ti");
  EXPECT_EQ(ti.tensorFma.f16AccF32, 256);
  EXPECT_EQ(ti.tensorFma.f16AccF16, 512);
  EXPECT_EQ(provenanceOf(ti, "dram_latency").basis, Basis::Proxy);
  EXPECT_EQ(target("rtx-5090").computeCapability(), 120);
  EXPECT_EQ(target("b200").computeCapability(), 100);
  EXPECT_EQ(target("amd-w6600").computeCapability(), 0);
  EXPECT_EQ(target("amd-w6600").l3Bytes, 33554432);
}

TEST(KnownTargets, UnknownIdNamesTheNearest) {
  Expected<TargetSpec> spec = knownTarget("a100-sxm4-90gb");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().message,
            "unknown target `a100-sxm4-90gb`, did you mean one of: "
            "a100-sxm4-40gb, a100-sxm4-80gb, v100-sxm2-16gb (list all with "
            "`hwtune-run --list-targets`; a description file works too)");
  Expected<TargetSpec> h100 = knownTarget("h100");
  ASSERT_FALSE(h100);
  EXPECT_NE(h100.error().message.find("h100-pcie, h100-sxm"), std::string::npos)
      << h100.error().message;
  EXPECT_FALSE(knownTarget(""));
  EXPECT_FALSE(knownTarget(std::string(100000, 'x')));
}

TEST(KnownTargets, LiveDevicesAreFoundByTheDriversName) {
  EXPECT_EQ(knownTargetIdFor("NVIDIA A100-SXM4-80GB", 80, 85031714816),
            "a100-sxm4-80gb");
  EXPECT_EQ(knownTargetIdFor("NVIDIA A100-SXM4-40GB", 80, 42297786368),
            "a100-sxm4-40gb");
  EXPECT_EQ(knownTargetIdFor("NVIDIA GeForce RTX 2080 Ti", 75, 11539054592),
            "rtx-2080-ti");
  EXPECT_EQ(knownTargetIdFor("NVIDIA H200", 90, 150000000000), "h200");
  EXPECT_EQ(knownTargetIdFor("NVIDIA H100 80GB HBM3", 90, 85000000000),
            "h100-sxm");
  EXPECT_EQ(knownTargetIdFor("Tesla T4", 75, 15843721216), "t4");
  EXPECT_EQ(knownTargetIdFor("Tesla T4", 80, 15843721216), "");
  EXPECT_EQ(knownTargetIdFor("NVIDIA Something", 90, 1), "");
  EXPECT_EQ(knownTargetIdLike(90), "h100-pcie");
  EXPECT_EQ(knownTargetIdLike(61), "");
  EXPECT_EQ(knownTargetIdLike(0), "");
}

TEST(KnownTargets, PtxIsRefusedByName) {
  EXPECT_EQ(whyNoPtx(target("t4")), "");
  EXPECT_EQ(whyNoPtx(target("amd-w7800")),
            "target `amd-w7800` (amd gfx1100, gpu) cannot run PTX: only NVIDIA "
            "GPUs can; it can be attached, enumerated and scored");
}

TEST(TargetText, RoundTripKeepsValuesAndBasis) {
  for (const std::string &id : knownTargetIds()) {
    TargetSpec spec = target(id.c_str());
    Expected<TargetSpec> again = targetFromJson(toJson(spec));
    ASSERT_TRUE(bool(again)) << again.error().message;
    EXPECT_TRUE(differingFields(spec, *again).empty()) << id;
    EXPECT_EQ(toJson(*again), toJson(spec));
  }
}

TEST(TargetText, NumberWithAndWithoutBasis) {
  Expected<TargetSpec> spec = targetFromJson(edited(
      "\"dram_gbs\": 2039", "\"dram_gbs\": {\"value\": 1935.5, "
                            "\"basis\": \"measured\", \"note\": \"me\"}"));
  ASSERT_TRUE(bool(spec)) << spec.error().message;
  EXPECT_DOUBLE_EQ(spec->dramGBs, 1935.5);
  EXPECT_EQ(provenanceOf(*spec, "dram_gbs").basis, Basis::Measured);
  EXPECT_EQ(provenanceOf(*spec, "dram_gbs").note, "me");
  EXPECT_EQ(provenanceOf(*spec, "sm_count").basis, Basis::VendorTable);
}

TEST(TargetText, ErrorsNameFieldValueAndWhatWasExpected) {
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108", "\"sm_count\": 0")),
            "field `sm_count`: value 0 is out of range, expected 1 to 1000000 "
            "(SMs: SMs of the chip)");
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108", "\"sm_count\": 1.5")),
            "field `sm_count`: value `1.5`, expected an integer (SMs of the "
            "chip)");
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108", "\"sm_count\": \"many\"")),
            "field `sm_count`: value `many`, expected an integer (SMs of the "
            "chip)");
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108", "\"sm_count\": null")),
            "sm_count: expected a value for `sm_count` (SMs of the chip), "
            "found null");
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108", "\"sm_cuont\": 108")),
            "unknown field `sm_cuont`; did you mean 'sm_count'?");
  EXPECT_EQ(errorOf(edited("\"sm_count\": 108",
                           "\"sm_count\": {\"value\": 1, \"basis\": \"x\"}")),
            "sm_count.basis: unknown basis `x`, expected one of: measured, "
            "vendor-table, derived, proxy, family-default, unverified, user");
  EXPECT_EQ(
      errorOf(edited("\"sm_count\": 108", "\"sm_count\": {\"value\": 1}")),
      "sm_count: field `basis` is missing");
  EXPECT_EQ(errorOf(edited("\"id\": \"a100-sxm4-80gb\"", "\"id\": \"My GPU\"")),
            "field `id`: value `My GPU`, expected lower-case letters, digits "
            "and dashes, such as `my-gpu`");
  EXPECT_EQ(errorOf(edited("\"kind\": \"gpu\"", "\"kind\": \"dsp\"")),
            "field `kind`: value `dsp`, expected one of: gpu, mobile-gpu, npu");
  EXPECT_EQ(errorOf(edited("\"arch\": \"sm_80\"", "\"arch\": \"ampere\"")),
            "field `arch`: value `ampere`, expected `sm_` and a number, since "
            "the vendor is nvidia");
  EXPECT_EQ(errorOf(edited("\"arch\": \"sm_80\"", "\"arch\": \"\"")),
            "field `arch`: value ``, expected instruction set: sm_80, gfx90a, "
            "...");
  EXPECT_EQ(errorOf("[1]"),
            "target description: expected an object, found a list");
  EXPECT_EQ(errorOf("{\"schema\": 9}"),
            "schema: 9 is out of range, expected 1 to 1");
  EXPECT_NE(errorOf("{\"id\": ").find("target description is no valid JSON: "),
            std::string::npos);
  EXPECT_EQ(errorOf(std::string((1 << 20) + 1, ' ')),
            "target description is 1048577 bytes long, expected at most "
            "1048576");
}

TEST(TargetText, RelationsBetweenFields) {
  EXPECT_EQ(errorOf(edited("\"shared_per_block\": 49152",
                           "\"shared_per_block\": 200000")),
            "field `shared_per_block`: value 200000, expected at most "
            "`shared_per_block_optin` (166912)");
  EXPECT_EQ(errorOf(edited("\"sector_bytes\": 32", "\"sector_bytes\": 48")),
            "field `line_bytes`: value 128, expected a multiple of "
            "`sector_bytes` (48)");
  EXPECT_EQ(
      errorOf(edited("\"max_warps_per_sm\": 64", "\"max_warps_per_sm\": 32")),
      "field `max_threads_per_sm`: value 2048, expected at most "
      "`max_warps_per_sm * warp_size` (1024)");
  TargetSpec spec = target("t4");
  spec.sharedCarveouts = {32768};
  EXPECT_EQ(validate(spec).error().message,
            "field `shared_carveouts`: value [32768], expected ascending, the "
            "last equal to `shared_per_sm` (65536)");
  spec.sharedCarveouts.clear();
  EXPECT_EQ(validate(spec).error().message,
            "field `shared_carveouts`: value [], expected at least one "
            "carve-out, the largest equal to `shared_per_sm`");
}

TEST(TargetText, FilesCarryTheirNameInErrors) {
  EXPECT_EQ(targetFromFile("/nonexistent/x.json").error().str(),
            "cannot read '/nonexistent/x.json': No such file or directory");
  // A slash or the suffix makes a name a file.
  EXPECT_EQ(targetFromIdOrFile("x.json").error().str(),
            "cannot read 'x.json': No such file or directory");
  EXPECT_EQ(targetFromIdOrFile("/").error().str(),
            "cannot read '/': Is a directory");
  EXPECT_TRUE(bool(targetFromIdOrFile("t4")));
}

TEST(TargetText, TableAndSummary) {
  TargetSpec a10 = target("a10");
  std::string table = printTable(a10);
  EXPECT_NE(table.find("l2_latency"), std::string::npos);
  EXPECT_NE(table.find("proxy: A40 at 1740 MHz, RRZE gpu-benches"),
            std::string::npos)
      << table;
  std::string summary = basisSummary(a10);
  EXPECT_NE(summary.find(" proxy"), std::string::npos) << summary;
}

TEST(TargetSpec, ComputeCapability) {
  TargetSpec spec;
  for (auto [arch, expected] : {std::pair{"sm_80", 80},
                                {"sm_90a", 90},
                                {"sm_120", 120},
                                {"sm_120f", 120},
                                {"sm_8", 0},
                                {"sm_", 0},
                                {"sm_8x", 0},
                                {"gfx90a", 0},
                                {"sm_12345", 0},
                                {"", 0}}) {
    spec.arch = arch;
    EXPECT_EQ(spec.computeCapability(), expected) << arch;
  }
}
