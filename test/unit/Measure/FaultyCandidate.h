//===- FaultyCandidate.h - a candidate on the faulty driver -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_MEASURE_FAULTYCANDIDATE_H
#define HWTUNE_TEST_UNIT_MEASURE_FAULTYCANDIDATE_H

#include "hwtune/Measure/ChildRun.h"
#include "hwtune/Measure/Elements.h"
#include "hwtune/Measure/ExpectedFile.h"
#include "hwtune/Support/File.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include <unistd.h>

namespace hwtune {

inline constexpr int64_t kElements = 1024;

/// A candidate on disk: C = A + 1 for the driver to write, with all that
/// `hwtune-run` needs.
class FaultyCandidate : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() +
             fmt::format(
                 "hwtune-fault-{}-{}", getpid(),
                 testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    ExpectedValues values;
    std::string written(kElements * 4, '\0');
    for (int64_t i = 0; i < kElements; ++i) {
      double v = static_cast<double>(i) / 8;
      values.values.push_back(v);
      values.bounds.push_back(v);
      encodeElement(ElementType::F32, v,
                    reinterpret_cast<std::byte *>(written.data()) + 4 * i);
    }
    LaunchDescription d;
    d.target = "a100-sxm4-80gb";
    d.arch = "sm_80";
    d.ptxFile = "kernel.ptx";
    d.expectedFile = "expected.bin";
    d.buffers = {{"A", ElementType::F32, {kElements}, false, false, 1},
                 {"C", ElementType::F32, {kElements}, true, false, 0}};
    KernelDesc k;
    k.entry = "kernel";
    k.block = {128, 1, 1};
    k.grid = {8, 1, 1};
    k.args.resize(2);
    k.args[1].buffer = 1;
    d.kernels = {k};
    std::string expected;
    ExpectedDesc e;
    e.buffer = 1;
    e.relative = 1e-6;
    appendExpected(expected, values, e);
    d.expected = {e};
    launch = d;
    save("C.bin", written);
    save("expected.bin", expected);
    save("kernel.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n");
    save("launch.json", d.toJson());
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void save(const std::string &name, const std::string &bytes) {
    ASSERT_TRUE(bool(writeFileAtomically(folder + "/" + name, bytes)));
  }

  /// Runs the candidate with these faults, a list of JSON objects.
  RunOutcome run(const std::string &faults, double limit = 20,
                 const std::string &more = "") {
    ChildRunRequest r;
    r.program = HWTUNE_RUN;
    r.device = HWTUNE_FAULTY_DRIVER;
    r.launchFile = folder + "/launch.json";
    r.limitSeconds = limit;
    r.options = options;
    r.options.push_back(fmt::format(
        R"(--driver-config={{"writes":[{{"arg":1,"file":"{}/C.bin"}}],"faults":[{}]{}}})",
        folder, faults, more));
    return runInChild(r);
  }

  static std::string fault(const char *call, const char *what, int nth = 1,
                           int result = 999) {
    return fmt::format(R"({{"call":"{}","do":"{}","nth":{},"result":{}}})",
                       call, what, nth, result);
  }

  std::string folder;
  LaunchDescription launch;
  std::vector<std::string> options;
};

} // namespace hwtune

#endif // HWTUNE_TEST_UNIT_MEASURE_FAULTYCANDIDATE_H
