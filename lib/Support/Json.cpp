//===- Json.cpp - parsing untrusted JSON ----------------------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Json.h"

namespace hwtune {

static bool isTooDeep(std::string_view text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth)
        return true;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

template <typename J>
static Expected<J> parse(std::string_view text, std::string_view what,
                         size_t maxBytes) {
  if (text.size() > maxBytes)
    return Error{fmt::format("{} is {} bytes long, expected at most {}", what,
                             text.size(), maxBytes),
                 ""};
  if (isTooDeep(text))
    return Error{fmt::format("{} is nested deeper than the limit of {}", what,
                             kMaxJsonDepth),
                 ""};
  try {
    return J::parse(text);
  } catch (const nlohmann::json::exception &e) {
    std::string why = e.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (size_t end = why.find("] "); end != std::string::npos)
      why.erase(0, end + 2);
    return Error{fmt::format("{} is no valid JSON: {}", what, why), ""};
  }
}

Expected<Json> parseJson(std::string_view text, std::string_view what,
                         size_t maxBytes) {
  return parse<Json>(text, what, maxBytes);
}
Expected<OrderedJson> parseOrderedJson(std::string_view text,
                                       std::string_view what, size_t maxBytes) {
  return parse<OrderedJson>(text, what, maxBytes);
}

std::string dumpJson(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string dumpJson(const OrderedJson &json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

} // namespace hwtune
