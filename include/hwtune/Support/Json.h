//===- Json.h - reading untrusted JSON --------------------------*- C++ -*-===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reader that names the field in every error: "kernels[1].grid[0]: 0 is out
// of range, expected 1 to 2147483647". The first error sticks; reading on after
// it yields fallbacks, so a caller reads everything and asks once at the end.
//
//===----------------------------------------------------------------------===//

#ifndef HWTUNE_SUPPORT_JSON_H
#define HWTUNE_SUPPORT_JSON_H

#include "hwtune/Support/Expected.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hwtune {

using Json = nlohmann::json;
/// Keeps the order of insertion: for canonical output.
using OrderedJson = nlohmann::ordered_json;

/// Deeper nesting than any of our formats has; copying and printing recurse.
inline constexpr unsigned kMaxJsonDepth = 64;

/// Parses `text`, which may be at most `maxBytes` long and nested at most
/// `kMaxJsonDepth` deep. `what` names the input in errors ("launch
/// description"), which have the line and column.
Expected<Json> parseJson(std::string_view text, std::string_view what,
                         size_t maxBytes);
/// The same, keeping the order of the fields.
Expected<OrderedJson> parseOrderedJson(std::string_view text,
                                       std::string_view what, size_t maxBytes);

/// On one line; bytes that are no UTF-8 become U+FFFD instead of throwing.
std::string dumpJson(const Json &json);
std::string dumpJson(const OrderedJson &json);

/// One value and the path to it. Cheap to copy; copies share the error.
class JsonReader {
public:
  JsonReader(const Json &value, std::string path)
      : value(&value), at(std::move(path)),
        shared(std::make_shared<std::string>()) {}

  bool ok() const { return shared->empty(); }
  Status status() const {
    return ok() ? success() : Status(Error{*shared, ""});
  }
  const std::string &path() const { return at; }
  const Json &json() const { return *value; }

  /// Records "path: message" unless there is an error already.
  void fail(std::string_view message) const {
    if (ok())
      *shared = at.empty() ? std::string(message)
                           : fmt::format("{}: {}", at, message);
  }

  /// The same for a message that names its place itself.
  void failBare(std::string_view message) const {
    if (ok())
      *shared = std::string(message);
  }

  bool has(const char *key) const {
    return value->is_object() && value->contains(key);
  }
  /// The member `key`; a missing one is an error and reads as null.
  JsonReader operator[](const char *key) const {
    static const Json null;
    std::string path = at.empty() ? key : fmt::format("{}.{}", at, key);
    if (!value->is_object()) {
      fail(fmt::format("expected an object, found {}", found()));
      return JsonReader(null, path, shared);
    }
    auto it = value->find(key);
    if (it == value->end()) {
      fail(fmt::format("field `{}` is missing", key));
      return JsonReader(null, path, shared);
    }
    return JsonReader(*it, path, shared);
  }
  /// The elements of a list of at most `most` (and at least `least`).
  std::vector<JsonReader> elements(size_t most, size_t least = 0) const {
    std::vector<JsonReader> result;
    if (!value->is_array()) {
      fail(fmt::format("expected a list, found {}", found()));
      return result;
    }
    if (value->size() > most || value->size() < least) {
      fail(least == most
               ? fmt::format("{} elements, expected {}", value->size(), most)
               : fmt::format("{} elements, expected {} to {}", value->size(),
                             least, most));
      return result;
    }
    for (size_t i = 0; i < value->size(); ++i)
      result.push_back(
          JsonReader((*value)[i], fmt::format("{}[{}]", at, i), shared));
    return result;
  }
  /// Every member must be one of `known`.
  void onlyFields(std::initializer_list<std::string_view> known) const {
    if (!value->is_object())
      return fail(fmt::format("expected an object, found {}", found()));
    for (const auto &item : value->items()) {
      bool listed = false;
      for (std::string_view name : known)
        listed |= name == item.key();
      if (!listed)
        return fail(fmt::format("unknown field `{}`, expected one of: {}",
                                item.key(), fmt::join(known, ", ")));
    }
  }

  int64_t integer(int64_t least, int64_t most) const {
    if (!value->is_number_integer()) {
      fail(fmt::format("expected an integer, found {}", found()));
      return least;
    }
    // Above INT64_MAX the value is stored unsigned.
    bool huge = value->is_number_unsigned() &&
                value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
    int64_t v = huge ? INT64_MAX : value->get<int64_t>();
    if (huge || v < least || v > most) {
      fail(fmt::format("{} is out of range, expected {} to {}", value->dump(),
                       least, most));
      return least;
    }
    return v;
  }
  uint64_t unsignedInteger() const {
    if (!value->is_number_unsigned()) {
      fail(fmt::format("expected an integer from 0 to 2^64 - 1, found {}",
                       found()));
      return 0;
    }
    return value->get<uint64_t>();
  }
  double number(double least, double most) const {
    if (!value->is_number()) {
      fail(fmt::format("expected a number, found {}", found()));
      return least;
    }
    double v = value->get<double>();
    if (!(v >= least && v <= most)) {
      fail(fmt::format("{} is out of range, expected {} to {}", value->dump(),
                       least, most));
      return least;
    }
    return v;
  }
  bool boolean() const {
    if (!value->is_boolean()) {
      fail(fmt::format("expected true or false, found {}", found()));
      return false;
    }
    return value->get<bool>();
  }
  std::string string(size_t most = 4096) const {
    if (!value->is_string()) {
      fail(fmt::format("expected a string, found {}", found()));
      return {};
    }
    const auto &text = value->get_ref<const std::string &>();
    if (text.size() > most) {
      fail(
          fmt::format("{} characters, expected at most {}", text.size(), most));
      return {};
    }
    return text;
  }

  /// The value as shown in errors: short scalars themselves, else their kind.
  std::string found() const {
    if (value->is_object())
      return "an object";
    if (value->is_array())
      return "a list";
    // Replaces what is not UTF-8 instead of throwing.
    std::string text =
        value->dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= 60 ? text : "a long string";
  }

private:
  JsonReader(const Json &value, std::string path,
             std::shared_ptr<std::string> shared)
      : value(&value), at(std::move(path)), shared(std::move(shared)) {}

  const Json *value;
  std::string at;
  std::shared_ptr<std::string> shared;
};

} // namespace hwtune

#endif // HWTUNE_SUPPORT_JSON_H
