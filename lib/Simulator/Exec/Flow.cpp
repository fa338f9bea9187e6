//===- Flow.cpp - edges and points of reconvergence -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decode.h"

namespace hwtune::exec {

static bool isBranch(const VOp &op) { return op.target != -1; }
static bool isUnconditional(const VOp &op) {
  return op.b.kind == Val::Raw && op.b.index == kTruePredicate;
}

/// Turns instruction targets into blocks and picks the branch handlers.
void FunctionDecoder::connect() {
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    VBlock &block = blocks[b];
    bool falls = !block.exits;
    for (VOp &op : block.ops) {
      if (!isBranch(op))
        continue;
      if (op.target <= -2)
        op.target = int32_t(blockOfInst[uint32_t(-2 - op.target)]);
      bool back = op.target <= int32_t(b);
      bool always = isUnconditional(op);
      op.entry = B.P.registry->find(std::string(always ? "bra" : "bra.if") +
                                    (back ? ".back" : ".forward"));
      block.succs.push_back(uint32_t(op.target));
      falls &= !always;
    }
    if (falls && b + 1 < blocks.size())
      block.succs.push_back(b + 1);
  }
}

/// Immediate post-dominators, as dominators of the reversed graph (Cooper,
/// Harvey, Kennedy) from the last block that returns. Other returns count as
/// not being there: their lanes leave, the others meet as if they had not been.
void FunctionDecoder::findReconvergence() {
  const uint32_t n = uint32_t(blocks.size()), none = ~0u;
  std::vector<std::vector<uint32_t>> preds(n);
  for (uint32_t b = 0; b < n; ++b)
    for (uint32_t s : blocks[b].succs)
      preds[s].push_back(b);
  // The block at the very end is reached only where the text falls off it.
  uint32_t root = n - 1;
  while (root > 0 && (!blocks[root].exits || preds[root].empty()))
    --root;
  std::vector<uint32_t> order, number(n, none), ipdom(n, none);
  std::vector<std::pair<uint32_t, uint32_t>> stack{{root, 0}};
  std::vector<bool> seen(n);
  seen[root] = true;
  while (!stack.empty()) {
    auto &[b, next] = stack.back();
    if (next < preds[b].size()) {
      uint32_t p = preds[b][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.push_back({p, 0});
      }
    } else {
      number[b] = uint32_t(order.size());
      order.push_back(b);
      stack.pop_back();
    }
  }
  auto intersect = [&](uint32_t x, uint32_t y) {
    while (x != y) {
      while (number[x] < number[y])
        x = ipdom[x];
      while (number[y] < number[x])
        y = ipdom[y];
    }
    return x;
  };
  ipdom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i-- > 0;) {
      uint32_t b = order[i];
      if (b == root)
        continue;
      uint32_t best = none;
      for (uint32_t s : blocks[b].succs)
        if (number[s] != none && ipdom[s] != none)
          best = best == none ? s : intersect(best, s);
      if (best != none && ipdom[b] != best) {
        ipdom[b] = best;
        changed = true;
      }
    }
  }
  for (uint32_t b = 0; b < n; ++b)
    for (VOp &op : blocks[b].ops)
      if (isBranch(op) && !isUnconditional(op) && b != root &&
          ipdom[b] != none) {
        op.recon = int32_t(ipdom[b]);
        blocks[ipdom[b]].isReconvergence = true;
      }
}

} // namespace hwtune::exec
