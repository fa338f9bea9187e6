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

/// Whether all that happens in a block is that its lanes exit.
bool FunctionDecoder::onlyExits(const VBlock &block) const {
  return F.isEntry && block.exits && block.ops.size() == 1;
}

/// Turns instruction targets into blocks and picks the branch handlers. A
/// branch to the kernel's end is an exit: its lanes do not wait there for the
/// others, which may be at a barrier that counts those that have not exited.
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
      if (onlyExits(blocks[uint32_t(op.target)])) {
        op.target = -1;
        op.entry = B.P.registry->find("exit");
        block.exits |= always;
        falls &= !always;
        continue;
      }
      op.entry = B.P.registry->find(std::string(always ? "bra" : "bra.if") +
                                    (back ? ".back" : ".forward"));
      block.succs.push_back(uint32_t(op.target));
      falls &= !always;
    }
    if (falls && b + 1 < blocks.size())
      block.succs.push_back(b + 1);
  }
}

namespace {

constexpr uint32_t kNoBlock = ~0u;

/// Immediate post-dominators, as dominators of the reversed graph (Cooper,
/// Harvey, Kennedy). A block belongs to the last block of the text that it can
/// reach and that returns. Other returns count as not being there: their lanes
/// leave, the others meet as if they had not been.
class PostDominators {
public:
  explicit PostDominators(const std::vector<VBlock> &blocks);
  /// `kNoBlock` where there is none, and of a root.
  uint32_t of(uint32_t block) const {
    return block == root[block] ? kNoBlock : parent[block];
  }

private:
  void number(uint32_t from, const std::vector<std::vector<uint32_t>> &preds);
  uint32_t meet(uint32_t x, uint32_t y) const;
  bool improve(uint32_t block);

  const std::vector<VBlock> &blocks;
  std::vector<uint32_t> root;  ///< that each block belongs to, or `kNoBlock`
  std::vector<uint32_t> order; ///< post-orders of the reversed graph
  std::vector<uint32_t> place; ///< of each block in it
  std::vector<uint32_t> parent;
};

PostDominators::PostDominators(const std::vector<VBlock> &blocks)
    : blocks(blocks), root(blocks.size(), kNoBlock),
      place(blocks.size(), kNoBlock), parent(blocks.size(), kNoBlock) {
  std::vector<std::vector<uint32_t>> preds(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t s : blocks[b].succs)
      preds[s].push_back(b);
  // A block that nothing leads to, as the one where the text falls off its end,
  // keeps no other from its place.
  for (uint32_t b = uint32_t(blocks.size()); b-- > 0;)
    if (blocks[b].exits && root[b] == kNoBlock && (b == 0 || !preds[b].empty()))
      number(b, preds);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size(); i-- > 0;)
      if (order[i] != root[order[i]])
        changed |= improve(order[i]);
  }
}

void PostDominators::number(uint32_t from,
                            const std::vector<std::vector<uint32_t>> &preds) {
  std::vector<std::pair<uint32_t, uint32_t>> stack{{from, 0}};
  root[from] = parent[from] = from;
  while (!stack.empty()) {
    auto &[b, next] = stack.back();
    if (next < preds[b].size()) {
      uint32_t p = preds[b][next++];
      if (root[p] == kNoBlock) {
        root[p] = from;
        stack.push_back({p, 0});
      }
    } else {
      place[b] = uint32_t(order.size());
      order.push_back(b);
      stack.pop_back();
    }
  }
}

uint32_t PostDominators::meet(uint32_t x, uint32_t y) const {
  while (x != y) {
    while (place[x] < place[y])
      x = parent[x];
    while (place[y] < place[x])
      y = parent[y];
  }
  return x;
}

bool PostDominators::improve(uint32_t block) {
  uint32_t best = kNoBlock;
  for (uint32_t s : blocks[block].succs)
    if (root[s] == root[block] && parent[s] != kNoBlock)
      best = best == kNoBlock ? s : meet(best, s);
  if (best == kNoBlock || parent[block] == best)
    return false;
  parent[block] = best;
  return true;
}

} // namespace

void FunctionDecoder::findReconvergence() {
  PostDominators postDominators(blocks);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    uint32_t meeting = postDominators.of(b);
    if (meeting == kNoBlock)
      continue;
    for (VOp &op : blocks[b].ops)
      if (isBranch(op) && !isUnconditional(op)) {
        op.recon = int32_t(meeting);
        blocks[meeting].isReconvergence = true;
      }
  }
}

} // namespace hwtune::exec
