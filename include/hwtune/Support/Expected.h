//===- Expected.h - a value or an error, without exceptions -----*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_EXPECTED_H
#define HWTUNE_SUPPORT_EXPECTED_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace hwtune {

/// What went wrong, in one line: lower-case start, no final period, naming the
/// value and what was expected. `where` is "file:line:column", "file", or "".
struct Error {
  std::string message;
  std::string where;

  /// "where: message", or just the message where there is no location.
  std::string str() const {
    return where.empty() ? message : where + ": " + message;
  }
};

/// A `T` or an `Error`. No exception crosses an API of the engine.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::move(value)) {}
  Expected(Error error) : storage(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(storage); }

  T &operator*() & { return get(); }
  const T &operator*() const & {
    assert(*this && "no value");
    return *std::get_if<T>(&storage);
  }
  T &&operator*() && { return std::move(get()); }
  T *operator->() { return &get(); }
  const T *operator->() const { return &**this; }

  const Error &error() const {
    assert(!*this && "no error");
    return *std::get_if<Error>(&storage);
  }

private:
  T &get() {
    assert(*this && "no value");
    return *std::get_if<T>(&storage);
  }
  std::variant<T, Error> storage;
};

/// Success, or an `Error`: `return success();`.
using Status = Expected<std::monostate>;
inline Status success() { return Status(std::monostate{}); }

} // namespace hwtune

#endif // HWTUNE_SUPPORT_EXPECTED_H
