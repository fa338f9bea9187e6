//===- RegisterEstimate.cpp - estimated against assembled registers -------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: bench-register-estimate TARGET MANIFEST.json [--rows]
//
// The manifest (of measured_kernels.py or schedule_kernels.py) lists PTX and
// the registers that ptxas gave it on TARGET. Prints how far the simulator's
// estimate is off, and the schedules' own where the manifest has it. Kernels
// that ptxas spills are left out: they have all registers that there are.
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Simulator/Timing/Registers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace hwtune;
using Json = nlohmann::json;

/// Registers of the first entry, 0 where the PTX is not there or not accepted.
static uint32_t estimate(const std::string &path, const TargetSpec &target) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return 0;
  auto module = ptx::parse(*text);
  if (!module)
    return 0;
  exec::GlobalMemory memory;
  auto program = exec::Program::create(*module, memory);
  if (!program)
    return 0;
  for (const exec::FunctionInfo &f : (*program)->functions())
    if (f.isEntry)
      return timing::estimateRegisters(f, target).registers;
  return 0;
}

static void print(const char *what, std::vector<double> ratios) {
  if (ratios.empty())
    return;
  std::vector<double> errors;
  for (double r : ratios)
    errors.push_back(std::fabs(r - 1));
  std::sort(ratios.begin(), ratios.end());
  std::sort(errors.begin(), errors.end());
  auto at = [](const std::vector<double> &v, double q) {
    return v[size_t(q * double(v.size() - 1))];
  };
  fmt::print("{:10} {:4} kernels, error median {:5.1f}%, 90 % below {:5.1f}%; "
             "estimate / ptxas at 5, 50, 95 %: {:.2f} {:.2f} {:.2f}\n",
             what, ratios.size(), 100 * at(errors, 0.5), 100 * at(errors, 0.9),
             at(ratios, 0.05), at(ratios, 0.5), at(ratios, 0.95));
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} TARGET MANIFEST.json [--rows]\n", argv[0]);
    return 2;
  }
  auto measured = readManifest(argv[1], argv[2]);
  if (!measured) {
    fmt::print(stderr, "{}\n", measured.error().str());
    return 2;
  }
  const auto &[target, manifest] = *measured;
  bool rows = argc > 3 && std::string(argv[3]) == "--rows";
  std::vector<double> simulator, schedule;
  for (const Json &kernel : manifest) {
    double asked = kernel["regs"];
    if (kernel["spill_ld"].get<int64_t>() > 0)
      continue;
    uint32_t ours = estimate(kernel["ptx"], target);
    if (rows)
      fmt::print("{} ptxas {} simulator {}\n",
                 kernel["name"].get<std::string>(), asked, ours);
    if (ours)
      simulator.push_back(ours / asked);
    if (kernel.contains("schedule_regs"))
      schedule.push_back(kernel["schedule_regs"].get<double>() / asked);
  }
  print("simulator", simulator);
  print("schedule", schedule);
  return 0;
}
