//===- RunTest.cpp - every schedule, executed -----------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each payload runs under its schedule's generic configuration and some drawn
// from its space, in the simulator with bounds, race and initialisation checks,
// and every element is compared with the CPU reference. Sizes are mostly ones
// that no tile divides.
//
//===----------------------------------------------------------------------===//

#include "RunKernel.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

using namespace hwtune;
using namespace hwtune::test;

namespace {

struct Case {
  std::string name;
  std::string schedule;
  std::string text;
  std::vector<std::vector<int64_t>> shapes{};
  std::vector<double> scalars{};
  unsigned samples = 4;
};

/// A linalg.generic: `maps` and `kinds` as in its attributes, operands as
/// "name: type", the body's text.
std::string generic(std::string maps, std::string kinds,
                    std::vector<std::pair<std::string, std::string>> ins,
                    std::vector<std::pair<std::string, std::string>> outs,
                    std::string body) {
  std::string params, in, inTypes, out, outTypes;
  auto add = [&](auto &list, std::string &names, std::string &types) {
    for (auto &[name, type] : list) {
      params +=
          fmt::format("{}%{}: {}", params.empty() ? "" : ", ", name, type);
      names += fmt::format("{}%{}", names.empty() ? "" : ", ", name);
      types += fmt::format("{}{}", types.empty() ? "" : ", ", type);
    }
  };
  add(ins, in, inTypes);
  add(outs, out, outTypes);
  std::string insText =
      ins.empty() ? "" : fmt::format("ins({} : {}) ", in, inTypes);
  return fmt::format(
      "func.func @kernel({}) {{\n  linalg.generic {{indexing_maps = [{}], "
      "iterator_types = [{}]}} {}outs({} : {}) {{\n{}  }}\n  return\n}}\n",
      params, maps, kinds, insText, out, outTypes, body);
}

const std::string kId2 = "affine_map<(i, j) -> (i, j)>";
const std::string kP2 = "\"parallel\", \"parallel\"";
const std::string kPR = "\"parallel\", \"reduction\"";
void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

const std::string kRP = "\"reduction\", \"parallel\"";

std::string named(const std::string &params, const std::string &op) {
  return fmt::format("func.func @kernel({}) {{\n  {}\n  return\n}}\n", params,
                     op);
}

std::string add2(const std::string &type, const std::string &element,
                 const std::string &op) {
  return generic(kId2 + ", " + kId2 + ", " + kId2, kP2,
                 {{"a", type}, {"b", type}}, {{"c", type}},
                 fmt::format("  ^bb0(%x: {0}, %y: {0}, %z: {0}):\n    %r = {1} "
                             "%x, %y : {0}\n    linalg.yield %r : {0}\n",
                             element, op));
}

std::string reduce(const std::string &in, const std::string &out,
                   const std::string &outMap, const std::string &kinds,
                   const std::string &element, const std::string &op) {
  return generic(kId2 + ", affine_map<(i, j) -> (" + outMap + ")>", kinds,
                 {{"a", in}}, {{"c", out}},
                 fmt::format("  ^bb0(%x: {0}, %z: {0}):\n    %r = {1} %x, %z : "
                             "{0}\n    linalg.yield %r : {0}\n",
                             element, op));
}

std::vector<Case> cases() {
  std::vector<Case> all;
  // elementwise
  all.push_back({"add_f32", "elementwise",
                 add2("memref<37x52xf32>", "f32", "arith.addf")});
  all.push_back({"add_f32_odd", "elementwise",
                 add2("memref<37x51xf32>", "f32", "arith.addf")});
  all.push_back({"mul_f16", "elementwise",
                 add2("memref<33x64xf16>", "f16", "arith.mulf")});
  all.push_back({"sub_bf16", "elementwise",
                 add2("memref<33x40xbf16>", "bf16", "arith.subf")});
  all.push_back({"add_f64", "elementwise",
                 add2("memref<33x41xf64>", "f64", "arith.addf")});
  all.push_back(
      {"xor_i8", "elementwise", add2("memref<33x41xi8>", "i8", "arith.xori")});
  all.push_back({"mul_i64", "elementwise",
                 add2("memref<33x41xi64>", "i64", "arith.muli")});
  all.push_back(
      {"or_i1", "elementwise", add2("memref<13x41xi1>", "i1", "arith.ori")});
  all.push_back({"add_dynamic",
                 "elementwise",
                 add2("memref<?x?xf32>", "f32", "arith.addf"),
                 {{37, 51}, {37, 51}, {37, 51}}});
  all.push_back({"add_half_dynamic",
                 "elementwise",
                 add2("memref<?x64xf32>", "f32", "arith.addf"),
                 {{5, 64}, {5, 64}, {5, 64}}});
  std::string biasRelu =
      "  ^bb0(%x: f32, %y: f32, %z: f32):\n    %zero = arith.constant 0.0 : "
      "f32\n    %s = arith.addf %x, %y : f32\n    %r = arith.maximumf %s, "
      "%zero : f32\n    linalg.yield %r : f32\n";
  all.push_back({"bias_relu", "elementwise",
                 generic(kId2 + ", affine_map<(i, j) -> (j)>, " + kId2, kP2,
                         {{"a", "memref<33x96xf32>"}, {"b", "memref<96xf32>"}},
                         {{"c", "memref<33x96xf32>"}}, biasRelu)});
  all.push_back({"bias_relu_odd", "elementwise",
                 generic(kId2 + ", affine_map<(i, j) -> (j)>, " + kId2, kP2,
                         {{"a", "memref<33x51xf32>"}, {"b", "memref<51xf32>"}},
                         {{"c", "memref<33x51xf32>"}}, biasRelu)});
  all.push_back({"bias_relu_dynamic",
                 "elementwise",
                 generic(kId2 + ", affine_map<(i, j) -> (j)>, " + kId2, kP2,
                         {{"a", "memref<?x?xf32>"}, {"b", "memref<?xf32>"}},
                         {{"c", "memref<?x?xf32>"}}, biasRelu),
                 {{9, 51}, {51}, {9, 51}}});
  // Rows of whole 16-byte accesses, which the launch promises.
  all.push_back({"bias_relu_rows",
                 "elementwise",
                 generic(kId2 + ", affine_map<(i, j) -> (j)>, " + kId2, kP2,
                         {{"a", "memref<?x?xf32>"}, {"b", "memref<?xf32>"}},
                         {{"c", "memref<?x?xf32>"}}, biasRelu),
                 {{9, 52}, {52}, {9, 52}}});
  all.push_back({"row_scale", "elementwise",
                 generic(kId2 + ", affine_map<(i, j) -> (i)>, " + kId2, kP2,
                         {{"a", "memref<33x96xf32>"}, {"b", "memref<33xf32>"}},
                         {{"c", "memref<33x96xf32>"}}, biasRelu)});
  all.push_back({"fill", "elementwise",
                 named("%a: memref<31x70xf32>",
                       "%z = arith.constant 1.5 : f32\n  linalg.fill ins(%z : "
                       "f32) outs(%a : memref<31x70xf32>)")});
  all.push_back(
      {"fill_scalar",
       "elementwise",
       named("%z: f16, %a: memref<31x72xf16>",
             "linalg.fill ins(%z : f16) outs(%a : memref<31x72xf16>)"),
       {},
       {2.5}});
  all.push_back({"copy", "elementwise",
                 named("%a: memref<31x70xi16>, %b: memref<31x70xi16>",
                       "linalg.copy ins(%a : memref<31x70xi16>) outs(%b : "
                       "memref<31x70xi16>)")});
  all.push_back(
      {"exp_gelu", "elementwise",
       generic(
           kId2 + ", " + kId2, kP2, {{"a", "memref<33x40xf32>"}},
           {{"c", "memref<33x40xf32>"}},
           "  ^bb0(%x: f32, %z: f32):\n    %h = arith.constant 0.5 : f32\n    "
           "%one = arith.constant 1.0 : f32\n    %e = math.erf %x : f32\n    "
           "%s = arith.addf %e, %one : f32\n    %m = arith.mulf %x, %h : f32\n "
           "   %g = arith.mulf %m, %s : f32\n    %t = math.tanh %g : f32\n    "
           "%r = math.exp %t : f32\n    linalg.yield %r : f32\n")});
  all.push_back(
      {"mixed_types", "elementwise",
       generic(
           kId2 + ", " + kId2, kP2, {{"a", "memref<33x40xf16>"}},
           {{"c", "memref<33x40xf32>"}},
           "  ^bb0(%x: f16, %z: f32):\n    %e = arith.extf %x : f16 to f32\n   "
           " %r = math.sqrt %e : f32\n    %n = math.absf %e : f32\n    %q = "
           "arith.addf %n, %e : f32\n    linalg.yield %q : f32\n")});
  all.push_back(
      {"two_results", "elementwise",
       generic(kId2 + ", " + kId2 + ", " + kId2, kP2,
               {{"a", "memref<17x32xf32>"}},
               {{"c", "memref<17x32xf32>"}, {"d", "memref<17x32xi32>"}},
               "  ^bb0(%x: f32, %y: f32, %z: i32):\n    %n = arith.negf %x : "
               "f32\n    %i = arith.fptosi %x : f32 to i32\n    linalg.yield "
               "%n, %i : f32, i32\n")});
  all.push_back({"accumulate", "elementwise",
                 generic(kId2 + ", " + kId2, kP2, {{"a", "memref<17x33xf32>"}},
                         {{"c", "memref<17x33xf32>"}},
                         "  ^bb0(%x: f32, %y: f32):\n    %n = arith.addf %x, "
                         "%y : f32\n    linalg.yield %n : f32\n")});
  all.push_back(
      {"tiny", "elementwise", add2("memref<1x3xf32>", "f32", "arith.addf")});
  all.push_back({"scalar_op", "elementwise",
                 generic("affine_map<() -> ()>, affine_map<() -> ()>", "",
                         {{"a", "memref<f32>"}}, {{"c", "memref<f32>"}},
                         "  ^bb0(%x: f32, %y: f32):\n    %n = arith.addf %x, "
                         "%x : f32\n    linalg.yield %n : f32\n")});
  // transpose
  all.push_back({"transpose_2d",
                 "transpose",
                 named("%a: memref<70x36xf32>, %b: memref<36x70xf32>",
                       "linalg.transpose ins(%a : memref<70x36xf32>) outs(%b : "
                       "memref<36x70xf32>) permutation = [1, 0]"),
                 {},
                 {},
                 8});
  all.push_back({"transpose_even",
                 "transpose",
                 named("%a: memref<64x128xf32>, %b: memref<128x64xf32>",
                       "linalg.transpose ins(%a : memref<64x128xf32>) outs(%b "
                       ": memref<128x64xf32>) permutation = [1, 0]"),
                 {},
                 {},
                 8});
  all.push_back({"transpose_f16",
                 "transpose",
                 named("%a: memref<72x40xf16>, %b: memref<40x72xf16>",
                       "linalg.transpose ins(%a : memref<72x40xf16>) outs(%b : "
                       "memref<40x72xf16>) permutation = [1, 0]"),
                 {},
                 {},
                 6});
  all.push_back({"transpose_3d",
                 "transpose",
                 named("%a: memref<5x33x20xf32>, %b: memref<20x5x33xf32>",
                       "linalg.transpose ins(%a : memref<5x33x20xf32>) outs(%b "
                       ": memref<20x5x33xf32>) permutation = [2, 0, 1]"),
                 {},
                 {},
                 6});
  all.push_back({"transpose_021",
                 "transpose",
                 named("%a: memref<5x33x20xi8>, %b: memref<5x20x33xi8>",
                       "linalg.transpose ins(%a : memref<5x33x20xi8>) outs(%b "
                       ": memref<5x20x33xi8>) permutation = [0, 2, 1]"),
                 {},
                 {},
                 6});
  all.push_back({"transpose_dynamic",
                 "transpose",
                 named("%a: memref<?x?xf32>, %b: memref<?x?xf32>",
                       "linalg.transpose ins(%a : memref<?x?xf32>) outs(%b : "
                       "memref<?x?xf32>) permutation = [1, 0]"),
                 {{45, 37}, {37, 45}},
                 {},
                 6});
  all.push_back({"transpose_rows",
                 "transpose",
                 named("%a: memref<?x?xf32>, %b: memref<?x?xf32>",
                       "linalg.transpose ins(%a : memref<?x?xf32>) outs(%b : "
                       "memref<?x?xf32>) permutation = [1, 0]"),
                 {{44, 36}, {36, 44}},
                 {},
                 6});
  all.push_back({"transpose_add",
                 "transpose",
                 generic("affine_map<(i, j) -> (j, i)>, " + kId2 +
                             ", affine_map<(i, j) -> (j)>, " + kId2,
                         kP2,
                         {{"a", "memref<40x36xf32>"},
                          {"b", "memref<36x40xf32>"},
                          {"d", "memref<40xf32>"}},
                         {{"c", "memref<36x40xf32>"}},
                         "  ^bb0(%x: f32, %y: f32, %w: f32, %z: f32):\n    %s "
                         "= arith.addf %x, %y : f32\n    %r = arith.mulf %s, "
                         "%w : f32\n    linalg.yield %r : f32\n"),
                 {},
                 {},
                 6});
  // row and column reductions
  all.push_back({"row_sum",
                 "reduction",
                 reduce("memref<19x260xf32>", "memref<19xf32>", "i", kPR, "f32",
                        "arith.addf"),
                 {},
                 {},
                 8});
  all.push_back({"row_sum_odd",
                 "reduction",
                 reduce("memref<19x131xf32>", "memref<19xf32>", "i", kPR, "f32",
                        "arith.addf"),
                 {},
                 {},
                 6});
  all.push_back({"row_max_f16",
                 "reduction",
                 reduce("memref<19x264xf16>", "memref<19xf16>", "i", kPR, "f16",
                        "arith.maximumf"),
                 {},
                 {},
                 6});
  all.push_back({"row_mul_f64",
                 "reduction",
                 reduce("memref<19x66xf64>", "memref<19xf64>", "i", kPR, "f64",
                        "arith.mulf"),
                 {},
                 {},
                 6});
  all.push_back({"row_min_i32",
                 "reduction",
                 reduce("memref<19x264xi32>", "memref<19xi32>", "i", kPR, "i32",
                        "arith.minsi"),
                 {},
                 {},
                 6});
  all.push_back({"row_and_i8",
                 "reduction",
                 reduce("memref<19x264xi8>", "memref<19xi8>", "i", kPR, "i8",
                        "arith.andi"),
                 {},
                 {},
                 4});
  all.push_back(
      {"row_or_i1",
       "reduction",
       reduce("memref<19x64xi1>", "memref<19xi1>", "i", kPR, "i1", "arith.ori"),
       {},
       {},
       4});
  all.push_back({"row_add_i64",
                 "reduction",
                 reduce("memref<19x264xi64>", "memref<19xi64>", "i", kPR, "i64",
                        "arith.addi"),
                 {},
                 {},
                 4});
  all.push_back({"row_dynamic",
                 "reduction",
                 reduce("memref<?x?xf32>", "memref<?xf32>", "i", kPR, "f32",
                        "arith.addf"),
                 {{11, 173}, {11}},
                 {},
                 6});
  all.push_back({"row_rows",
                 "reduction",
                 reduce("memref<?x?xf32>", "memref<?xf32>", "i", kPR, "f32",
                        "arith.addf"),
                 {{12, 172}, {12}},
                 {},
                 6});
  all.push_back({"column_sum",
                 "reduction",
                 reduce("memref<130x68xf32>", "memref<68xf32>", "j", kRP, "f32",
                        "arith.addf"),
                 {},
                 {},
                 8});
  all.push_back({"column_max_odd",
                 "reduction",
                 reduce("memref<130x67xf32>", "memref<67xf32>", "j", kRP, "f32",
                        "arith.maxnumf"),
                 {},
                 {},
                 6});
  all.push_back({"column_dynamic",
                 "reduction",
                 reduce("memref<?x?xf32>", "memref<?xf32>", "j", kRP, "f32",
                        "arith.addf"),
                 {{77, 45}, {45}},
                 {},
                 6});
  all.push_back({"column_rows",
                 "reduction",
                 reduce("memref<?x?xf32>", "memref<?xf32>", "j", kRP, "f32",
                        "arith.addf"),
                 {{77, 44}, {44}},
                 {},
                 6});
  all.push_back({"sum_all",
                 "reduction",
                 reduce("memref<30x68xf32>", "memref<f32>", "",
                        "\"reduction\", \"reduction\"", "f32", "arith.addf"),
                 {},
                 {},
                 6});
  all.push_back(
      {"middle_sum",
       "reduction",
       generic("affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> "
               "(i, k)>",
               "\"parallel\", \"reduction\", \"parallel\"",
               {{"a", "memref<7x33x40xf32>"}}, {{"c", "memref<7x40xf32>"}},
               "  ^bb0(%x: f32, %z: f32):\n    %r = arith.addf %x, %z : f32\n  "
               "  linalg.yield %r : f32\n"),
       {},
       {},
       6});
  all.push_back(
      {"softmax_sum",
       "reduction",
       generic(kId2 + ", affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>",
               kPR, {{"a", "memref<13x96xf32>"}, {"m", "memref<13xf32>"}},
               {{"c", "memref<13xf32>"}},
               "  ^bb0(%x: f32, %m0: f32, %z: f32):\n    %d = arith.subf %x, "
               "%m0 : f32\n    %e = math.exp %d : f32\n    %r = arith.addf %e, "
               "%z : f32\n    linalg.yield %r : f32\n"),
       {},
       {},
       6});
  // convolution and pooling
  all.push_back({"conv_nhwc",
                 "window",
                 named("%a: memref<2x9x11x6xf32>, %f: memref<3x3x6x12xf32>, "
                       "%c: memref<2x4x5x12xf32>",
                       "linalg.conv_2d_nhwc_hwcf {strides = dense<2> : "
                       "vector<2xi64>} ins(%a, %f : memref<2x9x11x6xf32>, "
                       "memref<3x3x6x12xf32>) outs(%c : memref<2x4x5x12xf32>)"),
                 {},
                 {},
                 8});
  all.push_back({"conv_nchw",
                 "window",
                 named("%a: memref<2x5x12x14xf32>, %f: memref<6x5x3x3xf32>, "
                       "%c: memref<2x6x8x10xf32>",
                       "linalg.conv_2d_nchw_fchw {dilations = dense<2> : "
                       "vector<2xi64>} ins(%a, %f : memref<2x5x12x14xf32>, "
                       "memref<6x5x3x3xf32>) outs(%c : memref<2x6x8x10xf32>)"),
                 {},
                 {},
                 8});
  all.push_back({"depthwise",
                 "window",
                 named("%a: memref<1x10x10x12xf32>, %f: memref<3x3x12xf32>, "
                       "%c: memref<1x8x8x12xf32>",
                       "linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %f : "
                       "memref<1x10x10x12xf32>, memref<3x3x12xf32>) outs(%c : "
                       "memref<1x8x8x12xf32>)"),
                 {},
                 {},
                 8});
  all.push_back(
      {"conv_1d",
       "window",
       named("%a: memref<67xf32>, %f: memref<5xf32>, %c: memref<63xf32>",
             "linalg.conv_1d ins(%a, %f : memref<67xf32>, memref<5xf32>) "
             "outs(%c : memref<63xf32>)"),
       {},
       {},
       6});
  all.push_back(
      {"conv_3d",
       "window",
       named("%a: memref<1x5x6x7x3xf32>, %f: memref<2x3x3x3x4xf32>, %c: "
             "memref<1x4x4x5x4xf32>",
             "linalg.conv_3d_ndhwc_dhwcf ins(%a, %f : memref<1x5x6x7x3xf32>, "
             "memref<2x3x3x3x4xf32>) outs(%c : memref<1x4x4x5x4xf32>)"),
       {},
       {},
       4});
  all.push_back(
      {"conv_f16",
       "window",
       generic("affine_map<(h, w, f, p, q, c) -> (h + p, w + q, c)>, "
               "affine_map<(h, w, f, p, q, c) -> (p, q, c, f)>, affine_map<(h, "
               "w, f, p, q, c) -> (h, w, f)>",
               "\"parallel\", \"parallel\", \"parallel\", \"reduction\", "
               "\"reduction\", \"reduction\"",
               {{"a", "memref<8x9x4xf16>"}, {"k", "memref<3x3x4x16xf16>"}},
               {{"c", "memref<6x7x16xf32>"}},
               "  ^bb0(%x: f16, %y: f16, %z: f32):\n    %u = arith.extf %x : "
               "f16 to f32\n    %v = arith.extf %y : f16 to f32\n    %m = "
               "arith.mulf %u, %v : f32\n    %r = arith.addf %z, %m : f32\n    "
               "linalg.yield %r : f32\n"),
       {},
       {},
       6});
  all.push_back({"max_pool",
                 "window",
                 named("%a: memref<1x9x9x8xf32>, %w: memref<3x3xf32>, %c: "
                       "memref<1x4x4x8xf32>",
                       "linalg.pooling_nhwc_max {strides = dense<2> : "
                       "vector<2xi64>} ins(%a, %w : memref<1x9x9x8xf32>, "
                       "memref<3x3xf32>) outs(%c : memref<1x4x4x8xf32>)"),
                 {},
                 {},
                 6});
  all.push_back(
      {"sum_pool_nchw",
       "window",
       named("%a: memref<2x3x9x11xf32>, %w: memref<2x2xf32>, %c: "
             "memref<2x3x8x10xf32>",
             "linalg.pooling_nchw_sum ins(%a, %w : memref<2x3x9x11xf32>, "
             "memref<2x2xf32>) outs(%c : memref<2x3x8x10xf32>)"),
       {},
       {},
       6});
  all.push_back(
      {"conv_dynamic",
       "window",
       named("%a: memref<?x?x?x4xf32>, %f: memref<3x3x4x8xf32>, %c: "
             "memref<?x?x?x8xf32>",
             "linalg.conv_2d_nhwc_hwcf ins(%a, %f : memref<?x?x?x4xf32>, "
             "memref<3x3x4x8xf32>) outs(%c : memref<?x?x?x8xf32>)"),
       {{2, 7, 9, 4}, {3, 3, 4, 8}, {2, 5, 7, 8}},
       {},
       6});
  // everything else
  all.push_back(
      {"argmax",
       "generic",
       generic(kId2 + ", affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>",
               kPR, {{"a", "memref<19x33xf32>"}},
               {{"best", "memref<19xf32>"}, {"where", "memref<19xi32>"}},
               "  ^bb0(%x: f32, %v: f32, %p: i32):\n    %j = linalg.index 1 : "
               "index\n    %k = arith.index_cast %j : index to i32\n    %g = "
               "arith.cmpf ogt, %x, %v : f32\n    %nv = arith.select %g, %x, "
               "%v : f32\n    %np = arith.select %g, %k, %p : i32\n    "
               "linalg.yield %nv, %np : f32, i32\n"),
       {},
       {},
       6});
  all.push_back(
      {"iota", "generic",
       generic("affine_map<(i, j) -> (i, j)>", kP2, {},
               {{"out", "memref<17x23xi64>"}},
               "  ^bb0(%z: i64):\n    %i = linalg.index 0 : index\n    %j = "
               "linalg.index 1 : index\n    %c = arith.constant 100 : index\n  "
               "  %m = arith.muli %i, %c : index\n    %s = arith.addi %m, %j : "
               "index\n    %r = arith.index_cast %s : index to i64\n    "
               "linalg.yield %r : i64\n")});
  all.push_back(
      {"upsample", "generic",
       generic("affine_map<(i, j) -> (i floordiv 2, j floordiv 2)>, " + kId2,
               kP2, {{"a", "memref<9x11xf32>"}}, {{"c", "memref<18x22xf32>"}},
               "  ^bb0(%x: f32, %z: f32):\n    linalg.yield %x : f32\n")});
  all.push_back(
      {"diagonal", "generic",
       generic("affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>",
               "\"parallel\"", {{"a", "memref<33x33xf32>"}},
               {{"c", "memref<33xf32>"}},
               "  ^bb0(%x: f32, %z: f32):\n    linalg.yield %x : f32\n")});
  all.push_back(
      {"strided_slice", "generic",
       generic("affine_map<(i) -> (i * 2 + 1)>, affine_map<(i) -> (i)>",
               "\"parallel\"", {{"a", "memref<66xf32>"}},
               {{"c", "memref<33xf32>"}},
               "  ^bb0(%x: f32, %z: f32):\n    linalg.yield %x : f32\n")});
  all.push_back(
      {"two_sums",
       "generic",
       generic(kId2 + ", affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>",
               kPR, {{"a", "memref<19x33xf64>"}},
               {{"c", "memref<19xf64>"}, {"d", "memref<19xf64>"}},
               "  ^bb0(%x: f64, %s: f64, %q: f64):\n    %t = arith.addf %s, %x "
               ": f64\n    %m = arith.mulf %x, %x : f64\n    %r = arith.addf "
               "%q, %m : f64\n    linalg.yield %t, %r : f64, f64\n"),
       {},
       {},
       6});
  return all;
}

class Run : public testing::TestWithParam<Case> {};

TEST_P(Run, IsRight) {
  const Case &c = GetParam();
  Payload p = load(c.text, c.shapes, c.scalars);
  ASSERT_EQ(p.error, "") << c.text;
  const Schedule *s = scheduleFor(p.workload);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(s->name(), c.schedule) << toString(p.workload.kind);
  constexpr unsigned seed = 11;
  Space space = s->space(p.workload, testTarget());
  ASSERT_TRUE(space.check());
  for (const Config &config : sample(p, *s, c.samples, seed)) {
    auto rejected = space.reject(config, true);
    EXPECT_FALSE(rejected) << space.toText(config) << ": "
                           << (rejected ? rejected->message() : "");
    auto kernel = compile(p, *s, config);
    ASSERT_TRUE(kernel) << space.toText(config) << " seed " << seed << ": "
                        << kernel.error().str() << "\n"
                        << c.text
                        << s->script(p.workload, testTarget(), config);
    EXPECT_EQ(run(p, *kernel), "") << space.toText(config) << " seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Run, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

/// The generic schedule takes what the others take, too.
TEST(RunGeneric, TakesEverything) {
  const Schedule *s = findSchedule("generic");
  for (const Case &c : cases()) {
    Payload p = load(c.text, c.shapes, c.scalars);
    ASSERT_EQ(p.error, "");
    auto kernel = compile(p, *s, s->generic(p.workload, testTarget()));
    ASSERT_TRUE(kernel) << c.name << ": " << kernel.error().str();
    EXPECT_EQ(run(p, *kernel), "") << c.name;
  }
}

} // namespace
