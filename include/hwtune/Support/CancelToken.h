//===- CancelToken.h - a request to stop ---------------------- -*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_CANCELTOKEN_H
#define HWTUNE_SUPPORT_CANCELTOKEN_H

#include <atomic>
#include <memory>

namespace hwtune {

/// Copies share one flag. A library polls it; only programs set it, also from
/// a signal handler (through `flag`, which outlives the handler by being kept).
class CancelToken {
public:
  CancelToken() : state(std::make_shared<std::atomic<bool>>(false)) {
    static_assert(std::atomic<bool>::is_always_lock_free,
                  "set from signal handlers");
  }
  void cancel() const { state->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return state->load(std::memory_order_relaxed); }
  std::atomic<bool> &flag() const { return *state; }

private:
  std::shared_ptr<std::atomic<bool>> state;
};

} // namespace hwtune

#endif // HWTUNE_SUPPORT_CANCELTOKEN_H
