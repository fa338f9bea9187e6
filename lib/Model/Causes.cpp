//===- Causes.cpp - what sets two kernels apart, in plain words -----------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Model/Cost.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwtune {

namespace {

constexpr double kLanes = 32, kSectorBytes = 32, kBankBytes = 4;

/// How a kernel uses one kind of memory; per thread, all streams together.
struct Accesses {
  double count = 0, bytes = 0;      ///< accesses, bytes a lane asks for
  double sectors = 0;               ///< of a warp
  double wavefronts = 0, least = 0; ///< with conflicts, and without any

  Accesses(const KernelFeatures &f, bool shared) {
    for (int i = 0; i < f.numStreams; ++i) {
      const AccessStream &s = f.streams[size_t(i)];
      double n = s.loads + s.stores;
      if (s.isShared != shared)
        continue;
      count += n;
      bytes += n * s.vectorBytes;
      sectors += n * s.sectors;
      wavefronts += n * s.wavefronts;
      least += n * std::max(1.0, s.vectorBytes / kBankBytes);
    }
  }
  /// Of the bytes fetched; a broadcast uses all of them.
  double efficiency() const {
    return std::min(1.0, bytes * kLanes / (sectors * kSectorBytes));
  }
};

/// A property that both kernels have, in its own words.
struct Property {
  double a, b;
  /// "{} against {} ..."
  std::string text;

  double difference() const { return std::abs(std::log(a / b)); }
};

/// Nearer ones explain nothing.
constexpr double kSame = 0.1;

class Comparison {
public:
  void add(double a, double b, std::string text) {
    Property p{a, b, std::move(text)};
    if (a > 0 && b > 0 && p.difference() > kSame)
      properties.push_back(std::move(p));
  }
  /// What only one of them does.
  void one(bool a, bool b, std::string_view does) {
    if (a != b)
      lonely.push_back(fmt::format("{} {}", a ? "it" : "the other", does));
  }
  std::string text() {
    std::stable_sort(properties.begin(), properties.end(),
                     [](const Property &x, const Property &y) {
                       return x.difference() > y.difference();
                     });
    for (const Property &p : properties)
      lonely.push_back(p.text);
    return fmt::format("{}", fmt::join(lonely, ", "));
  }

private:
  std::vector<std::string> lonely;
  std::vector<Property> properties;
};

double megabytesAsked(const KernelFeatures &f, const Accesses &global) {
  double warps = f.blocks * std::ceil(f.threadsPerBlock / kLanes);
  return global.sectors * kSectorBytes * warps * 1e-6;
}

/// Of the waves that are paid, the share that has blocks.
double busyShare(const Prediction &p) {
  return p.wavesPaid > 0 ? p.waves / p.wavesPaid : 1;
}

} // namespace

std::string causes(const KernelFeatures &f, const Prediction &p,
                   const KernelFeatures &g, const Prediction &q) {
  Comparison c;
  Accesses fs(f, true), gs(g, true), fg(f, false), gg(g, false);
  c.one(fs.count > 0, gs.count > 0, "goes through shared memory");
  c.one(f.mmaInsts > 0, g.mmaInsts > 0, "uses the matrix units");
  c.one(p.spilled > 0, q.spilled > 0, "spills registers");
  if (fs.count > 0 && gs.count > 0) {
    double a = fs.wavefronts / fs.least, b = gs.wavefronts / gs.least;
    c.add(a, b,
          fmt::format("bank conflicts: {:.1f} against {:.1f} wavefronts where "
                      "one would do",
                      a, b));
  }
  if (fg.count > 0 && gg.count > 0) {
    double a = fg.efficiency(), b = gg.efficiency();
    c.add(a, b,
          fmt::format("coalescing: {:.0f} against {:.0f} % of what global "
                      "accesses fetch is used",
                      a * 100, b * 100));
    a = fg.bytes / fg.count, b = gg.bytes / gg.count;
    c.add(a, b,
          fmt::format("vector width: {:.3g} against {:.3g} bytes a global "
                      "access",
                      a, b));
    a = megabytesAsked(f, fg), b = megabytesAsked(g, gg);
    c.add(a, b,
          fmt::format("reuse: {:.3g} against {:.3g} MB asked of global memory",
                      a, b));
  }
  c.add(f.stages, g.stages,
        fmt::format("pipeline: {:.0f} against {:.0f} tiles in flight", f.stages,
                    g.stages));
  double hides = p.warpsPerSM * f.ilp, others = q.warpsPerSM * g.ilp;
  c.add(hides, others,
        fmt::format("latency hiding: {:.0f} against {:.0f} operations in "
                    "flight on an SM",
                    hides, others));
  c.add(busyShare(p), busyShare(q),
        fmt::format("wave quantisation: SMs busy {:.0f} against {:.0f} % of "
                    "the waves",
                    busyShare(p) * 100, busyShare(q) * 100));
  return c.text();
}

} // namespace hwtune
