//===- ExecHarness.h - running PTX text in tests ----------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_TEST_UNIT_SIMULATOR_EXECHARNESS_H
#define HWTUNE_TEST_UNIT_SIMULATOR_EXECHARNESS_H

#include "hwtune/Simulator/Exec/Exec.h"
#include "hwtune/Simulator/Ptx/Parser.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

namespace hwtune::exec {

/// A device of its own with one module.
class ExecHarness {
public:
  explicit ExecHarness(const std::string &ptx, uint32_t capability = 90,
                       const std::string &vectorUnit = "") {
    auto module = ptx::parse(ptx);
    if (!module) {
      error = module.error().str();
      return;
    }
    ProgramOptions options;
    options.computeCapability = capability;
    options.vectorUnit = vectorUnit;
    auto created = Program::create(*module, memory, options);
    if (!created)
      error = created.error().str();
    else
      program = *created;
  }

  template <typename T> DeviceAddress upload(const std::vector<T> &data) {
    DeviceAddress a =
        memory.allocate(std::max<size_t>(1, data.size() * sizeof(T)));
    if (!data.empty())
      memcpy(memory.host(a, data.size() * sizeof(T)), data.data(),
             data.size() * sizeof(T));
    return a;
  }
  template <typename T> std::vector<T> download(DeviceAddress a, size_t count) {
    std::vector<T> out(count);
    if (count)
      memcpy(out.data(), memory.host(a, count * sizeof(T)), count * sizeof(T));
    return out;
  }

  /// Arguments in order, each as its bits; sizes and places are the kernel's.
  LaunchResult run(const std::string &kernel, Dim3 grid, Dim3 block,
                   const std::vector<uint64_t> &args,
                   LaunchOptions options = {}, uint32_t dynamicShared = 0) {
    LaunchResult failed;
    failed.status = LaunchStatus::InvalidRequest;
    failed.diagnostic.text = error;
    if (!program)
      return failed;
    const FunctionInfo *f = program->findFunction(kernel);
    if (!f || f->params.size() != args.size()) {
      failed.diagnostic.text =
          "no kernel '" + kernel + "' with that many parameters";
      return failed;
    }
    std::vector<std::byte> params(f->paramBytes);
    for (size_t i = 0; i < args.size(); ++i)
      memcpy(params.data() + f->params[i].offset, &args[i],
             std::min<size_t>(8, f->params[i].bytes));
    LaunchRequest q;
    q.function = f;
    q.grid = grid;
    q.block = block;
    q.dynamicSharedBytes = dynamicShared;
    q.params = params;
    q.options = std::move(options);
    return launch(*program, memory, q);
  }

  GlobalMemory memory;
  std::shared_ptr<const Program> program;
  std::string error;
};

inline const char *const kPtxHeader =
    ".version 8.0\n.target sm_90\n.address_size 64\n";

/// See evaluate(), which runs this on each vector unit of the host.
inline std::vector<uint64_t>
evaluateOn(const std::string &unit, const std::string &body,
           const std::vector<std::string> &types, const std::string &outType,
           const std::vector<std::vector<uint64_t>> &inputs,
           std::string *error = nullptr) {
  size_t n = inputs.size(), k = types.size();
  auto bitsOf = [](const std::string &t) {
    return t == "pred" ? 32
                       : std::stoi(t.substr(t.find_first_of("0123456789")));
  };
  auto regType = [&](const std::string &t) {
    return "b" + std::to_string(bitsOf(t));
  };
  std::string ptx = kPtxHeader;
  ptx += ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {\n"
         ".reg .pred %p, %q, %done; .reg .b32 %thr, %n, %cta, %size, %x<10>; "
         ".reg .b64 %in, %out, %row, %y<10>;\n";
  const char *names[] = {"%a", "%b", "%c", "%d"};
  for (size_t i = 0; i < k; ++i)
    ptx += ".reg ." + regType(types[i]) + " " + names[i] + ";\n";
  ptx += ".reg ." + regType(outType) + " %z;\n";
  ptx += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, "
         "[n];\n"
         "mov.u32 %thr, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %size, "
         "%ntid.x; mad.lo.u32 %thr, %cta, %size, %thr;\n"
         "setp.ge.u32 %done, %thr, %n; @%done bra END;\n"
         "mad.wide.u32 %row, %thr, " +
         std::to_string(8 * std::max<size_t>(k, 1)) + ", %in;\n";
  for (size_t i = 0; i < k; ++i)
    ptx += "ld.global." + regType(types[i]) + " " + names[i] + ", [%row+" +
           std::to_string(8 * i) + "];\n";
  ptx += body + "\n";
  ptx += "mad.wide.u32 %row, %thr, 8, %out; st.global." + regType(outType) +
         " [%row], %z;\nEND: ret;\n}\n";
  ExecHarness h(ptx, 90, unit);
  if (!h.program) {
    if (error)
      *error = h.error;
    else
      ADD_FAILURE() << h.error << "\n" << ptx;
    return std::vector<uint64_t>(n);
  }
  std::vector<uint64_t> flat;
  for (const auto &row : inputs)
    for (size_t i = 0; i < std::max<size_t>(k, 1); ++i)
      flat.push_back(i < row.size() ? row[i] : 0);
  DeviceAddress in = h.upload(flat), out = h.upload(std::vector<uint64_t>(n));
  LaunchResult r =
      h.run("k", {uint32_t((n + 31) / 32), 1, 1}, {32, 1, 1}, {in, out, n});
  if (!r.ok()) {
    if (error)
      *error = r.diagnostic.str();
    else
      ADD_FAILURE() << r.diagnostic.str();
  }
  return h.download<uint64_t>(out, n);
}

/// Runs `body` once for each row of `inputs` and gives the results' bits.
/// Registers %a, %b, %c, %d hold the inputs (their types are `types`), the
/// result is %z of `outType`; %p, %q are predicates for the body's use, and
/// %x0 to %x9, %y0 to %y9 further registers of 32 and 64 bits.
inline std::vector<uint64_t>
evaluate(const std::string &body, const std::vector<std::string> &types,
         const std::string &outType,
         const std::vector<std::vector<uint64_t>> &inputs,
         std::string *error = nullptr) {
  auto best = evaluateOn("", body, types, outType, inputs, error);
  if (hostVectorUnit() == "avx512" && !error)
    EXPECT_EQ(best, evaluateOn("avx2", body, types, outType, inputs, error))
        << body << ": avx512 and avx2 differ";
  return best;
}

inline uint64_t f32(float v) { return std::bit_cast<uint32_t>(v); }
inline uint64_t f64(double v) { return std::bit_cast<uint64_t>(v); }

} // namespace hwtune::exec

#endif // HWTUNE_TEST_UNIT_SIMULATOR_EXECHARNESS_H
