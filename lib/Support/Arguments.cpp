//===- Arguments.cpp - command lines of small programs --------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hwtune/Support/Arguments.h"

#include "hwtune/Support/File.h"

#include "hwtune/Support/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace hwtune {

Expected<std::optional<int64_t>> Arguments::integer(const std::string &name,
                                                    int64_t least) const {
  if (!has(name))
    return std::optional<int64_t>();
  std::optional<int64_t> value = parseInt(get(name));
  if (!value || *value < least)
    return Error{fmt::format("--{} is '{}', expected an integer of at least {}",
                             name, get(name), least),
                 ""};
  return value;
}

static Status takeOption(Arguments &arguments, std::string word,
                         const std::vector<std::string> &known, int argc,
                         const char *const *argv, int &at) {
  size_t equals = word.find('=');
  std::optional<std::string> value;
  if (equals != std::string::npos) {
    value = word.substr(equals + 1);
    word.resize(equals);
  }
  bool isFlag = std::find(known.begin(), known.end(), word) != known.end();
  bool takesValue =
      std::find(known.begin(), known.end(), word + "=") != known.end();
  if (!isFlag && !takesValue) {
    std::vector<std::string> names;
    for (const std::string &name : known)
      names.push_back(name.substr(0, name.find('=')));
    return Error{
        fmt::format("unknown option '{}'{}", word, didYouMean(word, names)),
        ""};
  }
  if (isFlag && value)
    return Error{fmt::format("option '{}' takes no value", word), ""};
  if (takesValue && !value) {
    if (at + 1 >= argc)
      return Error{fmt::format("option '{}' needs a value", word), ""};
    value = argv[++at];
  }
  if (!arguments.options.emplace(word.substr(2), value.value_or("")).second)
    return Error{fmt::format("option '{}' is given twice", word), ""};
  return success();
}

Expected<Arguments> parseArguments(int argc, const char *const *argv,
                                   const std::vector<std::string> &known) {
  Arguments arguments;
  bool optionsEnded = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (optionsEnded || word == "-" || word.rfind('-', 0) != 0) {
      arguments.positional.push_back(word);
    } else if (word == "--") {
      optionsEnded = true;
    } else {
      if (word[1] != '-') // one dash is as good as two
        word = "-" + word;
      Status status = takeOption(arguments, word, known, argc, argv, i);
      if (!status)
        return status.error();
    }
  }
  return arguments;
}

int printResult(std::string_view program, std::string_view text, int code) {
  Status status = writeStandardOutput(text);
  if (status)
    return code;
  fmt::print(stderr, "{}: {}\n", program, status.error().str());
  return 1;
}

} // namespace hwtune
