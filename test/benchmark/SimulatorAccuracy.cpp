//===- SimulatorAccuracy.cpp - simulated against measured times -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: bench-simulator-accuracy TARGET MANIFEST.json [--no-ptxas] [--rows]
//
// The manifest (written by measured_kernels.py) lists kernels with their PTX,
// launch, measured time and, where there are some, measured counters. Prints
// rank correlations and errors of each model beside roofline and instruction
// count, and predicted over measured event counts; with --rows each kernel as
// soon as it is timed.
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "hwtune/Simulator/Ptx/Parser.h"
#include "hwtune/Simulator/Timing/Timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace hwtune;
using Json = nlohmann::json;

namespace {

struct Row {
  std::string name;
  double measured = 0;
  std::map<std::string, double> predicted; ///< by model
  std::map<std::string, double> ratios;    ///< predicted / measured counts
};

std::vector<double> ranks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]])
      ++j;
    for (size_t k = i; k < j; ++k)
      rank[order[k]] = double(i + j - 1) / 2;
    i = j;
  }
  return rank;
}

double spearman(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> x = ranks(a), y = ranks(b);
  double n = double(x.size()), mean = (n - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double median(std::vector<double> values) {
  if (values.empty())
    return NAN;
  std::sort(values.begin(), values.end());
  size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct Quality {
  double all, fastest, error, bestOfTen;
};

Quality quality(const std::vector<Row> &rows, const std::string &model) {
  std::vector<std::pair<double, double>> both;
  for (const Row &row : rows)
    both.emplace_back(row.measured, row.predicted.at(model));
  std::sort(both.begin(), both.end());
  std::vector<double> measured, predicted, ratio;
  for (auto [m, p] : both) {
    measured.push_back(m);
    predicted.push_back(p);
    ratio.push_back(p / m);
  }
  double scale = median(ratio);
  std::vector<double> errors;
  for (double r : ratio)
    errors.push_back(std::fabs(r / scale - 1));
  size_t tenth = std::max<size_t>(3, both.size() / 10);
  std::vector<double> fastM(measured.begin(), measured.begin() + tenth),
      fastP(predicted.begin(), predicted.begin() + tenth);
  std::sort(both.begin(), both.end(),
            [](auto a, auto b) { return a.second < b.second; });
  double best = both[0].first;
  for (size_t i = 0; i < std::min<size_t>(10, both.size()); ++i)
    best = std::min(best, both[i].first);
  return {spearman(measured, predicted), spearman(fastM, fastP), median(errors),
          best / measured[0]};
}

/// Fills the parameter block from the manifest's "args".
std::vector<std::byte> params(const Json &args, const exec::FunctionInfo &f,
                              exec::GlobalMemory &memory) {
  std::vector<std::byte> block(f.paramBytes);
  for (size_t i = 0; i < args.size() && i < f.params.size(); ++i) {
    std::byte *at = block.data() + f.params[i].offset;
    if (args[i].contains("bytes")) {
      exec::DeviceAddress address = memory.allocate(args[i]["bytes"]);
      std::memcpy(at, &address, 8);
    } else if (args[i].contains("i32")) {
      int32_t value = args[i]["i32"];
      std::memcpy(at, &value, 4);
    } else {
      float value = args[i]["f32"];
      std::memcpy(at, &value, 4);
    }
  }
  return block;
}

void compareCounts(Row &row, const Json &counters,
                   const timing::TimingReport &report) {
  auto put = [&](const char *name, double predicted) {
    if (counters.contains(name) && counters[name].get<double>() > 0)
      row.ratios[name] = predicted / counters[name].get<double>();
  };
  const exec::EventCounts &e = report.launch.events;
  put("smsp__inst_executed.sum", report.hardwareInsts);
  put("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
      double(e.sharedLoadWavefronts));
  put("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      double(e.sharedStoreWavefronts));
  put("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", double(e.globalLoads));
  put("lts__t_sectors_op_write.sum", double(e.globalStoreSectors));
  put("lts__t_sectors_op_read.sum",
      double(e.globalLoadSectors) * (1 - report.l1HitRate));
  put("dram__sectors_read.sum", report.dramReadBytes / 32);
}

bool runKernel(const Json &kernel, const TargetSpec &target, bool usePtxas,
               Row &row) {
  Expected<std::string> text = readFile(kernel["ptx"]);
  if (!text) {
    fmt::print(stderr, "{}\n", text.error().str());
    return false;
  }
  auto module = ptx::parse(*text);
  if (!module) {
    fmt::print(stderr, "{}: {}\n", kernel["name"].get<std::string>(),
               module.error().str());
    return false;
  }
  exec::GlobalMemory memory;
  auto program = exec::Program::create(*module, memory);
  if (!program) {
    fmt::print(stderr, "{}: {}\n", kernel["name"].get<std::string>(),
               program.error().str());
    return false;
  }
  exec::LaunchRequest request;
  for (const exec::FunctionInfo &f : (*program)->functions())
    if (f.isEntry)
      request.function = &f;
  std::vector<std::byte> block =
      params(kernel["args"], *request.function, memory);
  request.params = block;
  request.grid = kernel["grid"].get<exec::Dim3>();
  request.block = kernel["block"].get<exec::Dim3>();
  request.dynamicSharedBytes = kernel.value("shared", 0u);
  timing::TimingOptions options;
  if (usePtxas) {
    options.facts.registers = kernel["regs"];
    options.facts.spillBytes = kernel["spill_ld"].get<uint32_t>();
    options.facts.given = true;
  }
  timing::TimingReport report =
      timing::timeLaunch(**program, memory, request, target, options);
  if (!report.launch.ok()) {
    fmt::print(stderr, "{}: {}\n", kernel["name"].get<std::string>(),
               report.launch.diagnostic.str());
    return false;
  }
  row.name = kernel["name"];
  row.measured = kernel["time_us"].get<double>() * 1e-6;
  row.predicted["formula"] = report.formula.seconds;
  row.predicted["simulation"] = report.simulation.seconds;
  row.predicted["both"] = report.seconds;
  row.predicted["roofline"] = report.rooflineSeconds;
  row.predicted["instructions"] = report.hardwareInsts;
  if (kernel.contains("counters"))
    compareCounts(row, kernel["counters"], report);
  return true;
}

void print(const Row &row) {
  fmt::print("{} measured {:.1f} us", row.name, row.measured * 1e6);
  for (const auto &[model, value] : row.predicted)
    fmt::print(" {} {:.4g}", model,
               model == "instructions" ? value : value * 1e6);
  for (const auto &[name, value] : row.ratios)
    fmt::print(" {}={:.3f}", name, value);
  fmt::print("\n");
  std::fflush(stdout);
}

void printCounts(const std::vector<Row> &rows) {
  std::map<std::string, std::vector<double>> all;
  for (const Row &row : rows)
    for (const auto &[name, value] : row.ratios)
      all[name].push_back(value);
  for (auto &[name, values] : all) {
    std::sort(values.begin(), values.end());
    auto at = [&](double q) { return values[size_t(q * (values.size() - 1))]; };
    fmt::print("{:62} {:6.3f} {:6.3f} {:6.3f}\n", name, at(0.05), at(0.5),
               at(0.95));
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} TARGET MANIFEST.json [--no-ptxas] [--rows]\n",
               argv[0]);
    return 2;
  }
  bool usePtxas = true, printRows = false;
  size_t limit = SIZE_MAX;
  for (int i = 3; i < argc; ++i) {
    std::string arg = argv[i];
    usePtxas &= arg != "--no-ptxas";
    printRows |= arg == "--rows";
    if (arg.starts_with("--limit="))
      limit = std::stoul(arg.substr(8));
  }
  auto measured = readManifest(argv[1], argv[2]);
  if (!measured) {
    fmt::print(stderr, "{}\n", measured.error().str());
    return 2;
  }
  const auto &[target, manifest] = *measured;
  std::vector<Row> rows;
  size_t failed = 0;
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < std::min(limit, manifest.size()); ++i) {
    Row row;
    if (!runKernel(manifest[i], target, usePtxas, row)) {
      ++failed;
      continue;
    }
    if (printRows)
      print(row);
    rows.push_back(std::move(row));
  }
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (rows.size() < 3) {
    fmt::print(stderr, "too few kernels ran: {} ({} failed)\n", rows.size(),
               failed);
    return 1;
  }
  fmt::print("{} kernels, {} failed, {:.2f} s each, registers from {}\n",
             rows.size(), failed, seconds / double(rows.size() + failed),
             usePtxas ? "ptxas" : "our estimate");
  fmt::print("{:14} {:>9} {:>12} {:>12} {:>11}\n", "model", "Spearman",
             "fastest 10%", "median err", "top10/best");
  for (const char *model :
       {"roofline", "instructions", "formula", "simulation", "both"}) {
    Quality q = quality(rows, model);
    fmt::print("{:14} {:9.3f} {:12.3f} {:11.1f}% {:11.3f}\n", model, q.all,
               q.fastest, 100 * q.error, q.bestOfTen);
  }
  fmt::print("\npredicted / measured events at 5, 50, 95 %\n");
  printCounts(rows);
  return 0;
}
