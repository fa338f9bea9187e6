//===- Config.cpp - which GPU is simulated, and how -----------------------===//
//
// Part of hwtune, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Config.h"

#include "hwtune/Target/KnownTargets.h"
#include "hwtune/Target/TargetFields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

using namespace hwtune;
using namespace hwtune::simcuda;
using Json = nlohmann::json;

static Status setTarget(Config &config, const std::string &text) {
  Expected<TargetSpec> target = targetFromIdOrFile(text);
  if (!target)
    return target.error();
  if (std::string why = whyNoPtx(*target); !why.empty())
    return Error{why, ""};
  config.target = std::move(*target);
  return success();
}

Expected<Config> simcuda::defaultConfig() {
  Config config;
  if (Status s = setTarget(config, kDefaultTargetId); !s)
    return s.error();
  return config;
}

Expected<Config> simcuda::configFromText(std::string_view text) {
  Config config;
  size_t comma = std::min(text.find(','), text.size());
  std::string target(text.substr(0, comma));
  if (Status s = setTarget(config, target.empty() ? kDefaultTargetId : target);
      !s)
    return s.error();
  while (comma < text.size()) {
    text.remove_prefix(comma + 1);
    comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    if (word == "timed")
      config.timed = true;
    else if (word == "check")
      config.check = true;
    else
      return Error{
          fmt::format(
              "`{}` is not a mode of the simulated GPU, expected `timed` or "
              "`check` after the target",
              word),
          ""};
  }
  return config;
}

/// Reads a list of [x, y, z].
static Status readBlocks(Config &config, const Json &list) {
  auto bad = [&] {
    return Error{fmt::format("`blocks` is {}, expected a list of [x, y, z]",
                             list.dump()),
                 ""};
  };
  if (!list.is_array())
    return bad();
  config.blocks.clear();
  for (const Json &entry : list) {
    if (!entry.is_array() || entry.size() != 3)
      return bad();
    std::array<uint32_t, 3> block{};
    for (size_t i = 0; i < 3; ++i) {
      if (!entry[i].is_number_unsigned() ||
          entry[i].get<uint64_t>() > UINT32_MAX)
        return bad();
      block[i] = entry[i].get<uint32_t>();
    }
    config.blocks.push_back(block);
  }
  return success();
}

template <typename T>
static Status readNumber(T &field, std::string_view key, const Json &value) {
  if (!value.is_number_unsigned() ||
      value.get<uint64_t>() > std::numeric_limits<T>::max())
    return Error{fmt::format("`{}` is {}, expected an integer of 0 or more",
                             key, value.dump()),
                 ""};
  field = value.get<T>();
  return success();
}

static Status readFlag(bool &field, std::string_view key, const Json &value) {
  if (!value.is_boolean())
    return Error{
        fmt::format("`{}` is {}, expected true or false", key, value.dump()),
        ""};
  field = value.get<bool>();
  return success();
}

static Status readLaunchState(Config &config, const Json &value) {
  using State = timing::LaunchState;
  for (auto [name, state] : {std::pair{"stream", State::Stream},
                             {"cold", State::Cold},
                             {"warm", State::Warm}})
    if (value == name) {
      config.state = state;
      return success();
    }
  return Error{
      fmt::format("`launch` is {}, expected \"stream\", \"cold\" or \"warm\"",
                  value.dump()),
      ""};
}

static Status applyKey(Config &config, const std::string &key,
                       const Json &value, bool targetFixed) {
  if (key == "target") {
    if (!value.is_string())
      return Error{fmt::format("`target` is {}, expected an id or a file name",
                               value.dump()),
                   ""};
    std::string text = value.get<std::string>();
    if (!targetFixed)
      return setTarget(config, text);
    // Another name of the same GPU is as good.
    Config named;
    Status read = setTarget(named, text);
    if (!read || toJson(named.target) != toJson(config.target))
      return Error{
          fmt::format(
              "`target` is `{}`, but the driver is already initialised as `{}`",
              text, config.target.id),
          ""};
    return success();
  }
  if (key == "mode") {
    if (value != "functional" && value != "timed")
      return Error{
          fmt::format("`mode` is {}, expected \"functional\" or \"timed\"",
                      value.dump()),
          ""};
    config.timed = value == "timed";
    config.wholeGrid = !config.timed;
    return success();
  }
  if (key == "launch")
    return readLaunchState(config, value);
  if (key == "check")
    return readFlag(config.check, key, value);
  if (key == "whole_grid")
    return readFlag(config.wholeGrid, key, value);
  if (key == "blocks")
    return readBlocks(config, value);
  if (key == "watchdog")
    return readNumber(config.watchdog, key, value);
  if (key == "registers")
    return readNumber(config.registers, key, value);
  if (key == "spill_bytes")
    return readNumber(config.spillBytes, key, value);
  return Error{
      fmt::format(
          "`{}` is not a setting of the simulated GPU, expected target, mode, "
          "check, blocks, whole_grid, watchdog, registers, spill_bytes or "
          "launch",
          key),
      ""};
}

bool simcuda::namesTarget(std::string_view json) {
  Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  return object.is_object() && object.contains("target");
}

Status simcuda::applyJson(Config &config, std::string_view json,
                          bool targetFixed) {
  Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return Error{"settings of the simulated GPU are not a JSON object", ""};
  Config changed = config; // all or nothing
  // Keys come in alphabetical order: "whole_grid" after "mode", which resets
  // it.
  for (const auto &[key, value] : object.items())
    if (Status s = applyKey(changed, key, value, targetFixed); !s)
      return s;
  config = std::move(changed);
  return success();
}
