//===- Score.h - par, fit, score, transfer: the plain formulas --*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The coarse score of the method, reported beside the richer model and never
// instead of it, and the formula that carries a score to another target.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_MODEL_SCORE_H
#define HWTUNE_MODEL_SCORE_H

#include "hwtune/Model/Cost.h"

#include <span>
#include <string_view>

namespace hwtune {

/// par(c,h) = min(threads, cores) / cores.
double par(double threads, double cores);

/// One resource r: what a block needs, what one SM has, its weight, and what
/// is left of the weight where it does not fit (0 in the hard form).
struct ResourceNeed {
  std::string_view name;
  double need = 0, capacity = 0, weight = 0, otherwise = 0;
};
/// fit(c,h) = sum of w_r [need_r <= capacity_r]; weights must sum to 1.
double fit(std::span<const ResourceNeed> needs);
/// score(c,h) = par fit.
double score(double par, double fit);

/// Needs of one block of `features` against one SM: registers, shared memory,
/// and the lines in flight of the L1.
struct Score {
  double par = 0, fit = 0, score = 0;
};
Score scoreOf(const KernelFeatures &features, const TargetSpec &target);

/// mem_ratio(c,h) = t_DRAM / t_level x hit_rate.
double memRatio(double dramLatency, double levelLatency, double hitRate);

/// log score on B from the log score on A: score_B = score_A + alpha Delta,
/// Delta = log t_A - log t_B (predicted), so equal targets give Delta = 0.
double transferScore(double logScoreA, double logTimeA, double logTimeB,
                     double alpha);
/// alpha from the similarity s of two targets: s^4. Equal targets: 1; the model
/// earns less trust in what differs the more differs; nothing in common: 0.
double transferAlpha(double similarity);
/// Similarity of two targets, 0 (nothing in common) .. 1 (equal): the same
/// kind of device and vendor is needed for any; then the mean agreement of the
/// facts that both have.
double similarity(const TargetSpec &a, const TargetSpec &b);

/// Reference case of the method: the soft form of par fit.
struct ReferenceHardware {
  double cores = 2048, registers = 65536, sharedBytes = 49152, cacheLines = 128;
};
double referenceScore(const ReferenceHardware &hw, double block, double thread,
                      double vec, double shared);

} // namespace hwtune

#endif // HWTUNE_MODEL_SCORE_H
